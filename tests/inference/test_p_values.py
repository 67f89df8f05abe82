import numpy as np
import pytest
from scipy.stats import binom

from graphsieve.inference.p_values import (
    ENOUGH,
    adjust_benjamini_hochberg,
    adjust_holm,
    most_permutations,
    round_sizes,
    sequential_p_values,
    smaller_doubled,
)


def drawn_from(matrix: np.ndarray):
    """Draws from a matrix of prepared values, one row per item, and how many each item was asked for."""
    asked = np.zeros(len(matrix), dtype=int)

    def draw(items, occasion, count):
        values = np.stack([matrix[item, asked[item] : asked[item] + count] for item in items])
        asked[items] += count
        return values

    return draw, asked


def test_sequential_p_value_is_the_share_of_permutations_as_good():
    rng = np.random.default_rng(0)
    worse = rng.normal(size=(200, 99)) + rng.normal(size=(200, 1)) * 3
    draw, asked = drawn_from(worse)
    p_values = sequential_p_values(draw, 200, first=7, limit=99)
    for row, p_value, made in zip(worse, p_values, asked, strict=True):
        hits = np.flatnonzero(row <= 0)
        if len(hits) >= ENOUGH:
            assert p_value == ENOUGH / (hits[ENOUGH - 1] + 1)
        else:
            assert (p_value, made) == ((len(hits) + 1) / 100, 99)
    assert asked.min() == 14  # 7 alone cannot hold ENOUGH


def test_ties_count_against_the_feature():
    assert sequential_p_values(lambda items, *_: np.zeros((len(items), 20)), 3, 20, 199).tolist() == [1, 1, 1]


def test_sequential_p_values_of_chance_are_uniform():
    """Statistic and permutations are exchangeable: no level is undercut, and at reachable ones the share is exact."""
    rng = np.random.default_rng(1)
    scores = rng.random((20_000, 200))
    p_values = sequential_p_values(drawn_from(scores[:, :1] - scores[:, 1:])[0], 20_000, 20, 199)
    for level in (0.005, 0.025, 0.05, 0.2, 0.5):
        low, high = binom.interval(0.999, 20_000, level)
        assert low <= (p_values <= level).sum() <= high


def test_rounds_double():
    assert round_sizes(20, 199) == [20, 20, 40, 80, 39]
    assert round_sizes(20, 10) == [10]
    assert round_sizes(1, 8) == [1, 1, 2, 4]


def test_more_permutations_than_help_are_not_made():
    assert most_permutations(2, 1999) == 199
    assert most_permutations(10, 1999) == 399
    assert most_permutations(1000, 5000) == 5000
    # one feature alone can just reach the level: 10 * 2 / 400
    assert adjust_holm(np.array([2 / 400, *[1] * 9]))[0] == pytest.approx(0.05)


def test_adjusted_p_values_by_hand():
    p_values = np.array([0.04, 0.01, 0.03, 0.5])
    np.testing.assert_allclose(adjust_holm(p_values), [0.09, 0.04, 0.09, 0.5])
    np.testing.assert_allclose(adjust_benjamini_hochberg(p_values), [0.16 / 3, 0.04, 0.16 / 3, 0.5])
    assert adjust_benjamini_hochberg(np.empty(0)).size == 0
    np.testing.assert_allclose(smaller_doubled(np.array([[0.01, 0.9], [0.4, 0.7]])), [0.02, 1])
