"""The bounds put to the test: random cases, permutations against stated probabilities, a search for violations."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import scipy.sparse

from graphsieve.errors import InputError
from graphsieve.theory.bounds import (
    permuted_theorem,
    squared_distance_bound,
    t_for,
    theorem,
    tightened_theorem,
    tightest_squared_distance,
)
from graphsieve.theory.networks import ACTIVATIONS, ARCHITECTURES, Architecture, Case, spectral_norm, without_gaps
from graphsieve.theory.repeats import proposition_probability, proposition_threshold, squared_distance

# How general the adjacency matrix is: the theorems are stated for the last of these.
KINDS = ("simple", "weighted", "directed")
FAMILIES = ("blocks", "star", "funnel", "path", "isolated")
# Rounding in sums of a few hundred terms; a violation is larger than that.
SLACK = 1 + 1e-9


def sample_adjacency(family: str, kind: str, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A small dense matrix; `weighted` and `directed` have weights over several orders of magnitude."""
    size = len(y)
    adjacency = np.zeros((size, size))
    if family in ("blocks", "isolated"):
        rates = np.where(y[:, None] == y, *rng.uniform(0, 1, 2) ** 2)
        adjacency[rng.random((size, size)) < rates] = 1
    elif family == "star":
        adjacency[1:, 0] = 1
    elif family == "funnel":
        # Many nodes listen to node 0, which listens to node 1.
        adjacency[2:, 0] = adjacency[0, 1] = 1
    elif family == "path":
        adjacency[np.arange(1, size), np.arange(size - 1)] = 1
    else:
        raise InputError(f"family '{family}' is unknown: choose one of {', '.join(FAMILIES)}")
    if family == "isolated":
        lonely = rng.random(size) < 0.5
        adjacency[lonely] = adjacency[:, lonely] = 0
    np.fill_diagonal(adjacency, 0)
    if kind != "simple":
        adjacency *= np.exp(3 * rng.standard_normal((size, size)))
    return adjacency if kind == "directed" else np.maximum(adjacency, adjacency.T)


def sample_architecture(name: str, rng: np.random.Generator, signed_hops: bool = False) -> Architecture:
    order = int(rng.integers(1, 5))
    if name == "gin":
        return ARCHITECTURES[name](float(rng.lognormal(-1, 1)))
    if name == "tagcn":
        return ARCHITECTURES[name](order)
    if name == "modified_tagcn":
        hops = rng.normal(size=order + 1)
        return ARCHITECTURES[name](tuple(hops if signed_hops else np.abs(hops)))
    return ARCHITECTURES[name]()


def sample_case(
    name: str, layers: int, family: str, kind: str, rng: np.random.Generator, signed_hops: bool = False
) -> Case:
    """Sizes, classes, densities, homophily, features, weights and activation at random; heavy tails now and then."""
    size, features = int(rng.integers(2, 41)), int(rng.integers(1, 6))
    y = without_gaps(rng.integers(rng.integers(1, 5), size=size))
    x = rng.standard_normal((size, features)) + 3 * rng.standard_normal((4, features))[y] * rng.integers(2)
    if rng.random() < 0.5:
        x = rng.standard_t(1.5, size=x.shape) * (rng.random(x.shape) < 0.3)
    widths = [features, *rng.integers(1, 7, size=layers)]
    weights = [rng.standard_normal(shape) for shape in zip(widths, widths[1:], strict=False)]
    if rng.random() < 0.3:
        weights = [weight * rng.pareto(1.0, size=weight.shape) for weight in weights]
    # Without self-loops the theorem needs an activation that is 0 at 0.
    choices = [a for a in ACTIVATIONS if a != "sigmoid" or name != "gcn_no_loops"]
    return Case(
        architecture=sample_architecture(name, rng, signed_hops),
        adjacency=scipy.sparse.csr_array(sample_adjacency(family, kind, y, rng)),
        x=x,
        y=y,
        weights=tuple(weights),
        activation=str(rng.choice(choices)),
    )


def covered(case: Case) -> bool:
    """Without self-loops the theorem needs a neighbour for every node, in A* as well, or D^-1 does not exist."""
    return case.architecture.self_loops or bool(case.ideal_adjacency.sum(axis=1).all())


def describe(case: Case) -> dict:
    error, stated, repaired = case.error(), theorem(case).total, theorem(case, "repaired").total
    return {
        "nodes": case.num_nodes,
        "covered": covered(case),
        "spectral_norm": spectral_norm(case.operator),
        "error": error,
        "stated": stated,
        "repaired": repaired,
        "stated_holds": error <= stated * SLACK,
        "repaired_holds": error <= repaired * SLACK,
    }


