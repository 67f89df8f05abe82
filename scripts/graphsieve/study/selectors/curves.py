"""Accuracy against the number of features kept, for every scorer on every graph, and the area under that curve.

The curve of a scorer ends with all features, where all scorers have the same model. Its area is the mean accuracy over
the logarithm of the number kept: from 1 to 2 % counts as much as from 10 to 20 %.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.integrate import trapezoid

from graphsieve.study.families import overlap_of
from graphsieve.study.grids import best_two, by_row_and_dataset
from graphsieve.study.labels import base, group_breaks, metric_of, name_metric, sort_as_paper
from graphsieve.study.markup import MARKUP, label_cells
from graphsieve.study.runs import models_apart
from graphsieve.study.statistics import mean_test

CURVE = ["dataset", "scorer", "seed"]  # tells the curves of single runs apart
TUNED = "†"


def points(records: pd.DataFrame, shares: Sequence[float]) -> pd.DataFrame:
    """One row per graph, scorer, seed and number of features kept: `percent` of them, and `accuracy` in percent.

    Graphs that were run with several models, or are reported by another metric than accuracy, are named with it.
    """
    named = zip(models_apart(records)["dataset"], metric_of(records), strict=True)
    records = records.assign(dataset=[name_metric(*pair) for pair in named], accuracy=100 * records["test_accuracy"])
    everything = records["scorer"] == "all"
    wanted = np.isclose(records["share"].to_numpy()[:, None], np.asarray(shares)).any(axis=1)
    selected = records[wanted & ~everything]
    ends = records[everything].drop(columns="scorer").merge(selected[CURVE].drop_duplicates(), on=["dataset", "seed"])
    table = pd.concat([selected, ends]).drop_duplicates([*CURVE, "kept"])
    table = table.assign(percent=100 * table["kept"] / table["features"])
    columns = [*CURVE, "split", "features", "kept", "percent", "accuracy"]
    return sort_as_paper(table.sort_values(["seed", "kept"])[columns], "scorer")


def mean_curves(runs: pd.DataFrame) -> pd.DataFrame:
    """Mean over seeds with its 95 % interval, which allows for splits that overlap."""
    means = _means(runs, ["dataset", "scorer", "kept", "percent"], "accuracy")
    return means.assign(low=means["low"].clip(lower=0), high=means["high"].clip(upper=100))


def areas(runs: pd.DataFrame) -> pd.DataFrame:
    """The area under every run's curve, as a mean accuracy in percent."""
    rows = [
        {**dict(zip(CURVE, names, strict=True)), "split": run["split"].iloc[0], "area": area(run)}
        for names, run in runs.groupby(CURVE, sort=False)
    ]
    return pd.DataFrame(rows, columns=[*CURVE, "split", "area"])


def area(run: pd.DataFrame) -> float:
    """Of one curve.

    >>> round(area(pd.DataFrame({"kept": [1, 10, 100], "accuracy": [50, 70, 80]})), 6)  # the mean of 60 and 75
    67.5
    """
    run = run.sort_values("kept")
    place = np.log(run["kept"].to_numpy(float))
    if len(run) == 1:
        return float(run["accuracy"].iloc[0])
    return float(trapezoid(run["accuracy"], place) / np.ptp(place))


def mean_areas(found: pd.DataFrame) -> pd.DataFrame:
    """Of every scorer on every graph."""
    return _means(found, ["dataset", "scorer"], "area")


def _means(runs: pd.DataFrame, by: list[str], value: str) -> pd.DataFrame:
    overlap = overlap_of(runs)
    rows = [
        {**dict(zip(by, names, strict=True)), **mean_test(part[value], overlap)}
        for names, part in runs.groupby(by, sort=False)
    ]
    table = pd.DataFrame(rows, columns=[*by, "mean", "low", "high", "p_value", "standard_error", "runs"])
    return table.drop(columns=["p_value", "standard_error"])


def is_tuned(scorer: str, dataset: str, tuned_on: dict[str, list[str]]) -> bool:
    """Whether the graph had a say in how the scorer works."""
    return base(dataset) in tuned_on.get(scorer, ())


def untouched(datasets: Sequence[str], tuned_on: dict[str, list[str]]) -> list[str]:
    """The graphs on which no scorer was tuned."""
    return [name for name in datasets if not any(is_tuned(scorer, name, tuned_on) for scorer in tuned_on)]


def area_cells(means: pd.DataFrame, tuned_on: dict[str, list[str]], markup: str = "html") -> pd.DataFrame:
    """Scorers by graphs, the highest of a graph in bold and the second underlined; marked where it was tuned."""
    places = best_two(means["mean"].round(2), means["dataset"])
    texts = [
        MARKUP[markup][place].format(f"{mean:.2f}") + TUNED * is_tuned(scorer, dataset, tuned_on)
        for place, mean, scorer, dataset in zip(places, means["mean"], means["scorer"], means["dataset"], strict=True)
    ]
    return by_row_and_dataset(means.assign(text=texts), "scorer")


def printed_areas(means: pd.DataFrame, tuned_on: dict[str, list[str]]) -> dict:
    """The table as it is printed: what `NotebookPage.add_table` takes beside records."""
    cells = {markup: area_cells(means, tuned_on, markup) for markup in MARKUP}
    return {
        "cells": {markup: label_cells(table, "scorer", markup) for markup, table in cells.items()},
        "title": "Area under the curve of accuracy against features kept",
        "notes": f"Mean accuracy (%) over the logarithm of the number of features kept, then over {_runs(means)} runs. "
        f"Best in bold, second best underlined. {tuned_sentence(tuned_on)}".strip(),
        "breaks": group_breaks(cells["html"].columns),
    }


def tuned_sentence(tuned_on: dict[str, list[str]]) -> str:
    return f"{TUNED}: test accuracies on this graph had a say in how the scorer works." if tuned_on else ""


def _runs(means: pd.DataFrame) -> str:
    low, high = means["runs"].min(), means["runs"].max()
    return f"{low}" if low == high else f"{low} to {high}"
