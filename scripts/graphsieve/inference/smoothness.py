"""Which columns are alike at neighbours, beyond what the labels say of them."""

import numpy as np

from graphsieve.data.graph import Graph
from graphsieve.importance.given import adjacency_of

SURELY = 2.0  # deviations; one column in twenty that is not smooth counts as smooth, and is then tested more strictly
CLASSES_OF_QUANTITIES = 5
COLUMNS_AT_ONCE = 512


def smooth_columns(graph: Graph, known: np.ndarray) -> np.ndarray:
    """True where a plain permutation would destroy more than a column's relation to the labels.

    Columns that depend on the label are alike at neighbours because labels are. So the mean of each class is taken
    off first, at the nodes whose labels are known, and Moran's product of neighbours is taken of what is left.
    """
    links = adjacency_of(graph.edge_index, graph.num_nodes)[known][:, known]
    links = links.maximum(links.T)
    members = _classes(graph.y[known], graph.is_regression)
    deviations = []
    for first in range(0, graph.num_features, COLUMNS_AT_ONCE):
        x = graph.x[known, first : first + COLUMNS_AT_ONCE].astype(np.float64)
        x -= members @ ((members.T @ x) / members.sum(axis=0)[:, None])
        scale = np.square(x).mean(axis=0) * np.sqrt(2 * max(links.nnz, 1))
        deviations.append(np.divide((x * (links @ x)).sum(axis=0), scale, out=np.zeros(len(scale)), where=scale > 0))
    return np.abs(np.concatenate(deviations)) > SURELY


def _classes(y: np.ndarray, are_quantities: bool) -> np.ndarray:
    """(nodes, classes), ones and zeros; quantities are cut into classes of equal size."""
    if are_quantities:
        y = np.searchsorted(np.quantile(y, np.linspace(0, 1, CLASSES_OF_QUANTITIES + 1)[1:-1]), y)
    return (y[:, None] == np.unique(y)).astype(np.float64)
