"""The graph of two groups: what its page says of it must be true of what is drawn."""

import numpy as np
import pytest

from graphsieve.data.two_groups import (
    COLUMNS,
    DEGREE,
    HONEST_MEAN,
    MAJORITY,
    MINORITY,
    PROXY_MEANS,
    SAME_GROUP,
    SAME_LABEL,
    edge_probability,
    generate_two_groups,
    kinds_of_columns,
)

DRAWS = 10


@pytest.fixture(scope="module")
def pooled():
    """Several graphs: signs of the labels, groups and features of all their nodes."""
    drawn = [generate_two_groups(seed) for seed in range(DRAWS)]
    sign = np.concatenate([2 * graph.y - 1 for graph, _ in drawn])
    return drawn, sign, np.concatenate([group for _, group in drawn]), np.concatenate([graph.x for graph, _ in drawn])


def test_columns_tell_the_label_as_their_kind_says(pooled):
    _, sign, group, x = pooled
    for side in (MAJORITY, MINORITY):
        nodes = group == side
        means = (x[nodes] * sign[nodes, None]).mean(axis=0)
        error = 5 / np.sqrt(nodes.sum())
        for kind, expected in {"honest": HONEST_MEAN, "proxy": PROXY_MEANS[side], "noise": 0.0}.items():
            assert means[kinds_of_columns() == kind] == pytest.approx(expected, abs=error), (side, kind)
    assert PROXY_MEANS[MAJORITY] > HONEST_MEAN > 0 > PROXY_MEANS[MINORITY]


def test_a_column_alone_does_not_tell_the_group(pooled):
    """Its mean is the same in both groups: only together with the label do they differ."""
    _, _, group, x = pooled
    difference = x[group == MAJORITY].mean(axis=0) - x[group == MINORITY].mean(axis=0)
    assert np.abs(difference).max() < 5 * x.std() * np.sqrt(
        1 / np.sum(group == MAJORITY) + 1 / np.sum(group == MINORITY)
    )


def test_most_edges_join_one_group_and_one_label(pooled):
    drawn, _, _, _ = pooled
    graph, group = drawn[0]
    expected = edge_probability(graph.y, group)
    assert expected.max() < 1
    for labels, likely in ((graph.y, SAME_LABEL), (group, SAME_GROUP)):
        same = labels[:, None] == labels
        assert expected[same].mean() / expected[~same].mean() == pytest.approx(likely / (1 - likely), rel=0.05)
    degrees = [graph.edge_index.shape[1] / graph.num_nodes for graph, _ in drawn]
    assert np.mean(degrees) == pytest.approx(DEGREE, rel=0.05)
    found = [(group[graph.edge_index[0]] == group[graph.edge_index[1]]).mean() for graph, group in drawn]
    same = group[:, None] == group
    assert np.mean(found) == pytest.approx(expected[same].sum() / expected.sum(), abs=0.02)


def test_names_and_seeds():
    graph, group = generate_two_groups(3)
    again, other = generate_two_groups(3)[0], generate_two_groups(4)[0]
    np.testing.assert_array_equal(graph.x, again.x)
    assert not np.array_equal(graph.x, other.x)
    assert [name.split()[0] for name in graph.names()] == kinds_of_columns().tolist()
    assert graph.num_features == sum(COLUMNS.values())
    assert set(group) == {MAJORITY, MINORITY}
