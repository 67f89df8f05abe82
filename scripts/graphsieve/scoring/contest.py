"""Rankings of several kinds, tried on the graph at hand: validation nodes say whose best columns a model needs.

No ranking is best everywhere. A regression finds weak columns with few labels, and misses those that matter only in
combination; permutation needs more labels, and misses none of these. Which it is shows when models are trained on the
best columns of each.
"""

import numpy as np

from graphsieve.data.graph import Split, keep_columns
from graphsieve.scoring.cross_fitted import npt_cross
from graphsieve.scoring.propagated import group_lasso
from graphsieve.scoring.redundancy import mrmr
from graphsieve.scoring.task import Scores, ScoringTask

CANDIDATES = {"group_lasso": group_lasso, "npt_cross": npt_cross, "mrmr": mrmr}  # the first of equally good ones wins
SHARE = 0.02  # of the columns that are tried,
FEWEST = 5  # or so many where that is more


def best_of(task: ScoringTask) -> Scores:
    """The scores of that candidate with whose best columns a new model does best at the validation nodes."""
    found = [scorer(task) for scorer in CANDIDATES.values()]
    return found[int(np.argmax([_worth(task, scores) for scores in found]))]


def number_tried(num_features: int) -> int:
    return min(num_features, max(FEWEST, round(SHARE * num_features)))


def _worth(task: ScoringTask, scores: Scores) -> float:
    """What a model trained on the best columns reaches at the validation nodes, in its best epoch."""
    import torch

    from graphsieve.models.training import train_module

    best = np.argsort(-scores.values, kind="stable")[: number_tried(task.graph.num_features)]
    # A training reports on test nodes as well; this one has none.
    graph, split = keep_columns(task.graph, np.sort(best)), Split(task.split.train, task.split.val, task.split.val)
    how = {"options": task.training, "seed": task.seed, "device": torch.device(task.device)}
    return train_module(task.make_model, graph, split, **how).summary()["val_accuracy"]
