"""Rank stability: what each checkpoint knows of the final ranking."""

import numpy as np
import pandas as pd

from graphsieve.selection.top import count_to_keep, keep_top
from graphsieve.study.grids import with_latex_signs
from graphsieve.study.labels import DATASETS, in_order, label_dataset
from graphsieve.study.statistics import spearman

COLUMNS = {"spearman": "Spearman", "spearman_loss": "Spearman, loss", "overlap": "Overlap of the top"}


def rank_stability(scores: pd.DataFrame, share: float = 0.02) -> pd.DataFrame:
    """How well each checkpoint's scores predict those of the last one, run by run.

    `spearman` of the scores, `spearman_loss` of the rise of the loss, and `overlap`: which part of the last
    checkpoint's top `share` was among the top already, ties broken by the loss.
    """
    rows = []
    for (dataset, seed), run in scores.groupby(["dataset", "seed"]):
        values, losses = _by_checkpoint(run)
        tops = top_features(run, share)
        final = set(tops[values.index[-1]])
        for position, checkpoint in enumerate(values.index):
            row = {"dataset": dataset, "seed": seed, "checkpoint": checkpoint}
            row["spearman"] = spearman(values.iloc[position], values.iloc[-1])
            row["spearman_loss"] = spearman(losses.iloc[position], losses.iloc[-1])
            row["overlap"] = len(set(tops[checkpoint]) & final) / len(final)
            rows.append(row)
    return pd.DataFrame(rows)


def top_features(run: pd.DataFrame, share: float) -> dict[int, np.ndarray]:
    """Of one run the `share` of the features that ranks highest at every checkpoint, ties broken by the loss.

    A feature is named by its place among those of the run, in the order of their numbers.
    """
    values, losses = _by_checkpoint(run)
    count = count_to_keep(values.shape[1], share)
    pairs = zip(values.index, values.to_numpy(), losses.to_numpy(), strict=True)
    return {checkpoint: keep_top(value, count, losses=loss).kept for checkpoint, value, loss in pairs}


def _by_checkpoint(run: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Scores and losses of one run, a row a checkpoint."""
    score, loss = (run.pivot(index="checkpoint", columns="feature", values=name) for name in ("score", "loss"))
    return score, loss


def summarise(stability: pd.DataFrame) -> pd.DataFrame:
    """Mean and spread over runs, without the last checkpoint, which agrees with itself."""
    last = stability.groupby("dataset")["checkpoint"].transform("max")
    grouped = stability[stability["checkpoint"] < last].groupby(["dataset", "checkpoint"])
    parts = [grouped[part].agg(["mean", "std"]).add_prefix(f"{part}_") for part in COLUMNS]
    table = pd.concat([*parts, grouped.size().rename("runs")], axis=1).reset_index()
    order = in_order(table["dataset"], DATASETS)
    return table.sort_values("dataset", key=lambda names: names.map(order.index), kind="stable", ignore_index=True)


def cells(stability: pd.DataFrame) -> pd.DataFrame:
    """The table as a reader sees it: one row per dataset and checkpoint."""
    texts = {
        title: [_text(*pair) for pair in zip(stability[f"{part}_mean"], stability[f"{part}_std"], strict=True)]
        for part, title in COLUMNS.items()
    }
    names = stability["dataset"].map(label_dataset).where(~stability["dataset"].duplicated(), "")
    table = pd.DataFrame({"Checkpoint": stability["checkpoint"].map(str), **texts})
    return table.set_axis(names).rename_axis("Dataset")


def _text(mean: float, spread: float) -> str:
    if pd.isna(mean):
        return "–"
    return f"{mean:.2f}" + ("" if pd.isna(spread) else f" ± {spread:.2f}")


def printed_table(stability: pd.DataFrame, *, share: float) -> dict:
    """The table as it is printed, with title and notes: what `NotebookPage.add_table` takes beside records."""
    shown = cells(stability)
    return {
        "cells": {"html": shown, "markdown": shown, "latex": with_latex_signs(shown)},
        "title": "Rank stability",
        "notes": (
            "Agreement of each checkpoint's importance with that of the last one: Spearman correlation of the scores "
            f"and of the rise of the loss, and the overlap of the top {share:.0%}; mean ± sample standard deviation "
            "over runs."
        ),
    }
