"""Networks and bounds against loops written from the theorems, hand-worked cases, and the counterexamples."""

import itertools
import math
import tracemalloc

import numpy as np
import pytest
import scipy.sparse

from graphsieve.data.graph import Graph
from graphsieve.errors import InputError
from graphsieve.theory import bounds
from graphsieve.theory.bounds import (
    holding_probability,
    hop_discrepancies,
    permuted_theorem,
    squared_distance_bound,
    t_for,
    theorem,
    within_class_sum,
)
from graphsieve.theory.networks import (
    ACTIVATIONS,
    ARCHITECTURES,
    Case,
    best_class_mapping,
    case_from_graph,
    gcn,
    gcn_no_loops,
    gin,
    ideal_adjacency,
    ideal_features,
    modified_tagcn,
    spectral_norm,
    tagcn,
)

NETWORKS = [gcn(), gin(0.7), tagcn(1), tagcn(3), modified_tagcn((0.3, 1.2, 0.4)), gcn_no_loops()]


def random_case(architecture, layers, seed=0, activation="relu"):
    rng = np.random.default_rng(seed)
    size, features = 9, 3
    adjacency = rng.random((size, size)) * (rng.random((size, size)) < 0.5)
    adjacency[3] = adjacency[:, 3] = 0
    y = np.array([0, 1, 2, 0, 1, 2, 0, 0, 1])
    widths = [features, 4, 2, 3, 2][: layers + 1]
    weights = tuple(rng.standard_normal(shape) for shape in zip(widths, widths[1:], strict=False))
    x = rng.standard_normal((size, features))
    return Case(architecture, scipy.sparse.csr_array(adjacency), x, y, weights, activation)


def scalar_case(architecture, adjacency, x, y, layers):
    x = np.asarray(x, dtype=float)[:, None]
    weights = (np.ones((1, 1)),) * layers
    adjacency = scipy.sparse.csr_array(np.asarray(adjacency, dtype=float))
    return Case(architecture, adjacency, x, np.asarray(y), weights, "identity")


def symmetric(size, edges):
    adjacency = np.zeros((size, size))
    for head, tail, weight in edges:
        adjacency[head, tail] = adjacency[tail, head] = weight
    return adjacency


def dense_walk(adjacency, self_loops):
    walk = adjacency + np.eye(len(adjacency)) * self_loops
    for row in walk:
        if row.sum() > 0:
            row /= row.sum()
    return walk


def naive_ideal_adjacency(case):
    adjacency = case.adjacency.toarray()
    ideal = np.zeros_like(adjacency)
    for i, j in itertools.product(range(case.num_nodes), repeat=2):
        if case.y[j] == case.partner[case.y[i]]:
            ideal[i, j] = adjacency[i, j]
    return ideal


def naive_forward(case, adjacency, x):
    walk = dense_walk(adjacency.copy(), case.architecture.self_loops)
    powers = [np.linalg.matrix_power(walk, k) for k in range(len(case.architecture.hops))]
    filtered = sum(b * power for b, power in zip(case.architecture.hops, powers, strict=True))
    for weight in case.weights:
        x = ACTIVATIONS[case.activation][0](filtered @ x @ weight)
    return x


def naive_sums(case, distance, scale=1.0, classes=None):
    """(sum of Y Y / p, sum of |scale Y Y / p - A / d|) times distance(i, j), over classes and ordered pairs.

    `classes=None` leaves the sum over classes out, as the corollaries do.
    """
    adjacency, y, partner = case.adjacency.toarray(), case.y, case.partner
    degrees = adjacency.sum(axis=1) + case.architecture.self_loops
    base = mixed = 0.0
    for i, j in itertools.product(range(case.num_nodes), repeat=2):
        walk = adjacency[i, j] / degrees[i] if degrees[i] else 0.0
        for c in [y[i]] if classes is None else classes:
            indicator = float(y[i] == c and y[j] == partner[c]) / np.sum(y == partner[c])
            base += indicator * distance(i, j)
            mixed += abs(scale * indicator - walk) * distance(i, j)
    return base, mixed


