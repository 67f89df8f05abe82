import itertools

import numpy as np
import pytest

from graphsieve.errors import InputError
from graphsieve.selection.top import count_to_keep, keep_top


def test_without_ties_the_largest_scores_are_kept():
    selection = keep_top(np.array([0.1, 0.9, -0.5, 0.4]), 2)
    assert selection.kept.tolist() == [1, 3]
    assert selection.ranking.tolist() == [1, 3, 0, 2]
    assert selection.ties == 0


def test_ties_fall_to_the_larger_rise_of_the_loss():
    scores, losses = np.array([0.0, 0.0, 1.0, 0.0]), np.array([0.1, 0.3, 0.0, 0.2])
    selection = keep_top(scores, 2, losses=losses)
    assert selection.kept.tolist() == [1, 2]
    assert selection.ties == 3


def test_ties_fall_to_the_smaller_index_when_asked():
    assert keep_top(np.zeros(5), 2, losses=np.arange(5.0), ties="index").kept.tolist() == [0, 1]


def test_random_ties_depend_on_the_seed_and_are_fair():
    pairs = [
        tuple(keep_top(np.zeros(4), 2, losses=np.arange(4.0), ties="random", seed=seed).kept) for seed in range(1200)
    ]
    counts = {pair: pairs.count(pair) for pair in itertools.combinations(range(4), 2)}
    assert sum(counts.values()) == 1200
    assert min(counts.values()) > 200 - 4 * np.sqrt(1200 * 5 / 36)


def test_without_losses_ties_fall_to_chance():
    kept = {tuple(keep_top(np.zeros(4), 2, ties="loss", seed=seed).kept) for seed in range(30)}
    assert len(kept) > 1


def test_a_cut_between_different_scores_goes_through_no_tie():
    assert keep_top(np.array([1.0, 1.0, 0.0, 0.0]), 2).ties == 0
    assert keep_top(np.array([1.0, 1.0, 0.0, 0.0]), 3).ties == 2
    assert keep_top(np.zeros(3), 3).ties == 0


def test_scores_that_differ_by_rounding_are_ties():
    """0.1 + 0.2 is not 0.3 for a computer, but it is the same drop of accuracy."""
    selection = keep_top(np.array([0.3, 0.1 + 0.2]), 1, losses=np.array([2.0, 1.0]))
    assert selection.kept.tolist() == [0]
    assert selection.ties == 2


@pytest.mark.parametrize(("features", "fraction", "count"), [(1433, 0.02, 29), (500, 0.05, 25), (10, 0.001, 1)])
def test_the_count_is_exact(features, fraction, count):
    assert count_to_keep(features, fraction) == count
    rng = np.random.default_rng(0)
    assert len(keep_top(rng.integers(3, size=features).astype(float), count).kept) == count


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="cannot keep 5 of 3 features"):
        keep_top(np.zeros(3), 5)
    with pytest.raises(InputError, match="1 scores are not finite"):
        keep_top(np.array([0.0, np.nan]), 1)
    with pytest.raises(InputError, match="ties 'coin' is unknown"):
        keep_top(np.zeros(3), 1, ties="coin")
