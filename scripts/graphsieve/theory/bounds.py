"""Right-hand sides of the theorems and of their corollaries under permuted features.

`stated` is the printed formula. `consistent` (corollaries only) puts the theorem's own constants where the corollary
prints others. `repaired` follows the same steps but always holds: where the proofs take the spectral norm of the
random-walk matrix for 1, hop weights for non-negative and degrees for at least 1, it has their true values, and for the
distance of two random-walk matrices its value in place of an estimate. It also counts each pair of nodes once, where
the printed sum over classes counts its edge once per class.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.distance import cdist

from graphsieve.errors import InputError
from graphsieve.theory.networks import ACTIVATIONS, Case, spectral_norm

ENTRIES_PER_BLOCK = 2**22


@dataclass(frozen=True)
class Terms:
    """The bound is network * (graph + features): weights and depth, cross-class edges, dissimilarity of features."""

    network: float
    graph: float
    features: float

    @property
    def total(self) -> float:
        return self.network * (self.graph + self.features)


@dataclass(frozen=True)
class PairSums:
    """Sums over node pairs: `base` of Y Y^T / p, and `mixed(s)` of |s Y Y^T / p - A / d|, each times a distance.

    Only pairs that an edge joins differ from s Y Y^T / p, so `mixed` needs the base and one number per edge.
    """

    base: float
    share: np.ndarray
    walk: np.ndarray
    distance: np.ndarray | float
    extra_counts: int = 0

    def mixed(self, scale: float = 1.0) -> float:
        change = np.abs(scale * self.share - self.walk) - scale * self.share + self.extra_counts * self.walk
        return scale * self.base + float((change * self.distance).sum())


def pair_sums(case: Case, count_every_class: bool) -> PairSums:
    """With the features' own distances; without self-loops the length of the neighbour's features."""
    edges = case.adjacency.tocoo()
    if case.architecture.self_loops:
        base, distance = within_class_sum(case.x, case.y), edge_distances(case.x, edges.row, edges.col)
    else:
        lengths = np.linalg.norm(case.x, axis=1)
        base, distance = _partner_sum(case, lengths), lengths[edges.col]
    extra = len(case.class_sizes) - 1 if count_every_class else 0
    return PairSums(base, *_edge_weights(case), distance, extra)


def uniform_pair_sums(case: Case, distance: float) -> PairSums:
    """Every distance replaced by one number, as under a random permutation."""
    return PairSums(distance * _partner_sum(case, np.ones(case.num_nodes)), *_edge_weights(case), distance)


def _edge_weights(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Per edge: its entry of Y P^-1 Y^T (or Y Phi P^-1 Y^T) and of the random walk, self-loops of the theorem aside."""
    edges = case.adjacency.tocoo()
    target = case.partner[case.y]
    share = (case.y[edges.col] == target[edges.row]) / case.class_sizes[target[edges.row]]
    degrees = case.adjacency.sum(axis=1) + case.architecture.self_loops
    return share, edges.data / degrees[edges.row]


def _partner_sum(case: Case, lengths: np.ndarray) -> float:
    """sum_ij of lengths_j over the nodes j of i's partner class, divided by that class's size."""
    means = np.bincount(case.y, lengths) / case.class_sizes
    return float(means[case.partner[case.y]].sum())


