"""Accuracy of one model with the features that another selects."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from graphsieve.plots.style import INK, TEXT_WIDTH, label, letter, use_style
from graphsieve.study.labels import DATASETS, in_order, label_dataset
from graphsieve.study.selectors.transfer import matrix

MODEL_LABELS = {"gcn": "GCN", "gin": "GIN", "tagcn": "TAGCN", "graphsage": "SAGE", "gat": "GAT", "mlp": "MLP"}
PARTS = {"data": "#0072b2", "model": "#d55e00", "split": "#e69f00", "noise": "#cccccc"}


def transfer_matrices(runs: pd.DataFrame, scorers: list[str], models: list[str]) -> Figure:
    """A row of panels for every dataset, a panel for every scorer that asks models: mean accuracy in every cell.

    The colour is what is lost against the features that a model selects itself, which are framed.
    """
    use_style()
    datasets = in_order(runs["dataset"], DATASETS)
    size = (TEXT_WIDTH, max(2.4, 1.2 + (0.5 + 0.22 * len(models)) * len(datasets)))
    figure, axes = plt.subplots(
        len(datasets), len(scorers), figsize=size, sharex=True, sharey=True, squeeze=False, layout="constrained"
    )
    tables = {(dataset, scorer): matrix(runs, dataset, scorer) for dataset in datasets for scorer in scorers}
    lost = {key: _lost(table.reindex(models, columns=models)) for key, table in tables.items()}
    reach = max(0.5, np.nanmax([np.nanmax(np.abs(values)) for values in lost.values()]))
    for number, (key, axis) in enumerate(zip(tables, axes.flat, strict=True)):
        drawn = _draw(axis, tables[key].reindex(models, columns=models), lost[key], reach)
        axis.set_title(f"{letter(number, axes.size)}{label_dataset(key[0])},\n{label(key[1])}", fontsize=8, loc="left")
    figure.supxlabel("Model retrained", fontsize=9)
    figure.supylabel("Model asked", fontsize=9)
    bar = figure.colorbar(drawn, ax=axes, location="top", shrink=0.6, pad=0.02, aspect=40)
    bar.set_label("points lost against its own selection", fontsize=8)
    bar.outline.set_visible(False)
    return figure


def _lost(table: pd.DataFrame) -> np.ndarray:
    values = table.to_numpy()
    return np.diag(values)[None, :] - values


def _draw(axis: Axes, table: pd.DataFrame, lost: np.ndarray, reach: float):
    drawn = axis.imshow(lost, cmap="RdBu_r", vmin=-reach, vmax=reach, interpolation="nearest", aspect="auto")
    for (row, column), value in np.ndenumerate(table.to_numpy()):
        strong = abs(lost[row, column]) > 0.65 * reach
        axis.text(column, row, f"{value:.1f}", ha="center", va="center", fontsize=7, color="white" if strong else INK)
    for place in range(len(table)):
        axis.add_patch(
            plt.Rectangle((place - 0.5, place - 0.5), 1, 1, fill=False, edgecolor=INK, linewidth=1.2, zorder=3)
        )
    names = [MODEL_LABELS.get(name, name) for name in table.index]
    axis.set_xticks(range(len(names)), names, rotation=90)
    axis.set_yticks(range(len(names)), names)
    axis.tick_params(length=0)
    return drawn


def variance_bars(compared: pd.DataFrame, titles: dict[str, str]) -> Figure:
    """A bar for every dataset and scorer: which part of the variance of ranks is whose."""
    use_style()
    rows = compared.dropna(subset="data").iloc[::-1]
    figure, axis = plt.subplots(figsize=(TEXT_WIDTH, 0.8 + 0.26 * max(1, len(rows))), layout="constrained")
    start = np.zeros(len(rows))
    for part, colour in PARTS.items():
        axis.barh(range(len(rows)), rows[part], left=start, color=colour, height=0.7, label=titles[part])
        start = start + rows[part].to_numpy()
    names = [f"{label_dataset(row.dataset)}, {label(row.scorer)}" for row in rows.itertuples()]
    axis.set_yticks(range(len(rows)), names)
    axis.set_xlim(0, 1)
    axis.set_xlabel("Share of the variance of ranks")
    axis.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper center", ncols=4, frameon=False)
    return figure
