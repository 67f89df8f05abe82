"""Graphs with planted ground truth: the eight regimes of the paper's synthetic study.

Each pair of graph, labels and features depends on one another or not, which makes eight regimes. With one seed all
regimes share their random draws, so that two regimes differ by the dependence alone.
"""

from dataclasses import dataclass, fields

import numpy as np
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg

from graphsieve.data.graph import Graph
from graphsieve.errors import InputError
from graphsieve.randomness import generator

# regime: (graph and labels, graph and features, labels and features) depend on each other
REGIMES = {
    "a": (False, False, False),
    "b": (False, False, True),
    "c": (False, True, False),
    "d": (False, True, True),
    "e": (True, False, False),
    "f": (True, False, True),
    "g": (True, True, False),
    "h": (True, True, True),
}

# Up to SMALL_NODES all eigenvectors at once are cheap and robust; above, only those outside the band are computed, and
# all of them (up to DENSE_NODES) only where those outside are many.
SMALL_NODES = 1000
DENSE_NODES = 5000
MAX_OUTSIDE_BAND = 128
ENTRIES_PER_BLOCK = 2**22


@dataclass(frozen=True)
class Parameters:
    """Everything that can be set; the defaults are the paper's."""

    num_nodes: int = 500
    num_features: int = 50
    num_classes: int = 2
    p_within: float = 0.1
    p_across: float = 0.05
    p_independent: float = 0.1
    num_relevant: int = 5
    sigma: float = 3.0
    band_edge: float = 0.5
    signal: float = 5.0

    def __post_init__(self):
        _require(self.num_classes >= 2, "num_classes", self.num_classes, "at least 2")
        _require(self.num_nodes >= self.num_classes, "num_nodes", self.num_nodes, "at least num_classes")
        _require(self.num_features >= 1, "num_features", self.num_features, "at least 1")
        _require(1 <= self.num_relevant <= self.num_features, "num_relevant", self.num_relevant, "1 to num_features")
        for name in ("p_within", "p_across", "p_independent"):
            _require(0 <= getattr(self, name) <= 1, name, getattr(self, name), "between 0 and 1")
        _require(0 < self.sigma < np.inf, "sigma", self.sigma, "positive")
        _require(0 < self.band_edge <= 1, "band_edge", self.band_edge, "above 0, at most 1")
        _require(0 < self.signal < np.inf, "signal", self.signal, "positive")


def _require(condition: bool, name: str, value: float, wanted: str) -> None:
    if not condition:
        raise InputError(f"synthetic parameter {name} = {value} is out of range: it must be {wanted}")


def make_parameters(**values: float) -> Parameters:
    known = [field.name for field in fields(Parameters)]
    for name in values:
        if name not in known:
            raise InputError(f"synthetic parameter '{name}' is unknown: choose from {', '.join(known)}")
    return Parameters(**values)


def dependences(regime: str) -> tuple[bool, bool, bool]:
    if regime not in REGIMES:
        raise InputError(f"synthetic regime '{regime}' is unknown: choose one of {', '.join(REGIMES)}")
    return REGIMES[regime]


def relevant_features(regime: str, parameters: Parameters | None = None) -> np.ndarray:
    """The columns that carry label signal; none where labels and features are independent."""
    label_feature = dependences(regime)[2]
    return np.arange((parameters or Parameters()).num_relevant if label_feature else 0)


def generate(regime: str, seed: int, **parameters: float) -> Graph:
    """One random graph of the regime.

    Parameters
    ----------
    regime : one of "a" to "h", see `REGIMES`.
    seed : the same seed gives the same graph, and to all regimes the same draws.
    **parameters : fields of `Parameters`, whose defaults are the paper's.

    Returns
    -------
    Graph called ``synthetic_<regime>``; `relevant_features` names its columns that carry label signal.

    Examples
    --------
    >>> graph = generate("h", seed=0, num_nodes=100)
    >>> graph.x.shape, graph.num_classes
    ((100, 50), 2)
    >>> relevant_features("h").tolist()
    [0, 1, 2, 3, 4]
    """
    graph_label, graph_feature, label_feature = dependences(regime)
    p = make_parameters(**parameters)
    # Every regime draws the same numbers in the same order, which is what lets them share a seed.
    rng = generator(seed, "graph")
    y = balanced_labels(p, rng)
    adjacency = sample_adjacency(y, *((p.p_within, p.p_across) if graph_label else 2 * (p.p_independent,)), rng)
    # The paper writes N(0, sigma I) with sigma = 3: the second argument is a covariance, so sigma is the variance.
    x = rng.normal(scale=np.sqrt(p.sigma), size=(p.num_nodes, p.num_features))
    class_means = sample_class_means(p, rng)
    if graph_feature:
        x = remove_outside_band(x, adjacency, p.band_edge, start=rng.standard_normal(p.num_nodes))
    # The paper's list says "independent" here; its results (and its next sentence) need "dependent".
    if label_feature:
        x[:, : p.num_relevant] += class_means[y]
    edge_index = np.stack(adjacency.nonzero()).astype(np.int64)
    return Graph(f"synthetic_{regime}", x.astype(np.float32), edge_index, y, p.num_classes)