def naive_bound(case, distance, classes):
    """The printed theorems."""
    size, layers, hops = case.num_nodes, case.num_layers, case.architecture.hops
    delta = np.linalg.norm(case.adjacency.toarray() - naive_ideal_adjacency(case))
    cross = (1 + math.sqrt(size)) * delta * np.linalg.norm(case.x)
    omega = max(np.linalg.svd(weight)[1][0] for weight in case.weights)
    power = (case.lipschitz * omega) ** layers
    name = case.architecture.name
    if name == "gin":
        mixed = naive_sums(case, distance, 1 + hops[0], classes)[1]
        return power * (1 + hops[0]) ** (layers - 1) * ((layers - 1) * cross + mixed)
    base, mixed = naive_sums(case, distance, 1.0, classes)
    if name == "tagcn":
        order = len(hops) - 1
        return power * (order + 1) ** (layers - 1) * (order * (order + 1) / 2 * layers * cross + base + order * mixed)
    if name == "modified_tagcn":
        walk, ideal = (dense_walk(m, True) for m in (case.adjacency.toarray(), naive_ideal_adjacency(case)))
        a = [
            np.linalg.norm(np.linalg.matrix_power(walk, k) - np.linalg.matrix_power(ideal, k)) for k in range(len(hops))
        ]
        graph = layers * np.linalg.norm(case.x) * sum(a_k * b_k for a_k, b_k in zip(a, hops, strict=True))
        return power * sum(hops) ** (layers - 1) * (graph + sum(hops) * base)
    return power * ((layers - 1) * cross + mixed)


def feature_distance(case):
    if case.architecture.self_loops:
        return lambda i, j: np.linalg.norm(case.x[i] - case.x[j])
    return lambda i, j: np.linalg.norm(case.x[j])


@pytest.mark.parametrize("architecture", NETWORKS, ids=lambda a: f"{a.name}{len(a.hops)}")
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_error_and_stated_bound_agree_with_loops(architecture, layers):
    case = random_case(architecture, layers, seed=layers)
    embeddings = naive_forward(case, case.adjacency.toarray(), case.x)
    ideal_x = np.array([case.x[case.y == label].mean(axis=0) for label in case.y])
    ideal = naive_forward(case, naive_ideal_adjacency(case), ideal_x)
    assert np.allclose(case.forward(), embeddings)
    assert np.allclose(case.ideal_forward(), ideal)
    assert case.error() == pytest.approx(np.linalg.norm(ideal - embeddings))
    assert theorem(case).total == pytest.approx(naive_bound(case, feature_distance(case), classes=range(3)))


def naive_repaired(case):
    """The proofs' recursion, layer by layer, with true norms: sizes of the ideal embeddings and of the error."""
    name, loops, hops = case.architecture.name, case.architecture.self_loops, np.abs(case.architecture.hops)
    walk, ideal = (dense_walk(m, loops) for m in (case.adjacency.toarray(), naive_ideal_adjacency(case)))
    norm, ideal_norm = np.linalg.norm(walk, 2), 1 if loops else np.linalg.norm(ideal, 2)
    gap = np.linalg.norm(walk - ideal)
    if name == "modified_tagcn":
        power_of = np.linalg.matrix_power
        gaps = [np.linalg.norm(power_of(walk, k) - power_of(ideal, k)) for k in range(len(hops))]
    else:
        gaps = [gap * sum(norm**i for i in range(k)) for k in range(len(hops))]
    drift = sum(b * gap_k for b, gap_k in zip(hops, gaps, strict=True))
    growth = sum(b * norm**k for k, b in enumerate(hops))
    ideal_growth = sum(b * ideal_norm**k for k, b in enumerate(hops))
    base, mixed = naive_sums(case, feature_distance(case), 1 + hops[0] * (name == "gin"))
    size = np.linalg.norm(case.x)
    first = {
        "tagcn": base + sum(norm**k for k in range(len(hops) - 1)) * mixed + size * sum(gaps[:-1]),
        "modified_tagcn": growth * base + size * drift,
    }
    factor = case.lipschitz * case.omega
    error = factor * first.get(name, mixed)
    for _ in case.weights[1:]:
        size *= factor * ideal_growth
        error = factor * (drift * size + growth * error)
    return error


