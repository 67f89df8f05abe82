"""What the figures of the adaptive study draw, from its records: curves, last checkpoints, importance over time."""

import numpy as np
import pandas as pd

from graphsieve.files.checks import RUN
from graphsieve.study.families import overlap_of
from graphsieve.study.labels import DATASETS, PAPER_DATASETS, in_order, label_dataset, listed, runs_text
from graphsieve.study.statistics import mean_test


def panel_datasets(available: pd.Series, paper: list[str], extras: bool = True) -> list[str]:
    """What to give a panel: the paper's datasets if the run has one of them (the others leave a gap), then its own.

    A run that has neither shows what it has: a figure is never empty.
    """
    own = [name for name in in_order(available, DATASETS) if name not in PAPER_DATASETS] if extras else []
    shown = (paper if set(paper) & set(available) else []) + own
    return shown or in_order(available, DATASETS)


def missing_sentence(available: pd.Series, paper: list[str]) -> str:
    """Which of the paper's datasets this run does not have."""
    absent = [label_dataset(name) for name in paper if name not in set(available)]
    return f"The paper also shows {listed(absent)}, which this run does not have." if absent else ""


def runs_sentence(records: pd.DataFrame) -> str:
    """How many seeds each dataset was run with."""
    return f"Averages are over {runs_text(records.groupby('dataset')['seed'].nunique())}."


# Curves


def mean_curves(history: pd.DataFrame, value: str, by: list[str]) -> pd.DataFrame:
    """Mean, sample standard deviation and number of runs of `value`, in percent, at every epoch."""
    percent = history.assign(value=100 * history[value])
    return percent.groupby([*by, "epoch"], as_index=False).agg(
        mean=("value", "mean"), spread=("value", "std"), features=("features", "mean"), runs=("value", "size")
    )


def best_in_intervals(history: pd.DataFrame) -> pd.DataFrame:
    """Of every run and interval the epoch of highest validation accuracy (the first), and the interval's last epoch."""
    history = history.reset_index(drop=True)
    groups = history.groupby([*(name for name in RUN if name in history), "checkpoint"])
    best = history.loc[groups["val_accuracy"].idxmax()].reset_index(drop=True)
    return best.assign(end=groups["epoch"].max().to_numpy())


def differences_to_full(history: pd.DataFrame, value: str = "test_accuracy") -> pd.DataFrame:
    """`value` less that of the full model of the same seed, interval by interval, in percent: mean, `margin`, runs.

    The margin is half of the 95 % interval of the mean, which allows for splits that overlap.
    """
    best = best_in_intervals(history)
    pair = ["dataset", "model", "split", "seed", "checkpoint"]
    full = best.loc[best["scorer"] == "full", [*pair, value]]
    both = best[best["scorer"] != "full"].merge(full, on=pair, suffixes=("", "_full"))
    both["difference"] = 100 * (both[value] - both[f"{value}_full"])
    rows = []
    for (dataset, scorer, end), runs in both.groupby(["dataset", "scorer", "end"]):
        found = mean_test(runs["difference"], overlap_of(runs))
        margin = found["high"] - found["mean"]
        named = {"dataset": dataset, "scorer": scorer, "end": end}
        rows.append({**named, "mean": found["mean"], "margin": margin, "runs": found["runs"]})
    return pd.DataFrame(rows, columns=["dataset", "scorer", "end", "mean", "margin", "runs"])


def prunings(history: pd.DataFrame) -> pd.DataFrame:
    """Where the number of features changes: the epoch, and the percentage that remains from there on."""
    pruned = history[history["scorer"] != "full"]
    starts = pruned.groupby(["dataset", "checkpoint"], as_index=False).agg(
        epoch=("epoch", "min"), features=("features", "mean")
    )
    total = starts.groupby("dataset")["features"].transform("max")
    starts["percent"] = 100 * starts["features"] / total
    return starts


# Last checkpoints


def last_checkpoints(features: pd.DataFrame) -> pd.DataFrame:
    """The last checkpoint that every feature was kept at: 0 if dropped at the first, the number of cuts if never."""
    cuts = features.groupby("dataset")["dropped_at"].transform("max")
    return features.assign(last=(features["dropped_at"] - 1).fillna(cuts))


def last_by_feature(last: pd.DataFrame) -> pd.DataFrame:
    """Mean and spread over runs, the features kept longest first, each with its `place`.

    Many features share a mean, and sorting them by their spread would draw teeth that mean nothing: the spread is
    that of a feature's neighbours together, a twenty-fifth of all.
    """
    table = last.groupby(["dataset", "feature"], as_index=False).agg(
        mean=("last", "mean"), spread=("last", "std"), runs=("last", "size")
    )
    table = table.sort_values(["dataset", "mean", "feature"], ascending=[True, False, True], ignore_index=True)
    variances = (table["spread"] ** 2).groupby(table["dataset"])
    table["spread"] = variances.transform(_neighbours) ** 0.5
    return table.assign(place=table.groupby("dataset").cumcount() + 1)


def _neighbours(values: pd.Series) -> pd.Series:
    return values.rolling(max(1, len(values) // 25), center=True, min_periods=1).mean()


def last_by_ranking(last: pd.DataFrame) -> pd.DataFrame:
    """Features grouped by their most common last checkpoint (see `_most_common`): a group's average in every run."""
    modes = last.groupby(["dataset", "feature"])["last"].agg(_most_common).rename("ranking")
    grouped = last.merge(modes.reset_index(), on=["dataset", "feature"])
    return grouped.groupby(["dataset", "ranking", "seed"], as_index=False).agg(
        mean=("last", "mean"), features=("feature", "size")
    )


def _most_common(values: pd.Series) -> float:
    """Of several values that are equally common, the one nearest to the mean (then the latest).

    >>> _most_common(pd.Series([0, 0, 3, 3, 4]))
    3
    """
    modes = values.mode()
    return max(modes, key=lambda mode: (-abs(mode - values.mean()), mode))


def timings_sentence(timings: pd.DataFrame) -> str:
    """How long the first checkpoint and all of them took, and the training beside it."""
    runs = timings.groupby(["dataset", "seed"])
    first = timings[timings["checkpoint"] == 1].groupby("dataset")["scoring_seconds"].mean()
    whole = runs[["scoring_seconds", "training_seconds"]].sum().groupby("dataset").mean()
    parts = [
        f"{label_dataset(name)} {first[name]:.2g} s at the first checkpoint, {whole.scoring_seconds[name]:.2g} s at "
        f"all, beside {whole.training_seconds[name]:.2g} s of training"
        for name in in_order(first.index, DATASETS)
    ]
    return "; ".join(parts) + "."


def substitute(available: pd.Series, wanted: str) -> str:
    """The dataset of a panel: the paper's, or where a run has not got it the first of the paper's that it has."""
    names = in_order(available, DATASETS)
    return wanted if wanted in names else next((name for name in names if name in PAPER_DATASETS), names[0])


# Importance over time


def binned_scores(scores: pd.DataFrame, bins: int = 50) -> pd.DataFrame:
    """Scores averaged over runs and over bins of features, which are ordered by their score at the last checkpoint.

    One row per bin, the most important first, and one column per checkpoint.
    """
    means = scores.pivot_table(index="feature", columns="checkpoint", values="score", aggfunc="mean")
    ordered = means.sort_values(means.columns[-1], ascending=False, kind="stable")
    parts = np.array_split(np.arange(len(ordered)), min(bins, len(ordered)))
    return pd.DataFrame([ordered.iloc[part].mean() for part in parts])
