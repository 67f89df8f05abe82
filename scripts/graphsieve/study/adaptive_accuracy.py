"""Table 3: accuracy of adaptive selection where few features remain, beside the published numbers."""

import numpy as np
import pandas as pd
from pandas.io.formats.style import Styler

from graphsieve.errors import InputError
from graphsieve.files.checks import RUN
from graphsieve.study import accuracy
from graphsieve.study.agreement import SHARE, agreement
from graphsieve.study.grids import stack, stack_lines
from graphsieve.study.labels import DATASETS, in_order, label_dataset, listed, measure_of
from graphsieve.study.markup import MARKUP, page_table

FULL = 100.0  # the percentage of the model that prunes nothing
# An interval stands for a published percentage only when it is nearer to it than to the half or the double of it.
NEAR = np.sqrt(2)
ROUNDED = 0.0051  # the published percentages have two decimals
MORE = {"html": "<br><small>at {:.2f} %</small>", "markdown": " (at {:.2f} %)", "latex": r" {{\tiny (at {:.2f}\%)}}"}


def choose_intervals(checkpoints: pd.DataFrame, percents: list[float]) -> pd.DataFrame:
    """Of every run the interval nearest to each published percentage; of the full model its best interval.

    `retained_percent` is the published percentage, `real_percent` what really remained.
    """
    checkpoints = checkpoints.reset_index(drop=True)
    total = checkpoints.groupby("dataset")["features"].transform("max")
    checkpoints = checkpoints.assign(real_percent=100 * checkpoints["features"] / total)
    run = [name for name in RUN if name in checkpoints]
    full = checkpoints[checkpoints["scorer"] == "full"]
    chosen = [full.loc[full.groupby(run)["val_accuracy"].idxmax()].assign(retained_percent=FULL)]
    pruned = checkpoints[checkpoints["scorer"] != "full"]
    for percent in percents:
        ratio = np.exp(np.log(pruned["real_percent"] / percent).abs())
        nearest = pruned.loc[ratio.groupby([pruned[name] for name in run]).idxmin()]
        near = ratio[nearest.index] < NEAR
        chosen.append(nearest[near].assign(retained_percent=percent))
    table = pd.concat(chosen, ignore_index=True)
    if table.empty:
        raise InputError(
            f"no adaptive run keeps near {listed([f'{percent:g}' for percent in percents], 'or')} % of its features: "
            "prune more, or add full to the key adaptive.scorers"
        )
    return table


def summarise(chosen: pd.DataFrame) -> pd.DataFrame:
    """Mean and deviation as in every accuracy table, with what really remained."""
    parts = []
    for percent, records in chosen.groupby("retained_percent", sort=False):
        summary = accuracy.summarise(records, "scorer")
        named = accuracy.name_variants(records, "scorer")
        real = named.groupby(["scorer", "dataset"], as_index=False)[["real_percent", "features"]].mean()
        parts.append(summary.merge(real, on=["scorer", "dataset"]).assign(retained_percent=percent))
    return pd.concat(parts, ignore_index=True)


def accuracy_cells(summary: pd.DataFrame, markup: str = "html") -> dict[float, pd.DataFrame]:
    """One table per percentage, best and second best of each marked; the real percentage where it differs."""
    parts = {}
    for percent, part in summary.groupby("retained_percent", sort=False):
        cells = accuracy.accuracy_cells(part, "scorer", "full", markup)
        for row in part.itertuples():
            if abs(row.real_percent - percent) > ROUNDED:
                cells.loc[row.scorer, row.dataset] += MORE[markup].format(row.real_percent)
        parts[percent] = cells
    return parts


def compare(summary: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """The cells that both tables have, and whether they agree."""
    return agreement(summary, published, [SHARE, "scorer", "dataset"])


def comparison_cells(comparison: pd.DataFrame) -> dict[float, pd.DataFrame]:
    groups = comparison.groupby("retained_percent", sort=False)
    return {percent: accuracy.comparison_cells(part, "scorer") for percent, part in groups}


def page(parts: dict[float, pd.DataFrame], name: str) -> Styler:
    """Tables by percentage, below each other on a notebook's page."""
    named = _by_percent(parts)
    return page_table(stack(named, "%"), name, **stack_lines(named))


def _by_percent(parts: dict[float, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    return {f"{percent:g}": cells for percent, cells in parts.items()}


def gaps_sentence(summary: pd.DataFrame, percents: list[float]) -> str:
    """Datasets that never came near a published percentage."""
    pruned = summary[summary["scorer"] != "full"]
    sentences = []
    for percent in percents:
        there = set(pruned.loc[pruned["retained_percent"] == percent, "dataset"])
        gaps = [label_dataset(name) for name in in_order(summary["dataset"], DATASETS) if name not in there]
        if gaps:
            sentences.append(f"No interval near {percent:g} % on {listed(gaps)}.")
    return " ".join(sentences)


def notes(summary: pd.DataFrame) -> str:
    return (
        f"{accuracy.runs_sentence(summary)} Best of each percentage in bold, second best underlined. Every number is "
        f"taken at the epoch of highest validation {measure_of(summary['dataset'])} within the interval in which that "
        "share of the features remained; where the real share differs from the published one, it is printed beside "
        "the number. The full model, which prunes nothing, is taken at its best epoch of all."
    )


def records(summary: pd.DataFrame) -> pd.DataFrame:
    """The numbers of Table 3, as they are written."""
    return summary[["retained_percent", "scorer", "dataset", "accuracy_mean", "accuracy_std", "runs"]]


def printed_table(summary: pd.DataFrame, *, title: str, published: pd.DataFrame | None = None) -> dict:
    """The table as it is printed, with title, notes and lines: what `NotebookPage.add_table` takes beside records.

    On a page the cells also have the published numbers.
    """
    parts = {markup: accuracy_cells(summary, markup) for markup in MARKUP}
    compared = [] if published is None else compare(summary, published)
    if len(compared):
        for percent, part in compared.groupby(SHARE):
            parts["html"][percent] = accuracy.beside_published(parts["html"][percent], part, "scorer")
    parts = {markup: _by_percent(tables) for markup, tables in parts.items()}
    cells = {markup: stack(tables, "%", markup) for markup, tables in parts.items()}
    page_notes = accuracy.PUBLISHED_NOTE if len(compared) else ""
    lines = stack_lines(parts["html"])
    return {"cells": cells, "title": title, "notes": notes(summary), "page_notes": page_notes, **lines}
