"""The paper's four claims, put to the test on a run's records.

Differences are paired: two methods are compared on the same split, initialisation and seed. Accuracies in points. Each
claim is a family of tests: p-values are adjusted for their number by Holm's method, intervals allow for splits that
overlap, and beside what is not shown stands what could have been.
"""

import numpy as np
import pandas as pd

from graphsieve.study import early
from graphsieve.study.analysis import best_in_intervals
from graphsieve.study.families import TESTED, as_family, overlap_of
from graphsieve.study.labels import DATASETS, in_order
from graphsieve.study.statistics import CONFIDENCE, LEVEL, equivalence_p, mean_test, provable_margin

BASELINES = ("tfi", "mi", "h_attr", "h_euc", "h_ge", "random")  # what the paper compares NPT with
FAIR_RIVALS = ("npt_loss", "pt", "mi_train", "tfi_train")  # what it does not
CORRELATED = ("tfi", "mi", "h_attr", "h_euc", "h_ge")
LITTLE = 2.0  # points of accuracy: a difference that surely is smaller is little
RESAMPLES = 2000
ONE_RUN = "one run only"  # the verdict where nothing can be told from chance
HOLDS, NOT_SHOWN, FAILS = "holds", "not shown", "does not hold"
BEST, AHEAD, NEAR, BEHIND = "best", "ahead, not shown", "behind, not shown", "behind"


# Claim 1: NPT is best or near best on every dataset


def compare_with_npt(records: pd.DataFrame, rivals: tuple[str, ...]) -> pd.DataFrame:
    """How many points NPT is above each rival, dataset by dataset, as one family of tests.

    `records` has one row per run and method.
    """
    return as_family(_differences(records, rivals))


def compare_adaptive(chosen: pd.DataFrame, rivals: tuple[str, ...]) -> pd.DataFrame:
    """The same at every share of the features that Table 3 shows; all shares together are one family."""
    pruned = chosen[chosen["scorer"] != "full"]
    parts = [
        _differences(pruned[pruned["retained_percent"] == percent], rivals).assign(retained_percent=percent)
        for percent in chosen["retained_percent"].unique()
    ]
    return as_family(pd.concat(parts, ignore_index=True).infer_objects())  # a share without npt has no numbers


def _differences(records: pd.DataFrame, rivals: tuple[str, ...]) -> pd.DataFrame:
    accuracies = records.pivot_table(index=["dataset", "seed"], columns="scorer", values="test_accuracy")
    rows = []
    for dataset in in_order(records["dataset"], DATASETS):
        runs = accuracies.loc[dataset]
        for rival in [name for name in rivals if name in runs and "npt" in runs]:
            pairs = 100 * (runs["npt"] - runs[rival]).dropna()
            if len(pairs):
                rows.append({"dataset": dataset, "rival": rival, **mean_test(pairs, overlap_of(records))})
    return pd.DataFrame(rows, columns=["dataset", "rival", *TESTED])


def judge_best(comparison: pd.DataFrame) -> pd.DataFrame:
    """The strongest rival of each dataset (and share), and how NPT stands against all of them.

    best: shown to be ahead of every rival; behind: shown to be behind one; else ahead or behind, but not shown.
    """
    cases = [name for name in ("retained_percent", "dataset") if name in comparison]
    rows = [
        {**rivals.loc[rivals["mean"].idxmin()], "verdict": _stand(rivals)}
        for _, rivals in comparison.groupby(cases, sort=False)
    ]
    return pd.DataFrame(rows, columns=[*comparison.columns, "verdict"]).reset_index(drop=True)


def _stand(rivals: pd.DataFrame) -> str:
    """Of one dataset."""
    if rivals["runs"].min() < 2:
        return ONE_RUN
    shown, ahead = rivals["p_holm"] < LEVEL, rivals["mean"] > 0
    if (shown & ~ahead).any():
        return BEHIND
    if (shown & ahead).all():
        return BEST
    return AHEAD if (rivals["mean"] >= 0).all() else NEAR


# Claim 2: scores are meaningful well before the end of training


def judge_early(scores: pd.DataFrame, features: pd.DataFrame, share: float = 0.02) -> pd.DataFrame:
    """Which part of the final top features was known after an eighth and after half of the checkpoints.

    It holds where the two tops have more in common than the frequencies of their features explain: see `study.early`.
    `features` has the frequency of every feature of every dataset.
    """
    table = early.summarise_early(early.known_early(scores, features, share), scores)
    seen = table["detectable"]  # by the hypergeometric test, not by Student's
    table = as_family(table).assign(detectable=seen)
    return table.assign(verdict=_verdicts(table))


def _verdicts(family: pd.DataFrame) -> np.ndarray:
    shown = np.where(family["p_holm"] < LEVEL, HOLDS, NOT_SHOWN)
    return np.where(family["runs"] < 2, ONE_RUN, shown)


