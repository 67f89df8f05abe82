"""Claim 2: scores mean something well before training ends, beyond what the frequency of a word says already.

Frequent words matter more, to any model and at any time, so the features that rank highest early and late have some in
common whatever a model has learnt. Features are therefore put into strata of equal frequency, each as large as the top
that is looked at, and the test asks within them: do early and final top have more in common than two choices that know
nothing of each other but take as many of each stratum?
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from graphsieve.selection.top import count_to_keep
from graphsieve.study.families import merged_level, merged_p, overlap_of
from graphsieve.study.labels import DATASETS, base, in_order
from graphsieve.study.stability import top_features
from graphsieve.study.statistics import LEVEL, POWER, mean_test, overlap_law


class Known(NamedTuple):
    """What one run knew of its final top: shares of it."""

    overlap: float
    expected: float  # by frequency alone
    frequent: float  # of the most frequent features, as many as the top has
    p_value: float
    detectable: float


def strata_of(frequencies: np.ndarray, count: int) -> np.ndarray:
    """The stratum of every feature: blocks of `count`, the most frequent first; equal frequencies stay together.

    >>> strata_of(np.array([0.9, 0.1, 0.5, 0.1]), 2).tolist()
    [0, 1, 0, 1]
    """
    return (stats.rankdata(-frequencies, method="min").astype(int) - 1) // count


def compare_tops(early: np.ndarray, final: np.ndarray, frequencies: np.ndarray, level: float = LEVEL) -> Known:
    """Of one run: the early and the final top features, by number, and how frequent every feature is."""
    count = len(final)
    strata = strata_of(frequencies, count)
    sizes = np.bincount(strata)
    chosen = [np.bincount(strata[top], minlength=len(sizes)) for top in (early, final)]
    law = overlap_law(*chosen, sizes)
    common = len(np.intersect1d(early, final))
    at_least = law[::-1].cumsum()[::-1]  # the probability of so many in common, or more
    most_frequent = np.argsort(-frequencies, kind="stable")[:count]
    return Known(
        overlap=common / count,
        expected=float(law @ np.arange(len(law))) / count,
        frequent=len(np.intersect1d(most_frequent, final)) / count,
        p_value=float(min(1.0, at_least[common])),
        detectable=detectable_share(at_least, count, level),
    )


def detectable_share(at_least: np.ndarray, count: int, level: float) -> float:
    """The share of the final top that an early one must know, feature by feature, to be seen with a power of 80 %."""
    needed = int(np.argmax(at_least <= level)) if (at_least <= level).any() else count
    return float(stats.beta.ppf(POWER, needed, count - needed + 1))


def known_early(scores: pd.DataFrame, features: pd.DataFrame, share: float = 0.02) -> pd.DataFrame:
    """What each run knew of its final top after an eighth and after half of the checkpoints: a row a run and moment."""
    frequencies = {name: table.set_index("feature")["frequency"] for name, table in features.groupby("dataset")}
    level = LEVEL / (2 * scores["dataset"].nunique())  # Holm's first step, for two moments of each
    seeds = scores.groupby("dataset")["seed"].nunique()
    rows = []
    for (dataset, seed), run in scores.groupby(["dataset", "seed"]):
        tops = top_features(run, share)
        checkpoints = sorted(tops)
        columns = frequencies[base(dataset)].loc[sorted(run["feature"].unique())].to_numpy()
        moments = {"first": checkpoints[0], "halfway": checkpoints[(len(checkpoints) - 1) // 2]}
        for moment, checkpoint in moments.items():
            asked = merged_level(level, seeds[dataset])
            known = compare_tops(tops[checkpoint], tops[checkpoints[-1]], columns, asked)
            chance = count_to_keep(len(columns), share) / len(columns)
            run_columns = {"dataset": dataset, "moment": moment, "checkpoint": checkpoint, "seed": seed}
            rows.append({**run_columns, **known._asdict(), "chance": chance})
    return pd.DataFrame(rows)


def summarise_early(known: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """A row a dataset and moment; `p_value` is merged over runs, `shown` the number of runs with one below 5 %."""
    rows = []
    for dataset in in_order(known["dataset"], DATASETS):
        for moment, runs in known[known["dataset"] == dataset].groupby("moment", sort=False):
            found = mean_test(runs["overlap"], overlap_of(scores))
            means = runs[["chance", "frequent", "expected", "detectable"]].mean()
            named = {"dataset": dataset, "moment": moment, "checkpoint": runs["checkpoint"].iloc[0]}
            tested = {"p_value": merged_p(runs["p_value"]), "shown": int((runs["p_value"] < LEVEL).sum())}
            rows.append({**named, **found, **means, **tested})
    return pd.DataFrame(rows)
