"""Error against bound: violations and bounds of zero or less are drawn, and counted."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd

from graphsieve.plots.bounds import STRIP, error_against_bound
from graphsieve.theory.networks import ARCHITECTURES


def test_violations_and_bounds_below_zero_are_in_the_picture():
    rows = [("gcn", 1.0, 10.0, True), ("gcn", 5.0, 2.0, False), ("gcn", 3.0, -4.0, False), ("gcn", 2.0, 0.0, False)]
    cases = pd.DataFrame(rows, columns=["architecture", "error", "stated", "stated_holds"])
    cases = cases.assign(covered=True, repaired=20.0, repaired_holds=True)
    figure = error_against_bound(cases)
    assert len(figure.axes) == 2 * len(ARCHITECTURES)
    stated, repaired = figure.axes[0], figure.axes[5]
    holding, violated = (np.asarray(dots.get_offsets()) for dots in stated.collections[:2])
    assert holding.tolist() == [[10, 1]]
    assert violated.tolist() == [[2, 5], [STRIP, 3], [STRIP, 2]]
    assert [text.get_text() for text in stated.texts] == ["3 of 4"]
    assert [text.get_text() for text in repaired.texts] == ["0 of 4"]
    assert repaired.get_xticklabels()[0].get_text() == "≤ 0"
