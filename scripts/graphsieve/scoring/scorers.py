"""Every way to score features, by name: a function from a `ScoringTask` to `Scores`, larger is more important.

To add a scorer, write such a function and name it in `SCORERS`. One that asks a trained model reads `task.model`; which
model that is stands in `MODEL_OF_SCORER`. No scorer sees a test label: labels reach it through `task.labelled_nodes`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from graphsieve.data.graph import Graph, Split
from graphsieve.errors import InputError
from graphsieve.options import ScoringOptions, TrainingOptions
from graphsieve.randomness import child, child_integer
from graphsieve.scoring.homophily import (
    attribute_homophily,
    euclidean_homophily,
    propagate_symmetric,
    sign_homophily,
    simple_adjacency,
)

# The discrete estimator cuts a column into at most this many bins of equal frequency.
BINS = 10


@dataclass(frozen=True)
class ScoringTask:
    graph: Graph
    split: Split
    seed: int
    options: ScoringOptions = ScoringOptions()
    model: object = None  # a torch module, for the scorers of MODEL_OF_SCORER
    progress: bool = False
    occasion: tuple[int, ...] = ()  # which one, in a run that scores several times: each has its own permutations

    @property
    def labelled_nodes(self) -> np.ndarray:
        """The nodes whose labels a label-based scorer may see."""
        return getattr(self.split, self.options.label_nodes)


@dataclass(frozen=True)
class Scores:
    """One score per feature; `std` over repeats and `losses` (the rise of the loss) where the scorer has them."""

    values: np.ndarray
    std: np.ndarray | None = None
    losses: np.ndarray | None = None


def npt(task: ScoringTask) -> Scores:
    """The fall of validation accuracy (or of another metric) when a column is permuted."""
    return _importance(task, "permute")


def npt_gaussian(task: ScoringTask) -> Scores:
    """The same with Gaussian noise of the column's mean and variance in its place."""
    return _importance(task, "gaussian")


def npt_mask(task: ScoringTask) -> Scores:
    """The same with zeros in its place."""
    return _importance(task, "mask")


def npt_loss(task: ScoringTask) -> Scores:
    """The rise of the validation loss when a column is permuted: finer than accuracy, hence without ties."""
    return _importance(task, "permute", metric="cross_entropy")


def _importance(task: ScoringTask, perturbation: str, metric: object = None) -> Scores:
    import torch

    from graphsieve.importance import permutation_importance
    from graphsieve.models.training import edge_tensors

    device = next(task.model.parameters()).device
    results = permutation_importance(
        task.model,
        torch.from_numpy(task.graph.x).to(device),
        torch.from_numpy(task.graph.edge_index).to(device),
        torch.from_numpy(task.graph.y).to(device),
        torch.from_numpy(task.split.val).to(device),
        n_repeats=1 if perturbation == "mask" else task.options.n_repeats,
        metric=list(dict.fromkeys([metric or task.options.metric or TrainingOptions.metric, "cross_entropy"])),
        perturbation=perturbation,
        perturbed_rows=task.options.perturbed_rows,
        shared_permutation=task.options.shared_permutation,
        random_state=child(task.seed, "scoring", *task.occasion),
        progress=task.progress,
        **edge_tensors(task.graph, device),
    )
    scored, losses = next(iter(results.values())), results["cross_entropy"]
    size = np.abs if task.options.magnitude else np.asarray
    return Scores(size(scored.importances_mean), scored.importances_std, size(losses.importances_mean))


def mi(task: ScoringTask) -> Scores:
    """Mutual information between a column and the labels."""
    return Scores(_mutual_information(task.graph.x, task))


def tfi(task: ScoringTask) -> Scores:
    """Topological feature informativeness: mutual information between the propagated column and the labels."""
    return Scores(_mutual_information(propagate_symmetric(_adjacency(task), task.graph.x), task))


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
    return Scores(attribute_homophily(_adjacency(task), task.graph.x))


def h_euc(task: ScoringTask) -> Scores:
    return Scores(euclidean_homophily(_adjacency(task), task.graph.x, task.options.signed))


def h_ge(task: ScoringTask) -> Scores:
    return Scores(sign_homophily(_adjacency(task), task.graph.x, task.options.zscore))


def _adjacency(task: ScoringTask):
    return simple_adjacency(task.graph.edge_index, task.graph.num_nodes, task.options.edges)


def random(task: ScoringTask) -> Scores:
    rng = np.random.default_rng(child(task.seed, "scoring", *task.occasion))
    return Scores(rng.random(task.graph.num_features))


SCORERS = {
    "npt": npt,
    "npt_gaussian": npt_gaussian,
    "npt_mask": npt_mask,
    "npt_loss": npt_loss,
    "pt": npt,
    "mi": mi,
    "tfi": tfi,
    "mi_train": mi_train,
    "tfi_train": tfi_train,
    "h_attr": h_attr,
    "h_euc": h_euc,
    "h_ge": h_ge,
    "random": random,
}

# Scorers that ask a trained model: the dataset's own, or the one named here.
MODEL_OF_SCORER = {"npt": "own", "npt_gaussian": "own", "npt_mask": "own", "npt_loss": "own", "pt": "mlp"}


# The options that a scorer reads; of one without an entry nothing is known, and any may matter.
_ASKING = ("n_repeats", "metric", "scored_model", "magnitude", "perturbed_rows")
OPTIONS_OF_SCORER = {
    "npt": (*_ASKING, "shared_permutation"),
    "npt_gaussian": _ASKING,
    "npt_mask": ("metric", "scored_model", "magnitude", "perturbed_rows"),
    "npt_loss": (*_ASKING, "shared_permutation"),
    "pt": (*_ASKING, "shared_permutation"),
    "mi": ("label_nodes", "estimator"),
    "tfi": ("label_nodes", "estimator", "edges"),
    "mi_train": (),
    "tfi_train": ("edges",),
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


def score_features(scorer: str | Callable[[ScoringTask], Scores], task: ScoringTask) -> Scores:
    """The scores of all features of a task's graph.

    Parameters
    ----------
    scorer : str or callable
        One of `SCORERS`, or a function like those.
    task : ScoringTask
        The graph, its split and a seed; and a trained model for the scorers of `MODEL_OF_SCORER`.

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
