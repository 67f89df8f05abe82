"""One style for every figure: the paper's width, a font that ships with matplotlib, colours all eyes can tell apart."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from graphsieve.data.synthetic import REGIMES
from graphsieve.files.writing import atomic_path
from graphsieve.study.labels import ROWS, in_order, label_row

TEXT_WIDTH = 6.75  # inches, the paper's two columns together

# Okabe and Ito's palette, which stays distinct under every common colour blindness.
BLUE, VERMILION, GREEN, ORANGE, SKY, PURPLE, YELLOW = (
    "#0072b2", "#d55e00", "#009e73", "#e69f00", "#56b4e9", "#cc79a7", "#f0e442",
)  # fmt: skip
INK, GREY, PALE = "#222222", "#8a8a8a", "#f0f0f0"

STYLE = {
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": GREY,
    "axes.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "lines.linewidth": 1.2,
    "image.cmap": "viridis",
    "figure.dpi": 100,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,
}


def use_style() -> None:
    """Every function that makes a figure calls this first."""
    sns.set_theme(context="paper", style="ticks", palette=[BLUE, VERMILION, GREEN, ORANGE, SKY, PURPLE, YELLOW])
    matplotlib.rcParams.update(STYLE)


def save_figure(figure: Figure, stem: str) -> None:
    """`stem`.png and `stem`.pdf; the same figure gives the same bytes. Closes the figure."""
    # Dates and version numbers in the metadata would make every run's files differ.
    for suffix, metadata in {".png": {"Software": None}, ".pdf": {"CreationDate": None, "Producer": None}}.items():
        with atomic_path(f"{stem}{suffix}") as temporary:
            figure.savefig(temporary, metadata=metadata, bbox_inches="tight", pad_inches=0.05)
    plt.close(figure)


def label(name: str) -> str:
    """A scorer's or setting's name as matplotlib can write it."""
    return label_row(name, "latex").replace(r"\_", "_")


def pixel_images(means: pd.DataFrame, side: int = 8) -> Figure:
    """One picture a scorer: `mean` of feature i at row i // side, column i % side, each on its own scale."""
    use_style()
    scorers = in_order(means["scorer"], ROWS)
    columns = min(4, len(scorers))
    rows = -(-len(scorers) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(TEXT_WIDTH * columns / 4, 1.85 * rows), squeeze=False, layout="constrained"
    )
    for axis, scorer in zip(axes.flat, scorers, strict=False):
        drawn = _pixel_image(axis, means[means["scorer"] == scorer], side)
        axis.set_title(label(scorer), pad=4)
    for axis in axes.flat[len(scorers) :]:
        axis.set_axis_off()
    bar = figure.colorbar(plt.cm.ScalarMappable(cmap=drawn.cmap), ax=axes, shrink=0.5, aspect=30, pad=0.02)
    bar.set_ticks([0, 1], labels=["lowest", "highest"])
    bar.outline.set_visible(False)
    return figure


def _pixel_image(axis: Axes, means: pd.DataFrame, side: int) -> AxesImage:
    image = means.set_index("feature")["mean"].reindex(range(side * side)).to_numpy().reshape(side, side)
    drawn = axis.imshow(image, interpolation="nearest")
    axis.set(xticks=[], yticks=[])
    axis.set_xlabel(f"{_short(np.nanmin(image))} … {_short(np.nanmax(image))}", color=GREY, fontsize=8, labelpad=3)
    sns.despine(ax=axis, left=True, bottom=True)
    return drawn


def _short(value: float) -> str:
    return f"{value:.2g}".replace("-", "−")


def regime_scores(means: pd.DataFrame, relevant: int) -> Figure:
    """Regimes below each other, scorers side by side: mean and spread of every score, relevant features marked."""
    use_style()
    regimes = [regime for regime in REGIMES if f"synthetic_{regime}" in set(means["dataset"])]
    scorers = in_order(means["scorer"], ("npt", "pt", "tfi", "mi"))
    figure, axes = plt.subplots(
        len(regimes), 1 + len(scorers), figsize=(TEXT_WIDTH, 0.45 + 0.88 * len(regimes)), squeeze=False,
        layout="constrained", width_ratios=[0.5] + [1] * len(scorers),
    )  # fmt: skip
    for axis_row, regime in zip(axes, regimes, strict=True):
        _dependence_triangle(axis_row[0], regime)
        for axis, scorer in zip(axis_row[1:], scorers, strict=True):
            cell = means[(means["dataset"] == f"synthetic_{regime}") & (means["scorer"] == scorer)]
            _score_panel(axis, cell, relevant if REGIMES[regime][2] else 0)
    for column, scorer in enumerate(scorers, 1):
        axes[0, column].set_title(label(scorer))
        _share_scale(axes[:, column])
    figure.supxlabel("Feature", fontsize=9)
    return figure


def _score_panel(axis: Axes, cell: pd.DataFrame, relevant: int) -> None:
    for part, colour in ((cell["feature"] >= relevant, BLUE), (cell["feature"] < relevant, VERMILION)):
        drawn = cell[part]
        axis.errorbar(
            drawn["feature"] + 1, drawn["mean"], yerr=drawn["spread"].fillna(0),
            fmt="o", markersize=2, color=colour, elinewidth=0.6, markeredgewidth=0,
        )  # fmt: skip
    if relevant:
        axis.axvspan(0.3, relevant + 0.7, color=ORANGE, alpha=0.2, linewidth=0)
    axis.axhline(0, color=GREY, linewidth=0.5, zorder=0)
    sns.despine(ax=axis)


def _share_scale(axes: np.ndarray) -> None:
    """One scale a column, so that regimes compare; numbers on the horizontal axis only below the last."""
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


def show_figure(stem: str):
    """The saved picture, for a notebook: the page shows the very file that the run keeps."""
    from IPython.display import Image

    return Image(f"{stem}.png", width=int(TEXT_WIDTH * 130))
