"""The networks of the theorems, exactly as they are written there, and what they are compared with.

Every layer is sigma(sum_k b_k S^k Z Theta), where S is a random-walk matrix and one Theta serves all hops. These are
not the layers of PyG (symmetric normalisation, one weight per hop, an inner network in GIN), which no theorem covers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse
import scipy.sparse.linalg
from scipy.optimize import linear_sum_assignment

from graphsieve.data.graph import Graph
from graphsieve.errors import InputError

LEAKY_SLOPE = 0.2
# name: (function, Lipschitz constant)
ACTIVATIONS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], float]] = {
    "identity": (lambda z: z, 1.0),
    "relu": (lambda z: np.maximum(z, 0), 1.0),
    "leaky_relu": (lambda z: np.where(z > 0, z, LEAKY_SLOPE * z), 1.0),
    "tanh": (np.tanh, 1.0),
    "absolute": (np.abs, 1.0),
    "sigmoid": (lambda z: 0.5 * (1 + np.tanh(z / 2)), 0.25),
}

DENSE_NODES = 200


@dataclass(frozen=True)
class Architecture:
    """`hops[k]` weighs the k-th power of the random-walk matrix, with self-loops or without."""

    name: str
    hops: tuple[float, ...]
    self_loops: bool = True


def gcn() -> Architecture:
    return Architecture("gcn", (0.0, 1.0))


def gin(epsilon: float = 0.5) -> Architecture:
    if epsilon <= 0:
        raise InputError(f"gin: epsilon = {epsilon} must be positive, as its theorem asks")
    return Architecture("gin", (epsilon, 1.0))


def tagcn(order: int = 2) -> Architecture:
    if order < 1:
        raise InputError(f"tagcn: order = {order} must be at least 1")
    return Architecture("tagcn", (1.0,) * (order + 1))


def modified_tagcn(hops: tuple[float, ...] = (1.0, 0.5, 0.25)) -> Architecture:
    if len(hops) < 2:
        raise InputError("modified_tagcn: give at least two hop weights, b_0 and b_1")
    return Architecture("modified_tagcn", tuple(hops))


def gcn_no_loops() -> Architecture:
    return Architecture("gcn_no_loops", (0.0, 1.0), self_loops=False)


ARCHITECTURES: dict[str, Callable[..., Architecture]] = {
    "gcn": gcn,
    "gin": gin,
    "tagcn": tagcn,
    "modified_tagcn": modified_tagcn,
    "gcn_no_loops": gcn_no_loops,
}


@dataclass(frozen=True)
class Case:
    """A graph, its labels and a network: all that a bound is about."""

    architecture: Architecture
    adjacency: scipy.sparse.csr_array
    x: np.ndarray
    y: np.ndarray
    weights: tuple[np.ndarray, ...]
    activation: str = "relu"

    def __post_init__(self):
        size = len(self.y)
        if self.adjacency.shape != (size, size) or len(self.x) != size:
            raise InputError(
                f"adjacency {self.adjacency.shape}, features {self.x.shape} and {size} labels do not fit together"
            )
        if self.adjacency.nnz and self.adjacency.data.min() < 0:
            raise InputError("the adjacency matrix has negative weights: the theorems need them to be at least 0")
        if not np.bincount(self.y).all():
            raise InputError("a class has no nodes, so that it has no mean: number the labels without gaps")
        if self.activation not in ACTIVATIONS:
            raise InputError(f"activation '{self.activation}' is unknown: choose one of {', '.join(ACTIVATIONS)}")
        widths = [self.x.shape[1], *(weight.shape[1] for weight in self.weights)]
        if not self.weights or any(w.shape[0] != n for w, n in zip(self.weights, widths, strict=False)):
            raise InputError(
                f"weights of shapes {[w.shape for w in self.weights]} do not chain from {widths[0]} features"
            )

    @property
    def num_nodes(self) -> int:
        return len(self.y)

    @property
    def num_layers(self) -> int:
        return len(self.weights)

    @property
    def lipschitz(self) -> float:
        return ACTIVATIONS[self.activation][1]

    @cached_property
    def omega(self) -> float:
        """The largest operator norm among the layers' weights."""
        return max(np.linalg.norm(weight, 2) for weight in self.weights)

    @cached_property
    def class_sizes(self) -> np.ndarray:
        return np.bincount(self.y)

    @cached_property
    def partner(self) -> np.ndarray:
        """Per class the class its ideal neighbours have: itself, or where self-loops are left out phi(c)."""
        if self.architecture.self_loops:
            return np.arange(len(self.class_sizes))
        return best_class_mapping(self.adjacency, self.y)

    @cached_property
    def ideal_adjacency(self) -> scipy.sparse.csr_array:
        return ideal_adjacency(self.adjacency, self.y, self.partner)

    @cached_property
    def operator(self) -> scipy.sparse.csr_array:
        return random_walk(self.adjacency, self.architecture.self_loops)

    @cached_property
    def ideal_operator(self) -> scipy.sparse.csr_array:
        return random_walk(self.ideal_adjacency, self.architecture.self_loops)

    def forward(self) -> np.ndarray:
        return forward(self, self.operator, self.x)

    def ideal_forward(self) -> np.ndarray:
        return forward(self, self.ideal_operator, ideal_features(self.x, self.y))

    def error(self) -> float:
        """What the theorems bound: the Frobenius distance of the embeddings from the idealised ones.

        A distance within rounding counts as none, because the bound is exactly 0 where there should be none.
        """
        embeddings, ideal = self.forward(), self.ideal_forward()
        distance = float(np.linalg.norm(ideal - embeddings))
        return distance if distance > 1e-12 * np.linalg.norm(embeddings) else 0.0


