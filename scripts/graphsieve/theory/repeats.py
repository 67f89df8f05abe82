"""How many permutations are enough? In the sense of the paper's Proposition 1, and in the one that users mean."""

import math
from collections.abc import Callable

import numpy as np
from scipy import stats

from graphsieve.errors import InputError

MAX_REPEATS = 10**9


def proposition_probability(column: np.ndarray, repeats: int, t: float) -> float:
    """Proposition 1 as printed: at least this often the mean of the permuted columns is within its threshold."""
    reach = len(column) * (np.abs(column).max() ** 2 - column.mean() ** 2)
    return 1 - 2 * math.exp(-repeats * t**2 / (4 * reach**2)) if reach > 0 else 1.0


def proposition_threshold(repeats: int, t: float) -> float:
    """On the squared distance of the mean of `repeats` permuted columns from its expectation; 0 for one repeat."""
    return t * math.sqrt(repeats - 1) / (2 * repeats)


def squared_distance(column: np.ndarray, repeats: int, rng: np.random.Generator) -> float:
    """One draw of that squared distance."""
    permuted = rng.permuted(np.tile(column, (repeats, 1)), axis=1)
    return float(((permuted.mean(axis=0) - column.mean()) ** 2).sum())


def squared_distance_moments(column: np.ndarray, repeats: int) -> tuple[float, float]:
    """Its exact mean V / K and variance 2 (K - 1) V^2 / (K^3 (N - 1)), V the squared length of the centred column.

    The proof of Proposition 1 drops the terms k = l, which are the whole of this mean, and takes the inner products of
    pairs of permutations for independent, which are only uncorrelated.
    """
    energy = float(((column - column.mean()) ** 2).sum())
    return energy / repeats, 2 * (repeats - 1) * energy**2 / (repeats**3 * max(len(column) - 1, 1))


def _enough_by_proposition(column: np.ndarray, tolerance: float, confidence: float) -> Callable[[int], bool]:
    def enough(repeats: int) -> bool:
        if repeats == 1:
            return False
        t = 2 * repeats * tolerance / math.sqrt(repeats - 1)
        return proposition_probability(column, repeats, t) >= confidence

    return enough


def _enough_by_moments(column: np.ndarray, tolerance: float, confidence: float) -> Callable[[int], bool]:
    def enough(repeats: int) -> bool:
        mean, variance = squared_distance_moments(column, repeats)
        # Cantelli's inequality needs no independence.
        return mean <= tolerance and variance <= (1 - confidence) * (variance + (tolerance - mean) ** 2)

    return enough


def _enough_for_score(scores: np.ndarray, tolerance: float, confidence: float) -> Callable[[int], bool]:
    if len(scores) < 2:
        raise InputError(f"{len(scores)} pilot score is too few to know the spread: score at least 2 permutations")
    deviation = scores.std(ddof=1)

    def enough(repeats: int) -> bool:
        return repeats >= 2 and score_half_width(deviation, repeats, confidence) <= tolerance

    return enough


def score_half_width(deviation: float, repeats: int, confidence: float = 0.95) -> float:
    """Half the width of Student's interval for the mean of `repeats` scores."""
    return float(stats.t.ppf((1 + confidence) / 2, repeats - 1) * deviation / math.sqrt(repeats))


SENSES = {"score": _enough_for_score, "proposition": _enough_by_proposition, "moments": _enough_by_moments}


def repeats_needed(values: np.ndarray, *, tolerance: float, confidence: float = 0.95, sense: str = "score") -> int:
    """The smallest number of permutations that is enough, in one of three senses.

    Parameters
    ----------
    values : pilot scores of a feature (a row of `importances`) for `score`; the feature's column for the others.
    tolerance : the half-width wanted for the confidence interval of the mean score; for the others the squared distance
        allowed between the mean of the permuted columns and its expectation.
    confidence : how often that must hold.
    sense : `score`, `proposition` (as the paper prints it) or `moments` (the same question, answered by the exact mean
        and variance of that distance; what `proposition` promises need not hold).

    Returns
    -------
    The number of permutations.

    Examples
    --------
    >>> repeats_needed([0.01, 0.02, 0.03], tolerance=0.01)
    7
    """
    values = np.asarray(values, dtype=float)
    if sense not in SENSES:
        raise InputError(f"sense '{sense}' is unknown: choose one of {', '.join(SENSES)}")
    if not tolerance > 0:
        raise InputError(f"tolerance = {tolerance} must be positive")
    if not 0 < confidence < 1:
        raise InputError(f"confidence = {confidence} must lie between 0 and 1")
    enough = SENSES[sense](values, tolerance, confidence)
    high = 2
    while not enough(high):
        high *= 2
        if high > MAX_REPEATS:
            raise InputError(f"tolerance = {tolerance} needs more than {MAX_REPEATS} permutations: ask for less")
    if enough(1):
        return 1
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
