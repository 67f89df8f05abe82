"""Importance of every column by itself, beside the other columns, and beside these and the graph."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from graphsieve.plots.style import BLUE, GREY, INK, ORANGE, TEXT_WIDTH, VERMILION, use_style
from graphsieve.study.stand_ins import KINDS, LEVEL, TITLES

COLOURS = dict(zip(KINDS, (VERMILION, ORANGE, BLUE, GREY), strict=True))


def importance_by_question(records: pd.DataFrame) -> Figure:
    """One panel per question, one row per column of the graph; full dots are significant, and the reason is beside."""
    use_style()
    height = 0.19 * len(records) + 0.9
    figure, axes = plt.subplots(1, len(TITLES), figsize=(TEXT_WIDTH, height), sharey=True, layout="constrained")
    rows = np.arange(len(records))[::-1]
    colours = records["kind"].map(COLOURS)
    largest = records[[f"loss_{question}" for question in TITLES]].to_numpy().max()
    for axis, (question, title) in zip(axes, TITLES.items(), strict=True):
        losses, significant = records[f"loss_{question}"], records[f"p_{question}"] <= LEVEL
        axis.axvline(0, color=GREY, linewidth=0.6, zorder=0)
        axis.hlines(rows, 0, losses, colors=colours, linewidth=1.4, zorder=1)
        faces = np.where(significant, colours, "white")
        axis.scatter(losses, rows, s=22, c=faces, edgecolors=colours, linewidths=1, zorder=2)
        axis.set_title(title)
        axis.set_xlim(-0.12 * largest, 1.08 * largest)
        axis.tick_params(left=False)
        for side in ("left", "right", "top"):
            axis.spines[side].set_visible(False)
        for border in np.flatnonzero(records["kind"].to_numpy()[1:] != records["kind"].to_numpy()[:-1]):
            axis.axhline(rows[border] - 0.5, color=GREY, linewidth=0.3)
    axes[0].set_yticks(rows, records["column"])
    axes[1].set_xlabel("Rise of the loss")
    reasons = axes[-1].secondary_yaxis("right")
    reasons.set_yticks(rows, records["reason"])
    reasons.tick_params(right=False, labelcolor=INK)
    reasons.spines["right"].set_visible(False)
    figure.legend(handles=_legend(), loc="outside lower center", ncols=2, frameon=False)
    return figure


def _legend() -> list[Line2D]:
    dot = {"marker": "o", "linestyle": "", "markersize": 5, "markeredgecolor": INK}
    return [
        Line2D([], [], markerfacecolor=INK, label=f"significant at {LEVEL:.0%}".replace("%", " %"), **dot),
        Line2D([], [], markerfacecolor="white", label="not significant", **dot),
    ]
