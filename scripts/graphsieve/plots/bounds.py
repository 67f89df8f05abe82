"""Figures of the bounds, in the study's style."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from graphsieve.plots.style import ALARM, GREY, INK, TEXT_WIDTH, letter, use_style
from graphsieve.theory.networks import ARCHITECTURES

TITLES = {
    "gcn": "GCN",
    "gin": "GIN",
    "tagcn": "TAGCN",
    "modified_tagcn": "TAGCN, hop weights",
    "gcn_no_loops": "GCN, no self-loops",
}
LOOKS = {True: (GREY, 3, 0.4), False: (ALARM, 9, 1.0)}  # by whether the bound holds: colour, size, opacity
LOWEST, HIGHEST = 1e-4, 1e16  # bounds and errors beyond these are drawn at them
STRIP = 1e-7  # where bounds of zero or less are drawn, which have no place on a logarithmic axis


def error_against_bound(cases: pd.DataFrame) -> Figure:
    """One panel per theorem, stated bounds above, repaired ones below; a case above the diagonal violates its bound.

    Bounds of zero or less, which any error violates, stand in a strip at the left.
    """
    use_style()
    figure, axes = plt.subplots(
        2, len(ARCHITECTURES), figsize=(TEXT_WIDTH, 3.5), sharex=True, sharey=True, layout="constrained"
    )
    covered = cases[cases["covered"] & (cases["error"] > 0)]
    for row, variant in zip(axes, ("stated", "repaired"), strict=True):
        for axis, name in zip(row, ARCHITECTURES, strict=True):
            _draw_panel(axis, covered[covered["architecture"] == name], variant)
        row[0].set_ylabel(f"error, {variant} bound")
    for number, axis in enumerate(axes.flat):
        title = list(TITLES.values())[number] if number < len(ARCHITECTURES) else ""
        axis.set_title(letter(number) + title, fontsize=8, loc="left")
    figure.supxlabel("bound", fontsize=9)
    figure.legend(handles=_handles(), loc="outside upper center", ncols=3, frameon=False)
    return figure


def _draw_panel(axis: Axes, cases: pd.DataFrame, variant: str) -> None:
    bound = cases[variant].clip(LOWEST, HIGHEST).where(cases[variant] > 0, STRIP)
    error = cases["error"].clip(LOWEST, HIGHEST)
    for holds, (colour, size, opacity) in LOOKS.items():  # violations last, on top
        part = cases[f"{variant}_holds"] == holds
        axis.scatter(
            bound[part], error[part], s=size, color=colour, alpha=opacity, linewidths=0, zorder=2 + (not holds)
        )
    ends = np.array([LOWEST, HIGHEST])
    axis.plot(ends, ends, color=GREY, linewidth=0.8, zorder=1)
    axis.axvspan(STRIP / 30, STRIP * 30, color="#f1f1f1", linewidth=0, zorder=0)
    broken = int((~cases[f"{variant}_holds"]).sum())
    axis.text(
        0.97, 0.04, f"{broken} of {len(cases)}", transform=axis.transAxes, ha="right", fontsize=7,
        color=ALARM if broken else INK,
    )  # fmt: skip
    axis.set(xscale="log", yscale="log", xlim=(STRIP / 30, 10 * HIGHEST), ylim=(LOWEST / 1000, 1e10))
    axis.set_xticks([STRIP, 1, 1e8, 1e16], labels=["≤ 0", "$10^0$", "$10^8$", "$10^{16}$"])
    axis.set_yticks([1e-4, 1, 1e4, 1e8])
    axis.minorticks_off()
    sns.despine(ax=axis)


def _handles() -> list[Line2D]:
    names = {True: "the bound holds", False: "violated"}
    dots = [
        Line2D([], [], color=LOOKS[holds][0], marker="o", markersize=4, linestyle="", label=name)
        for holds, name in names.items()
    ]
    return [*dots, Line2D([], [], linestyle="", label="in each panel: how many cases of how many violate it")]
