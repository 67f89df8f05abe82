import numpy as np
import pytest

from graphsieve.inference.p_values import (
    adjust_benjamini_hochberg,
    adjust_holm,
    most_permutations,
    smaller_multiplied,
)


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
    np.testing.assert_allclose(smaller_multiplied(np.array([[0.01, 0.9], [0.4, 0.7]])), [0.02, 1])
