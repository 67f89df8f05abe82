"""The picture of growth: every panel has both curves, and its ticks can be read."""

import itertools

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd

from bench import SCALING, SCALING_BASE
from graphsieve.plots.speed import GROWTH, growth


def test_every_panel_of_growth_has_both_curves_and_ticks_apart():
    rows = [
        {"varied": what, **SCALING_BASE, what: value, "auto_s": 0.5 + place, "full_s": 100.0 * (1 + place)}
        for what, values in SCALING.items()
        for place, value in enumerate(values)
    ]
    figure = growth(pd.DataFrame(rows))
    figure.canvas.draw()
    assert len(figure.axes) == len(GROWTH) == len(SCALING)
    for axis, what in zip(figure.axes, GROWTH, strict=True):
        full, ours = (line for line in axis.lines if len(line.get_xdata()))
        for line, first in ((full, 100.0), (ours, 0.5)):
            np.testing.assert_allclose(line.get_xdata(), SCALING[what])
            assert line.get_ydata()[0] == first
        labels = [label for label in axis.get_xticklabels() if label.get_text()]
        assert len(labels) == len(SCALING[what])
        assert not any(near(one, other) for one, other in itertools.pairwise(labels))


def near(one, other) -> bool:
    """Whether two texts, which rise by 45 degrees, are less than a line apart."""
    boxes = [text.get_window_extent() for text in (one, other)]
    along, up = np.subtract(*([(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2] for box in boxes))
    return abs(along - up) / np.sqrt(2) < one.get_fontsize() * one.figure.dpi / 72
