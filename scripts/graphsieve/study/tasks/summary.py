"""What is left of a task's quality when only some columns are kept, and which columns those are."""

import numpy as np
import pandas as pd

from graphsieve.data.planted import COLUMNS as PLANTED_COLUMNS
from graphsieve.selection.how_few import smallest_without_loss, standard_error
from graphsieve.study.grids import with_latex_signs
from graphsieve.study.statistics import mean_interval
from graphsieve.study.tasks.names import DESCRIPTIONS, METRICS, RANKINGS

SHOWN_COLUMNS = 8  # of every task, in the picture


def summarise(records: pd.DataFrame) -> pd.DataFrame:
    """Mean and sample standard deviation over seeds, for every task, ranking and number of columns."""
    groups = records.groupby(["task", "metric", "ranking", "kept"])["test"]
    table = groups.agg(["mean", "std", "size"]).rename(columns={"size": "runs"}).reset_index()
    order = [list(DESCRIPTIONS).index(task) for task in table["task"]]
    return table.iloc[np.lexsort([-table["kept"], table["ranking"], order])].reset_index(drop=True).round(4)


def enough_columns(records: pd.DataFrame) -> pd.DataFrame:
    """For every task, the fewest columns, taken by importance, that lose no more than one standard error.

    A loss is against all columns, paired by seed; no larger number of columns may lose more either.
    """
    rows = []
    for task in _tasks(records):
        runs = records[records["task"] == task].pivot_table(index="seed", columns=["ranking", "kept"], values="test")
        every = max(runs["importance"].columns)
        losses = {kept: runs["importance", every] - values for kept, values in runs["importance"].items()}
        curve = [
            {"kept": kept, "loss": loss.mean(), "loss_standard_error": standard_error(loss.to_numpy())}
            for kept, loss in losses.items()
        ]
        chosen = smallest_without_loss(pd.DataFrame(curve))
        means = {ranking: runs[ranking, chosen].mean() for ranking in RANKINGS}
        gain = mean_interval(runs["importance", chosen] - runs["random", chosen])
        rows.append(
            {"task": task, "columns": every, "all": runs["importance", every].mean(), "enough": chosen, **means,
             "gain_low": gain["low"], "gain_high": gain["high"], "runs": len(runs)}
        )  # fmt: skip
    return pd.DataFrame(rows).round(4)


def top_columns(scores: pd.DataFrame) -> pd.DataFrame:
    """The columns with the highest mean score of every task."""
    table = scores.groupby(["task", "column"])["score"].agg(["mean", "std"]).reset_index()
    best = [
        table[table["task"] == task].sort_values("mean", ascending=False, kind="stable").head(SHOWN_COLUMNS)
        for task in _tasks(scores)
    ]
    return pd.concat(best).reset_index(drop=True)


def planted_found(scores: pd.DataFrame) -> str:
    """How many of the planted columns are among as many with the highest scores."""
    runs = scores[scores["task"] == "planted"]
    if runs.empty:
        return ""
    planted = sum(count for kind, count in PLANTED_COLUMNS.items() if kind != "noise")
    found = [
        int((~run.nlargest(planted, "score")["column"].str.startswith("noise")).sum())
        for _, run in runs.groupby("seed")
    ]
    return (
        f"On the generated graphs, {np.mean(found):.1f} of the {planted} planted columns are among the {planted} with "
        f"the highest scores (mean over {len(found)} graphs)."
    )


def descriptions(records: pd.DataFrame) -> str:
    """A line for every task of the run."""
    lines = [
        f"- *{DESCRIPTIONS[task].label}* ({METRICS[DESCRIPTIONS[task].metric]}): {DESCRIPTIONS[task].says}."
        for task in _tasks(records)
    ]
    return "\n".join(lines)


def cells(enough: pd.DataFrame) -> pd.DataFrame:
    """The table as a reader sees it."""
    texts = {
        "Task": enough["task"].map(lambda task: DESCRIPTIONS[task].label),
        "Metric": enough["task"].map(lambda task: METRICS[DESCRIPTIONS[task].metric]),
        "Columns": enough["columns"].astype(str),
        "All": enough["all"].map("{:.3f}".format),
        "Enough": enough["enough"].astype(str),
        **{name.capitalize(): enough[ranking].map("{:.3f}".format) for ranking, name in RANKINGS.items()},
    }
    return pd.DataFrame(texts).set_index("Task")


def printed_table(enough: pd.DataFrame) -> dict:
    """The table as it is printed, with title and notes: what `NotebookPage.add_table` takes beside records."""
    shown = cells(enough)
    return {
        "cells": {"html": shown, "markdown": shown, "latex": with_latex_signs(shown)},
        "title": "How many columns other tasks need",
        "notes": "Test parts, means over seeds. Enough: the fewest columns, taken by importance, that lose no more "
        "than one standard error against all columns; beside it as many columns at random.",
    }


def _tasks(table: pd.DataFrame) -> list[str]:
    return [task for task in DESCRIPTIONS if task in set(table["task"])]
