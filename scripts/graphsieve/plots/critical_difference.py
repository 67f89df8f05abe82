"""Mean ranks on a line, with bars over scorers that are not shown to differ; and who is shown ahead of whom."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from graphsieve.plots.style import GREY, INK, TEXT_WIDTH, label, letter, note, use_style

LINE = 0.17  # inches between labels
BAR = 0.09  # inches between bars


def critical_difference(panels: Mapping[str, tuple[pd.Series, list[list[str]]]]) -> Figure:
    """A panel for every set of graphs: by its title the mean rank of every scorer, and groups that do not differ."""
    use_style()
    if not panels:
        return note("Ranks need two graphs and three scorers that both have.")
    heights = [_height(*panel) for panel in panels.values()]
    figure, axes = plt.subplots(
        len(panels),
        1,
        figsize=(TEXT_WIDTH, sum(heights)),
        height_ratios=heights,
        squeeze=False,
        layout="constrained",
    )
    for number, (axis, height, (title, panel)) in enumerate(zip(axes[:, 0], heights, panels.items(), strict=True)):
        _draw(axis, *panel, height)
        axis.set_title(letter(number, len(panels)) + title, loc="left", fontsize=9)
    return figure


def _height(ranks: pd.Series, groups: list[list[str]]) -> float:
    """Inches: title and scale, bars, and labels in two columns."""
    return 0.75 + BAR * len(groups) + LINE * -(-len(ranks) // 2)


def _draw(axis: Axes, ranks: pd.Series, groups: list[list[str]], height: float) -> None:
    """In inches downwards from the scale; the best are at the left, with their names at the left."""
    ordered = ranks.sort_values(kind="stable")
    low, high = np.floor(ordered.iloc[0]), max(np.ceil(ordered.iloc[-1]), np.floor(ordered.iloc[0]) + 1)
    room = 0.55 * (high - low)
    axis.set(xlim=(low - room, high + room), ylim=(height - 0.35, -0.22))
    axis.set_axis_off()
    axis.hlines(0, low, high, color=INK, linewidth=0.8)
    step = max(1, int(np.ceil((high - low) / 12)))
    for tick in np.arange(low, high + 1, step):
        axis.vlines(tick, -0.05, 0, color=INK, linewidth=0.8)
        axis.text(tick, -0.08, f"{tick:g}", ha="center", va="bottom", fontsize=8)
    for number, group in enumerate(groups):
        ends = ordered[group].iloc[[0, -1]].to_numpy()
        margin = 0.004 * (high - low)
        axis.hlines(
            0.1 + BAR * number, ends[0] - margin, ends[1] + margin, color=INK, linewidth=2.5, capstyle="round", zorder=3
        )
    start = 0.2 + BAR * len(groups)
    half = -(-len(ordered) // 2)
    for place, (scorer, rank) in enumerate(ordered.items()):
        left = place < half
        level = start + LINE * (place if left else len(ordered) - 1 - place)
        end, align = (low - 0.03 * room, "right") if left else (high + 0.03 * room, "left")
        axis.plot([rank, rank, end], [0, level, level], color=GREY, linewidth=0.6, zorder=1)
        text = f"{label(scorer)}  {rank:.1f}" if left else f"{rank:.1f}  {label(scorer)}"
        axis.text(end, level, f" {text} ", ha=align, va="center", fontsize=8)


def shown_ahead(counts: pd.DataFrame, graphs: int) -> Figure:
    """Scorers by scorers: on how many graphs that of the row is shown to be ahead of that of the column."""
    use_style()
    names = list(counts.index)
    figure, axis = plt.subplots(figsize=(TEXT_WIDTH, min(TEXT_WIDTH, 1.3 + 0.24 * len(names))), layout="constrained")
    values = counts.to_numpy(float)
    drawn = axis.imshow(values, cmap="Blues", vmin=0, vmax=max(1, graphs), interpolation="nearest", aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        if value > 0:
            axis.text(
                column, row, f"{value:.0f}", ha="center", va="center", fontsize=7,
                color="white" if value > 0.6 * graphs else INK,
            )  # fmt: skip
    axis.set_xticks(range(len(names)), [label(name) for name in names], rotation=90)
    axis.set_yticks(range(len(names)), [label(name) for name in names])
    axis.set(xlabel="behind", ylabel="ahead")
    axis.tick_params(length=0)
    bar = figure.colorbar(drawn, ax=axis, shrink=0.6, pad=0.02)
    bar.set_label("graphs", fontsize=8)
    bar.ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    bar.outline.set_visible(False)
    return figure
