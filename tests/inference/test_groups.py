"""Which columns are judged together."""

from dataclasses import replace

import numpy as np
import pytest

from graphsieve.data.graph import Graph
from graphsieve.inference.correlated import closest_columns, correlated_groups, correlations_of
from graphsieve.inference.groups import find_groups, units_of


@pytest.fixture
def base() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(300, 3))


def graph_of(x: np.ndarray, **options: object) -> Graph:
    return Graph("g", x.astype(np.float32), np.empty((2, 0), int), np.zeros(len(x), int), 2, **options)


def groups_of(graph: Graph) -> list[list[int]]:
    return [group.tolist() for group in correlated_groups(graph, correlations_of(graph, 0))]


def units(graph: Graph) -> list[list[int]]:
    return [unit.tolist() for unit in units_of(graph, find_groups(graph, correlations_of(graph, 0)))]


@pytest.fixture
def graph(base) -> Graph:
    x = np.c_[base[:, 0], -base[:, 0] + 0.1 * base[:, 1], base[:, 1], np.ones(300), base[:, 2], base[:, 2] * 1e3]
    return graph_of(x)


def test_correlated_columns_are_grouped(graph):
    assert groups_of(graph) == [[0, 1], [4, 5]]
    assert groups_of(replace(graph, column_groups=("a", "b", "c", "d", "e", "e"))) == [[0, 1]]
    assert groups_of(replace(graph, x=graph.x[:, 3:5])) == []


def test_copies_of_one_column_are_a_group_though_they_correlate_less_with_each_other(base):
    rng = np.random.default_rng(1)
    copies = 0.8 * base[:, :1] + 0.6 * rng.normal(size=(300, 3))
    assert np.abs(np.corrcoef(copies, rowvar=False))[0, 1] < 0.75
    assert groups_of(graph_of(np.c_[base[:, 0], copies, base[:, 1]])) == [[0, 1, 2, 3]]


def test_correlations_are_those_of_numpy(graph, base):
    found = correlations_of(graph, 0)
    expected = np.corrcoef(graph.x[:, [0, 1, 2, 4, 5]].astype(float), rowvar=False)
    np.fill_diagonal(expected, 0)
    np.testing.assert_allclose(found[np.ix_([0, 1, 2, 4, 5], [0, 1, 2, 4, 5])], expected, atol=1e-6)
    assert not found[3].any()
    names, strength = closest_columns(graph, found)
    assert names.tolist()[:2] == ["1", "0"]
    assert strength[0] == pytest.approx(expected[0, 1], abs=1e-6)
    assert closest_columns(replace(graph, x=graph.x[:, :1]), np.zeros((1, 1)))[0].tolist() == [""]


def test_every_column_is_in_one_unit(graph):
    assert units(graph) == [[0, 1], [2], [3], [4, 5]]
    # A text column whose value goes with another column takes all its values with it.
    text = replace(graph, column_groups=("a", "b", "b", "d", "e", "f"))
    assert units(text) == [[0, 1, 2], [3], [4, 5]]
    assert units(replace(graph, x=graph.x[:, :1])) == [[0]]
