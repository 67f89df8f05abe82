"""The paper's four claims, put to the test on a run's records: every number with its 95 % interval over runs.

Differences are paired: two methods are compared on the same split, initialisation and seed. Accuracies in points.
"""

import numpy as np
import pandas as pd
from scipy import stats

from graphsieve.selection.top import count_to_keep
from graphsieve.study.analysis import best_in_intervals, rank_stability
from graphsieve.study.labels import DATASETS, in_order

LEVEL = 0.95
BASELINES = ("tfi", "mi", "h_attr", "h_euc", "h_ge", "random")  # what the paper compares NPT with
FAIR_RIVALS = ("npt_loss", "mi_train", "tfi_train")  # what it does not
CORRELATED = ("tfi", "mi", "h_attr", "h_euc", "h_ge")
LITTLE = 2.0  # points of accuracy: a difference whose interval stays below it is little
RESAMPLES = 2000
ONE_RUN = "one run only"  # the verdict where nothing can be told from chance


def interval(values: np.ndarray) -> dict:
    """Mean and t interval over runs; a single run has a mean only."""
    values = np.asarray(values, float)
    mean, runs = values.mean(), len(values)
    if runs < 2:
        return {"mean": mean, "low": np.nan, "high": np.nan, "runs": runs}
    margin = stats.t.ppf((1 + LEVEL) / 2, runs - 1) * values.std(ddof=1) / np.sqrt(runs)
    return {"mean": mean, "low": mean - margin, "high": mean + margin, "runs": runs}


# Claim 1: NPT is best or near best on every dataset


def compare_with_npt(records: pd.DataFrame, rivals: tuple[str, ...]) -> pd.DataFrame:
    """How many points NPT is above each rival, dataset by dataset; one row a run and method in `records`."""
    accuracies = records.pivot_table(index=["dataset", "seed"], columns="scorer", values="test_accuracy")
    rows = []
    for dataset in in_order(records["dataset"], DATASETS):
        runs = accuracies.loc[dataset]
        for rival in [name for name in rivals if name in runs and "npt" in runs]:
            pairs = 100 * (runs["npt"] - runs[rival]).dropna()
            if len(pairs):
                rows.append({"dataset": dataset, "rival": rival, **interval(pairs)})
    return pd.DataFrame(rows, columns=["dataset", "rival", "mean", "low", "high", "runs"])


def judge_best(comparison: pd.DataFrame) -> pd.DataFrame:
    """Against the strongest rival of each dataset (and share): best, near best (no loss could be shown) or behind."""
    cases = [name for name in ("retained_percent", "dataset") if name in comparison]
    strongest = comparison.loc[comparison.groupby(cases, sort=False)["mean"].idxmin()].reset_index(drop=True)
    verdicts = np.where(strongest["mean"] >= 0, "best", np.where(strongest["high"] < 0, "behind", "near best"))
    return strongest.assign(verdict=np.where(strongest["runs"] < 2, ONE_RUN, verdicts))


def compare_adaptive(chosen: pd.DataFrame, rivals: tuple[str, ...]) -> pd.DataFrame:
    """The same at every share of the features that Table 3 shows."""
    pruned = chosen[chosen["scorer"] != "full"]
    parts = [
        compare_with_npt(pruned[pruned["retained_percent"] == percent], rivals).assign(retained_percent=percent)
        for percent in chosen["retained_percent"].unique()
    ]
    return pd.concat(parts, ignore_index=True).infer_objects()  # a share without npt has no numbers


# Claim 2: scores are meaningful well before the end of training


