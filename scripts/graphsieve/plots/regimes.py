"""Figure 12: the scores of every feature in the synthetic regimes."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from graphsieve.data.synthetic import REGIMES
from graphsieve.plots.style import GREY, INK, TEXT_WIDTH, label, method_colours, note, use_style
from graphsieve.study.labels import in_order

SCORERS = ("npt", "pt", "tfi", "mi")  # what the paper draws


def regime_scores(means: pd.DataFrame, relevant: int) -> Figure:
    """Regimes below each other, scorers side by side: mean and spread of every score, relevant features marked."""
    use_style()
    regimes = [regime for regime in REGIMES if f"synthetic_{regime}" in set(means["dataset"])]
    scorers = in_order(means["scorer"], SCORERS)
    if not regimes:
        return note("This run has none of the regimes (a) to (h).")
    colours = method_colours(scorers)
    figure, axes = plt.subplots(
        len(regimes), 1 + len(scorers), figsize=(TEXT_WIDTH, 0.45 + 0.88 * len(regimes)), squeeze=False,
        layout="constrained", width_ratios=[0.5] + [1] * len(scorers),
    )  # fmt: skip
    for axis_row, regime in zip(axes, regimes, strict=True):
        _dependence_triangle(axis_row[0], regime)
        for axis, scorer in zip(axis_row[1:], scorers, strict=True):
            cell = means[(means["dataset"] == f"synthetic_{regime}") & (means["scorer"] == scorer)]
            _score_panel(axis, cell, relevant if REGIMES[regime][2] else 0, colours[scorer])
    for column, scorer in enumerate(scorers, 1):
        axes[0, column].set_title(label(scorer))
        _share_scale(axes[:, column])
    figure.supxlabel("Feature", fontsize=9)
    return figure


def _score_panel(axis: Axes, cell: pd.DataFrame, relevant: int, strong: str) -> None:
    """Relevant features have the method's colour, the others are grey."""
    for part, colour in ((cell["feature"] >= relevant, GREY), (cell["feature"] < relevant, strong)):
        drawn = cell[part]
        axis.errorbar(
            drawn["feature"] + 1, drawn["mean"], yerr=drawn["spread"].fillna(0),
            fmt="o", markersize=2, color=colour, elinewidth=0.6, markeredgewidth=0,
        )  # fmt: skip
    if relevant:
        axis.axvspan(0.3, relevant + 0.7, color="#eeeeee", linewidth=0, zorder=0)
    axis.axhline(0, color=GREY, linewidth=0.5, zorder=0)
    sns.despine(ax=axis)


def _share_scale(axes: np.ndarray) -> None:
    """One scale for a column, so that regimes compare; numbers on the horizontal axis only below the last."""
    low, high = min(axis.get_ylim()[0] for axis in axes), max(axis.get_ylim()[1] for axis in axes)
    for axis in axes:
        axis.set_ylim(low, high)
        axis.locator_params(axis="y", nbins=3)
        axis.locator_params(axis="x", nbins=5)
        axis.tick_params(labelbottom=axis is axes[-1])


def _dependence_triangle(axis: Axes, regime: str) -> None:
    """Graph, labels and features as corners; a line joins two that depend on each other."""
    corners = {"A": (0.5, 0.85), "y": (0.1, 0.15), "X": (0.9, 0.15)}
    for (first, second), dependent in zip(("Ay", "AX", "yX"), REGIMES[regime], strict=True):
        (x1, y1), (x2, y2) = corners[first], corners[second]
        if dependent:
            axis.plot([x1, x2], [y1, y2], color=INK, linewidth=1.2, zorder=1)
    for name, (x, y) in corners.items():
        axis.text(
            x, y, name, ha="center", va="center", weight="bold", fontsize=8,
            bbox={"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": GREY, "linewidth": 0.6},
        )  # fmt: skip
    axis.set(xlim=(-0.15, 1.15), ylim=(-0.1, 1.1), aspect="equal")
    axis.set_axis_off()
    axis.set_title(f"({regime})", loc="left", fontsize=9, pad=-2)