def case_from_graph(
    graph: Graph, architecture: Architecture, weights: tuple[np.ndarray, ...], activation: str = "relu"
) -> Case:
    return Case(architecture, adjacency_of(graph), graph.x.astype(float), without_gaps(graph.y), weights, activation)


def without_gaps(y: np.ndarray) -> np.ndarray:
    """The same classes, numbered from 0."""
    return np.unique(y, return_inverse=True)[1]


def adjacency_of(graph: Graph) -> scipy.sparse.csr_array:
    """The graph's 0/1 adjacency matrix as it is loaded: repeated edges count once, self-loops stay."""
    ones = np.ones(graph.edge_index.shape[1])
    adjacency = scipy.sparse.csr_array((ones, tuple(graph.edge_index)), shape=2 * (graph.num_nodes,))
    adjacency.sum_duplicates()
    adjacency.data[:] = 1
    return adjacency


def random_walk(adjacency: scipy.sparse.csr_array, self_loops: bool) -> scipy.sparse.csr_array:
    """(D + I)^-1 (A + I), or D^-1 A where a node without neighbours keeps a row of zeros."""
    if self_loops:
        adjacency = adjacency + scipy.sparse.eye_array(adjacency.shape[0], format="csr")
    degrees = adjacency.sum(axis=1)
    inverse = np.divide(1, degrees, out=np.zeros_like(degrees, dtype=float), where=degrees > 0)
    return (scipy.sparse.diags_array(inverse) @ adjacency).tocsr()


def ideal_features(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """X*: every node has its class's mean."""
    indicator = scipy.sparse.csr_array((np.ones(len(y)), (np.arange(len(y)), y)))
    means = indicator.T @ x / np.bincount(y)[:, None]
    return means[y]


def ideal_adjacency(
    adjacency: scipy.sparse.csr_array, y: np.ndarray, partner: np.ndarray | None = None
) -> scipy.sparse.csr_array:
    """A*: the edges from class c to class partner[c] alone; by default those within classes."""
    edges = adjacency.tocoo()
    target = y if partner is None else partner[y]
    keep = y[edges.col] == target[edges.row]
    return scipy.sparse.csr_array((edges.data[keep], (edges.row[keep], edges.col[keep])), shape=adjacency.shape)


def best_class_mapping(adjacency: scipy.sparse.csr_array, y: np.ndarray) -> np.ndarray:
    """The theorem allows any bijection phi of the classes; this one keeps the most edge weight in A*."""
    indicator = scipy.sparse.csr_array((np.ones(len(y)), (np.arange(len(y)), y)))
    return linear_sum_assignment((indicator.T @ adjacency @ indicator).toarray(), maximize=True)[1]


def filter_signal(operator: scipy.sparse.csr_array, hops: tuple[float, ...], z: np.ndarray) -> np.ndarray:
    """sum_k hops[k] S^k z by Horner's rule: never a power of S."""
    result = hops[-1] * z
    for weight in reversed(hops[:-1]):
        result = operator @ result + weight * z
    return result


def forward(case: Case, operator: scipy.sparse.csr_array, x: np.ndarray) -> np.ndarray:
    activate = ACTIVATIONS[case.activation][0]
    for weight in case.weights:
        x = activate(filter_signal(operator, case.architecture.hops, x @ weight))
    return x


def spectral_norm(matrix: scipy.sparse.csr_array) -> float:
    if matrix.shape[0] <= DENSE_NODES:
        return float(np.linalg.norm(matrix.toarray(), 2))
    start = np.ones(matrix.shape[0])
    return float(scipy.sparse.linalg.svds(matrix, k=1, v0=start, return_singular_vectors=False)[0])
