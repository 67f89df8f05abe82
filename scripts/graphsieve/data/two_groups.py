"""A generated graph of two groups of people, in which some columns serve one group and mislead the other.

The group itself is no column. Honest columns tell the label alike in both groups. Proxies tell it better still in the
majority, and point the other way in the minority. The rest is noise. Most edges join people of one group.
"""

import numpy as np

from graphsieve.data.graph import Graph
from graphsieve.randomness import generator

NUM_NODES = 1000
MAJORITY, MINORITY = 0, 1
MINORITY_SHARE = 0.3
COLUMNS = {"honest": 6, "proxy": 6, "noise": 12}
HONEST_MEAN = 0.4  # distance of a label's mean from zero, in standard deviations of the noise
PROXY_MEANS = {MAJORITY: 0.8, MINORITY: -0.4}
DEGREE = 4.0  # expected neighbours of a node
SAME_LABEL, SAME_GROUP = 0.7, 0.8  # shares of edges that join like with like


def kinds_of_columns() -> np.ndarray:
    """The kind of every column."""
    return np.repeat(list(COLUMNS), list(COLUMNS.values()))


def generate_two_groups(seed: int) -> tuple[Graph, np.ndarray]:
    """The graph, and the group of every node.

    Examples
    --------
    >>> graph, group = generate_two_groups(0)
    >>> graph.x.shape, graph.names()[5:7], round(float((group == MINORITY).mean()), 2)
    ((1000, 24), ['honest 6', 'proxy 1'], 0.3)
    """
    rng = generator(seed, "graph")
    group = rng.permutation((np.arange(NUM_NODES) < MINORITY_SHARE * NUM_NODES).astype(np.int64))
    y = rng.integers(2, size=NUM_NODES)
    sign, kinds = 2 * y - 1, kinds_of_columns()
    x = rng.standard_normal((NUM_NODES, len(kinds)))
    x[:, kinds == "honest"] += (HONEST_MEAN * sign)[:, None]
    x[:, kinds == "proxy"] += (np.where(group == MAJORITY, *PROXY_MEANS.values()) * sign)[:, None]
    pairs = np.argwhere(np.triu(rng.random((NUM_NODES, NUM_NODES)) < edge_probability(y, group), k=1)).T
    names = tuple(f"{kind} {number + 1}" for kind, count in COLUMNS.items() for number in range(count))
    edge_index = np.concatenate([pairs, pairs[::-1]], axis=1)
    return Graph("two_groups", x.astype(np.float32), edge_index, y, num_classes=2, feature_names=names), group


def edge_probability(y: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Of every pair, so that a node has `DEGREE` neighbours on average over nodes and draws."""
    weight = np.where(y[:, None] == y, SAME_LABEL, 1 - SAME_LABEL)
    weight = weight * np.where(group[:, None] == group, SAME_GROUP, 1 - SAME_GROUP)
    return DEGREE * weight / weight.sum(axis=1).mean()
