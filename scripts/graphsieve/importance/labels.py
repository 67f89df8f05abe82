"""Whether labels fit a metric and what the model returns; and the form in which the metric reads them."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from graphsieve.errors import InputError

if TYPE_CHECKING:
    from graphsieve.importance.metrics import Metric

Labels = Callable[["Metric", Tensor, Tensor, Tensor | None], Tensor]


def class_labels(metric: "Metric", outputs: Tensor, y: Tensor, weight: Tensor | None) -> Tensor:
    """Class numbers (rows,), or zeros and ones (rows, labels)."""
    if outputs.shape[1] == 1 or y.dim() == 2:
        y = _zeros_and_ones(metric, outputs, y)
    elif y.dim() != 1 or y.is_floating_point() or y.is_complex():
        raise InputError(f"y must hold one class number per row, but has shape {tuple(y.shape)} and type {y.dtype}")
    elif y.min() < 0 or y.max() >= outputs.shape[1]:
        raise InputError(
            f"y has classes {int(y.min())} to {int(y.max())} where it is scored, but the model returns "
            f"{outputs.shape[1]} logits per row: number the classes from 0"
        )
    y = y.long()
    if metric.needs_variety:
        _check_that_all_occur(metric, outputs.shape[1], y, weight)
    return y


def number_labels(metric: "Metric", outputs: Tensor, y: Tensor, weight: Tensor | None) -> Tensor:
    """Numbers (rows, columns), one for each that the model returns."""
    table = y[:, None] if y.dim() == 1 else y
    if table.shape != outputs.shape:
        raise InputError(
            f"y has shape {tuple(y.shape)} where it is scored, but the model returns {tuple(outputs.shape)}: "
            f"{metric.name} compares them number by number"
        )
    if not table.isfinite().all():
        raise InputError("y holds NaN or infinity where it is scored: leave these rows out")
    table = table.double()
    scored = table if weight is None else table[weight > 0]
    constant = (scored == scored[:1]).all(0)
    if metric.needs_variety and constant.any():
        raise InputError(f"y is {float(scored[0, constant][0])} wherever it is scored: {metric.name} is not defined")
    return table


def _zeros_and_ones(metric: "Metric", outputs: Tensor, y: Tensor) -> Tensor:
    if y.shape == (len(outputs), 1):
        y = y[:, 0]
    if y.dim() == 2 and not metric.many_labels:
        raise InputError(f"y has {y.shape[1]} labels per row, but {metric.name} takes one: choose another metric")
    if y.shape != (outputs.shape if outputs.shape[1] > 1 else outputs.shape[:1]):
        raise InputError(
            f"y has shape {tuple(y.shape)} where it is scored, but the model returns {tuple(outputs.shape)}: "
            "give one label for each logit"
        )
    if not ((y == 0) | (y == 1)).all():
        raise InputError(f"y must hold zeros and ones for {metric.name} where the model returns one logit per label")
    return y


def _check_that_all_occur(metric: "Metric", columns: int, y: Tensor, weight: Tensor | None) -> None:
    """Each class (or label) among the rows with a weight, and at least one row without it."""
    if weight is not None:
        y = y[weight > 0]
    if y.dim() == 2:
        counts, names = y.sum(0), "label"
    else:
        counts, names = torch.bincount(y, minlength=max(columns, 2)), "class"
    for number, count in enumerate(counts.tolist()):
        if count in (0, len(y)):
            share = "no" if count == 0 else "every"
            raise InputError(f"{names} {number} is at {share} scored row: {metric.name} needs rows with and without it")
