"""Permutation importance of groups of columns, whose rows are permuted together: a forward pass for each."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from graphsieve.importance.metrics import choose_metric
from graphsieve.importance.result import PermutationImportance


def joint_importance(
    model: nn.Module,
    x: Tensor,
    edge_index: Tensor,
    y: Tensor,
    nodes: np.ndarray,
    groups: Sequence[np.ndarray],
    n_repeats: int,
    metric: Sequence[str],
    random_state: np.random.SeedSequence,
) -> dict[str, PermutationImportance]:
    """As `permutation_importance` with a list of metrics, of groups instead of single columns."""
    metrics = [choose_metric(name) for name in metric]
    nodes, falls = torch.as_tensor(nodes), np.empty((len(metrics), len(groups), n_repeats))
    scores = _scorer(model, edge_index, y, nodes, metrics)
    baseline = scores(x)
    for position, columns in enumerate(groups):
        # A group draws from a child named by its first column, whichever other groups are scored with it.
        rng = np.random.default_rng(_child(random_state, int(columns[0]), len(columns)))
        columns, permuted = torch.as_tensor(columns), x.clone()
        for repeat in range(n_repeats):
            order = torch.from_numpy(rng.permutation(len(x)))
            permuted[:, columns] = x[order][:, columns]
            falls[:, position, repeat] = baseline - scores(permuted)
    return {
        one.name: PermutationImportance(one.sign * of, before, one.name, np.arange(len(groups)), "full")
        for one, of, before in zip(metrics, falls, baseline, strict=True)
    }


def _scorer(model: nn.Module, edge_index: Tensor, y: Tensor, nodes: Tensor, metrics: list):
    @torch.no_grad()
    def scores(x: Tensor) -> np.ndarray:
        logits = model(x, edge_index)[nodes]
        return np.array([float(one(logits.T[..., None], y[nodes])[0]) for one in metrics])

    return scores


def _child(sequence: np.random.SeedSequence, *key: int) -> np.random.SeedSequence:
    return np.random.SeedSequence(sequence.entropy, spawn_key=(*sequence.spawn_key, *key))
