"""Permutation scores that ask every labelled node, each through a model that did not learn its label.

The paper's score asks the validation nodes alone: a tenth of a graph, 25 nodes of Wisconsin, too few to tell a thousand
columns apart. Here the nodes of training and validation are cut into folds. Each fold is asked through a model that
neither learnt its labels nor was chosen by them: it learnt those of all other folds but one, and that one tells in
which epoch it is best. A model that learns too long is sure of itself, and then its loss says little.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from graphsieve.data.graph import keep_columns
from graphsieve.randomness import child
from graphsieve.scoring.own_models import cut_in_folds, trained_on
from graphsieve.scoring.permutation import perturbed
from graphsieve.scoring.task import Scores, ScoringTask

LOSS = "cross_entropy"
KEPT_IN_A_ROUND = 0.5  # share of the columns that npt_backward keeps in every round
SMALLEST_SHARE = 0.01  # of all columns: a ranking among fewer is not worth further trainings


def npt_cross(task: ScoringTask) -> Scores:
    """The rise of the loss at labelled nodes when a column is permuted, each asked through a model that left it out."""
    importances = cross_fitted(task)
    means = importances.mean(axis=1)
    return Scores(means, importances.std(axis=1), means)


def npt_backward(task: ScoringTask) -> Scores:
    """The same in rounds: the weaker half of the columns goes, and new models are asked about the others.

    That is how it knows redundancy. A model that has two copies of a column leans on both, so that either looks half
    as important as it is; when one has gone, new models lean on the other. Scores are places, 1 for the best column.
    """
    left, order = np.arange(task.graph.num_features), []
    for number in range(len(left)):
        reduced = replace(task, graph=keep_columns(task.graph, left), occasion=(*task.occasion, number))
        by_importance = left[_ascending(cross_fitted(reduced).mean(axis=1), reduced)]
        dropped = len(left) - max(1, round(len(left) * KEPT_IN_A_ROUND))
        if dropped == 0 or len(left) <= SMALLEST_SHARE * task.graph.num_features:
            order += [*by_importance]
            break
        order += [*by_importance[:dropped]]
        left = np.sort(by_importance[dropped:])
    return Scores((np.argsort(order) + 1) / len(order))


def cross_fitted(task: ScoringTask) -> np.ndarray:
    """The rise of the loss by (column, repeat): the mean over all nodes of training and validation."""
    return rises_at_folds(task, fold_models(task))


def fold_models(task: ScoringTask) -> Iterator[tuple[np.ndarray, object]]:
    """Every fold of the nodes of training and validation, and the model that it is asked through."""
    rng = np.random.default_rng(child(task.seed, "folds"))
    folds = cut_in_folds(task.graph.y, task.known_nodes, task.options.folds, rng)
    for number, fold in enumerate(folds):
        watched = folds[number - 1]
        yield fold, trained_on(task, np.setdiff1d(task.known_nodes, np.union1d(fold, watched)), watched)


def rises_at_folds(
    task: ScoringTask, models: Iterable[tuple[np.ndarray, object]], features: np.ndarray | None = None
) -> np.ndarray:
    """The rise of the loss by (column, repeat), of all columns or of some: the mean over the nodes of all folds."""
    total = 0.0
    for number, (fold, model) in enumerate(models):
        state = child(task.seed, "scoring", *task.occasion, number)
        total = total + len(fold) * perturbed(task, model, fold, [LOSS], state, features=features)[LOSS].importances
    return total / len(task.known_nodes)


def _ascending(importance: np.ndarray, task: ScoringTask) -> np.ndarray:
    """The order of the columns, the weakest first; equal ones as chance has it."""
    chance = np.random.default_rng(child(task.seed, "ties", *task.occasion)).random(len(importance))
    return np.lexsort([chance, importance])
