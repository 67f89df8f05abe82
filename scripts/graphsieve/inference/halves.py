"""The nodes in two halves: models learn from one and are scored on the other, which they have never seen."""

import numpy as np

from graphsieve.data.graph import Graph, Split, induced_subgraph
from graphsieve.errors import InputError
from graphsieve.randomness import child


def share_out(graph: Graph, split: Split, seed: int) -> list[np.ndarray]:
    """The nodes of both halves; those whose labels may be seen are shared out class by class."""
    rng = np.random.default_rng(child(seed, "split", 1))
    known = rng.permutation(np.union1d(split.train, split.val))
    known = known[np.argsort(graph.y[known], kind="stable")]
    others = rng.permutation(np.setdiff1d(np.arange(graph.num_nodes), known))
    return [np.sort(np.concatenate([known[half::2], others[half::2]])) for half in (0, 1)]


def cut_in_halves(graph: Graph, split: Split, seed: int) -> list[tuple[Graph, np.ndarray]]:
    """Two disjoint subgraphs, each with its nodes whose labels may be seen."""
    known, halves = np.union1d(split.train, split.val), []
    for nodes in share_out(graph, split, seed):
        labelled = np.flatnonzero(np.isin(nodes, known))
        subgraph = induced_subgraph(graph, nodes)
        if len(np.unique(subgraph.y[labelled])) < 2:
            raise InputError(
                f"'{graph.name}' has {len(known)} labelled nodes outside the test set, too few to learn from one half "
                f"and score on the other: label more nodes{' of each class' * (not graph.is_regression)}"
            )
        halves.append((subgraph, labelled))
    return halves
