"""A graph of ogbn-arxiv's size for where its edges and features are not to be had: real labels, years and split, the
rest generated. What is measured on it says how the work grows with a graph, and nothing about ogbn-arxiv itself.

Papers cite papers before them, as many times and as often within a class as in ogbn-arxiv, and some are cited much more
than others. A quarter of the columns tells the class, the first of them most, and the others are noise.
"""

from collections.abc import Callable

import numpy as np

from graphsieve.data.graph import Graph, Split
from graphsieve.errors import InputError
from graphsieve.randomness import generator

HOMOPHILY = 0.65  # share of the citations that stay within a class
NUM_FEATURES, NUM_RELEVANT = 128, 32
SEPARATION = 0.5  # of the classes in the first relevant column, in deviations of the noise
SEED = 0


def generate_standin(name: str, y: np.ndarray, years: np.ndarray, num_edges: int, split: Split) -> Graph:
    """Directed, from the citing paper to the cited one, as ogbn-arxiv is."""
    rng = generator(SEED, "graph")
    x, names = draw_features(y, rng)
    edges = draw_citations(y, years, num_edges, rng)
    return Graph(name, x, edges, y, num_classes=int(y.max()) + 1, feature_names=names, public_split=split)


def draw_features(y: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, tuple[str, ...]]:
    """Noise, and class means of ever smaller size added to the relevant columns, which stand anywhere."""
    strengths = SEPARATION * (1 - np.arange(NUM_RELEVANT) / NUM_RELEVANT)
    means = strengths * rng.standard_normal((y.max() + 1, NUM_RELEVANT))
    relevant = rng.permutation(NUM_FEATURES)[:NUM_RELEVANT]
    x = rng.standard_normal((len(y), NUM_FEATURES), dtype=np.float32)
    x[:, relevant] += means[y].astype(np.float32)
    names = [f"noise_{column}" for column in range(NUM_FEATURES)]
    for rank, column in enumerate(relevant, 1):
        names[column] = f"relevant_{rank}"
    return x, tuple(names)


def draw_citations(y: np.ndarray, years: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Distinct edges, `HOMOPHILY` of them within a class, each to a paper that is not younger."""
    order = np.lexsort((rng.random(len(y)), years))  # papers of one year in any order
    within = round(HOMOPHILY * count)
    sorted_y = y[order]
    sizes = np.bincount(y)
    pairs_within = int((sizes * (sizes - 1) // 2).sum())
    pairs_across = len(y) * (len(y) - 1) // 2 - pairs_within
    pairs = [
        _draw_distinct(_within(sorted_y, rng), within, pairs_within, len(y), rng),
        _draw_distinct(_across(sorted_y, rng), count - within, pairs_across, len(y), rng),
    ]
    return order[np.concatenate(pairs, axis=1)]


Propose = Callable[[int], tuple[np.ndarray, np.ndarray]]  # about so many pairs of places in time, each with an earlier


def _draw_distinct(propose: Propose, count: int, possible: int, nodes: int, rng: np.random.Generator) -> np.ndarray:
    if 2 * count > possible:
        raise InputError(
            f"the stand-in for ogbn-arxiv cannot have {count} citations within (or across) classes, where only "
            f"{possible} pairs of papers are: ask for fewer edges in num-edge-list.csv.gz"
        )
    found = np.empty(0, dtype=np.int64)
    while len(found) < count:
        citing, cited = propose(2 * (count - len(found)))
        found = np.union1d(found, citing * nodes + cited)
    return np.stack(np.divmod(rng.choice(found, count, replace=False), nodes))


def _within(y: np.ndarray, rng: np.random.Generator) -> Propose:
    members = np.argsort(y, kind="stable")
    starts = np.searchsorted(y[members], np.arange(y.max() + 1))
    place = np.empty_like(members)
    place[members] = np.arange(len(y)) - starts[y[members]]  # how many papers of its class came before

    def propose(count: int) -> tuple[np.ndarray, np.ndarray]:
        citing = rng.choice(np.flatnonzero(place), count)
        return citing, members[starts[y[citing]] + _earlier(place[citing], rng)]

    return propose


def _across(y: np.ndarray, rng: np.random.Generator) -> Propose:
    def propose(count: int) -> tuple[np.ndarray, np.ndarray]:
        citing = rng.integers(1, len(y), count)
        cited = _earlier(citing, rng)
        others = y[citing] != y[cited]
        return citing[others], cited[others]

    return propose


def _earlier(places: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Of those before each place; the square makes some much more cited than others."""
    return (places * rng.random(len(places)) ** 2).astype(np.int64)
