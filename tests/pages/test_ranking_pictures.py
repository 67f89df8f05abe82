"""Where bars and curve are drawn, checked against what they stand for."""

import numpy as np
import pandas as pd
import pytest

from graphsieve.pages import ranking_pictures
from graphsieve.pages.ranking_pictures import nice_ticks, place_bars, place_curve, spaced

TABLE = pd.DataFrame(
    {
        "rank": [1, 2, 3],
        "feature": ["age", "<b>", "chance"],
        "importance": [0.3, 0.1, -0.1],
        "low": [0.25, np.nan, -0.2],
        "high": [0.35, np.nan, 0.0],
        "p_adjusted": [0.01, 0.05, 0.5],
        "starred": [True, True, False],
        "reason": ["its own", "together", "no sign"],
        "sentence": ["Matters.", "Matters.", "No sign."],
    }
)


def test_bars_are_as_long_as_importances():
    bars = place_bars(TABLE, lambda value: f"{value:.1f}")
    age, other, chance = bars.rows
    # From -0.2 (the low end of chance) to 0.35 (the high end of age): 0.55 on 198 units, from 1 on.
    unit = 198 / 0.55
    assert bars.zero == pytest.approx(1 + 0.2 * unit, abs=0.01)
    assert [age.start, other.start] == [bars.zero] * 2
    assert [age.width, other.width, chance.width] == pytest.approx([0.3 * unit, 0.1 * unit, 0.1 * unit], abs=0.02)
    assert chance.start + chance.width == pytest.approx(bars.zero, abs=0.02)
    assert (age.high, chance.low) == (199, 1)
    assert age.high - age.low == pytest.approx(0.1 * unit, abs=0.02)
    assert other.high == other.low == pytest.approx(other.start + other.width, abs=0.02)
    assert [bar.starred for bar in bars.rows] == [True, True, False]
    assert (age.importance, age.p_text, chance.p_text) == ("0.3", "0.0100", "0.50")


def test_a_bar_of_nothing_can_still_be_seen():
    (bar,) = place_bars(TABLE[:1].assign(importance=0.0, low=0.0, high=0.0), str).rows
    assert bar.width > 0


CURVE = pd.DataFrame({"kept": [1, 10, 100], "accuracy": [0.5, 0.7, 0.9], "standard_error": [0.01, np.nan, 0.02]})


def numbers(points: str) -> np.ndarray:
    return np.array([point.split(",") for point in points.split()], dtype=float)


def test_the_curve_grows_by_factors():
    curve = place_curve(CURVE, 10)
    across, up = numbers(curve.line).T
    assert np.diff(across)[0] == pytest.approx(np.diff(across)[1], abs=0.2)
    assert np.diff(up)[0] == pytest.approx(np.diff(up)[1], abs=0.2)
    assert up[0] > up[1] > up[2]  # SVG counts from the top
    assert curve.left < across.min() < across.max() < curve.right
    assert curve.chosen == across[1]
    assert [dot.is_chosen for dot in curve.dots] == [False, True, False]
    assert curve.dots[2].words == "100 features: 90.0 %"
    assert [text for _, text in curve.numbers] == ["1", "10", "100"]


def test_the_band_is_a_standard_error_to_either_side():
    curve = place_curve(CURVE, 10)
    line, band = numbers(curve.line), numbers(curve.band)
    above, below = line[:, 1] - band[:3, 1], band[:2:-1, 1] - line[:, 1]
    percent = (line[0, 1] - line[2, 1]) / 40  # units for one percent
    assert above == pytest.approx(np.array([1, 0, 2]) * percent, abs=0.2)
    assert below == pytest.approx(above, abs=0.2)


@pytest.mark.parametrize(("low", "high"), [(49, 92), (88.1, 88.4), (0, 100), (70, 70)])
def test_ticks_are_few_and_span_the_range(low, high):
    ticks = nice_ticks(low, high)
    assert 1 <= len(ticks) <= 6
    assert ticks[0] <= low <= high <= ticks[-1]


def test_numbers_that_would_overlap_are_left_out():
    assert spaced([0, 2, 30, 59, 60], float) == [0, 30, 60]


def test_importance_is_in_points_or_loss():
    assert ranking_pictures.importance_text("accuracy")(0.1234) == "12.34"
    assert ranking_pictures.importance_text("cross_entropy")(0.1234) == "0.1234"