@pytest.mark.parametrize("architecture", NETWORKS, ids=lambda a: f"{a.name}{len(a.hops)}")
@pytest.mark.parametrize("layers", [1, 2, 4])
def test_repaired_bound_is_the_recursion_with_true_norms(architecture, layers):
    case = random_case(architecture, layers, seed=layers)
    assert theorem(case, "repaired").total == pytest.approx(naive_repaired(case))


@pytest.mark.parametrize("architecture", NETWORKS, ids=lambda a: f"{a.name}{len(a.hops)}")
def test_permuted_bounds_agree_with_loops(architecture):
    case = random_case(architecture, 2, seed=5)
    t, size = 3.0, case.num_nodes
    alpha = max((case.x[i, m] - case.x[j, m]) ** 2 for m in range(3) for i in range(size) for j in range(size))
    if architecture.self_loops:
        column_sums = sum(case.x[:, m].sum() ** 2 for m in range(3))
        gamma = 2 / (size - 1) * ((case.x**2).sum() - column_sums / size) + alpha * t * 3 * math.sqrt(size)
    else:
        gamma = (case.x**2).sum() / size + alpha * t * 3 * math.sqrt(size)
    assert squared_distance_bound(case, t) == pytest.approx(gamma)
    consistent = naive_bound(case, lambda i, j: math.sqrt(gamma), classes=None)
    assert permuted_theorem(case, t, "consistent").total == pytest.approx(consistent)
    if architecture.name not in ("tagcn", "modified_tagcn"):
        assert permuted_theorem(case, t).total == pytest.approx(consistent)


def test_permuted_tagcn_and_modified_tagcn_as_printed():
    case = random_case(tagcn(3), 2, seed=6)
    t, size = 3.0, case.num_nodes
    root = math.sqrt(squared_distance_bound(case, t))
    delta = np.linalg.norm(case.adjacency.toarray() - naive_ideal_adjacency(case))
    power = case.omega**2 * 4
    l1 = naive_sums(case, lambda i, j: 1.0)[1]
    graph = (3 - 1) * (3 - 2) / 2 * 2 * (1 + math.sqrt(size)) * delta * np.linalg.norm(case.x)
    features = root * (size + (1 + (1 + math.sqrt(size)) * 2 * delta) * l1)
    assert permuted_theorem(case, t).total == pytest.approx(power * (graph + features))
    case = random_case(modified_tagcn((0.3, 1.2, 0.4)), 2, seed=6)
    graph = theorem(case).graph
    assert permuted_theorem(case, t).total == pytest.approx(case.omega**2 * 1.9 * (graph + size * root))
    assert permuted_theorem(case, t, "consistent").features == pytest.approx(1.9 * size * root)


def test_two_joined_nodes_by_hand():
    """One class: both nodes become the mean, which is ideal. Two classes: (1, 1) instead of (0, 2)."""
    joined = [[0, 1], [1, 0]]
    same = scalar_case(gcn(), joined, [0, 2], [0, 0], layers=1)
    assert (same.error(), theorem(same).total) == (0, 0)
    # Four times |0 - 1/2| * 2: two ordered pairs, each counted for both classes.
    apart = scalar_case(gcn(), joined, [0, 2], [0, 1], layers=1)
    assert apart.error() == pytest.approx(math.sqrt(2))
    assert theorem(apart).total == pytest.approx(4)
    assert theorem(apart, "repaired").total == pytest.approx(2)
    deeper = scalar_case(gcn(), joined, [0, 2], [0, 1], layers=3)
    assert theorem(deeper).graph == pytest.approx(2 * (1 + math.sqrt(2)) * math.sqrt(2) * 2)
    # gamma = 2 * variance 2 + alpha 4 * t 1 * sqrt(2); |Y P^-1 Y^T - D^-1 A| sums to 1 + 1/2 + 1/2 + 1.
    gamma = 4 + 4 * math.sqrt(2)
    assert permuted_theorem(apart, 1.0).total == pytest.approx(3 * math.sqrt(gamma))