def within_class_sum(x: np.ndarray, y: np.ndarray) -> float:
    """sum of ||x_i - x_j|| / p_c over pairs of the same class, a block of rows at a time."""
    total = 0.0
    for label in np.unique(y):
        members = x[y == label]
        rows = max(1, ENTRIES_PER_BLOCK // len(members))
        blocks = (cdist(members[first : first + rows], members).sum() for first in range(0, len(members), rows))
        total += sum(blocks) / len(members)
    return float(total)


def edge_distances(x: np.ndarray, heads: np.ndarray, tails: np.ndarray) -> np.ndarray:
    distances = np.empty(len(heads))
    step = max(1, ENTRIES_PER_BLOCK // x.shape[1])
    for first in range(0, len(heads), step):
        block = slice(first, first + step)
        distances[block] = np.linalg.norm(x[heads[block]] - x[tails[block]], axis=1)
    return distances


def cross_class_term(case: Case) -> float:
    """(1 + sqrt(N)) ||Delta||_F ||X||_F, the price of one layer's cross-class edges."""
    delta = case.adjacency - case.ideal_adjacency
    return (1 + math.sqrt(case.num_nodes)) * np.linalg.norm(delta.data) * np.linalg.norm(case.x)


def hop_discrepancies(case: Case) -> np.ndarray:
    """a_k = ||S^k - S*^k||_F for k = 0 ... K, from blocks of unit vectors: the powers are never stored."""
    size, order = case.num_nodes, len(case.architecture.hops) - 1
    squares = np.zeros(order + 1)
    step = max(1, ENTRIES_PER_BLOCK // size)
    for first in range(0, size, step):
        columns = np.arange(first, min(first + step, size))
        walk = np.zeros((size, len(columns)))
        walk[columns, columns - first] = 1
        ideal = walk.copy()
        for hop in range(1, order + 1):
            walk, ideal = case.operator @ walk, case.ideal_operator @ ideal
            squares[hop] += ((walk - ideal) ** 2).sum()
    return np.sqrt(squares)


def theorem(case: Case, variant: str = "stated") -> Terms:
    """The bound on `case.error()`."""
    if variant == "stated":
        return _STATED[case.architecture.name](case, pair_sums(case, count_every_class=True))
    if variant == "repaired":
        return _repaired(case, pair_sums(case, count_every_class=False))
    raise InputError(f"variant '{variant}' is unknown: choose stated or repaired")


def permuted_theorem(case: Case, t: float, variant: str = "stated") -> Terms:
    """The bound on the error after one random permutation of the rows of X, with `holding_probability(t, M)`."""
    holding_probability(t, case.x.shape[1])
    if variant == "repaired":
        return _repaired(case, uniform_pair_sums(case, _largest_distance(case)))
    sums = uniform_pair_sums(case, math.sqrt(squared_distance_bound(case, t)))
    if variant == "stated":
        return _STATED_PERMUTED[case.architecture.name](case, sums)
    if variant == "consistent":
        return _STATED[case.architecture.name](case, sums)
    raise InputError(f"variant '{variant}' is unknown: choose stated, consistent or repaired")


def tightened_theorem(case: Case, probability: float) -> Terms:
    """The corollary with the least gamma (xi) for which what it says of one pair of nodes (one node) is true.

    The printed gamma exceeds every distance there is, so that no permutation can break a bound made with it. This one
    can be broken: the proof takes what holds for one pair with some probability to hold for all pairs at once.
    """
    sums = uniform_pair_sums(case, math.sqrt(tightest_squared_distance(case, probability)))
    return _STATED[case.architecture.name](case, sums)


def tightest_squared_distance(case: Case, probability: float) -> float:
    """The quantile of the squared distance of one permuted pair of nodes; without self-loops of one's squared length.

    Under a random permutation every pair of different nodes is as likely as every other.
    """
    if not case.architecture.self_loops:
        return float(np.quantile((case.x**2).sum(axis=1), probability, method="higher"))
    distances = cdist(case.x, case.x, "sqeuclidean")[np.triu_indices(case.num_nodes, 1)]
    return float(np.quantile(distances, probability, method="higher"))


def holding_probability(t: float, num_features: int) -> float:
    """1 - exp(-t^2 / 2 + log M). The corollaries print it without "1 -", but their proof is the theorem's."""
    if t < math.sqrt(2 * math.log(num_features)):
        raise InputError(f"t = {t} is too small: with {num_features} features the theorem needs t >= sqrt(2 log M)")
    return 1 - num_features * math.exp(-(t**2) / 2)


def t_for(probability: float, num_features: int) -> float:
    """The t whose bound holds with this probability."""
    if not 0 <= probability < 1:
        raise InputError(f"probability = {probability} must be at least 0 and below 1")
    return math.sqrt(2 * math.log(num_features / (1 - probability)))


def squared_distance_bound(case: Case, t: float) -> float:
    """gamma, or xi where there are no self-loops.

    Since t sqrt(N) >= 1 in all but the smallest cases, gamma exceeds alpha M, the most that any distance can be.
    """
    spread = (case.x.max(axis=0) - case.x.min(axis=0)).max() ** 2 * t * case.x.shape[1] * math.sqrt(case.num_nodes)
    if not case.architecture.self_loops:
        return (case.x**2).sum() / case.num_nodes + spread
    return 2 * case.x.var(axis=0).sum() * case.num_nodes / max(case.num_nodes - 1, 1) + spread


def _largest_distance(case: Case) -> float:
    """No permutation makes a distance (without self-loops: a length) larger than this."""
    if not case.architecture.self_loops:
        return np.linalg.norm(case.x, axis=1).max()
    return np.linalg.norm(case.x.max(axis=0) - case.x.min(axis=0))


def _weights_to_the_depth(case: Case) -> float:
    return (case.lipschitz * case.omega) ** case.num_layers


def _stated_gcn(case: Case, sums: PairSums) -> Terms:
    return Terms(_weights_to_the_depth(case), (case.num_layers - 1) * cross_class_term(case), sums.mixed())


def _stated_gin(case: Case, sums: PairSums) -> Terms:
    self_weight = 1 + case.architecture.hops[0]
    network = _weights_to_the_depth(case) * self_weight ** (case.num_layers - 1)
    return Terms(network, (case.num_layers - 1) * cross_class_term(case), sums.mixed(self_weight))


def _stated_tagcn(case: Case, sums: PairSums) -> Terms:
    order, layers = len(case.architecture.hops) - 1, case.num_layers
    network = _weights_to_the_depth(case) * (order + 1) ** (layers - 1)
    graph = order * (order + 1) / 2 * layers * cross_class_term(case)
    return Terms(network, graph, sums.base + order * sums.mixed())


def _stated_modified_tagcn(case: Case, sums: PairSums) -> Terms:
    hops = np.array(case.architecture.hops)
    network = _weights_to_the_depth(case) * hops.sum() ** (case.num_layers - 1)
    graph = case.num_layers * np.linalg.norm(case.x) * (hop_discrepancies(case) * hops).sum()
    return Terms(network, graph, hops.sum() * sums.base)


def _stated_permuted_tagcn(case: Case, sums: PairSums) -> Terms:
    """As printed: (K-1)(K-2)/2 for the theorem's K(K+1)/2, and 1 + (1 + sqrt(N)) (K-1) ||Delta|| for its K."""
    order, layers = len(case.architecture.hops) - 1, case.num_layers
    network = _weights_to_the_depth(case) * (order + 1) ** (layers - 1)
    cross = cross_class_term(case)
    delta = (1 + math.sqrt(case.num_nodes)) * np.linalg.norm((case.adjacency - case.ideal_adjacency).data)
    graph = (order - 1) * (order - 2) / 2 * layers * cross
    return Terms(network, graph, sums.base + (1 + delta * (order - 1)) * sums.mixed())


def _stated_permuted_modified_tagcn(case: Case, sums: PairSums) -> Terms:
    """As printed: the theorem's factor b^T 1 of the second term is missing."""
    return replace(_stated_modified_tagcn(case, sums), features=sums.base)


_STATED = {
    "gcn": _stated_gcn,
    "gin": _stated_gin,
    "tagcn": _stated_tagcn,
    "modified_tagcn": _stated_modified_tagcn,
    "gcn_no_loops": _stated_gcn,
}
_STATED_PERMUTED = _STATED | {
    "tagcn": _stated_permuted_tagcn,
    "modified_tagcn": _stated_permuted_modified_tagcn,
}


def _repaired(case: Case, sums: PairSums) -> Terms:
    """One recursion for all networks; with spectral norm 1 it is that of the proofs.

    With self-loops the idealised embeddings are constant within classes, so S* leaves them as they are and only S can
    amplify; without, S* can as well.
    """
    if not case.architecture.self_loops and ACTIVATIONS[case.activation][0](np.zeros(1)).any():
        raise InputError(
            f"activation '{case.activation}' is not 0 at 0, which the bound without self-loops needs: choose another"
        )
    hops = np.abs(case.architecture.hops)
    norm = spectral_norm(case.operator)
    ideal_norm = 1.0 if case.architecture.self_loops else spectral_norm(case.ideal_operator)
    growth, ideal_growth = (float((hops * n ** np.arange(len(hops))).sum()) for n in (norm, ideal_norm))
    drift = _layer_drift(case, hops, norm)
    first_graph, first_features = _first_layer(case, sums, norm)
    last = case.num_layers - 1
    later = sum(growth ** (last - layer) * ideal_growth**layer for layer in range(1, last + 1))
    graph = np.linalg.norm(case.x) * (drift * later + growth**last * first_graph)
    return Terms(_weights_to_the_depth(case), graph, growth**last * first_features)


def _layer_drift(case: Case, hops: np.ndarray, norm: float) -> float:
    """At most how far a layer's filter and the ideal one lie apart, on embeddings of norm 1."""
    if case.architecture.name == "modified_tagcn":
        return float((hops * hop_discrepancies(case)).sum())
    # S*^k - S^k = sum_i S^i (S* - S) S*^(k-1-i), and S* does not amplify; K = 1 where there are no self-loops.
    telescoped = np.concatenate([[0.0], np.cumsum(norm ** np.arange(len(hops) - 1))])
    return float((hops * telescoped).sum()) * np.linalg.norm((case.operator - case.ideal_operator).data)


def _first_layer(case: Case, sums: PairSums, norm: float) -> tuple[float, float]:
    """Graph and feature parts of ||H* X* - H X||_F, the former per unit of ||X||_F."""
    architecture = case.architecture
    hops = np.abs(architecture.hops)
    powers = norm ** np.arange(len(hops))
    if architecture.name == "modified_tagcn":
        return float((hops * hop_discrepancies(case)).sum()), float((hops * powers).sum()) * sums.base
    if architecture.name == "tagcn":
        return _layer_drift(case, hops[:-1], norm), sums.base + powers[:-1].sum() * sums.mixed()
    return 0.0, sums.mixed(1 + hops[0])
