"""What makes each hard regime hard, measured on its graphs."""

import numpy as np
import pytest
from scipy import stats

from graphsieve.data.datasets import DATASETS, load_graph
from graphsieve.data.hard_regimes import HARD_REGIMES, generate_hard, relevant_columns
from graphsieve.errors import InputError


def p_values(x, y):
    """Of an analysis of variance, column by column."""
    return stats.f_oneway(*(x[y == label] for label in np.unique(y))).pvalue


def neighbour_means(graph):
    sums = np.zeros_like(graph.x, dtype=float)
    np.add.at(sums, graph.edge_index[1], graph.x[graph.edge_index[0]])
    return sums / np.maximum(np.bincount(graph.edge_index[1], minlength=graph.num_nodes), 1)[:, None]


@pytest.mark.parametrize("regime", HARD_REGIMES)
def test_each_is_a_dataset_whose_first_five_columns_are_relevant(regime):
    graph, again, other = (load_graph(f"synthetic_{regime}", seed=seed) for seed in (0, 0, 1))
    assert graph.name == f"synthetic_{regime}"
    assert graph.x.shape == (500, 50)
    assert np.array_equal(graph.x, again.x)
    assert not np.array_equal(graph.x, other.x)
    named = [column for column, name in enumerate(graph.names()) if name.startswith("relevant")]
    assert named == relevant_columns(regime).tolist() == [0, 1, 2, 3, 4]
    counts = np.bincount(graph.y)
    assert counts.max() - counts.min() <= 1
    edges = set(map(tuple, graph.edge_index.T.tolist()))
    assert all((target, source) in edges for source, target in edges)


def test_every_hard_regime_can_be_loaded_and_no_other():
    letters = {f"synthetic_{letter}" for letter in "abcdefgh"}
    names = {name for name in DATASETS if name.startswith("synthetic_")}
    assert names - letters == {f"synthetic_{regime}" for regime in HARD_REGIMES}
    with pytest.raises(InputError, match="hard regime 'odd' is unknown: choose one of copies, neighbours"):
        generate_hard("odd", 0)
    assert relevant_columns("a").tolist() == []
    assert relevant_columns("h").tolist() == [0, 1, 2, 3, 4]


def test_copies_correlate_with_their_column_and_tell_nothing_besides():
    graph = generate_hard("copies", 0)
    correlations = np.corrcoef(graph.x.T)
    for number, name in enumerate(graph.names()):
        if name.startswith("copy"):
            original = int(name.split()[-1]) - 1
            assert correlations[number, original] == pytest.approx(0.9, abs=0.04)
            rest = graph.x[:, number] - correlations[number, original] * graph.x[:, original]
            assert p_values(rest[:, None], graph.y)[0] > 1e-3
    assert sum(name.startswith("copy") for name in graph.names()) == 15


def test_neighbours_tell_the_class_and_a_nodes_own_values_do_not():
    graph = generate_hard("neighbours", 0)
    assert p_values(graph.x, graph.y).min() > 1e-3 / 50
    by_neighbours = p_values(neighbour_means(graph), graph.y)
    assert by_neighbours[:5].max() < 1e-6
    assert by_neighbours[5:].min() > 1e-3 / 45


def test_an_interaction_is_told_by_two_columns_together_and_by_neither_alone():
    graph = generate_hard("interaction", 0)
    assert p_values(graph.x, graph.y).min() > 1e-3 / 50
    products = np.stack([graph.x[:, 0] * graph.x[:, column] for column in range(1, 50)], axis=1)
    found = p_values(products, graph.y)
    assert found[1:4].max() < 1e-20  # of the first sign and the second
    assert np.delete(found, [1, 2, 3]).min() > 1e-3 / 46


def test_smooth_columns_are_alike_at_the_ends_of_an_edge_and_agree_with_the_class_by_chance():
    found = []
    for seed in range(4):
        graph = generate_hard("smooth", seed)
        kinds = np.array([name.split()[0] for name in graph.names()])
        source, target = graph.edge_index
        alike = np.array([np.corrcoef(column[source], column[target])[0, 1] for column in graph.x.T])
        assert alike[kinds == "smooth"].min() > 0.5
        assert np.abs(alike[kinds == "white"]).max() < 0.15
        found.append(p_values(graph.x, graph.y)[kinds == "smooth"])
    assert np.mean(np.concatenate(found) < 0.05) > 0.3  # of white noise it would be 0.05
