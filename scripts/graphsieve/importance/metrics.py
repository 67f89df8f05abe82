"""Metrics on logits, for many perturbed copies at once."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from graphsieve.errors import InputError
from graphsieve.models.evaluation import RANKING_METRICS, check_two_classes


def predictions(logits: Tensor) -> Tensor:
    """The first of the highest logits; argmax over the first dimension is a hundred times slower on CPUs."""
    highest = logits.amax(0)
    predicted = torch.zeros_like(highest, dtype=torch.int32)
    for label in range(logits.shape[0] - 1, 0, -1):
        predicted.masked_fill_(logits[label] == highest, label)
    return predicted.masked_fill_(logits[0] == highest, 0)


def accuracy(logits: Tensor, y: Tensor) -> Tensor:
    return (predictions(logits) == y[:, None]).double().mean(0)


def cross_entropy(logits: Tensor, y: Tensor) -> Tensor:
    true_class = logits.gather(0, y[None, :, None].expand(1, *logits.shape[1:]))[0]
    return (logits.logsumexp(0) - true_class).double().mean(0)


def macro_f1(logits: Tensor, y: Tensor) -> Tensor:
    """As scikit-learn: the mean over the classes that occur among the labels or the predictions."""
    predicted = predictions(logits)
    total = torch.zeros(logits.shape[2], dtype=torch.float64, device=logits.device)
    classes = torch.zeros_like(total)
    for label in range(logits.shape[0]):
        hit, true = predicted == label, (y == label)[:, None]
        occurrences = hit.sum(0) + true.sum(0)
        total += 2 * (hit & true).sum(0).double() / occurrences.clamp(min=1)
        classes += occurrences > 0
    return total / classes


@dataclass(frozen=True)
class Metric:
    """`function` maps (classes, nodes, copies) logits and (nodes,) labels to one value per copy."""

    name: str
    function: Callable[[Tensor, Tensor], Tensor]
    sign: int = 1  # 1 where higher is better, so that importance is the fall; -1 where it is the rise
    needs_classes: bool = True

    def __call__(self, logits: Tensor, y: Tensor) -> np.ndarray:
        return torch.as_tensor(self.function(logits, y), dtype=torch.float64).cpu().numpy()


METRICS = {
    "accuracy": Metric("accuracy", accuracy),
    "cross_entropy": Metric("cross_entropy", cross_entropy, sign=-1),
    "macro_f1": Metric("macro_f1", macro_f1),
    **{name: Metric(name, function) for name, function in RANKING_METRICS.items()},
}


def _from_callable(function: Callable[[Tensor, Tensor], float]) -> Metric:
    """The user's function sees one copy at a time, as (nodes, classes) logits; higher must mean better."""

    lock = threading.Lock()  # the engines may use several threads, the user's function need not know

    def of_all_copies(logits: Tensor, y: Tensor) -> Tensor:
        copies = logits.permute(2, 1, 0).contiguous()
        with lock:
            # Not floats, because a slope may be asked for.
            values = [torch.as_tensor(function(copy, y), dtype=torch.float64).reshape(()) for copy in copies]
        return torch.stack(values)

    return Metric(getattr(function, "__name__", type(function).__name__), of_all_copies, needs_classes=False)


def _choose_metric(metric: str | Callable) -> Metric:
    if callable(metric):
        return _from_callable(metric)
    if metric not in METRICS:
        known = ", ".join(METRICS)
        raise InputError(f"metric {metric!r} is unknown: choose one of {known}, or give a function of (logits, y)")
    return METRICS[metric]


def choose_metrics(metrics: Sequence[str | Callable]) -> list[Metric]:
    chosen = [_choose_metric(one) for one in metrics]
    names = [one.name for one in chosen]
    if len(set(names)) < len(names):
        raise InputError(f"metric names {', '.join(names)} are not distinct: rename a function")
    return chosen


def check_labels(metrics: list[Metric], logits: Tensor, y: Tensor) -> None:
    """Named metrics compare class numbers with columns of the logits; a user's function may do as it likes."""
    if not any(metric.needs_classes for metric in metrics):
        return
    if y.dim() != 1 or y.is_floating_point() or y.is_complex():
        raise InputError(f"y must hold one class number per node, but has shape {tuple(y.shape)} and type {y.dtype}")
    if y.min() < 0 or y.max() >= logits.shape[1]:
        raise InputError(
            f"y has classes {int(y.min())} to {int(y.max())} at the scored nodes, but the model returns "
            f"{logits.shape[1]} logits per node: number the classes from 0"
        )
    for metric in metrics:
        if metric.needs_classes:
            check_two_classes(metric.name, y, "scored")
