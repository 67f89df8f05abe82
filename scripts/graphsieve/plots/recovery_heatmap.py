"""The measures of `recovery` as a picture."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from graphsieve.plots.style import INK, TEXT_WIDTH, label, letter, note, use_style
from graphsieve.study.labels import DATASETS, ROWS, in_order
from graphsieve.study.recovery import MEASURES


def recovery_heatmap(summary: pd.DataFrame, measures: Mapping[str, str] = MEASURES) -> Figure:
    """One panel per measure, scorers below each other, regimes side by side; the mean is written in every cell."""
    use_style()
    if summary.empty:
        return note("No regime of this run has relevant features.")
    scorers, regimes = in_order(summary["scorer"], ROWS), in_order(summary["dataset"], DATASETS)
    figure, axes = plt.subplots(
        1, len(measures), figsize=(TEXT_WIDTH, 0.9 + 0.23 * len(scorers)), sharey=True, layout="constrained"
    )
    for number, (axis, (measure, title)) in enumerate(zip(axes, measures.items(), strict=True)):
        table = summary[summary["measure"] == measure].pivot(index="scorer", columns="dataset", values="mean")
        drawn = _heatmap(axis, table.reindex(index=scorers, columns=regimes))
        axis.set_title(letter(number) + title, loc="left")
    axes[0].set_yticks(range(len(scorers)), labels=[label(name) for name in scorers])
    figure.supxlabel("Regime", fontsize=9)
    bar = figure.colorbar(drawn, ax=axes, pad=0.02, aspect=25)
    bar.outline.set_visible(False)
    return figure


def _heatmap(axis: Axes, table: pd.DataFrame) -> AxesImage:
    drawn = axis.imshow(table, vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    for (row, column), value in pd.DataFrame(table.to_numpy()).stack().dropna().items():
        axis.text(
            column, row, f"{value:.2f}", ha="center", va="center", fontsize=7, color=INK if value > 0.6 else "white"
        )
    regimes = [name.removeprefix("synthetic_") for name in table.columns]
    slanted = {"rotation": 45, "ha": "right"} if max(map(len, regimes)) > 1 else {}
    axis.set_xticks(range(len(regimes)), labels=[f"({name})" for name in regimes], **slanted)
    axis.tick_params(length=0)
    for spine in axis.spines.values():
        spine.set_visible(False)
    return drawn
