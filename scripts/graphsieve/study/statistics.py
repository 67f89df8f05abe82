"""The statistics of the study: intervals and tests over runs, Welch's comparison of two means, power, correlations."""

import functools
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import optimize, stats

CONFIDENCE = 0.95  # of every interval in the study
LEVEL = 1 - CONFIDENCE  # of every test
POWER = 0.8  # with which a difference "could have been seen"
# Of the random splits: test nodes for each node that a model learns from, by training or by choosing on it (20 / 80 %).
TEST_PER_LEARNING = 0.25


def half_width(standard_error: float | pd.Series, freedom: float | pd.Series) -> float | pd.Series:
    """Half the width of Student's interval around a mean with this standard error."""
    return stats.t.ppf((1 + CONFIDENCE) / 2, freedom) * standard_error


def mean_interval(values: np.ndarray | pd.Series) -> dict[str, float]:
    """Mean, Student's interval of it, and the number of runs; a single run has a mean only.

    Examples
    --------
    >>> mean_interval([1.0, 2.0, 3.0])["mean"]
    2.0
    """
    tested = mean_test(values)
    return {name: tested[name] for name in ("mean", "low", "high", "runs")}


def mean_test(values: np.ndarray | pd.Series, overlap: float = 0.0) -> dict[str, float]:
    """Mean, its interval, the p-value of its being zero, and the standard error; a single run has a mean only.

    Runs whose splits overlap are not independent: more of them do not make the mean arbitrarily sure. Nadeau and Bengio
    (Machine Learning, 2003) therefore enlarge the variance of the mean from S^2 / J to (1 / J + overlap) S^2.

    Parameters
    ----------
    values : one number a run, such as the difference of two methods.
    overlap : test nodes for each node learnt from, where splits are drawn from the same nodes; 0 for independent runs.

    Returns
    -------
    dict
        mean, low, high, p_value, standard_error, runs.

    Examples
    --------
    >>> independent, overlapping = mean_test([1.0, 2.0, 3.0]), mean_test([1.0, 2.0, 3.0], overlap=0.25)
    >>> round((overlapping["standard_error"] / independent["standard_error"]) ** 2, 6)  # (1/3 + 1/4) / (1/3)
    1.75
    """
    values = np.asarray(values, float)
    mean, runs = float(values.mean()), len(values)
    error = float(values.std(ddof=1) * np.sqrt(1 / runs + overlap)) if runs > 1 else np.nan
    margin = float(half_width(error, runs - 1)) if runs > 1 else np.nan
    return {
        "mean": mean,
        "low": mean - margin,
        "high": mean + margin,
        "p_value": float(two_sided_p(mean, error, runs - 1)) if runs > 1 else np.nan,
        "standard_error": error,
        "runs": runs,
    }


def two_sided_p(difference: float | pd.Series, standard_error: float | pd.Series, freedom: float | pd.Series) -> float:
    """Of Student's test; where nothing varies, 1 for no difference and 0 for any."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.abs(np.divide(difference, standard_error))
    return 2 * stats.t.sf(np.where(np.equal(difference, 0), 0.0, ratio), freedom)


def equivalence_p(difference: float, standard_error: float, freedom: float, margin: float) -> float:
    """Of two one-sided tests: how surely the difference lies within `margin` of zero, on both sides."""
    room = margin - abs(difference)
    if standard_error == 0:
        return float(room <= 0)
    return float(stats.t.sf(room / standard_error, freedom))


def welch(
    deviation: pd.Series, runs: pd.Series, other_deviation: pd.Series, other_runs: int | pd.Series
) -> tuple[pd.Series, pd.Series]:
    """Standard error and degrees of freedom of the difference of two means, from sample standard deviations.

    One run alone has no deviation: then they are those with which one more of the other runs is expected, so that the
    question is whether it could be one of them.
    """
    theirs = other_deviation**2 / other_runs
    single = runs < 2
    ours = (deviation**2 / runs).where(~single, theirs * other_runs)
    freedom = (ours + theirs) ** 2 / (ours**2 / (runs - 1) + theirs**2 / (other_runs - 1))
    return np.sqrt(ours + theirs), freedom.where(~single, other_runs - 1)


# Power


@functools.cache
def noncentrality(freedom: float, level: float, power: float, sides: int = 2) -> float:
    """How many standard errors a difference must have for a test of this level to see it with this power.

    Averages the normal power over the chi-squared distribution of the variance, by its quantiles: SciPy's noncentral t
    fails at the small levels that a family of many tests leaves to each.
    """
    quantiles = (np.arange(4000) + 0.5) / 4000
    limit = stats.t.ppf(1 - level / sides, freedom) * np.sqrt(stats.chi2.ppf(quantiles, freedom) / freedom)

    def missing(shift: float) -> float:
        seen = stats.norm.cdf(shift - limit) + (sides - 1) * stats.norm.cdf(-shift - limit)
        return seen.mean() - power

    return optimize.brentq(missing, 0, 10 + 10 * limit.max())


def detectable(standard_error: float, freedom: float, *, level: float = LEVEL) -> float:
    """The difference that the test would have seen with a power of 80 %; NaN where runs say nothing of their spread.

    Examples
    --------
    >>> round(detectable(1.0, 1e6), 2)  # 1.96 + 0.84, as for a normal distribution
    2.8
    """
    if not (freedom > 0 and standard_error > 0):
        return np.nan
    return float(standard_error * noncentrality(float(freedom), level, POWER))


def provable_margin(standard_error: float, freedom: float, *, level: float = LEVEL) -> float:
    """Within which margin no difference at all would have been shown to be little, with a power of 80 %.

    Either of the two one-sided tests may then fail in half of the other 20 %.
    """
    if not (freedom > 0 and standard_error > 0):
        return np.nan
    return float(standard_error * noncentrality(float(freedom), level, (1 + POWER) / 2, sides=1))


# Overlap of two choices


def overlap_law(one: Sequence[int], other: Sequence[int], sizes: Sequence[int]) -> np.ndarray:
    """The probability of every number of common members of two choices that know nothing of each other.

    Within each stratum both choose a given number of its items: the number in common is hypergeometric, and that of all
    strata together their sum.

    Parameters
    ----------
    one, other : how many items of each stratum the two choose.
    sizes : how many items the strata have.

    Returns
    -------
    ndarray
        The probability of 0, 1, 2, ... in common.

    Examples
    --------
    >>> overlap_law([1], [1], [4]).round(6).tolist()
    [0.75, 0.25]
    """
    law = np.ones(1)
    for first, second, size in zip(one, other, sizes, strict=True):
        most = min(first, second)
        if most:
            law = np.convolve(law, stats.hypergeom.pmf(np.arange(most + 1), size, first, second))
    return law


def pearson(one: np.ndarray, other: np.ndarray) -> float:
    """Pearson's correlation; NaN where one of the two does not vary."""
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    return float(stats.pearsonr(one, other).statistic)


def spearman(one: np.ndarray, other: np.ndarray) -> float:
    """Spearman's rank correlation; NaN where one of the two does not vary."""
    return pearson(stats.rankdata(one), stats.rankdata(other))
