"""Accuracy against the share of the features kept: a panel for every graph, a line with its band for every scorer."""

from itertools import cycle

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from graphsieve.plots.style import TEXT_WIDTH, label, letter, method_colours, use_style
from graphsieve.study.labels import DATASETS, in_order, label_dataset, measure_of

COLUMNS = 3
MARKERS = "osD^vP<>"
OTHERS = {"color": "#bbbbbb", "linewidth": 0.5, "zorder": 1}
TICKS = (0.5, 1, 2, 5, 10, 20, 50, 100)


def selector_curves(means: pd.DataFrame, named: list[str]) -> Figure:
    """Mean accuracy by percent kept. Scorers in `named` have colours and bands of 95 %, all others a grey line."""
    use_style()
    graphs = in_order(means["dataset"], DATASETS)
    columns = min(COLUMNS, len(graphs))
    rows = -(-len(graphs) // columns)
    size = (TEXT_WIDTH, 0.6 + 1.9 * rows)
    figure, axes = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    colours, marks = method_colours(named), dict(zip(named, cycle(MARKERS), strict=False))
    for number, (graph, axis) in enumerate(zip(graphs, axes.flat, strict=False)):
        part = means[means["dataset"] == graph]
        for scorer in sorted(set(part["scorer"]), key=lambda name: (name in named, name)):
            curve = part[part["scorer"] == scorer].sort_values("percent")
            if scorer in named:
                _draw(axis, curve, colours[scorer], marks[scorer])
            else:
                axis.plot(curve["percent"], curve["mean"], **OTHERS)
        axis.set_title(letter(number, len(graphs)) + label_dataset(graph), fontsize=9, loc="left")
        percent_axis(axis, part["percent"].min())
        _show_means(axis, part["mean"])
    for axis in axes.flat[len(graphs) :]:
        axis.remove()
    figure.supxlabel("Features kept (%)", fontsize=9)
    figure.supylabel(f"Test {measure_of(graphs)} (%)", fontsize=9)
    handles = scorer_handles(named, colours, marks, others=set(means["scorer"]) > set(named))
    figure.legend(handles=handles, loc="outside upper center", ncols=min(5, len(handles)), frameon=False)
    return figure


def scorer_handles(named: list[str], colours: dict, marks: dict, others: bool) -> list[plt.Line2D]:
    """What a legend of scorers needs, those in grey together."""
    handles = [
        plt.Line2D([], [], color=colours[name], marker=marks[name], markersize=3, label=label(name)) for name in named
    ]
    return [*handles, plt.Line2D([], [], color=OTHERS["color"], linewidth=0.8, label="others")] if others else handles


def _draw(axis: Axes, curve: pd.DataFrame, colour: str, mark: str) -> None:
    axis.fill_between(curve["percent"], curve["low"], curve["high"], color=colour, alpha=0.12, linewidth=0, zorder=2)
    axis.plot(curve["percent"], curve["mean"], color=colour, marker=mark, markersize=2.5, linewidth=1.1, zorder=3)


def _show_means(axis: Axes, means: pd.Series) -> None:
    """The bands of few runs may be so wide that nothing else would be seen."""
    margin = 0.3 * max(means.max() - means.min(), 1.0)
    axis.set_ylim(means.min() - margin, means.max() + margin)


def percent_axis(axis: Axes, least: float) -> None:
    """From few features, `least` percent, to all of them; each doubling is as wide."""
    axis.set_xscale("log")
    ticks = [tick for tick in TICKS if tick >= 0.8 * least]
    axis.xaxis.set_major_locator(FixedLocator(ticks))
    axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.spines[["top", "right"]].set_visible(False)
