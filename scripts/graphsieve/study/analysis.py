"""What the figures of the adaptive study draw, from its records: curves, last checkpoints, importance over time."""

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from graphsieve.selection.top import count_to_keep, keep_top
from graphsieve.study.labels import DATASETS, PAPER_DATASETS, in_order, label_dataset, listed, runs_text

RUN = ["dataset", "model", "split", "scorer", "prune", "repeats", "seed"]


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
    groups = history.groupby([*RUN, "checkpoint"])
    best = history.loc[groups["val_accuracy"].idxmax()].reset_index(drop=True)
    return best.assign(end=groups["epoch"].max().to_numpy())


def differences_to_full(history: pd.DataFrame) -> pd.DataFrame:
    """Test accuracy less that of the full model of the same seed, interval by interval: mean and spread, in percent."""
    best = best_in_intervals(history)
    pair = ["dataset", "model", "split", "seed", "checkpoint"]
    full = best.loc[best["scorer"] == "full", [*pair, "test_accuracy"]]
    both = best[best["scorer"] != "full"].merge(full, on=pair, suffixes=("", "_full"))
    both["value"] = 100 * (both["test_accuracy"] - both["test_accuracy_full"])
    return both.groupby(["dataset", "scorer", "end"], as_index=False).agg(
        mean=("value", "mean"), spread=("value", "std"), runs=("value", "size")
    )


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
    """Mean and spread over runs, the features kept longest (then: most surely) first, each with its `place`."""
    table = last.groupby(["dataset", "feature"], as_index=False).agg(
        mean=("last", "mean"), spread=("last", "std"), runs=("last", "size")
    )
    table = table.sort_values(["dataset", "mean", "spread"], ascending=[True, False, True], ignore_index=True)
    return table.assign(place=table.groupby("dataset").cumcount() + 1)


def last_by_ranking(last: pd.DataFrame) -> pd.DataFrame:
    """Features grouped by their most common last checkpoint (the latest of several): a group's average in every run."""
    modes = last.groupby(["dataset", "feature"])["last"].agg(lambda values: values.mode().max()).rename("ranking")
    grouped = last.merge(modes.reset_index(), on=["dataset", "feature"])
    return grouped.groupby(["dataset", "ranking", "seed"], as_index=False).agg(
        mean=("last", "mean"), features=("feature", "size")
    )


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


# Importance over time


def binned_scores(scores: pd.DataFrame, bins: int = 50) -> pd.DataFrame:
    """Scores averaged over runs and over bins of features, which are ordered by their score at the last checkpoint.

    One row a bin, the most important first, and one column a checkpoint.
    """
    means = scores.pivot_table(index="feature", columns="checkpoint", values="score", aggfunc="mean")
    ordered = means.sort_values(means.columns[-1], ascending=False, kind="stable")
    parts = np.array_split(np.arange(len(ordered)), min(bins, len(ordered)))
    return pd.DataFrame([ordered.iloc[part].mean() for part in parts])


def rank_stability(scores: pd.DataFrame, share: float = 0.02) -> pd.DataFrame:
    """How well each checkpoint's scores predict those of the last one, run by run.

    `spearman` of the scores, `spearman_loss` of the rise of the loss, and `overlap`: which part of the last
    checkpoint's top `share` was among the top already, ties broken by the loss.
    """
    rows = []
    for (dataset, seed), run in scores.groupby(["dataset", "seed"]):
        values = run.pivot(index="checkpoint", columns="feature", values="score")
        losses = run.pivot(index="checkpoint", columns="feature", values="loss")
        count = count_to_keep(values.shape[1], share)
        pairs = zip(values.to_numpy(), losses.to_numpy(), strict=True)
        tops = [set(keep_top(value, count, losses=loss).kept) for value, loss in pairs]
        for position, checkpoint in enumerate(values.index):
            rows.append(
                {
                    "dataset": dataset,
                    "seed": seed,
                    "checkpoint": checkpoint,
                    "spearman": spearman(values.iloc[position], values.iloc[-1]),
                    "spearman_loss": spearman(losses.iloc[position], losses.iloc[-1]),
                    "overlap": len(tops[position] & tops[-1]) / count,
                }
            )
    return pd.DataFrame(rows)


def summarise_stability(stability: pd.DataFrame) -> pd.DataFrame:
    """Mean and spread over runs, without the last checkpoint, which agrees with itself."""
    last = stability.groupby("dataset")["checkpoint"].transform("max")
    grouped = stability[stability["checkpoint"] < last].groupby(["dataset", "checkpoint"])
    parts = ("spearman", "spearman_loss", "overlap")
    table = pd.concat(
        [grouped[part].agg(["mean", "std"]).add_prefix(f"{part}_") for part in parts] + [grouped.size().rename("runs")],
        axis=1,
    ).reset_index()
    order = in_order(table["dataset"], DATASETS)
    return table.sort_values("dataset", key=lambda names: names.map(order.index), kind="stable", ignore_index=True)


def pearson(one: np.ndarray, other: np.ndarray) -> float:
    """NaN where one of the two does not vary."""
    one, other = np.asarray(one, float), np.asarray(other, float)
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    return float(np.corrcoef(one, other)[0, 1])


def spearman(one: np.ndarray, other: np.ndarray) -> float:
    return pearson(rankdata(one), rankdata(other))