def balanced_labels(p: Parameters, rng: np.random.Generator) -> np.ndarray:
    """Class sizes that differ by at most one, in random order: no class is ever empty."""
    return rng.permutation(np.arange(p.num_nodes, dtype=np.int64) % p.num_classes)


def sample_adjacency(
    y: np.ndarray, p_within: float, p_across: float, rng: np.random.Generator
) -> scipy.sparse.csr_array:
    """A stochastic block model without self-loops, sampled one block of rows at a time."""
    size = len(y)
    rows_per_block = max(1, ENTRIES_PER_BLOCK // size)
    heads, tails = [], []
    for first in range(0, size, rows_per_block):
        rows = y[first : first + rows_per_block]
        probability = np.where(rows[:, None] == y[first:], p_within, p_across)
        head, tail = np.nonzero(np.triu(rng.random(probability.shape) < probability, k=1))
        heads.append((head + first).astype(np.int32))
        tails.append((tail + first).astype(np.int32))
    head, tail = np.concatenate(heads), np.concatenate(tails)
    upper = scipy.sparse.csr_array((np.ones(len(head)), (head, tail)), shape=(size, size))
    return (upper + upper.T).tocsr()


def sample_class_means(p: Parameters, rng: np.random.Generator) -> np.ndarray:
    """B of the paper: columns centred over classes, then each class's row scaled to an absolute sum of `signal`."""
    means = rng.standard_normal((p.num_classes, p.num_relevant))
    means -= means.mean(axis=0)
    return p.signal * means / np.abs(means).sum(axis=1, keepdims=True)


def remove_outside_band(
    noise: np.ndarray, adjacency: scipy.sparse.csr_array, band_edge: float, start: np.ndarray
) -> np.ndarray:
    """Band-limited signals V_B W.

    With white noise E, V_B V_B^T E has the same distribution, because V_B^T E is white; and V_B V_B^T E is E less its
    projection on the eigenvectors outside the band, which are few where those inside are nearly all.
    """
    outside = eigenvectors_outside_band(adjacency, band_edge, start)
    return noise - outside @ (outside.T @ noise)


def eigenvectors_outside_band(adjacency: scipy.sparse.csr_array, band_edge: float, start: np.ndarray) -> np.ndarray:
    """Orthonormal eigenvectors whose absolute eigenvalue exceeds `band_edge` times the largest."""
    size = adjacency.shape[0]
    vectors = None if size <= SMALL_NODES else _few_outside_band(adjacency, band_edge, start)
    if vectors is not None:
        return vectors
    if size > DENSE_NODES:
        raise InputError(
            f"more than {MAX_OUTSIDE_BAND} of the graph's {size} frequencies lie above band_edge = {band_edge} times "
            "the highest: raise band_edge, or the edge probabilities to a mean degree above about 5 / band_edge^2"
        )
    values, vectors = scipy.linalg.eigh(adjacency.toarray())
    return vectors[:, _is_outside(values, band_edge)]


def _few_outside_band(adjacency: scipy.sparse.csr_array, band_edge: float, start: np.ndarray) -> np.ndarray | None:
    """Widen the search until it finds a frequency inside the band; None if there are too many outside."""
    count = 2
    while count <= MAX_OUTSIDE_BAND:
        values, vectors = scipy.sparse.linalg.eigsh(adjacency, k=count, which="LM", v0=start)
        outside = _is_outside(values, band_edge)
        if not outside.all():
            return vectors[:, outside]
        count *= 2
    return None


def _is_outside(values: np.ndarray, band_edge: float) -> np.ndarray:
    magnitude = np.abs(values)
    # The slack keeps a frequency that equals the edge but for rounding inside the band.
    return magnitude > band_edge * magnitude.max() * (1 + 1e-9)
