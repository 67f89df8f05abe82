"""A generated graph whose nodes have a number to predict that depends on a few planted columns."""

from typing import NamedTuple

import numpy as np

from graphsieve.randomness import generator

NUM_NODES = 800
COLUMNS = {"own": 2, "neighbours": 3, "noise": 15}  # what the number is made of: the node's own values, its neighbours'
DEGREE = 6.0  # expected neighbours of a node
NOISE = 0.3  # standard deviation of what no column tells


class PlantedGraph(NamedTuple):
    x: np.ndarray
    edge_index: np.ndarray
    y: np.ndarray
    kinds: np.ndarray  # of every column


def generate_planted(seed: int) -> PlantedGraph:
    """Standard normal columns; the number is the sum of the node's own planted values and of its neighbours' means.

    Examples
    --------
    >>> graph = generate_planted(0)
    >>> graph.x.shape, graph.y.shape, graph.kinds[:3].tolist()
    ((800, 20), (800,), ['own', 'own', 'neighbours'])
    """
    rng = generator(seed, "graph")
    kinds = np.repeat(list(COLUMNS), list(COLUMNS.values()))
    x = rng.standard_normal((NUM_NODES, len(kinds)))
    pairs = np.argwhere(np.triu(rng.random((NUM_NODES, NUM_NODES)) < DEGREE / NUM_NODES, k=1)).T
    source, target = edges = np.concatenate([pairs, pairs[::-1]], axis=1)
    sums = np.zeros((NUM_NODES, COLUMNS["neighbours"]))
    np.add.at(sums, target, x[source][:, kinds == "neighbours"])
    means = sums / np.maximum(np.bincount(target, minlength=NUM_NODES), 1)[:, None]
    # A mean of several values is smaller than one of them: the factor gives both kinds the same weight.
    y = x[:, kinds == "own"].sum(1) + DEGREE**0.5 * means.sum(1) + NOISE * rng.standard_normal(NUM_NODES)
    return PlantedGraph(x.astype(np.float32), edges, y.astype(np.float32), kinds)