def check_theorems(num_cases: int, rng: np.random.Generator, layers: tuple[int, ...] = (1, 2, 3, 4)) -> pd.DataFrame:
    """Error and bounds of `num_cases` random cases for every network, depth, family and kind of graph in turn."""
    rows = []
    for number in range(num_cases):
        for name in ARCHITECTURES:
            depth, family, kind = layers[number % len(layers)], rng.choice(FAMILIES), rng.choice(KINDS)
            signed = name == "modified_tagcn" and bool(rng.integers(2))
            case = sample_case(name, depth, family, kind, rng, signed)
            labels = {"architecture": name, "layers": depth, "family": family, "kind": kind, "signed_hops": signed}
            rows.append(labels | describe(case))
    return pd.DataFrame(rows)


def check_permutations(
    num_cases: int,
    rng: np.random.Generator,
    probabilities: tuple[float, ...] = (0.5, 0.9, 0.99),
    permutations: int = 50,
) -> pd.DataFrame:
    """How often the bounds under permuted features hold, beside the probability stated for them.

    With the printed gamma this is certain. Two numbers can fail, with the least gamma that is true of one pair:
    `tightened_held`, how often the bound holds, and `pairs_held`, how often all pairs that it sums lie within gamma.
    """
    rows = []
    for number in range(num_cases):
        name = list(ARCHITECTURES)[number % len(ARCHITECTURES)]
        family, kind = rng.choice(FAMILIES), rng.choice(KINDS)
        case = sample_case(name, int(rng.integers(1, 5)), family, kind, rng)
        shuffled = [replace(case, x=case.x[rng.permutation(case.num_nodes)]) for _ in range(permutations)]
        errors = np.array([other.error() for other in shuffled])
        farthest = np.array([_farthest_summed_pair(other) for other in shuffled])
        for probability in probabilities:
            t = t_for(probability, case.x.shape[1])
            row = {"architecture": name, "layers": case.num_layers, "family": family, "kind": kind}
            row |= {"nodes": case.num_nodes, "probability": probability, "error_median": np.median(errors)}
            for variant in ("stated", "consistent", "repaired"):
                bound = permuted_theorem(case, t, variant).total
                row |= {variant: bound, f"{variant}_held": np.mean(errors <= bound * SLACK)}
            tightened = tightened_theorem(case, probability).total
            row |= {"tightened": tightened, "tightened_held": np.mean(errors <= tightened * SLACK)}
            row["pairs_held"] = np.mean(farthest <= tightest_squared_distance(case, probability) * SLACK)
            row["certain"] = squared_distance_bound(case, t) >= _largest_squared_length(case)
            rows.append(row)
    return pd.DataFrame(rows)


def _farthest_summed_pair(case: Case) -> float:
    """The largest squared distance among the pairs that the bound sums, within classes and along edges.

    Without self-loops the largest squared length among the nodes that it sums.
    """
    if not case.architecture.self_loops:
        heard = np.isin(case.y, case.partner[case.y]) | (case.adjacency.sum(axis=0) > 0)
        return (case.x**2).sum(axis=1)[heard].max()
    summed = (case.y[:, None] == case.y) | (case.adjacency.toarray() > 0)
    return max((((case.x - row) ** 2).sum(axis=1))[pairs].max() for row, pairs in zip(case.x, summed, strict=True))


def _largest_squared_length(case: Case) -> float:
    """The largest squared distance of two nodes, or length of one: if gamma (xi) exceeds it, chance plays no part."""
    if not case.architecture.self_loops:
        return (case.x**2).sum(axis=1).max()
    return max(((case.x - row) ** 2).sum(axis=1).max() for row in case.x)


def check_proposition(
    columns: dict[str, np.ndarray],
    repeats: tuple[int, ...],
    rng: np.random.Generator,
    probabilities: tuple[float, ...] = (0.5, 0.7, 0.9),
    draws: int = 500,
) -> pd.DataFrame:
    """How often Proposition 1's event happens, beside the probability stated for it."""
    rows = []
    for name, column in columns.items():
        for count in repeats:
            distances = np.array([squared_distance(column, count, rng) for _ in range(draws)])
            for probability in probabilities:
                t = _proposition_t(column, count, probability)
                held = np.mean(distances <= proposition_threshold(count, t) * SLACK)
                rows.append({"column": name, "repeats": count, "probability": probability, "t": t, "held": held})
    return pd.DataFrame(rows)


def _proposition_t(column: np.ndarray, repeats: int, probability: float) -> float:
    """Proposition 1's probability, solved for t."""
    at_one = proposition_probability(column, repeats, 1.0)
    rate = -np.log((1 - at_one) / 2)
    return float(np.sqrt(np.log(2 / (1 - probability)) / rate))