def test_no_loops_by_hand():
    """A node of class 0 between two of class 1 with x = (0, 1, 3): ideal neighbours' means, at no error."""
    case = scalar_case(gcn_no_loops(), symmetric(3, [(0, 1, 1), (0, 2, 1)]), [0, 1, 3], [0, 1, 1], layers=1)
    assert case.partner.tolist() == [1, 0]
    assert case.forward().ravel().tolist() == [2, 0, 0]
    assert case.error() == 0
    # Row 0: |1/2 - 1/2| (1 + 3) = 0, and once more for the other class 1/2 * 4; rows 1 and 2 look at x_0 = 0.
    assert theorem(case).total == pytest.approx(2)
    assert theorem(case, "repaired").total == pytest.approx(0)


def test_idealised_features_are_the_closest_class_constant_ones():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((8, 3)), np.array([0, 0, 1, 2, 1, 0, 2, 2])
    ideal = ideal_features(x, y)
    assert np.allclose(ideal[y == 1], x[[2, 4]].mean(axis=0))
    for _ in range(20):
        other = ideal + 0.1 * rng.standard_normal((3, 3))[y]
        assert np.linalg.norm(other - x) > np.linalg.norm(ideal - x)


def test_class_mapping_keeps_the_most_edge_weight_of_all_bijections():
    rng = np.random.default_rng(1)
    adjacency = scipy.sparse.csr_array(rng.random((12, 12)))
    y = np.arange(12) % 4
    kept = [ideal_adjacency(adjacency, y, np.array(p)).sum() for p in itertools.permutations(range(4))]
    assert ideal_adjacency(adjacency, y, best_class_mapping(adjacency, y)).sum() == pytest.approx(max(kept))


def test_blocks_do_not_change_the_sums(monkeypatch):
    case = random_case(modified_tagcn(), 2)
    whole, discrepancies = theorem(case).total, hop_discrepancies(case)
    monkeypatch.setattr(bounds, "ENTRIES_PER_BLOCK", 10)
    assert theorem(case).total == pytest.approx(whole)
    assert np.allclose(hop_discrepancies(case), discrepancies)


def test_pair_sum_never_holds_all_pairs():
    x = np.random.default_rng(0).standard_normal((6000, 2))
    tracemalloc.start()
    within_class_sum(x, np.zeros(6000, dtype=int))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.3 * 6000**2 * 8


def test_spectral_norm_of_large_and_small_matrices_agree(monkeypatch):
    matrix = random_case(gcn(), 1).operator
    dense = spectral_norm(matrix)
    monkeypatch.setattr("graphsieve.theory.networks.DENSE_NODES", 2)
    assert spectral_norm(matrix) == pytest.approx(dense)


def weighted_funnel(leaves, self_loops):
    """Node 0 takes its value from the loud node 1 (weight 1e5) and hands it to many leaves (weight 100)."""
    edges = [(0, 1, 1e5), *((0, leaf, 100.0) for leaf in range(2, leaves + 2))]
    y = np.zeros(leaves + 2, dtype=int) if self_loops else np.array([0] + [1] * (leaves + 1))
    return symmetric(leaves + 2, edges), np.eye(leaves + 2)[1], y


COUNTEREXAMPLES = {
    "gcn": (gcn(), *weighted_funnel(30, True), 2),
    "gin": (gin(0.1), *weighted_funnel(60, True), 2),
    "tagcn": (tagcn(2), *weighted_funnel(300, True), 1),
    # A plain star whose hub is loud: 18 leaves take half of its value.
    "modified_tagcn": (
        modified_tagcn((0.0, 1.0)),
        symmetric(19, [(0, leaf, 1) for leaf in range(1, 19)]),
        np.eye(19)[0],
        [0] * 19,
        1,
    ),
    "modified_tagcn_signed": (modified_tagcn((1.0, -1.0)), symmetric(2, [(0, 1, 1)]), [0, 2], [0, 0], 1),
    # Node 0 hears only node 1, its class's mean is that of nodes 1 and 2; both hear node 0 in the second layer.
    "gcn_no_loops": (gcn_no_loops(), symmetric(3, [(0, 1, 1e5), (0, 2, 1)]), [0, 0, 1], [0, 1, 1], 2),
    # Without weights: two hubs, each with half of the leaves, one of which is loud.
    "gcn_no_loops_simple": (
        gcn_no_loops(),
        symmetric(20, [(leaf % 2, leaf, 1) for leaf in range(2, 20)]),
        np.eye(20)[2],
        [0, 0] + [1] * 18,
        2,
    ),
}


