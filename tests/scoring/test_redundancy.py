"""mRMR by its authors' definition, with scikit-learn's mutual information."""

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from graphsieve.data.graph import Graph, Split
from graphsieve.scoring import redundancy
from graphsieve.scoring.filters import discretise
from graphsieve.scoring.scorers import ScoringTask, score_features


def task_of(x, y):
    nodes = np.arange(len(y))
    split = Split(nodes[: len(y) // 2], nodes[len(y) // 2 : -10], nodes[-10:])
    return ScoringTask(Graph("g", x.astype(np.float32), np.zeros((2, 0), np.int64), y, int(y.max()) + 1), split, 0)


@pytest.fixture
def mixed():
    """Words and numbers, some of them telling of the label and of one another."""
    rng = np.random.default_rng(3)
    y = rng.integers(3, size=120)
    words = rng.random((120, 4)) < np.array([0.1, 0.5, 0.8])[y][:, None]
    numbers = rng.standard_normal((120, 3)) + y[:, None]
    return task_of(np.concatenate([words, numbers, numbers[:, :1] + 0.1 * rng.standard_normal((120, 1))], axis=1), y)


def order_by_definition(x, y):
    """Greedy, by information about y less the mean information about the columns chosen before."""
    bins, chosen = discretise(x), []
    while len(chosen) < x.shape[1]:
        left = [column for column in range(x.shape[1]) if column not in chosen]
        worth = [
            mutual_info_score(bins[:, column], y)
            - np.mean([mutual_info_score(bins[:, column], bins[:, other]) for other in chosen] or [0])
            for column in left
        ]
        chosen.append(left[int(np.argmax(worth))])
    return chosen


def test_the_order_is_that_of_the_definition(mixed):
    known = mixed.known_nodes
    expected = order_by_definition(mixed.graph.x[known], mixed.graph.y[known])
    values = score_features("mrmr", mixed).values
    assert np.argsort(-values).tolist() == expected
    assert values.max() == 1
    assert len(np.unique(values)) == len(values)


def test_what_is_not_chosen_one_by_one_comes_after_by_its_worth(mixed, monkeypatch):
    whole = np.argsort(-score_features("mrmr", mixed).values)
    monkeypatch.setattr(redundancy, "MOST_STEPS", 3)
    short = np.argsort(-score_features("mrmr", mixed).values)
    assert short[:4].tolist() == whole[:4].tolist()  # the fourth is the one that would have been next
    assert sorted(short) == sorted(whole)


def test_a_copy_of_the_best_column_waits_behind_a_weaker_one_of_its_own():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 4
    strong, weak = (y >= 2).astype(float), np.where(rng.random(200) < 0.9, y % 2, 1 - y % 2)
    values = score_features("mrmr", task_of(np.stack([strong, strong, weak], axis=1), y)).values
    assert np.argsort(-values).tolist() == [0, 2, 1]
