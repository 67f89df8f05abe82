"""Graphs with columns that matter and columns that only seem to: copies, and columns that are smooth on the graph.

A relevant column's distribution depends on the class. A copy correlates with a relevant column and says nothing of the
class besides. A smooth column is noise, averaged over neighbourhoods: on a graph whose edges join nodes of one class it
agrees with the classes by chance, much more often than white noise does.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, eye_array

from graphsieve.data.graph import Graph
from graphsieve.data.normalisation import standardise_columns
from graphsieve.errors import InputError
from graphsieve.randomness import generator

VALUES = ("numbers", "zeros and ones", "counts")
TIMES_AVERAGED = 3


@dataclass(frozen=True)
class Parameters:
    """How many nodes and columns of each kind; every relevant column has `copies` copies."""

    num_nodes: int = 500
    num_classes: int = 3
    degree: float = 4.0
    homophily: float = 0.8  # share of edges that join two of a class
    relevant: int = 3
    copies: int = 3
    correlation: float = 0.9
    smooth: int = 9
    white: int = 15
    signal: float = 1.0  # deviation of the classes' means, where nodes of a class have a deviation of 1
    values: str = "numbers"

    def __post_init__(self):
        if self.values not in VALUES:
            raise InputError(f"values is {self.values!r}: it must be one of {', '.join(VALUES)}")


def generate(seed: int, **parameters: object) -> Graph:
    """One random graph; the first word of a column's name says of which kind it is.

    Examples
    --------
    >>> graph = generate(0, num_nodes=90, relevant=1, copies=1, smooth=1, white=1)
    >>> graph.feature_names
    ('relevant 1', 'copy of 1', 'smooth 1', 'white 1')
    """
    p, rng = Parameters(**parameters), generator(seed, "graph")
    y = rng.permutation(np.arange(p.num_nodes, dtype=np.int64) % p.num_classes)
    adjacency = _adjacency(y, p, rng)
    relevant, copies = _relevant_and_copies(y, p, rng)
    smooth = _averaged(adjacency, rng.standard_normal((p.num_nodes, p.smooth)))
    x = np.concatenate([relevant, *copies, smooth, rng.standard_normal((p.num_nodes, p.white))], axis=1)
    names = [f"relevant {number + 1}" for number in range(p.relevant)]
    names += [f"copy of {number + 1}" for _ in range(p.copies) for number in range(p.relevant)]
    names += [f"{kind} {number + 1}" for kind in ("smooth", "white") for number in range(getattr(p, kind))]
    edge_index = np.stack(adjacency.nonzero()).astype(np.int64)
    x = standardise_columns(x.astype(np.float32))
    return Graph("stand_ins", x, edge_index, y, p.num_classes, tuple(names))


def kinds_of(graph: Graph) -> np.ndarray:
    return np.array([name.split()[0] for name in graph.names()])


def _adjacency(y: np.ndarray, p: Parameters, rng: np.random.Generator) -> csr_array:
    within = p.homophily * p.num_classes
    across = (1 - p.homophily) * p.num_classes / (p.num_classes - 1)
    share = np.where(y[:, None] == y, within, across) * p.degree / len(y)
    upper = csr_array(np.triu(rng.random(share.shape) < share, k=1).astype(float))
    return (upper + upper.T).tocsr()


def _averaged(adjacency: csr_array, signals: np.ndarray) -> np.ndarray:
    """Every node's mean with its neighbours, several times over."""
    closed = adjacency + eye_array(adjacency.shape[0])
    for _ in range(TIMES_AVERAGED):
        signals = (closed @ signals) / closed.sum(axis=1)[:, None]
    return signals


def _relevant_and_copies(y: np.ndarray, p: Parameters, rng: np.random.Generator) -> tuple[np.ndarray, list[np.ndarray]]:
    means = p.signal * rng.standard_normal((p.num_classes, p.relevant))[y]
    if p.values == "numbers":
        relevant = means + rng.standard_normal(means.shape)
        standard = (relevant - relevant.mean(axis=0)) / relevant.std(axis=0)
        noise = [rng.standard_normal(means.shape) for _ in range(p.copies)]
        return relevant, [p.correlation * standard + np.sqrt(1 - p.correlation**2) * one for one in noise]
    if p.values == "zeros and ones":
        relevant = (rng.random(means.shape) < 1 / (1 + np.exp(-2 * means))).astype(float)
    else:
        relevant = rng.poisson(np.exp(0.7 * means)).astype(float)
    # A copy has the column's value, or else that of any node: its correlation is the share of those it has.
    return relevant, [
        np.where(rng.random(means.shape) < p.correlation, relevant, rng.permuted(relevant, axis=0))
        for _ in range(p.copies)
    ]
