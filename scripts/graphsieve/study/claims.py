"""The paper's four claims, put to the test on a run's records: every number with its 95 % interval over runs.

Differences are paired: two methods are compared on the same split, initialisation and seed. Accuracies in points.
"""

import numpy as np
import pandas as pd

from graphsieve.selection.top import count_to_keep
from graphsieve.study import accuracy, adaptive_accuracy
from graphsieve.study.analysis import best_in_intervals
from graphsieve.study.labels import DATASETS, in_order
from graphsieve.study.stability import rank_stability
from graphsieve.study.statistics import mean_interval, welch_half_width

BASELINES = ("tfi", "mi", "h_attr", "h_euc", "h_ge", "random")  # what the paper compares NPT with
FAIR_RIVALS = ("npt_loss", "mi_train", "tfi_train")  # what it does not
CORRELATED = ("tfi", "mi", "h_attr", "h_euc", "h_ge")
LITTLE = 2.0  # points of accuracy: a difference whose interval stays below it is little
RESAMPLES = 2000
ONE_RUN = "one run only"  # the verdict where nothing can be told from chance


# Claim 1: NPT is best or near best on every dataset


def compare_with_npt(records: pd.DataFrame, rivals: tuple[str, ...]) -> pd.DataFrame:
    """How many points NPT is above each rival, dataset by dataset; `records` has one row per run and method."""
    accuracies = records.pivot_table(index=["dataset", "seed"], columns="scorer", values="test_accuracy")
    rows = []
    for dataset in in_order(records["dataset"], DATASETS):
        runs = accuracies.loc[dataset]
        for rival in [name for name in rivals if name in runs and "npt" in runs]:
            pairs = 100 * (runs["npt"] - runs[rival]).dropna()
            if len(pairs):
                rows.append({"dataset": dataset, "rival": rival, **mean_interval(pairs)})
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
            found = mean_interval(runs.loc[runs["checkpoint"] == checkpoint, "overlap"])
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
        found = scores[scores["dataset"] == dataset]
        runs = found.pivot_table(index="seed", columns=["scorer", "feature"], values="score")
        selected = records[records["dataset"] == dataset]
        accuracies = selected.pivot_table(index="seed", columns="scorer", values="test_accuracy")
        names = [name for name in CORRELATED if name in runs and name in accuracies]
        seeds = runs.index.intersection(accuracies.index)
        if names and len(seeds):
            tables = np.stack([runs.loc[seeds, name].to_numpy() for name in [*names, "npt"]])
            judged = _judge_closest(tables, accuracies.loc[seeds, names].to_numpy(), names, rng)
            rows.append({"dataset": dataset, **judged})
    return pd.DataFrame(rows, columns=["dataset", "closest", "best", "agreement", "runs", "verdict"])


def _judge_closest(tables: np.ndarray, accuracies: np.ndarray, names: list[str], rng: np.random.Generator) -> dict:
    """Of one dataset: `tables` are scores by method (NPT's last), run and feature, `accuracies` by run and method."""
    runs = len(accuracies)
    closest, best = _closest_and_best(tables, accuracies, names)
    if runs < 2:
        agreement, verdict = np.nan, ONE_RUN
    else:
        draws = [rng.integers(runs, size=runs) for _ in range(RESAMPLES)]
        pairs = [_closest_and_best(tables[:, draw], accuracies[draw], names) for draw in draws]
        agreement = np.mean([one == other for one, other in pairs])
        verdict = "holds" if closest == best else "does not hold"
    return {"closest": closest, "best": best, "agreement": agreement, "runs": runs, "verdict": verdict}


def _closest_and_best(tables: np.ndarray, accuracies: np.ndarray, names: list[str]) -> tuple[str, str]:
    """On a small graph NPT may score every feature 0 in a run; then no baseline is closest."""
    with np.errstate(invalid="ignore"):  # NumPy's, for thousands of resamples: SciPy's would compute p-values too
        correlations = np.corrcoef(tables.mean(axis=1))[-1, :-1]
    closest = "none" if np.isnan(correlations).all() else names[int(np.nanargmax(correlations))]
    return closest, names[int(accuracies.mean(axis=0).argmax())]


# Claim 4: more than ten permutations per feature change little


def judge_repeats(history: pd.DataFrame, reference: int) -> pd.DataFrame:
    """Accuracy with other numbers of permutations less that with `reference`, averaged over the intervals of a run."""
    varied = history.groupby("prune")["repeats"].nunique().idxmax()
    runs = best_in_intervals(history[history["prune"] == varied])
    accuracies = 100 * runs.pivot_table(index=["dataset", "seed", "repeats"], values="test_accuracy")["test_accuracy"]
    rows = []
    for dataset in in_order(runs["dataset"], DATASETS):
        table = accuracies.loc[dataset].unstack("repeats")
        for repeats in [count for count in table.columns if count != reference and reference in table.columns]:
            found = mean_interval((table[repeats] - table[reference]).dropna())
            rows.append({"dataset": dataset, "repeats": repeats, **found})
    table = pd.DataFrame(rows, columns=["dataset", "repeats", "mean", "low", "high", "runs"])
    little = table[["low", "high"]].abs().max(axis=1, skipna=False) < LITTLE
    return table.assign(verdict=np.where(little, "little", "not shown to be little"))


# Ours against the published


def agreement(ours: pd.DataFrame, published: pd.DataFrame, keys: list[str], published_runs: int = 5) -> pd.DataFrame:
    """Cell by cell: ours less published, and whether Welch's interval has zero in it.

    The published deviations divide by n (see the notes of the tables), so they are enlarged to sample deviations first.
    A single run of ours has no deviation: it is asked whether it could be one more of the published runs. Where rows of
    the published table differ in their number of runs, it has a column `runs`.
    """
    both = ours.merge(published, on=keys, suffixes=("", "_published")).dropna(subset=["accuracy_std_published"])
    their_runs = both.get("runs_published", published_runs)
    theirs = both["accuracy_std_published"] * np.sqrt(their_runs / (their_runs - 1))
    margin = welch_half_width(both["accuracy_std"], both["runs"], theirs, their_runs)
    difference = both["accuracy_mean"] - both["accuracy_mean_published"]
    verdict = np.where(difference > margin, "higher", np.where(difference < -margin, "lower", "agrees"))
    values = {"difference": difference, "low": difference - margin, "high": difference + margin, "verdict": verdict}
    columns = [*keys, "accuracy_mean", "accuracy_std", "runs", "accuracy_mean_published", "accuracy_std_published"]
    return both[columns].assign(**values).reset_index(drop=True)


def agreements(
    perturbations: pd.DataFrame, one_shot: pd.DataFrame, chosen: pd.DataFrame, published: list[pd.DataFrame]
) -> list[pd.DataFrame]:
    """`agreement` of Tables 1, 2 and 3: from the records of the first two and the intervals chosen for the third."""
    ours = [
        accuracy.summarise(perturbations, "setting"),
        accuracy.summarise(one_shot, "scorer"),
        adaptive_accuracy.summarise(chosen),
    ]
    keys = [["setting", "dataset"], ["scorer", "dataset"], ["retained_percent", "scorer", "dataset"]]
    return [agreement(*tables) for tables in zip(ours, published, keys, strict=True)]
