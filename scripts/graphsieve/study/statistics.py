"""The statistics of the study: intervals over runs, Welch's comparison of two means, and correlations."""

import numpy as np
import pandas as pd
from scipy import stats

CONFIDENCE = 0.95  # of every interval in the study


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
    values = np.asarray(values, float)
    mean, runs = float(values.mean()), len(values)
    margin = half_width(stats.sem(values), runs - 1) if runs > 1 else np.nan
    return {"mean": mean, "low": mean - margin, "high": mean + margin, "runs": runs}


def welch_half_width(
    deviation: pd.Series, runs: pd.Series, other_deviation: pd.Series, other_runs: int | pd.Series
) -> np.ndarray | pd.Series:
    """Half the width of Welch's interval of the difference of two means, from sample standard deviations.

    One run alone has no deviation: then it is the half width of the interval in which one more of the other runs is
    expected, so that the question is whether it could be one of them.
    """
    theirs = other_deviation**2 / other_runs
    single = runs < 2
    ours = (deviation**2 / runs).where(~single, theirs * other_runs)
    freedom = (ours + theirs) ** 2 / (ours**2 / (runs - 1) + theirs**2 / (other_runs - 1))
    return half_width(np.sqrt(ours + theirs), freedom.where(~single, other_runs - 1))


def pearson(one: np.ndarray, other: np.ndarray) -> float:
    """Pearson's correlation; NaN where one of the two does not vary."""
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    return float(stats.pearsonr(one, other).statistic)


def spearman(one: np.ndarray, other: np.ndarray) -> float:
    """Spearman's rank correlation; NaN where one of the two does not vary."""
    return pearson(stats.rankdata(one), stats.rankdata(other))
