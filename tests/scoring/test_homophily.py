"""Each score against plain loops over the neighbours, written from its definition."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve.scoring import homophily
from graphsieve.scoring.homophily import (
    attribute_homophily,
    euclidean_homophily,
    propagate_symmetric,
    sign_homophily,
    simple_adjacency,
)

# Node 4 is isolated; one edge is repeated, one has only one direction, and one is a self-loop.
EDGES = np.array([[0, 1, 0, 1, 2, 3, 3], [1, 0, 1, 2, 3, 3, 0]])
NEIGHBOURS = {0: [1, 3], 1: [0, 2], 2: [1, 3], 3: [0, 2], 4: []}
X = np.random.default_rng(0).random((5, 3)).astype(np.float32)
ADJACENCY = simple_adjacency(EDGES, 5)


def test_the_adjacency_is_simple_and_undirected():
    expected = np.zeros((5, 5))
    for node, others in NEIGHBOURS.items():
        expected[node, others] = 1
    assert np.array_equal(ADJACENCY.toarray(), expected)


def test_propagation_is_the_dense_formula():
    dense = ADJACENCY.toarray()
    degrees = dense.sum(1)
    scale = np.array([1 / np.sqrt(degree) if degree else 0 for degree in degrees])
    np.testing.assert_allclose(propagate_symmetric(ADJACENCY, X), scale[:, None] * dense * scale @ X, rtol=1e-6)


def test_h_attr_by_hand():
    """A path 0 - 1 - 2 with x = (1, 1, 0): (1 * mean(1, 1) + 1 * mean(1, 1, 0)) / 2 = 5 / 6."""
    path = simple_adjacency(np.array([[0, 1], [1, 2]]), 3)
    np.testing.assert_allclose(attribute_homophily(path, np.array([[1.0], [1.0], [0.0]], np.float32)), [5 / 6])


def test_h_attr_against_loops():
    expected = [
        sum(X[u, m] * np.mean([X[v, m] for v in [u, *others]]) for u, others in NEIGHBOURS.items()) / X[:, m].sum()
        for m in range(3)
    ]
    np.testing.assert_allclose(attribute_homophily(ADJACENCY, X), expected, rtol=1e-6)


def test_h_attr_shifts_columns_with_negative_values_and_gives_zero_to_empty_ones():
    lowered = X - 5
    np.testing.assert_allclose(
        attribute_homophily(ADJACENCY, lowered), attribute_homophily(ADJACENCY, X - X.min(0)), rtol=1e-5
    )
    assert attribute_homophily(ADJACENCY, np.zeros((5, 2), np.float32)).tolist() == [0, 0]


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("block", [1, 10**6])
def test_h_euc_against_loops(signed, block, monkeypatch):
    monkeypatch.setattr(homophily, "BLOCK_VALUES", block)
    distance = (lambda d: d) if signed else abs
    expected = [
        np.mean([np.mean([-distance(X[u, m] - X[v, m]) for v in vs]) if vs else 0 for u, vs in NEIGHBOURS.items()])
        for m in range(3)
    ]
    np.testing.assert_allclose(euclidean_homophily(ADJACENCY, X, signed), expected, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("zscore", [False, True])
def test_h_ge_against_the_cosine_of_every_edge(zscore):
    x = np.round(X * 2 - 1) if not zscore else X
    z = (x - x.mean()) / x.std() if zscore else x
    edges = [(u, v) for u, others in NEIGHBOURS.items() for v in others]

    def cosine(a, b):
        return a * b / (abs(a) * abs(b)) if a and b else 0

    expected = [np.mean([cosine(z[u, m], z[v, m]) for u, v in edges]) for m in range(3)]
    np.testing.assert_allclose(sign_homophily(ADJACENCY, x.astype(np.float32), zscore), expected, atol=1e-7)


def test_a_large_sparse_graph_needs_no_dense_adjacency():
    """A ring of 200,000 nodes: a dense adjacency would take 160 GB."""
    nodes = 200_000
    ring = np.stack([np.arange(nodes), (np.arange(nodes) + 1) % nodes])
    adjacency = simple_adjacency(ring, nodes)
    assert isinstance(adjacency, sp.csr_array)
    x = (np.arange(nodes) % 2).astype(np.float32)[:, None]  # neighbours always differ
    assert euclidean_homophily(adjacency, x)[0] == pytest.approx(-1)
    assert sign_homophily(adjacency, x)[0] == pytest.approx(-1)
    assert attribute_homophily(adjacency, x)[0] == pytest.approx(1 / 3)


OUT_LINKS = {0: [1], 1: [0, 2], 2: [3], 3: [0], 4: []}


def test_out_links_are_a_nodes_neighbours_when_asked():
    """Against loops over a node's out-links (and for h_attr the node itself), written from the definitions."""
    links = simple_adjacency(EDGES, 5, "out")
    expected = np.zeros((5, 5))
    for node, others in OUT_LINKS.items():
        expected[node, others] = 1
    assert np.array_equal(links.toarray(), expected)
    attribute = [
        sum(X[u, m] * np.mean([X[v, m] for v in [u, *others]]) for u, others in OUT_LINKS.items()) / X[:, m].sum()
        for m in range(3)
    ]
    np.testing.assert_allclose(attribute_homophily(links, X), attribute, rtol=1e-6)
    euclidean = [
        -sum(np.mean([abs(X[u, m] - X[v, m]) for v in others]) for u, others in OUT_LINKS.items() if others) / 5
        for m in range(3)
    ]
    np.testing.assert_allclose(euclidean_homophily(links, X), euclidean, rtol=1e-6)
    signs = np.sign(X - X.mean(dtype=np.float64))
    pairs = [(u, v) for u, others in OUT_LINKS.items() for v in others]
    np.testing.assert_allclose(sign_homophily(links, X), np.mean([signs[u] * signs[v] for u, v in pairs], axis=0))