@pytest.mark.parametrize("name", COUNTEREXAMPLES)
def test_counterexamples_break_the_stated_bound_and_not_the_repaired_one(name):
    architecture, adjacency, x, y, layers = COUNTEREXAMPLES[name]
    case = scalar_case(architecture, adjacency, x, y, layers)
    assert case.error() > 1.001 * theorem(case).total
    assert case.error() <= theorem(case, "repaired").total
    # What breaks: the proofs say that this is 1, and that hop weights sum like their absolute values.
    assert spectral_norm(case.operator) > 1.1 or min(architecture.hops) < 0


def test_smallest_counterexample_by_hand():
    """Error sqrt(2) / 2 against a bound of 1/2, in the limit of a strong edge 0-1."""
    case = scalar_case(*COUNTEREXAMPLES["gcn_no_loops"])
    assert case.error() == pytest.approx(math.sqrt(2) / 2, rel=1e-4)
    assert theorem(case).total == pytest.approx(1 / 2, rel=1e-4)


def test_gamma_is_no_random_matter():
    """Above t = 1 / sqrt(N) gamma exceeds every squared distance, so the bound holds for each permutation."""
    for seed in range(20):
        case = random_case(gcn(), 1, seed=seed)
        largest = max(np.sum((a - b) ** 2) for a in case.x for b in case.x)
        assert squared_distance_bound(case, t=1 / math.sqrt(case.num_nodes)) > largest


def test_probability_and_t_are_inverse():
    assert holding_probability(t_for(0.9, 50), 50) == pytest.approx(0.9)
    assert holding_probability(math.sqrt(2 * math.log(7)), 7) == pytest.approx(0)
    with pytest.raises(InputError, match="sqrt"):
        holding_probability(1.0, 50)
    with pytest.raises(InputError, match="probability"):
        t_for(1.0, 5)


def test_case_from_graph_takes_repeated_edges_once_and_closes_gaps_in_labels():
    edge_index = np.array([[0, 0, 1, 2], [1, 1, 0, 2]])
    graph = Graph("tiny", np.ones((3, 1), dtype=np.float32), edge_index, np.array([0, 4, 4]), num_classes=5)
    case = case_from_graph(graph, gcn(), (np.ones((1, 1)),))
    assert case.adjacency.toarray().tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert case.y.tolist() == [0, 1, 1]


def test_wrong_cases_are_refused():
    good = random_case(gcn(), 2)
    parts = (good.architecture, good.adjacency, good.x, good.y)
    with pytest.raises(InputError, match="activation"):
        Case(*parts, good.weights, "step")
    with pytest.raises(InputError, match="chain"):
        Case(*parts, good.weights[::-1])
    with pytest.raises(InputError, match="negative"):
        Case(gcn(), -good.adjacency, good.x, good.y, good.weights)
    with pytest.raises(InputError, match="fit together"):
        Case(gcn(), good.adjacency, good.x[1:], good.y, good.weights)
    with pytest.raises(InputError, match="gaps"):
        Case(gcn(), good.adjacency, good.x, good.y * 2, good.weights)
    with pytest.raises(InputError, match="not 0 at 0"):
        theorem(random_case(gcn_no_loops(), 2, activation="sigmoid"), "repaired")
    with pytest.raises(InputError, match="variant"):
        theorem(good, "true")
    with pytest.raises(InputError, match="variant"):
        permuted_theorem(good, 3.0, "true")
    for make, wrong in (("gin", 0.0), ("tagcn", 0), ("modified_tagcn", (1.0,))):
        with pytest.raises(InputError, match=make):
            ARCHITECTURES[make](wrong)
