"""Table 1: what is left of a graph's accuracy when the ties among graph, features and labels are cut.

Each setting is a function of the graph and a generator; `original` and `mlp` leave the graph alone and are trainings of
the study proper.
"""

from dataclasses import replace

import numpy as np

from graphsieve.data.graph import Graph


def permute_rows(graph: Graph, rng: np.random.Generator) -> Graph:
    """Every node gets the features of a random other node."""
    return replace(graph, x=graph.x[rng.permutation(graph.num_nodes)])


def gaussian_noise(graph: Graph, rng: np.random.Generator) -> Graph:
    """Features from N(0, I): only the graph is left to learn from."""
    return replace(graph, x=rng.standard_normal(graph.x.shape, dtype=np.float32).astype(graph.x.dtype))


def random_graph(graph: Graph, rng: np.random.Generator) -> Graph:
    """An Erdos-Renyi graph with as many edges: undirected where the original is, without self-loops."""
    codes = graph.edge_index[0] * graph.num_nodes + graph.edge_index[1]
    reversed_codes = graph.edge_index[1] * graph.num_nodes + graph.edge_index[0]
    if not np.array_equal(np.unique(codes), np.unique(reversed_codes)):
        return replace(graph, edge_index=sample_pairs(graph.num_nodes, graph.edge_index.shape[1], rng, directed=True))
    pairs = sample_pairs(graph.num_nodes, graph.edge_index.shape[1] // 2, rng, directed=False)
    return replace(graph, edge_index=np.concatenate([pairs, pairs[::-1]], axis=1))


def sample_pairs(num_nodes: int, count: int, rng: np.random.Generator, directed: bool) -> np.ndarray:
    """`count` different pairs of different nodes, uniformly; an undirected pair is (smaller, larger)."""
    codes = np.empty(0, dtype=np.int64)
    while len(codes) < count:
        pairs = rng.integers(num_nodes, size=(2, 2 * (count - len(codes)) + 16))
        pairs = pairs[:, pairs[0] != pairs[1]]
        if not directed:
            pairs = np.sort(pairs, axis=0)
        codes = np.concatenate([codes, pairs[0] * num_nodes + pairs[1]])
        _, first = np.unique(codes, return_index=True)
        codes = codes[np.sort(first)]
    return np.stack(np.divmod(codes[:count], num_nodes))


PERTURBED_GRAPHS = {"permuted_rows": permute_rows, "gaussian_noise": gaussian_noise, "random_graph": random_graph}
