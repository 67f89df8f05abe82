"""Columns that say nearly the same, for which the importance of one alone misleads."""

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from graphsieve.data.graph import Graph
from graphsieve.randomness import generator

STRONG = 0.6
MOST_NODES = 5000


def correlations_of(graph: Graph, seed: int) -> np.ndarray:
    """Of every two columns, at some nodes of a large graph; a column correlates neither with a constant nor itself."""
    nodes = generator(seed, "scoring").permutation(graph.num_nodes)[:MOST_NODES]
    x = graph.x[nodes].astype(np.float64)
    x -= x.mean(axis=0)
    sizes = np.linalg.norm(x, axis=0)
    x /= np.where(sizes > 1e-9, sizes, np.inf)
    found = np.clip(x.T @ x, -1, 1)
    np.fill_diagonal(found, 0)
    return found


def correlated_groups(graph: Graph, correlations: np.ndarray, threshold: float = STRONG) -> list[np.ndarray]:
    """Disjoint groups whose columns correlate by `threshold` or more on average, in either direction.

    On average, because two copies of one column correlate less with each other than with it. Groups that lie within
    one text column's values are left out, because these are a group already.
    """
    varying = np.flatnonzero(np.abs(correlations).max(axis=0, initial=0) > 0)
    if len(varying) < 2:
        return []
    distance = 1 - np.abs(correlations[np.ix_(varying, varying)])
    np.fill_diagonal(distance, 0)
    cluster = fcluster(linkage(squareform(distance, checks=False), "average"), 1 - threshold, "distance")
    groups = [varying[cluster == number] for number in dict.fromkeys(cluster)]
    origin = np.array(graph.column_groups or graph.names())
    return [group for group in groups if len(group) > 1 and len(np.unique(origin[group])) > 1]


def closest_columns(graph: Graph, correlations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The other column that each correlates with most, in either direction, and by how much; "" where it is alone."""
    names = np.array(graph.names())
    if len(names) == 1:
        return np.array([""]), np.zeros(1)
    closest = np.abs(correlations).argmax(axis=1)
    return names[closest], correlations[np.arange(len(names)), closest]
