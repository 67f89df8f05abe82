"""Run-time checks of a fast engine against full forward passes."""

import numpy as np
import torch
from torch import Tensor

from graphsieve.importance.engines.full import PerturbedInput
from graphsieve.importance.problem import Problem

TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-11}
CANDIDATES = 64  # items among which the probe is chosen


def agree(found: Tensor, expected: Tensor) -> bool:
    """Equal up to rounding; anything that is not a number disagrees."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return False
    scale = max(1.0, float(expected.abs().max()))
    return bool(((found - expected).abs() <= TOLERANCE[expected.dtype] * scale).all())


def probe_pair(problem: Problem) -> int:
    """Repeat 0 of the item with the largest values: the one most likely to show a mistake."""
    positions = np.linspace(0, len(problem.items) - 1, min(CANDIDATES, len(problem.items))).astype(int)
    sizes = [
        sum(np.abs(problem.columns.nonzeros(column)[1]).sum() for column in problem.items[position])
        for position in positions
    ]
    return int(positions[int(np.argmax(sizes))]) * problem.repeats


def probe_pairs(problem: Problem) -> range:
    """That one and the next: repeats of an item may share what they are computed from."""
    first = probe_pair(problem)
    return range(first, min(first + 2, problem.num_pairs))


def full_logits_of(problem: Problem, pair: int) -> Tensor:
    position, repeat = divmod(pair, problem.repeats)
    x = PerturbedInput(problem.x).with_columns(problem.items[position], problem.draw(position), repeat)
    return problem.call(x, problem.describe(position, repeat))
