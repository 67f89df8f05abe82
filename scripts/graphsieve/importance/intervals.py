"""Confidence intervals of means: Student's, and never narrower than the steps of the metric allow."""

import numpy as np
from scipy import stats

DECIMALS = 12  # scores that agree to so many decimals differ by rounding only


def mean_interval(samples: np.ndarray, sampled: np.ndarray, level: float, step: float = 0.0) -> np.ndarray:
    """(rows, 2): the interval of the mean of each row of `samples`, over the entries that are `sampled`.

    A metric like accuracy moves in steps, so a row of ten equal values says little: with a change of one step in a
    fifth of all draws, ten draws show none in one run out of ten. What `level` leaves open by that is the least
    half-width. Rows of less than two samples have no interval.
    """
    count = sampled.sum(axis=1)
    total = np.where(sampled, samples, 0.0).sum(axis=1)
    mean = total / np.maximum(count, 1)
    squares = np.where(sampled, samples - mean[:, None], 0.0) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(squares.sum(axis=1) / (count - 1) / count)
        half = np.maximum(stats.t.ppf((1 + level) / 2, count - 1) * error, step * unseen_share(count, level))
    half = np.where(count > 1, half, np.nan)
    return np.stack([mean - half, mean + half], axis=1)


def unseen_share(count: np.ndarray, level: float) -> np.ndarray:
    """How often something may happen that none of `count` draws showed, at that level of confidence."""
    return 1 - (1 - level) ** (1 / np.maximum(count, 1))


def smallest_step(values: np.ndarray) -> float:
    """Between two different values, beyond rounding; 0 where there is only one."""
    steps = np.diff(np.unique(np.round(values[np.isfinite(values)], DECIMALS)))
    return float(steps.min(initial=np.inf)) if len(steps) else 0.0
