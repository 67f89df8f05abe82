"""Every way to score features, by name: a function from a `ScoringTask` to `Scores`, larger is more important.

To add a scorer, write such a function and name it in `SCORERS`. One that asks a trained model reads `task.model`; which
model that is stands in `MODEL_OF_SCORER`. One that trains models itself builds them by `task.make_model` and is named
in `TRAINING_SCORERS`. No scorer sees a test label: labels reach it through `task.labelled_nodes`, `task.known_nodes` or
the validation nodes.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from graphsieve.data.graph import Graph
from graphsieve.errors import InputError
from graphsieve.scoring.contest import best_of
from graphsieve.scoring.cross_fitted import npt_backward, npt_cross
from graphsieve.scoring.filters import h_attr, h_euc, h_ge, mi, mi_train, random, tfi, tfi_train
from graphsieve.scoring.gates import stochastic_gates
from graphsieve.scoring.gradients import gradient_input, integrated_gradients
from graphsieve.scoring.permutation import npt, npt_gaussian, npt_loss, npt_mask
from graphsieve.scoring.propagated import boruta, group_lasso, random_forest
from graphsieve.scoring.redundancy import mrmr
from graphsieve.scoring.task import Scores, ScoringTask
from graphsieve.scoring.wrappers import loco, sage

SCORERS = {
    "npt": npt,
    "npt_gaussian": npt_gaussian,
    "npt_mask": npt_mask,
    "npt_loss": npt_loss,
    "npt_cross": npt_cross,
    "npt_backward": npt_backward,
    "best_of": best_of,
    "pt": npt,
    "mi": mi,
    "tfi": tfi,
    "mi_train": mi_train,
    "tfi_train": tfi_train,
    "mrmr": mrmr,
    "group_lasso": group_lasso,
    "random_forest": random_forest,
    "boruta": boruta,
    "stochastic_gates": stochastic_gates,
    "gradient_input": gradient_input,
    "integrated_gradients": integrated_gradients,
    "sage": sage,
    "loco": loco,
    "h_attr": h_attr,
    "h_euc": h_euc,
    "h_ge": h_ge,
    "random": random,
}

# Scorers that ask a trained model: the dataset's own, or the one named here.
MODEL_OF_SCORER = {
    **dict.fromkeys(("npt", "npt_gaussian", "npt_mask", "npt_loss"), "own"),
    **dict.fromkeys(("gradient_input", "integrated_gradients", "sage"), "own"),
    "pt": "mlp",
}

# Scorers that train models of their own, of the dataset's kind.
TRAINING_SCORERS = ("npt_cross", "npt_backward", "best_of", "stochastic_gates", "loco")

DATA = "data"  # what a scorer asks that asks no model of the study

# The options that a scorer reads; of one without an entry nothing is known, and any may matter.
_ASKING = ("n_repeats", "metric", "scored_model", "magnitude", "perturbed_rows")
_CROSS_FITTED = ("n_repeats", "perturbed_rows", "shared_permutation", "folds", "scorer_epochs")
OPTIONS_OF_SCORER = {
    "npt": (*_ASKING, "shared_permutation"),
    "npt_gaussian": _ASKING,
    "npt_mask": ("metric", "scored_model", "magnitude", "perturbed_rows"),
    "npt_loss": (*_ASKING, "shared_permutation"),
    "npt_cross": _CROSS_FITTED,
    "npt_backward": _CROSS_FITTED,
    "best_of": (*_CROSS_FITTED, "edges"),
    "pt": (*_ASKING, "shared_permutation"),
    "mi": ("label_nodes", "estimator"),
    "tfi": ("label_nodes", "estimator", "edges"),
    "mi_train": (),
    "tfi_train": ("edges",),
    "mrmr": (),
    "group_lasso": ("edges",),
    "random_forest": ("edges",),
    "boruta": ("n_repeats", "edges"),
    "stochastic_gates": ("scorer_epochs",),
    "gradient_input": ("scored_model",),
    "integrated_gradients": ("scored_model",),
    "sage": ("n_repeats", "scored_model"),
    "loco": ("scorer_epochs",),
    "h_attr": ("edges",),
    "h_euc": ("edges", "signed"),
    "h_ge": ("edges", "zscore"),
    "random": (),
}


def check_scorer(scorer: str | Callable[[ScoringTask], Scores]) -> None:
    if not callable(scorer) and scorer not in SCORERS:
        raise InputError(f"scorer '{scorer}' is unknown: choose one of {', '.join(SCORERS)}")


def model_of_scorer(scorer: str | Callable[[ScoringTask], Scores]) -> str | None:
    """Which trained model a scorer asks: the study's `own`, another by name, or None. A function may ask the own."""
    return "own" if callable(scorer) else MODEL_OF_SCORER.get(scorer)


def depends_on_model(scorer: str | Callable[[ScoringTask], Scores]) -> bool:
    """Whether another model than the dataset's own would have another ranking."""
    return model_of_scorer(scorer) == "own" or scorer in TRAINING_SCORERS


def asked_by(scorer: str, model: str) -> str:
    """What a scorer asks about the features of a model: that model, or the data alone."""
    return model if depends_on_model(scorer) else DATA


def learns_anew(scorer: str | Callable[[ScoringTask], Scores]) -> bool:
    """Whether a scorer has something new to say after further training, or of fewer features."""
    return depends_on_model(scorer)


def score_features(scorer: str | Callable[[ScoringTask], Scores], task: ScoringTask) -> Scores:
    """The scores of all features of a task's graph.

    Parameters
    ----------
    scorer : str or callable
        One of `SCORERS`, or a function like those.
    task : ScoringTask
        The graph, its split and a seed; a trained model for the scorers of `MODEL_OF_SCORER`, and how to make one for
        those of `TRAINING_SCORERS`.

    Returns
    -------
    Scores
        One number per feature, larger is more important.

    Examples
    --------
    >>> from graphsieve.data.splits import random_split
    >>> from graphsieve.data.synthetic import generate
    >>> from graphsieve.scoring.scorers import ScoringTask, score_features
    >>> graph = generate("d", 0, num_nodes=100, num_features=5)
    >>> task = ScoringTask(graph, random_split(100, seed=0), seed=0)
    >>> score_features("h_euc", task).values.shape
    (5,)
    """
    check_scorer(scorer)
    if callable(scorer):
        return scorer(task)
    if scorer in MODEL_OF_SCORER and task.model is None:
        raise InputError(f"scorer '{scorer}' asks a trained model and none was given")
    if scorer in TRAINING_SCORERS and task.make_model is None:
        raise InputError(f"scorer '{scorer}' trains models and was not told which: give the task a make_model")
    return SCORERS[scorer](task)


def scores_table(graph: Graph, scores: Scores) -> pd.DataFrame:
    """One row per feature, as every score file holds it; columns the scorer has no value for are empty."""
    return pd.DataFrame(
        {
            "feature": np.arange(graph.num_features),
            "name": graph.names(),
            "score": scores.values,
            "std": np.nan if scores.std is None else scores.std,
            "loss": np.nan if scores.losses is None else scores.losses,
        }
    )
