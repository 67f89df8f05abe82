"""How well each scorer finds the features that carry the label, on synthetic graphs where these are known."""

import numpy as np
import pandas as pd
from pandas.io.formats.style import Styler
from sklearn.metrics import average_precision_score, roc_auc_score

from graphsieve.data.hard_regimes import HARD_REGIMES, relevant_columns
from graphsieve.data.synthetic import REGIMES
from graphsieve.study.grids import best_two, by_row_and_dataset, stack, stack_lines
from graphsieve.study.labels import DATASETS, in_order, label_row, listed, sort_as_paper
from graphsieve.study.markup import MARKUP, label_cells, page_table
from graphsieve.study.statistics import CONFIDENCE, mean_interval

INTERVALS = {"html": "<br><small>{} – {}</small>", "markdown": " ({} – {})", "latex": r" {{\tiny ({}--{})}}"}
RELEVANT = {f"synthetic_{regime}": relevant_columns(regime) for regime in (*REGIMES, *HARD_REGIMES)}
MEASURES = {
    "auroc": "AUROC",
    "average_precision": "Average precision",
    "recall": f"Top-{max(map(len, RELEVANT.values()))} recall",
}


def measure_trials(scores: pd.DataFrame) -> pd.DataFrame:
    """One row per regime, scorer, seed and measure, of the regimes that have relevant features."""
    rows = []
    for (dataset, scorer, seed), trial in scores.groupby(["dataset", "scorer", "seed"]):
        if len(RELEVANT[dataset]):
            truth = trial["feature"].isin(RELEVANT[dataset]).to_numpy()
            columns = {"dataset": dataset, "scorer": scorer, "seed": seed}
            values = measure(truth, trial["score"].to_numpy())
            rows += [{**columns, "measure": name, "value": value} for name, value in values.items()]
    return pd.DataFrame(rows, columns=["dataset", "scorer", "seed", "measure", "value"])


def measure(truth: np.ndarray, scores: np.ndarray) -> dict[str, float]:
    return {
        "auroc": roc_auc_score(truth, scores),
        "average_precision": average_precision_score(truth, scores),
        "recall": top_recall(truth, scores),
    }


def top_recall(truth: np.ndarray, scores: np.ndarray) -> float:
    """The share of the relevant features among as many highest scores; a tie at the cut is drawn by lot."""
    count = truth.sum()
    cut = np.sort(scores)[-count]
    above, tied = scores > cut, scores == cut
    chance = (count - above.sum()) / tied.sum()
    return ((above & truth).sum() + chance * (tied & truth).sum()) / count


def summarise(trials: pd.DataFrame) -> pd.DataFrame:
    """Mean over trials with its interval; no interval for a single trial."""
    rows = [
        {"scorer": scorer, "dataset": dataset, "measure": measure, **share_interval(trial["value"])}
        for (scorer, dataset, measure), trial in trials.groupby(["scorer", "dataset", "measure"])
    ]
    table = pd.DataFrame(rows, columns=["scorer", "dataset", "measure", "mean", "low", "high", "runs"])
    return sort_as_paper(table, "scorer").round(4)


def share_interval(values: pd.Series) -> dict[str, float]:
    """Student's interval of the mean, cut to [0, 1], where every measure lies."""
    found = mean_interval(values)
    low, high = np.clip([found["low"], found["high"]], 0, 1)
    return found | {"low": low, "high": high}


def cells(summary: pd.DataFrame, measure: str, markup: str = "html") -> pd.DataFrame:
    """Scorers by regimes; the highest of a regime (as printed) in bold, the second underlined."""
    table = summary[summary["measure"] == measure]
    places = best_two(table["mean"].round(2), table["dataset"])
    texts = [
        MARKUP[markup][place].format(f"{mean:.2f}")
        + ("" if np.isnan(low) else INTERVALS[markup].format(f"{low:.2f}", f"{high:.2f}"))
        for place, mean, low, high in zip(places, table["mean"], table["low"], table["high"], strict=True)
    ]
    return by_row_and_dataset(table.assign(text=texts), "scorer")


def page(summary: pd.DataFrame, measure: str) -> Styler:
    return page_table(label_cells(cells(summary, measure), "scorer"), measure)


def text(summary: pd.DataFrame, features: int) -> str:
    if summary.empty:
        return "This run has no regime like (b), (d), (f) and (h), so there are no relevant features to find."
    count = max(map(len, RELEVANT.values()))
    return (
        f"## How well the relevant features are found\n\n**AUROC**: how often a relevant feature scores above another. "
        f"**Average precision**: precision, averaged over the places of the relevant ones in the ranking. "
        f"**Top-{count} recall**: how many of the {count} relevant ones are among the {count} highest scores, ties "
        f"drawn by lot; choosing at random finds {count / features:.0%}. Means over {_runs(summary)} trials with "
        f"{CONFIDENCE:.0%} intervals (Student's). {best_sentence(summary)}"
    )


def best_sentence(summary: pd.DataFrame) -> str:
    """Who leads in average precision, regime by regime, and whose intervals reach into the leader's."""
    parts = []
    table = summary[summary["measure"] == "average_precision"]
    for dataset in in_order(table["dataset"], DATASETS):
        regime = table[table["dataset"] == dataset]
        best = regime.loc[regime["mean"].idxmax()]
        near = regime[(regime["high"] >= best["low"]) & (regime["scorer"] != best["scorer"])]
        others = f" (intervals of {listed([label_row(name) for name in near['scorer']])} overlap)" if len(near) else ""
        parts.append(f"{label_row(best['scorer'])} in ({dataset.removeprefix('synthetic_')}){others}")
    return f"Highest average precision: {'; '.join(parts)}."


def _runs(summary: pd.DataFrame) -> str:
    low, high = summary["runs"].min(), summary["runs"].max()
    return f"{low}" if low == high else f"{low} to {high}"


def printed_table(summary: pd.DataFrame) -> dict:
    """The measures below each other, as printed: what `NotebookPage.add_table` takes beside records."""
    present = [name for name in MEASURES if name in set(summary["measure"])]
    parts = {markup: {MEASURES[name]: cells(summary, name, markup) for name in present} for markup in MARKUP}
    return {
        "cells": {markup: stack(tables, "Measure", markup) for markup, tables in parts.items()},
        "title": "Relevant features found",
        "notes": f"Mean over {_runs(summary)} trials and its {CONFIDENCE:.0%} interval." if present else "",
        **stack_lines(parts["html"]),
    }
