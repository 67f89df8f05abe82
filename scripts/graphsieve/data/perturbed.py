"""Table 1: what is left of a graph's accuracy when the ties among graph, features and labels are cut.

Each setting is a function of the graph, a generator and the options; `original` and `mlp` leave the graph alone and are
trainings of the study proper.
"""

from dataclasses import replace

import numpy as np

from graphsieve.data.graph import Graph
from graphsieve.options import PerturbationOptions


def permute_rows(graph: Graph, rng: np.random.Generator, options: PerturbationOptions | None = None) -> Graph:
    """Every node gets the features of a random other node."""
    return replace(graph, x=graph.x[rng.permutation(graph.num_nodes)])


def gaussian_noise(graph: Graph, rng: np.random.Generator, options: PerturbationOptions | None = None) -> Graph:
    """Features from N(0, I): only the graph is left to learn from."""
    return replace(graph, x=rng.standard_normal(graph.x.shape, dtype=np.float32).astype(graph.x.dtype))


def random_graph(graph: Graph, rng: np.random.Generator, options: PerturbationOptions | None = None) -> Graph:
    """An Erdos-Renyi graph with as many edges: undirected where the original is, without self-loops.

    With `random_graph: gnp` every pair is joined with the probability that gives as many edges on average; with
    `doubled` there is an undirected edge for every column of edge_index, which has each of the original's twice.
    """
    kind, entries = (options or PerturbationOptions()).random_graph, graph.edge_index.shape[1]
    directed = kind != "doubled" and _is_directed(graph)
    count = entries if directed or kind == "doubled" else entries // 2
    if kind == "gnp":
        pairs = graph.num_nodes * (graph.num_nodes - 1) // (1 if directed else 2)
        count = rng.binomial(pairs, count / pairs)
    pairs = sample_pairs(graph.num_nodes, count, rng, directed)
    pairs = pairs if directed else np.concatenate([pairs, pairs[::-1]], axis=1)
    return replace(graph, edge_index=pairs, edge_weight=None, edge_attr=None, edge_names=None)


def _is_directed(graph: Graph) -> bool:
    codes = graph.edge_index[0] * graph.num_nodes + graph.edge_index[1]
    reversed_codes = graph.edge_index[1] * graph.num_nodes + graph.edge_index[0]
    return not np.array_equal(np.unique(codes), np.unique(reversed_codes))


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
