"""What is known of a column before it is perturbed: degree, neighbourhood and class of each node, as predictors."""

from collections.abc import Iterable, Sequence

import numpy as np
import torch
from scipy.sparse import csr_array, diags_array
from torch import Tensor

from graphsieve.errors import InputError
from graphsieve.importance.columns import Columns
from graphsieve.importance.latent import latent, normal_scores
from graphsieve.options import GIVEN

HOPS = 6  # over which values of nodes that stay as they are predict those that are drawn anew
NODES_PER_HOP = 10


def check_given(given: str | Sequence[str] | None) -> tuple[str, ...]:
    """The names, each once."""
    if given is not None and not isinstance(given, Iterable):
        raise InputError(f"given is {given!r}: name one of {', '.join(GIVEN)}, or a list of them")
    names = (given,) if isinstance(given, str) else tuple(given or ())
    for name in names:
        if name not in GIVEN:
            raise InputError(f"given names {name!r}, which is unknown: choose from {', '.join(GIVEN)}")
    return tuple(dict.fromkeys(names))


def adjacency_of(edge_index: object, num_nodes: int) -> csr_array:
    """Row i holds a one for every edge that ends at node i; parallel edges count once, self-loops not at all."""
    if isinstance(edge_index, Tensor) and edge_index.layout != torch.strided and edge_index.dim() == 2:
        target, source = edge_index.to_sparse_coo().coalesce().indices().cpu().numpy()
    elif isinstance(edge_index, (Tensor, np.ndarray)) and edge_index.ndim == 2 and edge_index.shape[0] == 2:
        source, target = torch.as_tensor(edge_index).cpu().numpy()
    else:
        raise InputError(
            "given asks for the graph, so edge_index must be a tensor of shape (2, edges) or a sparse matrix, "
            f"not {type(edge_index).__name__}"
        )
    kept = source != target
    ones = csr_array((np.ones(kept.sum()), (target[kept], source[kept])), shape=(num_nodes, num_nodes))
    ones.data[:] = 1
    return ones


def degrees_of(adjacency: csr_array) -> np.ndarray:
    """Logarithms and normal scores of the number of edges that end at each node."""
    degree = adjacency.sum(axis=1)
    return np.stack([np.log1p(degree), normal_scores(degree)], axis=1)


def classes_of(y: Tensor, nodes: Tensor, num_nodes: int) -> np.ndarray:
    """One column per class of y, which holds the labels of `nodes`, and one for all nodes whose label is not known."""
    if y.dim() != 1 or y.is_floating_point() or y.is_complex():
        raise InputError(
            f"given names 'class', but y is no vector of class numbers (shape {tuple(y.shape)}, type {y.dtype})"
        )
    label = np.full(num_nodes, -1)
    label[nodes.cpu().numpy()] = y.cpu().numpy()
    return (label[:, None] == np.unique(label)).astype(float)


class NeighbourMeans:
    """Predicts a column at some nodes by the mean of its values at their neighbours."""

    def __init__(self, columns: Columns, adjacency: csr_array, nodes: np.ndarray):
        self.columns, self.averaging = columns, averaging(adjacency)[nodes]

    def __call__(self, column: int) -> np.ndarray:
        return (self.averaging @ latent(self.columns.dense(column)))[:, None]


class KnownMeans:
    """Predicts a column at some nodes by the means of its values at the other nodes, one, two, ... steps away.

    For a column that is smooth on the graph, that is most of what those other values say. A node that none of them
    reaches gets their mean.
    """

    def __init__(self, columns: Columns, adjacency: csr_array, nodes: np.ndarray):
        self.columns, self.averaging, self.nodes = columns, averaging(adjacency), nodes
        self.known = np.ones(columns.num_rows)
        self.known[nodes] = 0

    def __call__(self, column: int) -> np.ndarray:
        values = latent(self.columns.dense(column))
        centre = (values * self.known).sum() / max(self.known.sum(), 1)
        total, weight, means = (values - centre) * self.known, self.known, []
        for _ in range(max(1, min(HOPS, len(self.nodes) // NODES_PER_HOP))):
            total, weight = self.averaging @ total, self.averaging @ weight
            means.append(np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)[self.nodes])
        return np.stack(means, axis=1)


def averaging(adjacency: csr_array) -> csr_array:
    """The matrix that averages over the neighbours of each node; zero for a node without any."""
    return (diags_array(1 / np.maximum(adjacency.sum(axis=1), 1)) @ adjacency).tocsr()
