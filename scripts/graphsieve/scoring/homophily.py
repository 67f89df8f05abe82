"""Feature homophily: how alike a feature is at the two ends of an edge.

All on the simple graph, undirected unless asked otherwise; one number per feature, larger is smoother. Nothing here is
N x N and dense.
"""

import numpy as np
import scipy.sparse as sp

# Edges x features are visited in blocks of about this many values (64 MB of float32).
BLOCK_VALUES = 16_000_000


def simple_adjacency(edge_index: np.ndarray, num_nodes: int, edges: str = "undirected") -> sp.csr_array:
    """Without weights, self-loops or repeated edges: symmetric, or (`out`) with a node's out-links in its row."""
    source, target = edge_index[:, edge_index[0] != edge_index[1]]
    ones = np.ones(len(source), dtype=np.float32)
    adjacency = sp.coo_array((ones, (source, target)), shape=(num_nodes, num_nodes)).tocsr()
    if edges == "undirected":
        adjacency = adjacency + adjacency.T
    adjacency.data[:] = 1
    return adjacency


def propagate_symmetric(adjacency: sp.csr_array, x: np.ndarray) -> np.ndarray:
    """D^-1/2 A D^-1/2 x; isolated nodes receive zero."""
    scale = _inverse(np.sqrt(_degrees(adjacency)))[:, None]
    return scale * (adjacency @ (scale * x))


def attribute_homophily(adjacency: sp.csr_array, x: np.ndarray) -> np.ndarray:
    """h_attr: the mean of a node's neighbours (itself among them), weighted by the node's own value.

    Only non-negative values can be weights, so a column that has negative ones is shifted to start at zero.
    """
    x = x - np.minimum(x.min(axis=0), 0)
    with_loops = adjacency + sp.eye_array(adjacency.shape[0], dtype=np.float32, format="csr")
    means = _inverse(_degrees(with_loops))[:, None] * (with_loops @ x)
    return np.sum(x * means, axis=0, dtype=np.float64) * _inverse(x.sum(axis=0, dtype=np.float64))


def euclidean_homophily(adjacency: sp.csr_array, x: np.ndarray, signed: bool = False) -> np.ndarray:
    """h_Euc: minus the mean difference between a node and its neighbours.

    `signed` drops the absolute value, a slip of the code the paper compares with, kept to reproduce its numbers.
    """
    edges = adjacency.tocoo()
    weights = _inverse(_degrees(adjacency))[edges.row].astype(np.float64) / adjacency.shape[0]
    scores = np.empty(x.shape[1])
    width = max(1, BLOCK_VALUES // max(1, edges.nnz))
    for start in range(0, x.shape[1], width):
        columns = x[:, start : start + width]
        differences = columns[edges.row] - columns[edges.col]
        scores[start : start + width] = -weights @ (differences if signed else np.abs(differences))
    return scores


def sign_homophily(adjacency: sp.csr_array, x: np.ndarray, zscore: bool = True) -> np.ndarray:
    """h_GE: the mean over edges of the cosine of two scalars, which is the product of their signs.

    `zscore` first subtracts one mean for the whole matrix, as in the code the paper compares with.
    """
    # float64: in float32 the mean of a large sparse matrix is too coarse to take signs around it
    signs = np.sign(x - x.mean(dtype=np.float64) if zscore else x).astype(np.float32)
    return np.sum(signs * (adjacency @ signs), axis=0, dtype=np.float64) / max(1, adjacency.nnz)


def _degrees(adjacency: sp.csr_array) -> np.ndarray:
    return np.diff(adjacency.indptr).astype(np.float32)


def _inverse(values: np.ndarray) -> np.ndarray:
    """1 / values, and 0 where there is nothing to divide by."""
    return np.divide(1, values, out=np.zeros_like(values), where=values != 0)
