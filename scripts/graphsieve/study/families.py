"""A claim as a family of tests: p-values adjusted for their number, and what each test could have seen."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from graphsieve.inference.p_values import adjust_holm
from graphsieve.study.statistics import LEVEL, TEST_PER_LEARNING, detectable

TESTED = [
    "mean",
    "low",
    "high",
    "p_value",
    "standard_error",
    "runs",
]  # what `statistics.mean_test` says of a comparison


def overlap_of(records: pd.DataFrame) -> float:
    """How far the splits of runs overlap, as `statistics.mean_test` asks; runs on one public split share all of it."""
    is_public = "split" in records and (records["split"] == "public").all()
    return 0.0 if is_public else TEST_PER_LEARNING


def as_family(table: pd.DataFrame, seen: Callable[..., float] = detectable) -> pd.DataFrame:
    """The tests of one claim with `p_holm` and `detectable`: what each would have seen were it the only one to differ.

    Holm's first step asks a p-value below 5 % divided by the number of tests: at that level the power is 80 %. A single
    run has neither.
    """
    tested = table["p_value"].notna() if len(table) else pd.Series(dtype=bool)
    adjusted = pd.Series(np.nan, index=table.index)
    adjusted[tested] = adjust_holm(table.loc[tested, "p_value"].to_numpy(float))
    level = LEVEL / max(int(tested.sum()), 1)
    pairs = zip(table["standard_error"], table["runs"] - 1, strict=True)
    return table.assign(p_holm=adjusted, detectable=[seen(*pair, level=level) for pair in pairs])


def merged_p(p_values: np.ndarray) -> float:
    """One p-value from several of the same hypothesis, valid however they depend on each other.

    Rüger's inequality: n / k times the k-th smallest. k is the middle one, so that half of the runs must say the same.

    >>> round(merged_p([0.01, 0.02, 0.9]), 6)
    0.03
    """
    ordered = np.sort(np.asarray(p_values, float))
    return min(1.0, float(ordered[_middle(len(ordered)) - 1] / merged_level(1.0, len(ordered))))


def merged_level(level: float, runs: int) -> float:
    """What the middle one of so many p-values must not exceed for the merged one not to exceed `level`."""
    return level * _middle(runs) / runs


def _middle(runs: int) -> int:
    return (runs + 1) // 2
