"""Scorers on propagated columns: the views, the group lasso against its definition and scikit-learn, the forests."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from graphsieve.data.graph import Graph, Split
from graphsieve.options import ScoringOptions
from graphsieve.randomness import child_integer
from graphsieve.scoring import lasso, propagated
from graphsieve.scoring.scorers import ScoringTask, score_features


@pytest.fixture
def task(small_graph, small_split):
    return ScoringTask(small_graph, small_split, 0, ScoringOptions(n_repeats=4))


def dense_views(graph):
    """X, SX and S(SX), S = D^-1/2 A D^-1/2, written out."""
    adjacency = np.zeros((graph.num_nodes, graph.num_nodes))
    adjacency[tuple(graph.edge_index)] = 1
    scale = 1 / np.sqrt(np.maximum(adjacency.sum(1), 1))
    matrix = scale[:, None] * adjacency * scale
    return np.stack([graph.x, matrix @ graph.x, matrix @ (matrix @ graph.x)], axis=2)


def test_views_are_the_column_and_what_one_and_two_hops_make_of_it(task):
    np.testing.assert_allclose(propagated.views(task.graph.x, task), dense_views(task.graph), atol=1e-6)


def solved(x, y, penalty):
    problem = lasso.Regression(lasso.standardise(x), y)
    weights = np.zeros((problem.columns, problem.group_size))
    slopes = problem.slopes(weights)
    return problem, *lasso.solve(problem, weights, slopes, slopes.max(), penalty)


@pytest.fixture
def numbers():
    rng = np.random.default_rng(5)
    y = np.arange(90) % 3
    x = rng.standard_normal((90, 12, 2))
    x[:, :4] += 0.8 * np.eye(3)[y][:, [0, 1, 2, 0]][:, :, None]
    return x, y


def test_the_solution_meets_the_conditions_of_the_group_lasso(numbers, monkeypatch):
    """The gradient of a column that is out is at most the penalty; of one that is in, it is the penalty, against it."""
    monkeypatch.setattr(lasso, "TOLERANCE", 1e-6)
    monkeypatch.setattr(lasso, "MOST_ITERATIONS", 5000)
    x, y = numbers
    penalty = 0.08
    problem, weights, slopes = solved(x, y, penalty)
    inside = (weights != 0).any(axis=1)
    assert 0 < inside.sum() < 12
    assert (slopes[~inside] <= penalty * (1 + 1e-4)).all()
    features = problem.features(np.arange(12))
    gradient, by_intercept = problem.gradient(features, weights, problem.intercept)
    direction = weights[inside] / np.linalg.norm(weights[inside], axis=1, keepdims=True)
    np.testing.assert_allclose(gradient[inside], -penalty * direction, atol=2e-4)
    np.testing.assert_allclose(by_intercept, 0, atol=1e-4)


def test_with_two_classes_and_one_view_it_is_scikit_learns_lasso(monkeypatch):
    """Opposite weights w and -w have a norm of sqrt(2) |w| and stand for the weight 2 w of a logistic regression."""
    monkeypatch.setattr(lasso, "TOLERANCE", 1e-6)
    monkeypatch.setattr(lasso, "MOST_ITERATIONS", 5000)
    rng = np.random.default_rng(2)
    y = np.arange(100) % 2
    x = rng.standard_normal((100, 6, 1))
    x[:, :2] += y[:, None, None]
    penalty = 0.05
    problem, weights, _ = solved(x, y, penalty)
    # mean loss + penalty sqrt(2) / 2 |v| for v = 2 w; scikit-learn minimises C times the sum of losses + |v|
    strength = 1 / (len(y) * penalty * np.sqrt(2) / 2)
    model = LogisticRegression(C=strength, l1_ratio=1, solver="saga", max_iter=20000, tol=1e-7)
    model.fit(lasso.standardise(x)[:, :, 0], y)
    np.testing.assert_allclose(weights[:, 1] - weights[:, 0], model.coef_[0], atol=3e-3)


def test_columns_are_in_the_order_in_which_they_enter(numbers):
    x, y = numbers
    scores = lasso.entry_penalties(x, y)
    for penalty in np.quantile(scores, [0.5, 0.7, 0.9]):
        _, weights, _ = solved(x, y, penalty)
        inside = (weights != 0).any(axis=1)
        # a step of the path is a tenth: who enters within it may still change places
        assert inside[scores > 1.15 * penalty].all()
        assert not inside[scores < penalty / 1.15].any()


def test_a_constant_column_never_enters(numbers):
    x, y = numbers
    x[:, 5] = 3.0
    assert lasso.entry_penalties(x, y)[5] == 0


def test_forest_importance_is_scikit_learns_with_the_views_of_a_column_added_up(task):
    known, graph = task.known_nodes, task.graph
    seen = propagated.views(graph.x, task)[known]
    forest = RandomForestClassifier(propagated.TREES, random_state=child_integer(0, "scoring"))
    forest.fit(seen.transpose(0, 1, 2).reshape(len(known), -1), graph.y[known])
    expected = [forest.feature_importances_[3 * column : 3 * column + 3].sum() for column in range(8)]
    np.testing.assert_allclose(score_features("random_forest", task).values, expected)


def test_boruta_counts_hits_and_a_column_of_chance_has_few(task):
    values = score_features("boruta", task).values
    assert (np.floor(values[:3]) == 4).all()
    assert np.floor(values).max() <= 4
    assert np.floor(values[3:]).mean() < 1


def test_without_anything_to_find_boruta_hits_seldom():
    """A column beats 30 shadows by chance about once in 31 times."""
    rng = np.random.default_rng(0)
    graph = Graph("noise", rng.standard_normal((80, 30)).astype(np.float32), np.zeros((2, 0), np.int64),
                  rng.integers(2, size=80), 2)  # fmt: skip
    split = Split(np.arange(60), np.arange(60, 70), np.arange(70, 80))
    values = score_features("boruta", ScoringTask(graph, split, 0, ScoringOptions(n_repeats=4))).values
    assert np.floor(values).sum() <= 4 * 30 * 0.15
