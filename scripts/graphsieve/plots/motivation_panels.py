"""Figure 1: small generated graphs, and below each what was measured on large ones of its kind."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from scipy.optimize import minimize
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import pdist, squareform

from graphsieve.data.graph import Graph
from graphsieve.data.motivation import DRAWN, KINDS, generate
from graphsieve.plots.style import GREY, INK, TEXT_WIDTH, use_style
from graphsieve.study.motivation import accuracy_text

DRAWN_NODES = 24
FEATURES = plt.get_cmap("RdBu_r")  # red and blue of this map differ in every common colour blindness
BRIGHT = 10.0  # features of this magnitude and above have the deepest colour


def motivation(summary: pd.DataFrame, seed: int = 0) -> Figure:
    """One panel per kind of graph: colour is the feature, the number is the class."""
    use_style()
    rows = summary.set_index("kind")
    figure, axes = plt.subplots(1, len(DRAWN), figsize=(TEXT_WIDTH, 2.6), layout="constrained")
    for letter, axis, kind in zip("abc", axes, DRAWN, strict=True):
        draw_graph(axis, generate(kind, seed, DRAWN_NODES))
        axis.set_title(f"({letter}) {KINDS[kind].title}", fontsize=9)
        row = rows.loc[kind]
        accuracies = f"GCN {accuracy_text(row, 'gcn')} %\nMLP {accuracy_text(row, 'mlp')} %"
        axis.text(0.5, -0.04, accuracies, transform=axis.transAxes, ha="center", va="top", fontsize=9)
    scale = plt.cm.ScalarMappable(Normalize(-1, 1), FEATURES)
    bar = figure.colorbar(scale, ax=axes, shrink=0.7, aspect=20, pad=0.01)
    values = np.array([-BRIGHT, -1, 0, 1, BRIGHT])
    bar.set_ticks(depth(values), labels=[f"{value:g}".replace("-", "−") for value in values])
    bar.set_label("Feature", fontsize=8)
    bar.outline.set_visible(False)
    return figure


def depth(x: np.ndarray) -> np.ndarray:
    """-1 to 1, by the logarithm of the magnitude: features of different kinds differ by orders of it."""
    return np.sign(x) * np.minimum(np.log1p(np.abs(x)) / np.log1p(BRIGHT), 1)


def draw_graph(axis: Axes, graph: Graph) -> None:
    places, shades = layout(graph), depth(graph.x[:, 0])
    for head, tail in graph.edge_index.T[graph.edge_index[0] < graph.edge_index[1]]:
        axis.plot(*places[[head, tail]].T, color=GREY, linewidth=0.7, zorder=1)
    axis.scatter(*places.T, s=85, c=FEATURES((1 + shades) / 2), edgecolors=INK, linewidths=0.6, zorder=2)
    for (x, y), label, shade in zip(places, graph.y, shades, strict=True):
        colour = "white" if abs(shade) > 0.6 else INK
        axis.text(x, y, label, ha="center", va="center_baseline", fontsize=7, color=colour, zorder=3)
    axis.margins(0.08)
    axis.set_axis_off()


def layout(graph: Graph) -> np.ndarray:
    """Distances on paper like distances on the graph, starting with a class on either side."""
    size = graph.num_nodes
    steps = shortest_path(coo_array((np.ones(graph.edge_index.shape[1]), graph.edge_index), shape=(size, size)))
    # What no path joins is put a little further apart than the farthest that are joined.
    steps[np.isinf(steps)] = steps[np.isfinite(steps)].max() + 1
    angle = 2 * np.pi * np.argsort(np.argsort(graph.y, kind="stable")) / size
    start = steps.max() / 2 * np.stack([np.sin(angle), np.cos(angle)], axis=1)
    wanted = squareform(steps)
    # Relative errors, so that neighbours keep apart as carefully as strangers do.
    found = minimize(lambda places: np.sum((pdist(places.reshape(size, 2)) / wanted - 1) ** 2), start.ravel())
    return found.x.reshape(size, 2)
