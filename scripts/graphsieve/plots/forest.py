"""The first figure of a run's page: every published accuracy as ours less published, with its interval."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from graphsieve.plots.style import GREY, INK, TEXT_WIDTH, dataset_styles, label, letter, use_style
from graphsieve.study.agreement import AGREES, SHARE, distinct
from graphsieve.study.labels import DATASETS, ROWS, in_order, label_dataset

SHORT = {  # rows of Table 1, whose formulas are too wide for a tick
    "original": "original",
    "mlp": "MLP",
    "permuted_rows": "rows\npermuted",
    "gaussian_noise": "Gaussian\nnoise",
    "random_graph": "random\ngraph",
}
GAP = 1.5  # dots between two rows of a table
REACH = 0.95  # of the intervals end within a panel


def forest(cells: pd.DataFrame) -> Figure:
    """One strip a table; within it its rows, and in each a dot a dataset. `cells`: what `agreement_of_tables` makes."""
    use_style()
    cells = distinct(cells)
    tables = sorted(cells["table"].unique())
    styles = dataset_styles(cells["dataset"])
    figure, axes = plt.subplots(
        max(len(tables), 1), 1, figsize=(TEXT_WIDTH, 0.4 + 1.45 * max(len(tables), 1)), squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for number, (axis, table) in enumerate(zip(axes.flat, tables, strict=False)):
        _draw_strip(axis, cells[cells["table"] == table], styles)
        axis.set_title(f"{letter(number, len(tables))}{table}", loc="left")
    figure.supylabel("Ours less published (points)", fontsize=9)
    figure.legend(handles=_handles(styles), loc="outside upper center", ncols=5, frameon=False, columnspacing=1.2)
    return figure


def _draw_strip(axis: Axes, cells: pd.DataFrame, styles: dict[str, tuple[str, str]]) -> None:
    """One table."""
    reach = _reach(cells)
    start, ticks = 0.0, {}
    for (share, row), part in _groups(cells):
        order = in_order(part["dataset"], DATASETS)
        for place, dataset in enumerate(order):
            _draw_cell(axis, start + place, part[part["dataset"] == dataset].iloc[0], styles[dataset], reach)
        ticks[start + (len(order) - 1) / 2] = _row_label(share, row)
        start += len(order) + GAP
        axis.axvline(start - (1 + GAP) / 2, color="#e4e4e4", linewidth=0.6, zorder=0)
    axis.axhline(0, color=INK, linewidth=0.7, zorder=1)
    axis.set_xticks(list(ticks), labels=list(ticks.values()), fontsize=6.5 if len(ticks) > 7 else 7.5)
    axis.tick_params(axis="x", length=0)
    axis.set(xlim=(-(1 + GAP) / 2, start - (1 + GAP) / 2), ylim=(-1.06 * reach, 1.06 * reach))
    axis.locator_params(axis="y", nbins=5)
    sns.despine(ax=axis, bottom=True)


def _groups(cells: pd.DataFrame) -> list[tuple[tuple[float, str], pd.DataFrame]]:
    """The rows of a table in the paper's order, by share where there are several."""
    shares = sorted(cells[SHARE].fillna(0).unique(), reverse=True)
    rows = in_order(cells["row"], ROWS)
    parts = [
        ((share, row), cells[(cells[SHARE].fillna(0) == share) & (cells["row"] == row)])
        for share in shares
        for row in rows
    ]
    return [(key, part) for key, part in parts if len(part)]


def _row_label(share: float, row: str) -> str:
    name = SHORT.get(row) or label(row)
    return f"{name}\n{share:g} %" if share else name


def _reach(cells: pd.DataFrame) -> float:
    """Half the height of a strip: a few wide intervals may leave it, so that the others can be seen."""
    ends = np.maximum(cells["low"].abs(), cells["high"].abs())
    return float(max(np.quantile(ends, REACH), cells["difference"].abs().quantile(REACH), 1.0))


def _draw_cell(axis: Axes, place: float, cell: pd.Series, style: tuple[str, str], reach: float) -> None:
    """Filled where the interval leaves out zero; a triangle at the edge where the difference lies beyond it."""
    colour, marker = style
    low, high = np.clip([cell["low"], cell["high"]], -reach, reach)
    apart = cell["verdict"] != AGREES
    axis.plot([place, place], [low, high], color=colour, linewidth=1.3 if apart else 0.8, alpha=1 if apart else 0.55)
    shown = float(np.clip(cell["difference"], -reach, reach))
    if shown != cell["difference"]:
        marker = "^" if shown > 0 else "v"
    axis.plot(
        place, shown, marker=marker, markersize=3.6, color=colour, markerfacecolor=colour if apart else "white",
        markeredgewidth=0.8, linestyle="", zorder=3, clip_on=False,
    )  # fmt: skip


def _handles(styles: dict[str, tuple[str, str]]) -> list[Line2D]:
    look = {"linestyle": "", "markersize": 4, "markeredgewidth": 0.8}
    datasets = [
        Line2D([], [], color=colour, marker=marker, markerfacecolor="white", label=label_dataset(name), **look)
        for name, (colour, marker) in styles.items()
    ]
    return [*datasets, Line2D([], [], color=GREY, marker="o", label="filled: they disagree", **look)]
