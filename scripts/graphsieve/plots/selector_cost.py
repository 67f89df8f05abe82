"""What a selection costs against what it is worth, and how stable it is from split to split."""

from itertools import cycle

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.transforms import Bbox

from graphsieve.plots.selector_curves import MARKERS, OTHERS, percent_axis, scorer_handles
from graphsieve.plots.style import (
    GREY,
    INK,
    TEXT_WIDTH,
    label,
    letter,
    method_colours,
    note,
    plain_log_ticks,
    use_style,
)
from graphsieve.study.labels import DATASETS, ROWS, base, in_order, label_dataset
from graphsieve.study.selectors.cost import unbeaten

DOT = 4  # pixels, half the width of a dot


def cost_against_quality(table: pd.DataFrame) -> Figure:
    """Seconds of a selection against points behind the best; a line joins scorers that none beats in both."""
    use_style()
    table = table.dropna(subset="seconds")
    if table.empty:
        return note("No job of this run says what a selection took.")
    figure, axis = plt.subplots(figsize=(TEXT_WIDTH, 3.6), layout="constrained")
    colours = method_colours(in_order(table["scorer"], ROWS))
    front = table.set_index("scorer").loc[unbeaten(table)]
    axis.step(front["seconds"], front["mean_regret"], where="post", color=GREY, linewidth=0.8, zorder=1)
    axis.scatter(table["seconds"], table["mean_regret"], c=table["scorer"].map(colours), s=24, zorder=3)
    axis.set_xscale("log")
    plain_log_ticks(axis.xaxis)
    axis.invert_yaxis()
    axis.margins(x=0.18, y=0.08)
    axis.set(
        xlabel="CPU seconds of a selection, geometric mean over graphs", ylabel="Points behind the best of a graph"
    )
    axis.spines[["top", "right"]].set_visible(False)
    _write_names(figure, axis, table)
    return figure


def _write_names(figure: Figure, axis: plt.Axes, table: pd.DataFrame) -> None:
    """Beside each dot; a name that would lie on a dot or an earlier name moves down or up."""
    figure.canvas.draw()
    places = axis.transData.transform(table[["seconds", "mean_regret"]])
    taken = [Bbox.from_bounds(x - DOT, y - DOT, 2 * DOT, 2 * DOT) for x, y in places]
    renderer = figure.canvas.get_renderer()
    for row in table.sort_values("mean_regret").itertuples():
        text = axis.annotate(
            label(row.scorer), (row.seconds, row.mean_regret), (5, 0), textcoords="offset points", fontsize=7,
            va="center", color=INK, path_effects=[withStroke(linewidth=2.5, foreground="white")], zorder=4,
        )  # fmt: skip
        for shift in sorted(range(-60, 61, 3), key=abs):
            text.set_position((5, -shift))
            box = text.get_window_extent(renderer).padded(-1)
            if not any(box.overlaps(other) for other in taken):
                break
        taken.append(box)


def stability_lines(table: pd.DataFrame, features: pd.Series, named: list[str]) -> Figure:
    """Kuncheva's index against the share kept: a panel for every graph, a line for every scorer.

    Scorers in `named` have colours and markers, all others a grey line.
    """
    use_style()
    graphs = in_order(table["dataset"], DATASETS)
    columns = min(3, len(graphs))
    rows = -(-len(graphs) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(TEXT_WIDTH, 0.8 + 1.7 * rows), sharey=True, squeeze=False, layout="constrained"
    )
    colours, marks = method_colours(named), dict(zip(named, cycle(MARKERS), strict=False))
    for number, (graph, axis) in enumerate(zip(graphs, axes.flat, strict=False)):
        part = table[table["dataset"] == graph]
        for scorer, line in part.groupby("scorer"):
            percent = 100 * line["kept"] / features[base(graph)]
            look = {"color": colours[scorer], "marker": marks[scorer]} if scorer in named else OTHERS
            axis.plot(percent, line["kuncheva"], **{"linewidth": 1, "markersize": 2.5, **look})
        percent_axis(axis, 100 * part["kept"].min() / features[base(graph)])
        axis.set_title(letter(number, len(graphs)) + label_dataset(graph), fontsize=9, loc="left")
        axis.axhline(0, color=GREY, linewidth=0.5)
    for axis in axes.flat[len(graphs) :]:
        axis.remove()
    figure.supxlabel("Features kept (%)", fontsize=9)
    figure.supylabel("Kuncheva's index over seeds", fontsize=9)
    figure.legend(
        handles=scorer_handles(named, colours, marks, others=set(table["scorer"]) > set(named)),
        loc="outside upper center", ncols=5, frameon=False,
    )  # fmt: skip
    return figure
