"""Metrics by name, on the outputs of many perturbed copies at once.

Outputs are (columns, rows, copies): a column for each class, label or number that is predicted, a row for each node,
label edge or graph that is scored.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from graphsieve.errors import InputError
from graphsieve.importance.labels import Labels, class_labels, number_labels
from graphsieve.importance.metric_functions import (
    accuracy,
    cross_entropy,
    macro_f1,
    mean_absolute_error,
    mean_squared_error,
    r2,
)
from graphsieve.models.evaluation import RANKING_METRICS


@dataclass(frozen=True)
class Metric:
    """`function` maps outputs, labels and the weights of the rows (or None) to one value per copy."""

    name: str
    function: Callable[[Tensor, Tensor, Tensor | None], Tensor]
    sign: int = 1  # 1 where higher is better, so that importance is the fall; -1 where it is the rise
    labels: Labels | None = class_labels  # checks y against the outputs; None where anything goes
    many_labels: bool = False  # whether y may have several columns of zeros and ones
    needs_variety: bool = False  # whether it is not defined where y is the same everywhere


METRICS = {
    one.name: one
    for one in (
        Metric("accuracy", accuracy, many_labels=True),
        Metric("cross_entropy", cross_entropy, sign=-1, many_labels=True),
        Metric("macro_f1", macro_f1),
        *(Metric(name, one, many_labels=True, needs_variety=True) for name, one in RANKING_METRICS.items()),
        Metric("r2", r2, labels=number_labels, needs_variety=True),
        Metric("mean_squared_error", mean_squared_error, sign=-1, labels=number_labels),
        Metric("mean_absolute_error", mean_absolute_error, sign=-1, labels=number_labels),
    )
}


def _from_callable(function: Callable[[Tensor, Tensor], float]) -> Metric:
    """The user's function sees the output of one copy at a time, as the model returns it; higher must mean better."""

    name = getattr(function, "__name__", type(function).__name__)
    lock = threading.Lock()  # the engines may use several threads, the user's function need not know

    def of_all_copies(outputs: Tensor, y: Tensor, weight: Tensor | None) -> Tensor:
        copies = outputs.movedim(-1, 0).mT.contiguous() if outputs.dim() == 3 else outputs.T.contiguous()
        options = {} if weight is None else {"sample_weight": weight}
        try:
            with lock:
                # Not floats, because a slope may be asked for.
                values = [torch.as_tensor(function(copy, y, **options), dtype=torch.float64) for copy in copies]
                return torch.stack([value.reshape(()) for value in values])
        except Exception as error:
            call = ", ".join(["what the model returns", "y", *options])
            raise InputError(
                f"metric '{name}' must return one number when called with ({call}), and raised "
                f"{type(error).__name__}: {error}"
            ) from error

    return Metric(name, of_all_copies, labels=None)


def _choose_metric(metric: str | Callable) -> Metric:
    if callable(metric):
        return _from_callable(metric)
    if metric not in METRICS:
        known = ", ".join(METRICS)
        raise InputError(f"metric {metric!r} is unknown: choose one of {known}, or give a function of (logits, y)")
    return METRICS[metric]


def choose_metrics(metrics: Sequence[str | Callable]) -> list[Metric]:
    if not metrics:
        raise InputError(f"metric is an empty list: choose at least one of {', '.join(METRICS)}")
    chosen = [_choose_metric(one) for one in metrics]
    names = [one.name for one in chosen]
    if len(set(names)) < len(names):
        raise InputError(f"metric names {', '.join(names)} are not distinct: rename a function")
    return chosen


class Judge:
    """All metrics of one call: what the outputs of perturbed copies are worth against the labels.

    outputs: the unperturbed ones, (rows, columns). is_flat: whether the model returns one number per row and no column.
    """

    def __init__(self, metrics: list[Metric], outputs: Tensor, y: Tensor, weight: Tensor | None, is_flat: bool = False):
        self.metrics, self.weight, self.is_flat = metrics, weight, is_flat
        if any(one.labels for one in metrics):
            _check_numbers(outputs)
        self.labels = [y if one.labels is None else one.labels(one, outputs, y, weight) for one in metrics]
        self.baselines = [float(value) for value in self(outputs.T[..., None])[:, 0]]

    def __call__(self, outputs: Tensor) -> np.ndarray:
        """(metrics, copies) from (columns, rows, copies)"""
        values = [self.values(number, outputs) for number in range(len(self.metrics))]
        return np.stack([torch.as_tensor(one, dtype=torch.float64).detach().cpu().numpy() for one in values])

    def values(self, number: int, outputs: Tensor) -> Tensor:
        """One metric of every copy, with its slope where it has one."""
        metric = self.metrics[number]
        shown = outputs[0] if metric.labels is None and self.is_flat else outputs
        return metric.function(shown, self.labels[number], self.weight)


def _check_numbers(outputs: Tensor) -> None:
    """Ranks and classes of NaN look like any others; a user's own function may know what to do with it."""
    broken = outputs.isnan().any(1)
    if broken.any():
        raise InputError(
            f"model returned NaN at {int(broken.sum())} of {len(broken)} scored rows before anything was perturbed: "
            "look for NaN in its weights, and in what it is called with"
        )
