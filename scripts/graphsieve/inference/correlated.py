"""Groups of columns that say nearly the same, for which the importance of one alone misleads."""

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from graphsieve.data.graph import Graph
from graphsieve.randomness import generator

STRONG = 0.8
MOST_NODES = 5000


def correlated_groups(graph: Graph, seed: int, threshold: float = STRONG) -> list[np.ndarray]:
    """Disjoint groups in which every two columns correlate by `threshold` or more, in either direction.

    Those that lie within one text column's values are left out, because these are a group already.
    """
    varying = np.flatnonzero((graph.x != graph.x[:1]).any(axis=0))
    if len(varying) < 2:
        return []
    nodes = generator(seed, "scoring").permutation(graph.num_nodes)[:MOST_NODES]
    with np.errstate(invalid="ignore"):  # a column may be constant among the nodes drawn
        strength = np.abs(np.corrcoef(graph.x[nodes][:, varying].astype(np.float64), rowvar=False))
    distance = np.clip(1 - np.nan_to_num(strength), 0, None)
    np.fill_diagonal(distance, 0)
    cluster = fcluster(linkage(squareform(distance, checks=False), "complete"), 1 - threshold, "distance")
    groups = [varying[cluster == number] for number in dict.fromkeys(cluster)]
    origin = np.array(graph.column_groups or graph.names())
    return [group for group in groups if len(group) > 1 and len(np.unique(origin[group])) > 1]
