"""Figures of the bounds, in the study's style."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from graphsieve.plots.style import BLUE, GREY, TEXT_WIDTH, VERMILION, use_style
from graphsieve.theory.networks import ARCHITECTURES

TITLES = {
    "gcn": "GCN",
    "gin": "GIN",
    "tagcn": "TAGCN",
    "modified_tagcn": "TAGCN, hop weights",
    "gcn_no_loops": "GCN, no self-loops",
}


def error_against_bound(cases: pd.DataFrame) -> Figure:
    """One panel per theorem, stated bounds above, repaired ones below; a case above the diagonal violates its bound."""
    use_style()
    figure, axes = plt.subplots(
        2, len(ARCHITECTURES), figsize=(TEXT_WIDTH, 3.2), sharex="row", sharey=True, layout="constrained"
    )
    positive = cases[cases["covered"] & (cases["error"] > 0)]
    for row, variant in zip(axes, ("stated", "repaired"), strict=True):
        for axis, name in zip(row, ARCHITECTURES, strict=True):
            # Zeros have no place on logarithmic axes.
            drawn = positive[(positive["architecture"] == name) & (positive[variant] > 0)]
            for holds, colour in ((True, BLUE), (False, VERMILION)):
                part = drawn[drawn[f"{variant}_holds"] == holds]
                axis.scatter(part[variant], part["error"], s=4, color=colour, linewidths=0, alpha=0.6)
            ends = np.array([1e-4, 1e8])
            axis.plot(ends, ends, color=GREY, linewidth=0.8, zorder=0)
            axis.set(xscale="log", yscale="log")
            sns.despine(ax=axis)
        row[0].set_ylabel(f"error, {variant} bound")
    for axis, name in zip(axes[0], ARCHITECTURES, strict=True):
        axis.set_title(TITLES[name], fontsize=8)
    figure.supxlabel("bound", fontsize=9)
    return figure
