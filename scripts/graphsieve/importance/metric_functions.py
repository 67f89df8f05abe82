"""The metrics, each as scikit-learn defines it, for (columns, rows, copies) outputs and optional weights of the rows.

A single column of logits is that of class 1 against 0; labels (rows, labels) of zeros and ones have a logit each.
"""

import torch
import torch.nn.functional as F
from torch import Tensor


def predictions(logits: Tensor) -> Tensor:
    """The first of the highest logits; argmax over the first dimension is a hundred times slower on CPUs."""
    highest = logits.amax(0)
    predicted = torch.zeros_like(highest, dtype=torch.int32)
    for label in range(logits.shape[0] - 1, 0, -1):
        predicted.masked_fill_(logits[label] == highest, label)
    return predicted.masked_fill_(logits[0] == highest, 0)


def accuracy(logits: Tensor, y: Tensor, weight: Tensor | None = None) -> Tensor:
    """The share of rows whose class, or all of whose labels, are right."""
    if y.dim() == 2:
        right = ((logits > 0) == (y.T[..., None] == 1)).all(0)
    else:
        right = predictions(_with_class_zero(logits)) == y[:, None]
    return _mean(right.double(), weight)


def cross_entropy(logits: Tensor, y: Tensor, weight: Tensor | None = None) -> Tensor:
    """The mean over rows (and labels) of minus the log-probability of what is true."""
    if y.dim() == 2:
        truth = y.T[..., None].to(logits.dtype).expand_as(logits)
        losses = F.binary_cross_entropy_with_logits(logits, truth, reduction="none").mean(0)
    else:
        logits = _with_class_zero(logits)
        true_class = logits.gather(0, y[None, :, None].expand(1, *logits.shape[1:]))[0]
        losses = logits.logsumexp(0) - true_class
    return _mean(losses.double(), weight)


def macro_f1(logits: Tensor, y: Tensor, weight: Tensor | None = None) -> Tensor:
    """The mean over the classes that occur among the labels or the predictions."""
    logits = _with_class_zero(logits)
    predicted = predictions(logits)
    total = torch.zeros(logits.shape[2], dtype=torch.float64, device=logits.device)
    classes = torch.zeros_like(total)
    for label in range(logits.shape[0]):
        hit, true = predicted == label, (y == label)[:, None]
        occurrences = _sum(hit, weight) + _sum(true, weight)
        total += torch.where(occurrences > 0, 2 * _sum(hit & true, weight) / occurrences, 0)
        classes += (hit | true).any(0)
    return total / classes


def r2(outputs: Tensor, y: Tensor, weight: Tensor | None = None) -> Tensor:
    """The share of the variance that is explained; the mean over the columns."""
    weight = _weights(y, weight)
    centred = y - (weight @ y) / weight.sum()
    errors = (outputs.double() - y.T[..., None]).square()
    unexplained = torch.einsum("crk,r->ck", errors, weight)
    return (1 - unexplained / (weight @ centred.square())[:, None]).mean(0)


def mean_squared_error(outputs: Tensor, y: Tensor, weight: Tensor | None = None) -> Tensor:
    return _mean((outputs.double() - y.T[..., None]).square().mean(0), weight)


def mean_absolute_error(outputs: Tensor, y: Tensor, weight: Tensor | None = None) -> Tensor:
    return _mean((outputs.double() - y.T[..., None]).abs().mean(0), weight)


def _mean(values: Tensor, weight: Tensor | None) -> Tensor:
    """Of (rows, copies), over the rows."""
    return values.mean(0) if weight is None else weight.double() @ values / weight.double().sum()


def _sum(rows: Tensor, weight: Tensor | None) -> Tensor:
    """How many of (rows, copies) are true, or their weight."""
    return rows.sum(0).double() if weight is None else weight.double() @ rows.double()


def _weights(y: Tensor, weight: Tensor | None) -> Tensor:
    return torch.ones(len(y), dtype=torch.float64, device=y.device) if weight is None else weight.double()


def _with_class_zero(logits: Tensor) -> Tensor:
    """A single logit says how much class 1 is ahead of class 0."""
    return torch.cat([torch.zeros_like(logits), logits]) if logits.shape[0] == 1 else logits
