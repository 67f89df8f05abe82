"""Scorers that look at one column at a time, with the labels, with the graph or with both, and train nothing."""

from dataclasses import replace

import numpy as np

from graphsieve.randomness import child, child_integer
from graphsieve.scoring.homophily import (
    attribute_homophily,
    euclidean_homophily,
    propagate_symmetric,
    sign_homophily,
    simple_adjacency,
)
from graphsieve.scoring.task import Scores, ScoringTask

# The discrete estimator cuts a column into at most this many bins of equal frequency.
BINS = 10


def mi(task: ScoringTask) -> Scores:
    """Mutual information between a column and the labels."""
    return Scores(_mutual_information(task.graph.x, task))


def tfi(task: ScoringTask) -> Scores:
    """Topological feature informativeness: mutual information between the propagated column and the labels."""
    return Scores(_mutual_information(propagate_symmetric(adjacency(task), task.graph.x), task))


def mi_train(task: ScoringTask) -> Scores:
    """`mi` with a fair chance: all training labels, and the estimator that suits words."""
    return mi(_with_training_labels(task))


def tfi_train(task: ScoringTask) -> Scores:
    """`tfi` with the same."""
    return tfi(_with_training_labels(task))


def _with_training_labels(task: ScoringTask) -> ScoringTask:
    return replace(task, options=replace(task.options, label_nodes="train", estimator="discrete"))


def _mutual_information(x: np.ndarray, task: ScoringTask) -> np.ndarray:
    from sklearn.feature_selection import mutual_info_classif

    from graphsieve.scoring.mutual_information import mutual_information

    nodes = task.labelled_nodes
    x, y = x[nodes], task.graph.y[nodes]
    if task.options.estimator == "knn":
        return mutual_information(x, y, child_integer(task.seed, "scoring"))
    return mutual_info_classif(discretise(x), y, discrete_features=True)


def discretise(x: np.ndarray) -> np.ndarray:
    """Bins of equal frequency, column by column; a column of mostly zeros becomes absent / present."""
    edges = np.quantile(x, np.arange(1, BINS) / BINS, axis=0, method="inverted_cdf")
    return np.stack([np.searchsorted(np.unique(e), column) for e, column in zip(edges.T, x.T, strict=True)], axis=1)


def h_attr(task: ScoringTask) -> Scores:
    return Scores(attribute_homophily(adjacency(task), task.graph.x))


def h_euc(task: ScoringTask) -> Scores:
    return Scores(euclidean_homophily(adjacency(task), task.graph.x, task.options.signed))


def h_ge(task: ScoringTask) -> Scores:
    return Scores(sign_homophily(adjacency(task), task.graph.x, task.options.zscore))


def random(task: ScoringTask) -> Scores:
    rng = np.random.default_rng(child(task.seed, "scoring", *task.occasion))
    return Scores(rng.random(task.graph.num_features))


def adjacency(task: ScoringTask):
    return simple_adjacency(task.graph.edge_index, task.graph.num_nodes, task.options.edges)
