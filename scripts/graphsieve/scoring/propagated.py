"""Scorers that learn from columns and what the graph makes of them: [X, SX, S²X], S the normalised adjacency.

A model of two layers sees a column at a node, at its neighbours and at theirs; so do these, without being such a model.
They see the labels of all nodes of training and validation.
"""

import numpy as np

from graphsieve.randomness import child, child_integer
from graphsieve.scoring.filters import adjacency
from graphsieve.scoring.homophily import propagate_symmetric
from graphsieve.scoring.task import Scores, ScoringTask

HOPS = 2
TREES = 300
TREES_IN_A_ROUND = 100  # of boruta


def group_lasso(task: ScoringTask) -> Scores:
    """The penalty at which a column enters a multinomial regression whose weights are penalised column by column."""
    from graphsieve.scoring.lasso import entry_penalties

    nodes = task.known_nodes
    return Scores(entry_penalties(views(task.graph.x, task)[nodes], task.graph.y[nodes]))


def random_forest(task: ScoringTask) -> Scores:
    """How much a column, with what the graph makes of it, lowers the impurity in the trees of a random forest."""
    return Scores(_forest_importance(views(task.graph.x, task), task, TREES, child_integer(task.seed, "scoring")))


def boruta(task: ScoringTask) -> Scores:
    """In how many of `n_repeats` forests a column beats the best of all columns that were permuted (Boruta's shadows).

    Among columns of equal hits, the mean importance counts: it adds less than one hit.
    """
    rng = np.random.default_rng(child(task.seed, "scoring", *task.occasion))
    real, hits, total = views(task.graph.x, task), 0, 0.0
    for _ in range(task.options.n_repeats):
        shadows = views(rng.permuted(task.graph.x, axis=0), task)
        both = np.concatenate([real, shadows], axis=1)
        importance = _forest_importance(both, task, TREES_IN_A_ROUND, int(rng.integers(2**32)))
        found, chance = np.split(importance, 2)
        hits, total = hits + (found > chance.max()), total + found
    return Scores(hits + total / (1 + total.sum()))


def views(x: np.ndarray, task: ScoringTask) -> np.ndarray:
    """(nodes, columns, hops): every column as it is, and propagated once and twice."""
    links, seen = adjacency(task), [x]
    for _ in range(HOPS):
        seen.append(propagate_symmetric(links, seen[-1]))
    return np.stack(seen, axis=2)


def _forest_importance(seen: np.ndarray, task: ScoringTask, trees: int, seed: int) -> np.ndarray:
    """By column, its views together."""
    from sklearn.ensemble import RandomForestClassifier

    nodes = task.known_nodes
    forest = RandomForestClassifier(trees, random_state=seed)
    forest.fit(seen[nodes].reshape(len(nodes), -1), task.graph.y[nodes])
    return forest.feature_importances_.reshape(seen.shape[1:]).sum(axis=1)
