"""The study of suspects as a picture: hypotheses by cells, coloured by how far each is from the published."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from graphsieve.plots.style import INK, TEXT_WIDTH, label, letter, note, use_style
from graphsieve.study.labels import DATASETS, in_order, label_dataset
from graphsieve.study.suspects.protocol import CELLS, TABLE1

LIMIT = 5  # published deviations, beyond which colours do not change
SHORT = {"original": "GNN", "mlp": "MLP", "permuted_rows": "rows permuted", "gaussian_noise": "noise"}
SHORT |= {"random_graph": "random graph"}


def suspects_heatmap(cells: pd.DataFrame, order: list[str]) -> Figure:
    """A panel per dataset, two side by side; a dot where Welch's test tells a cell from the published.

    order: of the hypotheses; those that have no cells are left out.
    """
    use_style()
    datasets = in_order(cells["dataset"], DATASETS)
    if not datasets:
        return note("None of these cells was run.")
    order = [name for name in order if name in set(cells["hypothesis"])]
    rows = -(-len(datasets) // 2)
    figure, axes = plt.subplots(
        rows,
        2,
        figsize=(TEXT_WIDTH, 0.7 + rows * (1.3 + 0.15 * len(order))),
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for number, (axis, dataset) in enumerate(zip(axes.flat, datasets, strict=False)):
        drawn = _panel(axis, cells[cells["dataset"] == dataset], order)
        axis.set_title(letter(number, len(datasets)) + label_dataset(dataset), loc="left")
    for axis in axes.flat[len(datasets) :]:
        axis.set_axis_off()
    for axis in axes[:, 0]:
        axis.set_yticks(range(len(order)), labels=order)
    bar = figure.colorbar(drawn, ax=axes, location="bottom", pad=0.02, aspect=50, shrink=0.6, extend="both")
    bar.set_label("ours less published, in published deviations (dots: they disagree)")
    bar.outline.set_visible(False)
    return figure


def _panel(axis: Axes, cells: pd.DataFrame, order: list[str]) -> AxesImage:
    values = cells.pivot(index="hypothesis", columns="setting", values="deviations").reindex(index=order, columns=CELLS)
    apart = cells.assign(apart=cells["verdict"] != "agrees").pivot(
        index="hypothesis", columns="setting", values="apart"
    )
    drawn = axis.imshow(values, cmap="RdBu_r", vmin=-LIMIT, vmax=LIMIT, aspect="auto", interpolation="nearest")
    row, column = np.nonzero(apart.reindex(index=order, columns=CELLS).eq(True).to_numpy())
    axis.plot(column, row, "o", color=INK, markersize=2, markeredgecolor="white", markeredgewidth=0.4)
    axis.axvline(len(TABLE1) - 0.5, color="white", linewidth=1.5)
    axis.set_xticks(range(len(CELLS)), labels=[SHORT.get(cell, label(cell)) for cell in CELLS], rotation=90, fontsize=7)
    axis.tick_params(axis="y", labelsize=7)
    axis.tick_params(length=0)
    axis.set_facecolor("#eeeeee")  # cells that were not run
    for spine in axis.spines.values():
        spine.set_visible(False)
    return drawn
