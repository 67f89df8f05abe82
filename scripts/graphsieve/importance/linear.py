"""The part of an importance that is linear in the perturbation: cheap to know, without a pass of the model.

With G the slope of the metric by x at the unperturbed x, from one backward pass, new values x' of some columns change
the metric by about sum (x' - x) G. A permutation puts every value in every place equally often, and noise has the mean
of the column, so the mean of that sum over all draws is known exactly. What is left over varies much less than the
importance itself: by control variate, a mean of few repeats is as good as one of many; in a race, what a repeat gives
can be foretold.
"""

from dataclasses import dataclass

import numpy as np
import torch

from graphsieve.importance.metrics import Judge
from graphsieve.importance.problem import Problem


@dataclass(frozen=True)
class LinearPart:
    """(items, repeats): of every repeat, and by how much that exceeds the mean over all possible draws."""

    sampled: np.ndarray
    surplus: np.ndarray


def linear_part(problem: Problem, judge: Judge, number: int) -> LinearPart | None:
    """Of the importance by one of the metrics of every item and repeat; None where the metric has no slope.

    The mean is that of permutations and noise; other draws may have another.
    """
    slope = _importance_slope(problem, judge, number)
    if slope is None:
        return None
    sampled, surplus = np.empty((2, len(problem.items), problem.repeats))
    for position, columns in enumerate(problem.items):
        before = expected = 0.0
        after = np.zeros(problem.repeats)
        for column, new in zip(columns, problem.draw(position), strict=True):
            rows, values = problem.columns.nonzeros(column)
            before += values @ slope[column, rows]
            expected += _expected_sum(rows, values, slope[column], problem.exchange)
            after += _weighted_sums(new.rows, new.values, slope[column])
        sampled[position], surplus[position] = after - before, after - expected
    return LinearPart(sampled, surplus)


def _expected_sum(rows: np.ndarray, values: np.ndarray, slope: np.ndarray, exchange: np.ndarray | None) -> float:
    """Where nodes exchange values, each has the mean of all with which it does."""
    if exchange is None:
        return values.sum(dtype=np.float64) / len(slope) * slope.sum()
    numbers = exchange + 1  # 0 stands for nodes that keep their own
    keeps = numbers[rows] == 0
    sums = np.bincount(numbers[rows], values, minlength=numbers.max() + 1)
    slopes, sizes = np.bincount(numbers, slope), np.bincount(numbers)
    exchanged = (sums / np.maximum(sizes, 1) * slopes)[1:].sum()
    return exchanged + values[keeps] @ slope[rows[keeps]]


def _weighted_sums(rows: np.ndarray | None, values: np.ndarray, slope: np.ndarray) -> np.ndarray:
    return values @ slope if rows is None else (values * slope[rows]).sum(axis=1)


def _importance_slope(problem: Problem, judge: Judge, number: int) -> np.ndarray | None:
    """(features, nodes), in double precision."""
    x = problem.x if problem.x.layout == torch.strided else problem.x.to_dense()
    x = x.detach().clone().requires_grad_()
    with torch.enable_grad():
        logits = problem.call(x, "the unperturbed x")
        value = judge.values(number, logits.T[..., None])
        if not value.requires_grad:
            return None
        (slope,) = torch.autograd.grad(value.sum(), x)
    return -judge.metrics[number].sign * slope.T.contiguous().double().cpu().numpy()
