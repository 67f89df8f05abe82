from dataclasses import replace

import numpy as np
import pytest

from graphsieve.data.graph import Graph
from graphsieve.data.perturbed import gaussian_noise, permute_rows, random_graph, sample_pairs
from graphsieve.options import PerturbationOptions


def test_permuted_rows_are_the_same_rows_elsewhere(small_graph):
    permuted = permute_rows(small_graph, np.random.default_rng(0))
    assert sorted(map(tuple, permuted.x)) == sorted(map(tuple, small_graph.x))
    assert not np.array_equal(permuted.x, small_graph.x)
    assert permuted.edge_index is small_graph.edge_index


def test_noise_has_mean_zero_and_variance_one():
    graph = Graph("any", np.zeros((400, 100), dtype=np.float32), np.zeros((2, 0), dtype=np.int64), np.zeros(400), 2)
    noise = gaussian_noise(graph, np.random.default_rng(0)).x
    assert noise.dtype == np.float32
    assert abs(noise.mean()) < 4 / np.sqrt(noise.size)
    assert abs(noise.var() - 1) < 4 * np.sqrt(2 / noise.size)


def as_sets(edge_index):
    return set(map(tuple, edge_index.T))


def test_an_undirected_graph_is_replaced_by_an_undirected_one_with_as_many_edges(small_graph):
    edges = random_graph(small_graph, np.random.default_rng(0)).edge_index
    assert edges.shape == small_graph.edge_index.shape
    assert len(as_sets(edges)) == edges.shape[1]
    assert as_sets(edges) == as_sets(edges[::-1])
    assert (edges[0] != edges[1]).all()


def test_a_directed_graph_is_replaced_by_a_directed_one_with_as_many_edges(small_graph):
    directed = small_graph.edge_index[:, small_graph.edge_index[0] < small_graph.edge_index[1]]
    graph = Graph("directed", small_graph.x, directed, small_graph.y, 3)
    edges = random_graph(graph, np.random.default_rng(0)).edge_index
    assert edges.shape == directed.shape
    assert len(as_sets(edges)) == edges.shape[1]
    assert (edges[0] > edges[1]).any()
    assert (edges[0] < edges[1]).any()


@pytest.mark.parametrize("directed", [True, False])
def test_every_pair_is_equally_likely(directed):
    """4 nodes, half of all pairs, 2,000 draws: each pair's count within 4 standard deviations of its expectation."""
    pairs = 12 if directed else 6
    rng = np.random.default_rng(0)
    counts: dict[tuple, int] = {}
    for _ in range(2000):
        for pair in map(tuple, sample_pairs(4, pairs // 2, rng, directed).T):
            counts[pair] = counts.get(pair, 0) + 1
    assert len(counts) == pairs
    assert np.abs(np.array(list(counts.values())) - 1000).max() < 4 * np.sqrt(2000 * 0.25)


def test_doubled_has_an_undirected_edge_for_every_entry(small_graph):
    options = PerturbationOptions(random_graph="doubled")
    one_way = small_graph.edge_index[:, small_graph.edge_index[0] < small_graph.edge_index[1]]
    for entries in (small_graph.edge_index, one_way):
        graph = replace(small_graph, edge_index=entries)
        edges = random_graph(graph, np.random.default_rng(0), options).edge_index
        assert edges.shape[1] == 2 * entries.shape[1] == len(as_sets(edges))
        assert as_sets(edges) == as_sets(edges[::-1])


@pytest.mark.parametrize("directed", [True, False])
def test_in_gnp_the_number_of_edges_is_binomial(directed, small_graph):
    """300 draws: mean within 4 standard errors of the expectation, variance within 4 of its own."""
    options, draws = PerturbationOptions(random_graph="gnp"), 300
    entries = small_graph.edge_index[:, small_graph.edge_index[0] < small_graph.edge_index[1]]
    graph = replace(small_graph, edge_index=entries) if directed else small_graph
    edges = entries.shape[1]
    pairs = 60 * 59 // (1 if directed else 2)
    counts = []
    for seed in range(draws):
        drawn = random_graph(graph, np.random.default_rng(seed), options).edge_index
        assert len(as_sets(drawn)) == drawn.shape[1]
        assert directed or as_sets(drawn) == as_sets(drawn[::-1])
        counts.append(drawn.shape[1] if directed else drawn.shape[1] // 2)
    variance = edges * (1 - edges / pairs)
    assert abs(np.mean(counts) - edges) < 4 * np.sqrt(variance / draws)
    assert abs(np.var(counts) - variance) < 4 * variance * np.sqrt(2 / draws)
