"""Sets of features with a nominal rate of false ones, for the scorers that have a p-value to offer.

Every test gives each feature a p-value; Benjamini and Hochberg's rule then keeps as many as the nominal rate allows.
What the p-values promise differs, see `PROMISES`.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy import stats

from graphsieve.errors import InputError
from graphsieve.inference.p_values import adjust_benjamini_hochberg
from graphsieve.inference.sequential import Aim, permute_in_rounds
from graphsieve.options import RankingOptions
from graphsieve.scoring.cross_fitted import fold_models, rises_at_folds
from graphsieve.scoring.filters import discretise, mi_train
from graphsieve.scoring.propagated import boruta
from graphsieve.scoring.task import ScoringTask

FIRST_ROUND = 20  # permutations of every feature, before those without effect drop out
MOST_PERMUTATIONS = 1999
DECIDED = Aim(0.1)  # permutations go on until it is clear what is found at this rate; p-values hold at any


def halves(task: ScoringTask, model: str) -> np.ndarray:
    return _halves(task, RankingOptions(model=model, seeds=1, seed=task.seed))


def halves_conditional(task: ScoringTask, model: str) -> np.ndarray:
    conditional = {"perturbation": "conditional", "given": ("graph",)}
    return _halves(task, RankingOptions(model=model, seeds=1, seed=task.seed, **conditional))


def _halves(task: ScoringTask, options: RankingOptions) -> np.ndarray:
    import torch

    from graphsieve.inference.scored import score_sides
    from graphsieve.inference.sides import train_sides

    sides = train_sides(task.graph, task.split, options, torch.device(task.device))
    return score_sides(sides, task.graph.num_features, aim=DECIDED).p_values


def npt_cross(task: ScoringTask, model: str) -> np.ndarray:
    return _among_permutations(task, list(fold_models(task)))


def npt_loss(task: ScoringTask, model: str) -> np.ndarray:
    return _among_permutations(task, [(task.split.val, task.model)])


def _among_permutations(task: ScoringTask, models: list[tuple[np.ndarray, object]]) -> np.ndarray:
    """Where the loss of the original ranks among those of its permutations, at nodes that each model is asked about."""

    def draw(_: int, features: np.ndarray, occasion: int, count: int) -> np.ndarray:
        options = replace(task.options, n_repeats=count)
        asked = replace(task, options=options, occasion=(*task.occasion, occasion))
        return rises_at_folds(asked, models, features)

    first_round = draw(0, np.arange(task.graph.num_features), 0, FIRST_ROUND)[None]
    return permute_in_rounds(draw, first_round, MOST_PERMUTATIONS, aim=DECIDED).p_values()


def boruta_hits(task: ScoringTask, model: str) -> np.ndarray:
    hits, forests = np.floor(boruta(task).values), task.options.n_repeats
    return stats.binom.sf(hits - 1, forests, 0.5)


def information(task: ScoringTask, model: str) -> np.ndarray:
    nodes = task.split.train
    levels = np.array([len(np.unique(column)) for column in discretise(task.graph.x[nodes]).T])
    freedom = (levels - 1) * (len(np.unique(task.graph.y[nodes])) - 1)
    p_values = stats.chi2.sf(2 * len(nodes) * mi_train(task).values, np.maximum(freedom, 1))
    return np.where(freedom > 0, p_values, 1.0)  # a column of one value says nothing


TESTS: dict[str, Callable[[ScoringTask, str], np.ndarray]] = {
    "halves": halves,
    "halves_conditional": halves_conditional,
    "npt_cross": npt_cross,
    "npt_loss": npt_loss,
    "boruta": boruta_hits,
    "mi_train": information,
}


# What each test is, and what may be expected of it.
PROMISES = {
    "halves": "the test of `graphsieve rank`: models learn one half of the nodes and are scored on the other, where "
    "the original ranks among its permutations; exact where a column says nothing at all, however models are trained",
    "halves_conditional": "the same, beside the other columns and what the graph says of a column; approximate, and "
    "its null hypothesis holds of copies and of smooth columns",
    "npt_cross": "as the scorer, every labelled node asked through a model that did not learn its label; not exact, "
    "because the features of all nodes took part in every training, by messages",
    "npt_loss": "as the scorer, the trained model at the validation nodes; not exact, for the same reason",
    "boruta": "how often a column beat the best of all permuted ones, against a fair coin, as its authors do",
    "mi_train": "2n times the mutual information with the training labels, which is chi-squared where labels and "
    "column are independent",
}


def feature_p_values(test: str, task: ScoringTask, model: str) -> np.ndarray:
    """The p-value of every feature by one of `TESTS`.

    Parameters
    ----------
    test : one of `TESTS`.
    task : as scorers get it; with a trained model for npt_loss and a way to make one for npt_cross.
    model : the name of the model, which `halves` trains itself.
    """
    if test not in TESTS:
        raise InputError(f"test '{test}' is unknown: choose one of {', '.join(TESTS)}")
    return TESTS[test](task, model)


def discovered(p_values: np.ndarray, rate: float) -> np.ndarray:
    """Which features Benjamini and Hochberg's rule keeps at this rate of false ones.

    >>> discovered(np.array([0.01, 0.04, 0.5, 0.9]), 0.1).tolist()
    [True, True, False, False]
    """
    return adjust_benjamini_hochberg(p_values) <= rate
