"""Scorers that ask a trained model: what is lost at the validation nodes when a column is perturbed."""

import numpy as np

from graphsieve.options import TrainingOptions
from graphsieve.randomness import child
from graphsieve.scoring.task import Scores, ScoringTask


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
    metrics = list(dict.fromkeys([metric or task.options.metric or TrainingOptions.metric, "cross_entropy"]))
    state = child(task.seed, "scoring", *task.occasion)
    results = perturbed(task, task.model, task.split.val, metrics, state, perturbation)
    scored, losses = next(iter(results.values())), results["cross_entropy"]
    size = np.abs if task.options.magnitude else np.asarray
    return Scores(size(scored.importances_mean), scored.importances_std, size(losses.importances_mean))


def perturbed(
    task: ScoringTask,
    model: object,
    nodes: np.ndarray,
    metrics: list,
    state: np.random.SeedSequence,
    perturbation: str = "permute",
    features: np.ndarray | None = None,
) -> dict:
    """What `permutation_importance` says by these metrics of this model, at these nodes of the task's graph.

    features: the columns that are asked about; None for all.
    """
    import torch

    from graphsieve.importance import permutation_importance
    from graphsieve.models.training import edge_tensors

    device = next(model.parameters()).device
    return permutation_importance(
        model,
        torch.from_numpy(task.graph.x).to(device),
        torch.from_numpy(task.graph.edge_index).to(device),
        torch.from_numpy(task.graph.y).to(device),
        torch.from_numpy(nodes).to(device),
        n_repeats=1 if perturbation == "mask" else task.options.n_repeats,
        metric=metrics,
        perturbation=perturbation,
        features=features,
        perturbed_rows=task.options.perturbed_rows,
        shared_permutation=task.options.shared_permutation,
        random_state=state,
        progress=task.progress,
        **edge_tensors(task.graph, device),
    )
