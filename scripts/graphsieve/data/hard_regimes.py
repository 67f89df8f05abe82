"""Generated graphs on which it is hard to tell which columns matter; the first five do, in each of the four regimes.

- copies: every relevant column has three copies that correlate with it and say nothing of the class besides.
- neighbours: a node's class follows from its neighbours' values. Its own say nothing.
- interaction: each relevant column by itself says nothing. Two of them measure one hidden sign and three another, and
  the class is whether these are equal (XOR).
- smooth: fifteen columns are noise, averaged over neighbourhoods. On a graph whose edges join nodes of one class they
  agree with the classes by chance.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from graphsieve.data import stand_ins
from graphsieve.data.graph import Graph
from graphsieve.data.synthetic import Parameters, balanced_labels, relevant_features, sample_adjacency
from graphsieve.errors import InputError
from graphsieve.randomness import generator

NUM_RELEVANT = 5
NUM_FEATURES = 50
P_NEIGHBOURS = 0.02  # probability of an edge where neighbours decide: ten of them
MEASURING_FIRST = 2  # relevant columns that measure the first of two hidden signs
SEPARATION = 2.0  # of what they measure, in deviations of the noise


def copies(seed: int) -> Graph:
    return stand_ins.generate(seed, relevant=NUM_RELEVANT, copies=3, smooth=0, white=30)


def smooth(seed: int) -> Graph:
    return stand_ins.generate(seed, relevant=NUM_RELEVANT, copies=0, smooth=15, white=30)


def neighbours(seed: int) -> Graph:
    p, rng = Parameters(num_features=NUM_FEATURES, num_relevant=NUM_RELEVANT), generator(seed, "graph")
    adjacency = sample_adjacency(np.zeros(p.num_nodes, dtype=int), P_NEIGHBOURS, P_NEIGHBOURS, rng)
    x = rng.standard_normal((p.num_nodes, p.num_features))
    received = _mean_of_neighbours(adjacency, x[:, : p.num_relevant]) @ _signs(p.num_relevant, rng)
    y = (np.argsort(np.argsort(received)) >= p.num_nodes // 2).astype(np.int64)  # two classes of equal size
    return _graph(x, adjacency, y)


def interaction(seed: int) -> Graph:
    p, rng = Parameters(num_features=NUM_FEATURES, num_relevant=NUM_RELEVANT), generator(seed, "graph")
    y = balanced_labels(p, rng)
    adjacency = sample_adjacency(y, p.p_within, p.p_across, rng)
    first = _signs(p.num_nodes, rng)
    second = np.where(y == 1, first, -first)
    measured = np.stack([first] * MEASURING_FIRST + [second] * (p.num_relevant - MEASURING_FIRST), axis=1)
    x = rng.standard_normal((p.num_nodes, p.num_features))
    x[:, : p.num_relevant] += SEPARATION * measured
    return _graph(x, adjacency, y)


HARD_REGIMES: dict[str, Callable[[int], Graph]] = {
    "copies": copies,
    "neighbours": neighbours,
    "interaction": interaction,
    "smooth": smooth,
}


def generate_hard(regime: str, seed: int) -> Graph:
    """One random graph of a hard regime.

    Parameters
    ----------
    regime : one of `HARD_REGIMES`.
    seed : the same seed gives the same graph.

    Returns
    -------
    Graph called ``synthetic_<regime>``, whose first five columns are relevant and no others.

    Examples
    --------
    >>> graph = generate_hard("interaction", seed=0)
    >>> graph.x.shape, graph.name
    ((500, 50), 'synthetic_interaction')
    """
    if regime not in HARD_REGIMES:
        raise InputError(f"hard regime '{regime}' is unknown: choose one of {', '.join(HARD_REGIMES)}")
    return replace(HARD_REGIMES[regime](seed), name=f"synthetic_{regime}")


def relevant_columns(regime: str) -> np.ndarray:
    """The columns that carry label signal in any regime, hard or one of the paper's."""
    return np.arange(NUM_RELEVANT) if regime in HARD_REGIMES else relevant_features(regime)


def _mean_of_neighbours(adjacency: csr_array, x: np.ndarray) -> np.ndarray:
    return (adjacency @ x) / np.maximum(adjacency.sum(axis=1), 1)[:, None]


def _signs(number: int, rng: np.random.Generator) -> np.ndarray:
    return rng.choice([-1.0, 1.0], size=number)


def _graph(x: np.ndarray, adjacency: csr_array, y: np.ndarray) -> Graph:
    edge_index = np.stack(adjacency.nonzero()).astype(np.int64)
    kinds = ["relevant" if column < NUM_RELEVANT else "white" for column in range(x.shape[1])]
    names = tuple(f"{kind} {column + 1}" for column, kind in enumerate(kinds))
    return Graph("hard", x.astype(np.float32), edge_index, y, 2, names)
