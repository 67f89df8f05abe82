"""The importance of the pixels of an image, as images."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from graphsieve.plots.style import GREY, TEXT_WIDTH, label, use_style
from graphsieve.study.labels import ROWS, in_order


def pixel_images(means: pd.DataFrame, side: int = 8) -> Figure:
    """One picture per scorer: `mean` of feature i at row i // side, column i % side, each on its own scale."""
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