def judge_early(scores: pd.DataFrame, share: float = 0.02) -> pd.DataFrame:
    """Which part of the final top features was known after an eighth and after half of the checkpoints.

    `chance` is what a random choice would have in common; the claim holds where the interval lies above it.
    """
    stability = rank_stability(scores, share)
    features = scores.groupby("dataset")["feature"].nunique()
    rows = []
    for dataset in in_order(stability["dataset"], DATASETS):
        runs = stability[stability["dataset"] == dataset]
        checkpoints = sorted(runs["checkpoint"].unique())
        chance = count_to_keep(features[dataset], share) / features[dataset]
        moments = {"first": checkpoints[0], "halfway": checkpoints[(len(checkpoints) - 1) // 2]}
        for moment, checkpoint in moments.items():
            found = interval(runs.loc[runs["checkpoint"] == checkpoint, "overlap"])
            rows.append({"dataset": dataset, "moment": moment, "checkpoint": checkpoint, **found, "chance": chance})
    table = pd.DataFrame(rows)
    verdicts = np.where(table["low"] > table["chance"], "holds", "not shown")
    return table.assign(verdict=np.where(table["runs"] < 2, ONE_RUN, verdicts))


# Claim 3: NPT correlates most with the baseline that selects best


def judge_correlation(scores: pd.DataFrame, records: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """The baseline closest to NPT and the one that selects best; `agreement`: how often they are one in resamples."""
    rng = np.random.default_rng(seed)
    rows = []
    for dataset in in_order(set(scores["dataset"]) & set(records["dataset"]), DATASETS):
        runs = scores[scores["dataset"] == dataset].pivot_table(
            index="seed", columns=["scorer", "feature"], values="score"
        )
        accuracy = records[records["dataset"] == dataset].pivot_table(
            index="seed", columns="scorer", values="test_accuracy"
        )
        names = [name for name in CORRELATED if name in runs and name in accuracy]
        seeds = runs.index.intersection(accuracy.index)
        if not names or not len(seeds):
            continue
        tables = {name: runs.loc[seeds, name].to_numpy() for name in [*names, "npt"]}
        accuracy = accuracy.loc[seeds, names].to_numpy()
        closest, best = _closest_and_best(tables, accuracy, names, np.arange(len(seeds)))
        verdict, agree = "holds" if closest == best else "does not hold", np.nan
        if len(seeds) < 2:
            verdict = ONE_RUN
        else:
            draws = [rng.integers(len(seeds), size=len(seeds)) for _ in range(RESAMPLES)]
            agree = np.mean([len(set(_closest_and_best(tables, accuracy, names, draw))) == 1 for draw in draws])
        rows.append(
            {"dataset": dataset, "closest": closest, "best": best, "agreement": agree, "runs": len(seeds)}
            | {"verdict": verdict}
        )
    return pd.DataFrame(rows, columns=["dataset", "closest", "best", "agreement", "runs", "verdict"])


def _closest_and_best(tables: dict, accuracy: np.ndarray, names: list[str], rows: np.ndarray) -> tuple[str, str]:
    """On a small graph NPT may score every feature 0 in a run; then no baseline is closest."""
    means = {name: values[rows].mean(axis=0) for name, values in tables.items()}
    with np.errstate(invalid="ignore"):
        correlations = np.array([np.corrcoef(means[name], means["npt"])[0, 1] for name in names])
    closest = "none" if np.isnan(correlations).all() else names[int(np.nanargmax(correlations))]
    return closest, names[int(accuracy[rows].mean(axis=0).argmax())]


# Claim 4: more than ten permutations a feature change little


def judge_repeats(history: pd.DataFrame, reference: int) -> pd.DataFrame:
    """Accuracy with other numbers of permutations less that with `reference`, averaged over the intervals of a run."""
    varied = history.groupby("prune")["repeats"].nunique().idxmax()
    runs = best_in_intervals(history[history["prune"] == varied])
    accuracies = 100 * runs.pivot_table(index=["dataset", "seed", "repeats"], values="test_accuracy")["test_accuracy"]
    rows = []
    for dataset in in_order(runs["dataset"], DATASETS):
        table = accuracies.loc[dataset].unstack("repeats")
        for repeats in [count for count in table.columns if count != reference and reference in table.columns]:
            found = interval((table[repeats] - table[reference]).dropna())
            rows.append({"dataset": dataset, "repeats": repeats, **found})
    table = pd.DataFrame(rows, columns=["dataset", "repeats", "mean", "low", "high", "runs"])
    little = table[["low", "high"]].abs().max(axis=1, skipna=False) < LITTLE
    return table.assign(verdict=np.where(little, "little", "not shown to be little"))


# Ours against the published


def agreement(ours: pd.DataFrame, published: pd.DataFrame, keys: list[str], published_runs: int = 5) -> pd.DataFrame:
    """Cell by cell: ours less published, and whether Welch's interval has zero in it.

    The published deviations divide by n (see the notes of the tables), so they are enlarged to sample deviations first.
    A single run of ours has no deviation: it is asked whether it could be one more of the published runs.
    """
    both = ours.merge(published, on=keys, suffixes=("", "_published")).dropna(subset=["accuracy_std_published"])
    theirs = both["accuracy_std_published"] ** 2 / (published_runs - 1)
    single = both["runs"] < 2
    mine = (both["accuracy_std"] ** 2 / both["runs"]).where(~single, theirs * published_runs)
    error = np.sqrt(mine + theirs)
    freedom = (mine + theirs) ** 2 / (mine**2 / (both["runs"] - 1) + theirs**2 / (published_runs - 1))
    freedom = freedom.where(~single, published_runs - 1)
    difference = both["accuracy_mean"] - both["accuracy_mean_published"]
    margin = stats.t.ppf((1 + LEVEL) / 2, freedom) * error
    verdict = np.where(difference > margin, "higher", np.where(difference < -margin, "lower", "agrees"))
    values = {"difference": difference, "low": difference - margin, "high": difference + margin, "verdict": verdict}
    columns = [*keys, "accuracy_mean", "accuracy_std", "runs", "accuracy_mean_published", "accuracy_std_published"]
    return both[columns].assign(**values).reset_index(drop=True)
