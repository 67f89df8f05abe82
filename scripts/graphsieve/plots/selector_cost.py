"""What a selection costs against what it is worth, and how stable it is from split to split."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from graphsieve.plots.selector_curves import percent_axis
from graphsieve.plots.style import GREY, INK, TEXT_WIDTH, label, letter, method_colours, note, use_style
from graphsieve.study.labels import DATASETS, ROWS, base, in_order, label_dataset
from graphsieve.study.selectors.cost import unbeaten


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
    axis.invert_yaxis()
    axis.margins(x=0.18, y=0.08)
    axis.set(
        xlabel="CPU seconds of a selection, geometric mean over graphs", ylabel="Points behind the best of a graph"
    )
    axis.spines[["top", "right"]].set_visible(False)
    _write_names(figure, axis, table)
    return figure


def _write_names(figure: Figure, axis: plt.Axes, table: pd.DataFrame) -> None:
    """Beside each dot; a name that would lie on an earlier one moves down."""
    figure.canvas.draw()
    taken: list = []
    renderer = figure.canvas.get_renderer()
    for row in table.sort_values("mean_regret").itertuples():
        text = axis.annotate(
            label(row.scorer), (row.seconds, row.mean_regret), (5, 0), textcoords="offset points", fontsize=7,
            va="center", color=INK, path_effects=[withStroke(linewidth=1.5, foreground="white")], zorder=4,
        )  # fmt: skip
        for shift in range(0, 60, 3):
            text.set_position((5, -shift))
            box = text.get_window_extent(renderer).padded(-1)
            if not any(box.overlaps(other) for other in taken):
                break
        taken.append(box)


def stability_lines(table: pd.DataFrame, features: pd.Series) -> Figure:
    """Kuncheva's index against the share kept: a panel for every graph, a line for every scorer."""
    use_style()
    graphs = in_order(table["dataset"], DATASETS)
    columns = min(3, len(graphs))
    rows = -(-len(graphs) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(TEXT_WIDTH, 0.8 + 1.7 * rows), sharey=True, squeeze=False, layout="constrained"
    )
    scorers = in_order(table["scorer"], ROWS)
    colours, marks = method_colours(scorers), ("-", "--", ":", "-.")
    styles = {name: marks[place % len(marks)] for place, name in enumerate(scorers)}
    for number, (graph, axis) in enumerate(zip(graphs, axes.flat, strict=False)):
        part = table[table["dataset"] == graph]
        for scorer, line in part.groupby("scorer"):
            percent = 100 * line["kept"] / features[base(graph)]
            axis.plot(percent, line["kuncheva"], color=colours[scorer], linestyle=styles[scorer], linewidth=1)
        percent_axis(axis, 100 * part["kept"].min() / features[base(graph)])
        axis.set_title(letter(number, len(graphs)) + label_dataset(graph), fontsize=9, loc="left")
        axis.axhline(0, color=GREY, linewidth=0.5)
    for axis in axes.flat[len(graphs) :]:
        axis.remove()
    figure.supxlabel("Features kept (%)", fontsize=9)
    figure.supylabel("Kuncheva's index over seeds", fontsize=9)
    handles = [
        plt.Line2D([], [], color=colours[name], linestyle=styles[name], linewidth=1, label=label(name))
        for name in scorers
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=min(6, len(handles)), frameon=False)
    return figure
