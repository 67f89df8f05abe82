"""`permutation_importance`: checks, the choice of engine, and the result."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from tqdm import tqdm

from graphsieve.errors import InputError
from graphsieve.importance.columns import DETERMINISTIC, PERTURBATIONS, Columns, root_sequence
from graphsieve.importance.engines.choice import ENGINES, choose_engine
from graphsieve.importance.metrics import check_labels, choose_metric
from graphsieve.importance.problem import Problem, evaluation_mode
from graphsieve.importance.result import PermutationImportance

GIBIBYTE = 2**30


def permutation_importance(
    model: nn.Module,
    x: Tensor,
    edge_index: object,
    y: Tensor,
    nodes: Tensor | np.ndarray | Sequence[int],
    n_repeats: int = 10,
    metric: str | Callable | Sequence[str | Callable] = "accuracy",
    perturbation: str = "permute",
    random_state: int | np.random.SeedSequence | np.random.Generator | None = 0,
    engine: str = "auto",
    features: Sequence[int] | None = None,
    progress: bool = False,
    memory_limit: int = GIBIBYTE // 2,
) -> PermutationImportance | dict[str, PermutationImportance]:
    """How much worse `model(x, edge_index)` does at `nodes` when one column of x is perturbed.

    Names and meaning follow scikit-learn's function of that name; a column is perturbed at all nodes of the graph.

    model: a module that returns one row of logits a node. It is put in evaluation mode and restored afterwards.
    x: (nodes, features), float32 or float64, dense or sparse. A sparse x is handed to the
        model as it is, or dense where the model raises an error for a sparse one.
    edge_index: whatever the model takes as its second argument.
    nodes: the scored nodes, a boolean mask or indices. y: the labels of all nodes.
    metric: "accuracy", "cross_entropy", "macro_f1", or a function of (logits, y) where higher is better. A list
        returns a dict of results by name, from the same perturbed passes.
    perturbation: "permute", "gaussian" (noise of the column's mean and deviation) or "mask" (zeros).
    random_state: every feature draws from its own child, so a subset of `features` gets the same numbers.
    engine: "full" is one forward pass a feature and repeat; "auto" the fastest way that gives the same numbers:
        "lowrank" for models of known convolutions, else "restricted" to what the scored nodes see, else "full".
    memory_limit: bytes of working memory, beyond the model and the graph, that batches of copies may take.
    """
    x, y = _as_tensor(x, "x"), _as_tensor(y, "y")
    _check_shapes(model, x, y, n_repeats)
    if perturbation not in PERTURBATIONS:
        raise InputError(f"perturbation {perturbation!r} is unknown: choose one of {', '.join(PERTURBATIONS)}")
    if engine not in ENGINES:
        raise InputError(f"engine {engine!r} is unknown: choose one of {', '.join(ENGINES)}")
    many = isinstance(metric, (list, tuple))
    metrics = [choose_metric(one) for one in (metric if many else [metric])]
    if len({one.name for one in metrics}) < len(metrics):
        raise InputError(f"metric names {', '.join(one.name for one in metrics)} are not distinct: rename a function")
    problem = Problem(
        model=model,
        x=x,
        edge_index=edge_index,
        nodes=_node_index(nodes, x),
        features=_feature_index(features, x.shape[1]),
        repeats=1 if perturbation in DETERMINISTIC else n_repeats,
        perturb=PERTURBATIONS[perturbation],
        seed=root_sequence(random_state),
        columns=Columns(x),
        memory_limit=memory_limit,
    )
    y = y.to(x.device)[problem.nodes]
    with evaluation_mode(model):
        logits = problem.baseline
        check_labels(metrics, logits, y)
        baselines = [float(one(logits.T[..., None], y)[0]) for one in metrics]
        scores = np.empty((len(metrics), len(problem.features) * problem.repeats))
        chosen = choose_engine(engine, problem)
        with tqdm(total=scores.shape[1], disable=not progress, unit="permutation") as bar:
            for pairs, part in chosen.blocks(lambda logits: np.stack([one(logits, y) for one in metrics])):
                scores[:, pairs.start : pairs.stop] = part
                bar.update(len(pairs))
    shape = (len(problem.features), problem.repeats)
    results = {
        one.name: PermutationImportance(
            importances=_repeated(one.sign * (baseline - score.reshape(shape)), n_repeats),
            baseline=baseline,
            metric=one.name,
            features=problem.features,
            engine=chosen.name,
        )
        for one, baseline, score in zip(metrics, baselines, scores, strict=True)
    }
    return results if many else results[metrics[0].name]


def _repeated(importances: np.ndarray, n_repeats: int) -> np.ndarray:
    """A perturbation without randomness was made once, and is the same in every repeat."""
    return np.broadcast_to(importances, (len(importances), n_repeats)).copy()


def _as_tensor(value: Tensor | np.ndarray, name: str) -> Tensor:
    try:
        return torch.as_tensor(value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(f"{name} must be a tensor or an array, not {type(value).__name__}: {error}") from None


def _check_shapes(model: nn.Module, x: Tensor, y: Tensor, n_repeats: int) -> None:
    if not isinstance(model, nn.Module):
        raise InputError(f"model must be a torch module, not {type(model).__name__}")
    if x.dim() != 2 or x.dtype not in (torch.float32, torch.float64):
        raise InputError(
            f"x must be (nodes, features) of float32 or float64, but has shape {tuple(x.shape)} and type {x.dtype}"
        )
    if y.dim() == 0 or y.shape[0] != x.shape[0]:
        raise InputError(f"y must hold one label a node: it has shape {tuple(y.shape)}, x has {x.shape[0]} rows")
    if n_repeats < 1:
        raise InputError(f"n_repeats must be at least 1, not {n_repeats}")


def _node_index(nodes: Tensor | np.ndarray | Sequence[int], x: Tensor) -> Tensor:
    nodes = torch.as_tensor(nodes).to(x.device)
    if nodes.dtype == torch.bool:
        if nodes.shape != (x.shape[0],):
            raise InputError(f"nodes is a mask of shape {tuple(nodes.shape)}, but x has {x.shape[0]} rows")
        nodes = nodes.nonzero()[:, 0]
    if nodes.numel() == 0:
        raise InputError("nodes is empty: name at least one node to score")
    if nodes.dim() != 1 or nodes.is_floating_point():
        raise InputError(f"nodes must be a mask or node indices, not {nodes.dtype} of shape {tuple(nodes.shape)}")
    if nodes.min() < 0 or nodes.max() >= x.shape[0]:
        raise InputError(
            f"nodes names node {int(nodes.max())} (lowest {int(nodes.min())}), but x has rows 0 to {x.shape[0] - 1}"
        )
    if len(nodes.unique()) < len(nodes):
        raise InputError("nodes names a node more than once: name each scored node once")
    return nodes.long()


def _feature_index(features: Sequence[int] | None, num_features: int) -> np.ndarray:
    if features is None:
        return np.arange(num_features)
    index = np.asarray(features, dtype=None if len(features) else int)
    if index.ndim != 1 or not np.issubdtype(index.dtype, np.integer):
        raise InputError(f"features must be a list of column numbers of x, not {features!r}")
    if index.size and not (index.min() >= 0 and index.max() < num_features):
        raise InputError(
            f"features names column {index.max()} (lowest {index.min()}), but x has columns 0 to {num_features - 1}"
        )
    return index
