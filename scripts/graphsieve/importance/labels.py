"""Whether labels fit a metric and what the model returns; and the form in which the metric reads them."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from torch import Tensor

from graphsieve.errors import InputError
from graphsieve.models.evaluation import check_two_classes

if TYPE_CHECKING:
    from graphsieve.importance.metrics import Metric

Labels = Callable[["Metric", Tensor, Tensor, Tensor | None], Tensor]


def class_labels(metric: "Metric", outputs: Tensor, y: Tensor, weight: Tensor | None) -> Tensor:
    """Class numbers (rows,), or zeros and ones (rows, labels)."""
    if outputs.shape[1] == 1 or y.dim() == 2:
        y = _zeros_and_ones(metric, outputs, y)
    elif y.dim() != 1 or y.is_floating_point() or y.is_complex():
        raise InputError(
            f"y must hold one class number per row for {metric.name}, but has shape {tuple(y.shape)} and type "
            f"{y.dtype}: give classes as whole numbers, or choose a metric for numbers"
        )
    elif y.min() < 0 or y.max() >= outputs.shape[1]:
        raise InputError(
            f"y has classes {int(y.min())} to {int(y.max())} where it is scored, but the model returns "
            f"{outputs.shape[1]} logits per row: number the classes from 0"
        )
    y = y.long()
    if metric.needs_variety:
        _check_variety(metric, y, weight)
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


def _check_variety(metric: "Metric", y: Tensor, weight: Tensor | None) -> None:
    """Several classes, or both values of every label, among the rows that have a weight."""
    y = y if weight is None else y[weight > 0]
    if y.dim() == 1:
        check_two_classes(metric.name, y, "scored rows")
        return
    for label, column in enumerate(y.T):
        if (column == column[0]).all():
            value = int(column[0])
            raise InputError(f"label {label} is {value} at every scored row: {metric.name} is not defined")
