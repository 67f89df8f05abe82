"""How many of the features that a test selects at a nominal rate are false, on graphs where the truth is known."""

import numpy as np
import pandas as pd

from graphsieve.inference.sets import PROMISES, discovered
from graphsieve.study.grids import by_row_and_dataset
from graphsieve.study.labels import DATASETS, in_order, label_dataset, label_row, listed, sort_as_paper
from graphsieve.study.markup import MARKUP, label_cells
from graphsieve.study.recovery import RELEVANT, share_interval

MEASURES = {"false": "False among those selected", "found": "Relevant ones found"}


def judge_trials(p_values: pd.DataFrame, rate: float) -> pd.DataFrame:
    """One row per regime, test and trial: how many features were selected, which part of them is false, what was found.

    Where nothing is selected, nothing is false; where nothing is relevant, there is nothing to find.
    """
    rows = []
    for (dataset, scorer, seed), trial in p_values.groupby(["dataset", "scorer", "seed"], sort=False):
        selected = discovered(trial["p_value"].to_numpy(float), rate)
        truth = trial["feature"].isin(RELEVANT[dataset]).to_numpy()
        rows.append(
            {
                "dataset": dataset,
                "scorer": scorer,
                "seed": seed,
                "selected": int(selected.sum()),
                "false": (selected & ~truth).sum() / max(1, selected.sum()),
                "found": (selected & truth).sum() / truth.sum() if truth.any() else np.nan,
            }
        )
    return pd.DataFrame(rows)


def summarise(trials: pd.DataFrame) -> pd.DataFrame:
    """Means over trials with their 95 % intervals, measure by measure; the graphs of trials are independent."""
    rows = []
    for (scorer, dataset), part in trials.groupby(["scorer", "dataset"], sort=False):
        for name in MEASURES:
            if part[name].notna().any():
                rows.append({"scorer": scorer, "dataset": dataset, "measure": name, **share_interval(part[name])})
    table = pd.DataFrame(rows, columns=["scorer", "dataset", "measure", "mean", "low", "high", "runs"])
    return sort_as_paper(table, "scorer").round(4)


def verdict_sentences(summary: pd.DataFrame, rate: float) -> str:
    """Of every test the regimes in which it is shown to keep to the rate or to exceed it."""
    false, parts = summary[summary["measure"] == "false"], []
    for scorer, rows in false.groupby("scorer", sort=False):
        above = in_order(rows.loc[rows["low"] > rate, "dataset"], DATASETS)
        names = listed([label_dataset(name).removeprefix("Synthetic ") for name in above]) if above else ""
        parts.append(
            f"**{label_row(scorer)}** is shown to exceed it in {names}"
            if above
            else f"**{label_row(scorer)}** is nowhere shown to exceed it"
        )
    return "; ".join(parts) + "."


def how_text(summary: pd.DataFrame, rate: float) -> str:
    return (
        "Not every scorer offers a set: most have a ranking alone, and how many to keep is up to whoever asks. These "
        "have a p-value for every feature, and Benjamini and Hochberg's rule keeps as many as the nominal rate of "
        f"{100 * rate:g} % allows:\n\n{promises(summary)}\n\nFalse is every feature but those that make the label, "
        "hence copies of them and smooth columns, too; a test of a column by itself must take a copy for relevant, and "
        f"only one beside the other columns can tell. Against the nominal rate: {verdict_sentences(summary, rate)}"
    )


def cells(summary: pd.DataFrame, rate: float, markup: str = "html") -> pd.DataFrame:
    """Tests by regimes: the rate of false ones, and below it the share of the relevant ones that were found.

    A rate is in bold where its interval lies above the nominal one.
    """
    wide = summary.pivot(index=["scorer", "dataset"], columns="measure", values=["mean", "low"])
    below = {"html": "<br><small>{} found</small>", "markdown": " ({} found)", "latex": r" {{\tiny ({} found)}}"}
    rows = []
    for (scorer, dataset), row in wide.iterrows():
        marked = MARKUP[markup][int(row["low", "false"] > rate)].format(f"{row['mean', 'false']:.2f}")
        found = row.get(("mean", "found"), np.nan)
        rows.append(
            {
                "scorer": scorer,
                "dataset": dataset,
                "text": marked + ("" if np.isnan(found) else below[markup].format(f"{found:.2f}")),
            }
        )
    return by_row_and_dataset(sort_as_paper(pd.DataFrame(rows), "scorer"), "scorer")


def printed_table(summary: pd.DataFrame, rate: float) -> dict:
    """The table as it is printed: what `NotebookPage.add_table` takes beside records."""
    low, high = summary["runs"].min(), summary["runs"].max()
    return {
        "cells": {markup: label_cells(cells(summary, rate, markup), "scorer", markup) for markup in MARKUP},
        "title": f"False discoveries at a nominal rate of {100 * rate:g} %",
        "notes": f"Mean over {low if low == high else f'{low} to {high}'} trials of the share of false features among "
        f"those selected, in bold where its 95 % interval lies above {100 * rate:g} %; below it the share of the "
        "relevant features that were found.",
    }


def promises(summary: pd.DataFrame) -> str:
    """What the tests of a run are, as a list."""
    names = [name for name in PROMISES if name in set(summary["scorer"])]
    return "\n".join(f"- **{label_row(name)}**: {PROMISES[name]}." for name in names)