# Claim 3: NPT correlates most with the baseline that selects best


def judge_correlation(scores: pd.DataFrame, records: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """The baseline closest to NPT and the one that selects best; `agreement`: how often they are one in resamples.

    It holds where the two are one, and surely; it does not where the one that selects best is shown to select better
    than the closest: `mean` is by how many points.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for dataset in in_order(set(scores["dataset"]) & set(records["dataset"]), DATASETS):
        found = scores[scores["dataset"] == dataset]
        runs = found.pivot_table(index="seed", columns=["scorer", "feature"], values="score")
        selected = records[records["dataset"] == dataset]
        accuracies = selected.pivot_table(index="seed", columns="scorer", values="test_accuracy")
        names = [name for name in CORRELATED if name in runs and name in accuracies]
        seeds = runs.index.intersection(accuracies.index)
        if names and len(seeds):
            tables = np.stack([runs.loc[seeds, name].to_numpy() for name in [*names, "npt"]])
            judged = _judge_closest(tables, accuracies.loc[seeds, names].to_numpy(), names, rng)
            rows.append({"dataset": dataset, **judged, **_gap(accuracies.loc[seeds], judged, overlap_of(selected))})
    table = as_family(pd.DataFrame(rows, columns=["dataset", "closest", "best", "agreement", *TESTED]))
    return table.assign(verdict=[_judge_pair(row) for row in table.to_dict("records")])


def _gap(accuracies: pd.DataFrame, judged: dict, overlap: float) -> dict:
    """By how many points the best baseline selects better than the closest; nothing to test where they are one."""
    if judged["closest"] in (judged["best"], "none"):
        return {**dict.fromkeys(TESTED, np.nan), "runs": len(accuracies)}
    return mean_test(100 * (accuracies[judged["best"]] - accuracies[judged["closest"]]), overlap)


def _judge_pair(row: dict) -> str:
    if row["runs"] < 2:
        return ONE_RUN
    if row["closest"] == row["best"]:
        return HOLDS if row["agreement"] >= CONFIDENCE else NOT_SHOWN
    return FAILS if row["p_holm"] < LEVEL else NOT_SHOWN


def _judge_closest(tables: np.ndarray, accuracies: np.ndarray, names: list[str], rng: np.random.Generator) -> dict:
    """Of one dataset: `tables` are scores by method (NPT's last), run and feature, `accuracies` by run and method."""
    runs = len(accuracies)
    closest, best = _closest_and_best(tables, accuracies, names)
    agreement = np.nan
    if runs > 1:
        draws = [rng.integers(runs, size=runs) for _ in range(RESAMPLES)]
        pairs = [_closest_and_best(tables[:, draw], accuracies[draw], names) for draw in draws]
        agreement = np.mean([one == other for one, other in pairs])
    return {"closest": closest, "best": best, "agreement": agreement}


def _closest_and_best(tables: np.ndarray, accuracies: np.ndarray, names: list[str]) -> tuple[str, str]:
    """On a small graph NPT may score every feature 0 in a run; then no baseline is closest."""
    with np.errstate(invalid="ignore"):  # NumPy's, for thousands of resamples: SciPy's would compute p-values too
        correlations = np.corrcoef(tables.mean(axis=1))[-1, :-1]
    closest = "none" if np.isnan(correlations).all() else names[int(np.nanargmax(correlations))]
    return closest, names[int(accuracies.mean(axis=0).argmax())]


# Claim 4: more than ten permutations per feature change little


def judge_repeats(history: pd.DataFrame, reference: int) -> pd.DataFrame:
    """Accuracy with other numbers of permutations less that with `reference`, averaged over the intervals of a run.

    Little: two one-sided tests show that the difference is below `LITTLE` points on either side. `detectable` is then
    the margin within which no difference at all would have been shown to be little.
    """
    varied = history.groupby("prune")["repeats"].nunique().idxmax()
    runs = best_in_intervals(history[history["prune"] == varied])
    accuracies = 100 * runs.pivot_table(index=["dataset", "seed", "repeats"], values="test_accuracy")["test_accuracy"]
    rows = []
    for dataset in in_order(runs["dataset"], DATASETS):
        table = accuracies.loc[dataset].unstack("repeats")
        for repeats in [count for count in table.columns if count != reference and reference in table.columns]:
            found = mean_test((table[repeats] - table[reference]).dropna(), overlap_of(history))
            if found["runs"] > 1:
                spread = found["standard_error"], found["runs"] - 1
                found["p_value"] = equivalence_p(found["mean"], *spread, LITTLE)
            rows.append({"dataset": dataset, "repeats": repeats, **found})
    table = as_family(pd.DataFrame(rows, columns=["dataset", "repeats", *TESTED]), provable_margin)
    return table.assign(verdict=np.where(table["p_holm"] < LEVEL, "little", "not shown to be little"))
