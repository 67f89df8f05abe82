"""Accuracy against its gap between two groups while features are pruned, and how many proxies are left."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from graphsieve.data.two_groups import COLUMNS
from graphsieve.plots.style import GREY, INK, METHOD_COLOURS, TEXT_WIDTH, use_style
from graphsieve.study.fairness import METHODS

# Colour, marker, and where a point's number stands: below it where the other paths run above.
# Pruning by accuracy is NPT, and has its colour.
LOOKS = {
    "accuracy": (METHOD_COLOURS["npt"], "o", (-3, -10)),
    "gap": ("#5e3c99", "s", (3, 4)),
    "both": ("#01665e", "D", (3, 4)),
}


def trade_off(summary: pd.DataFrame) -> Figure:
    """Left: a path per method, from all features to the fewest. Right: proxies among the features that are left."""
    use_style()
    figure, (path, proxies) = plt.subplots(1, 2, figsize=(TEXT_WIDTH, 2.9), layout="constrained", width_ratios=(1.4, 1))
    for method, (colour, marker, place) in LOOKS.items():
        rows = summary[summary["method"] == method].sort_values("features", ascending=False)
        look = {"color": colour, "marker": marker, "markersize": 4, "label": METHODS[method]}
        path.plot(rows["gap_mean"], rows["accuracy_mean"], **look)
        proxies.plot(rows["features"], rows["proxy"], **look)
        for _, row in rows.iloc[1:].iterrows():
            write_beside(path, row, str(row["features"]), place=place, color=colour)
    start = summary.loc[summary["features"].idxmax()]
    write_beside(path, start, "all features", place=(4, 6), ha="center", color=INK)
    path.axvline(0, color=GREY, linewidth=0.6, linestyle=":")
    path.set(xlabel="Gap: majority less minority (points of accuracy)", ylabel="Test accuracy (%)")
    path.set_title("(a) Trade-off", fontsize=9)
    proxies.invert_xaxis()
    proxies.set(xlabel="Features left", ylabel=f"Proxies left (of {COLUMNS['proxy']})")
    proxies.set_title("(b) What goes first", fontsize=9)
    handles, names = proxies.get_legend_handles_labels()
    figure.legend(handles, [f"pruned {name}" for name in names], loc="outside upper center", ncols=3, frameon=False)
    for axis in (path, proxies):
        axis.spines[["top", "right"]].set_visible(False)
    return figure


def write_beside(axis: Axes, row: pd.Series, text: str, place: tuple[int, int], **look: str) -> None:
    """A word at a point of a path, which stays readable where paths run through it."""
    halo = [withStroke(linewidth=2, foreground="white")]
    point = (row["gap_mean"], row["accuracy_mean"])
    axis.annotate(text, point, place, textcoords="offset points", fontsize=7, path_effects=halo, zorder=4, **look)