@dataclass(frozen=True)
class Search:
    """The worst case found, and how many were tried."""

    case: Case
    tightness: float
    tried: int

    @property
    def violates(self) -> bool:
        return self.tightness > SLACK


def tightness(case: Case) -> float:
    """Error over stated bound: above 1 the bound fails. Cases that the theorem does not cover count as 0."""
    if not covered(case):
        return 0.0
    error, bound = case.error(), theorem(case).total
    if bound > 0:
        return error / bound
    return np.inf if error > 0 else 0.0


def start_of_search(shape: str, architecture: Architecture, layers: int, kind: str, nodes: int) -> Case:
    """One loud node and scalar weights of 1, so that nothing but the graph can amplify.

    `funnel`: everybody listens to node 0, which listens to the loud node 1. `star`: everybody listens to the loud node
    0. `two_stars`: half of the nodes know node 0, half node 1, and one of the leaves is loud.
    """
    adjacency = np.zeros((nodes, nodes))
    heads = np.arange(nodes)
    if shape == "two_stars":
        adjacency[heads[2:], heads[2:] % 2] = 1
    else:
        adjacency[1:, 0] = 1
    if shape == "funnel":
        adjacency[1, 0], adjacency[0, 1] = 0, 1
    if kind != "simple":
        adjacency *= np.where(heads == 1, 1e5, 1e2)
    if kind != "directed":
        adjacency = np.maximum(adjacency, adjacency.T)
    elif not architecture.self_loops:
        # Everybody needs a neighbour, if only a faint one.
        adjacency += 1e-3 * adjacency.T
    hubs = heads < (2 if shape == "two_stars" else 1)
    y = np.zeros(nodes, dtype=int) if architecture.self_loops else np.where(hubs, 0, 1)
    x = (heads == {"star": 0, "funnel": 1, "two_stars": 2}[shape]).astype(float)[:, None]
    return Case(architecture, scipy.sparse.csr_array(adjacency), x, y, (np.ones((1, 1)),) * layers, "identity")


def search_violation(
    architecture: Architecture,
    layers: int,
    kind: str,
    rng: np.random.Generator,
    nodes: int = 80,
    steps: int = 200,
    rounds: int = 2,
) -> Search:
    """From the worst of three shapes, climb to cases nearer to the stated bound; drop nodes a violation can spare."""
    starts = [start_of_search(shape, architecture, layers, kind, nodes) for shape in ("funnel", "star", "two_stars")]
    worst = max(starts, key=tightness)
    found = Search(worst, tightness(worst), len(starts))
    for _ in range(rounds):
        found = climb(found, kind, rng, steps)
        if found.violates:
            found = shrink(found)
    return found


def climb(found: Search, kind: str, rng: np.random.Generator, steps: int) -> Search:
    case, value = found.case, found.tightness
    for _ in range(steps):
        candidate = mutate(case, kind, rng)
        score = tightness(candidate)
        if score >= value:
            case, value = candidate, score
    return Search(case, value, found.tried + steps)


def mutate(case: Case, kind: str, rng: np.random.Generator) -> Case:
    """Change an edge, a feature or a label."""
    node, other = rng.integers(case.num_nodes, size=2)
    choice = rng.choice(("edge", "edge", "feature", "label"))
    if choice == "feature":
        x = case.x.copy()
        x[node] = rng.choice((0.0, 1.0, rng.standard_normal()))
        return replace(case, x=x)
    if choice == "label":
        y = case.y.copy()
        y[node] = rng.integers(2)
        return replace(case, y=without_gaps(y))
    adjacency = case.adjacency.toarray()
    weight = float(adjacency[node, other] == 0) if kind == "simple" or rng.random() < 0.5 else 10 ** rng.uniform(-3, 3)
    adjacency[node, other] = weight * (node != other)
    if kind != "directed":
        adjacency[other, node] = adjacency[node, other]
    return replace(case, adjacency=scipy.sparse.csr_array(adjacency))


def shrink(found: Search) -> Search:
    """Drop every node without which the bound is violated still."""
    case, tried = found.case, found.tried
    for node in reversed(range(case.num_nodes)):
        smaller = without_node(case, node)
        tried += 1
        if smaller.num_nodes > 1 and tightness(smaller) > SLACK:
            case = smaller
    return Search(case, tightness(case), tried)


def without_node(case: Case, node: int) -> Case:
    keep = np.delete(np.arange(case.num_nodes), node)
    return replace(case, adjacency=case.adjacency[keep][:, keep], x=case.x[keep], y=without_gaps(case.y[keep]))
