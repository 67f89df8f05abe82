"""Tables of accuracies: in the paper's order, with its marks, beside its published numbers. Accuracies in percent.

Where models are reported by another metric, what is called accuracy here is that one, and the dataset's name says so.
"""

import pandas as pd

from graphsieve.study.agreement import AGREES, agreement
from graphsieve.study.grids import best_two, by_row_and_dataset
from graphsieve.study.labels import (
    DATASETS,
    FULL_MODELS,
    ROW_TITLES,
    ROWS,
    base,
    group_breaks,
    in_order,
    label_dataset,
    label_row,
    listed,
    measure_of,
    metric_of,
    name_metric,
    runs_text,
    sort_as_paper,
)
from graphsieve.study.markup import MARKUP, difference_text, label_cells, p_text, signed
from graphsieve.study.runs import apart

PUBLISHED_NOTE = "Below ours the published number, shaded where the two disagree."
COMPARISON_NOTE = (
    "In every cell: ours; below it the published mean ± standard deviation; below that the difference, ours less "
    "published. It is shaded where the two disagree: where Welch's 95 % interval leaves out zero. (The published "
    "deviations fit division by n, not n\u00a0−\u00a01, on the datasets small enough to tell, and are enlarged for the "
    "test; they are of five runs, those of random features of 25. A single run of ours agrees where it could be one "
    "more of theirs.)"
)


def summarise(records: pd.DataFrame, row: str) -> pd.DataFrame:
    """Mean and sample standard deviation (n - 1; NaN for a single run) of the test accuracy, in the paper's order."""
    records = name_variants(records, row).assign(accuracy=100 * records["test_accuracy"])
    summary = records.groupby([row, "dataset"], as_index=False).agg(
        accuracy_mean=("accuracy", "mean"), accuracy_std=("accuracy", "std"), runs=("accuracy", "size")
    )
    return sort_as_paper(summary, row).round(4)


def name_variants(records: pd.DataFrame, row: str) -> pd.DataFrame:
    """A dataset that was run with several models or splits becomes several, as in `cora (gin)`: none are averaged.

    One that is reported by another metric than accuracy is named with it, as in `tolokers (ROC AUC)`.
    """
    for choice in ("model", "split"):
        records = apart(records, row, choice)
    names = zip(records["dataset"], metric_of(records), strict=True)
    return records.assign(dataset=[name_metric(*pair) for pair in names])


def places(summary: pd.DataFrame, row: str, reference: str = "") -> pd.Series:
    """1 for the best of each dataset, 2 for the second best, 0 for the rest and for `reference`, which stands apart.

    As in the paper, equal means as printed (two decimals) share a place.
    """
    competing = summary["accuracy_mean"].round(2).where(summary[row] != reference)
    return best_two(competing, summary["dataset"])


def accuracy_cells(summary: pd.DataFrame, row: str, reference: str = "", markup: str = "html") -> pd.DataFrame:
    """The table as the paper prints it: a text `mean ± std` for every row and dataset, empty where nothing was run."""
    marked, deviation = MARKUP[markup][:3], MARKUP[markup][3]
    texts = [
        marked[place].format(f"{mean:.2f}") + ("" if pd.isna(std) else deviation.format(f"{std:.2f}"))
        for place, mean, std in zip(
            places(summary, row, reference), summary["accuracy_mean"], summary["accuracy_std"], strict=True
        )
    ]
    return by_row_and_dataset(summary.assign(text=texts), row)


def compare(summary: pd.DataFrame, published: pd.DataFrame, row: str) -> pd.DataFrame:
    """The cells that both tables have, and whether they agree."""
    return agreement(summary, published, [row, "dataset"])


def comparison_cells(comparison: pd.DataFrame, row: str) -> pd.DataFrame:
    """Ours, the published value and the difference, one below the other."""
    texts = [
        f"{cell.accuracy_mean:.2f}<br><small>{published_text(cell)}</small><br>"
        f"{difference_text(cell.difference, cell.verdict != AGREES)}"
        for cell in comparison.itertuples(index=False)
    ]
    return by_row_and_dataset(comparison.assign(text=texts), row)


def published_text(cell: tuple) -> str:
    """The published mean and deviation of a row of `compare`."""
    return f"{cell.accuracy_mean_published:.2f} ± {cell.accuracy_std_published:.2f}"


def beside_published(cells: pd.DataFrame, comparison: pd.DataFrame, row: str) -> pd.DataFrame:
    """Cells of a page with the published number below ours, where there is one; marked where they disagree."""
    cells = cells.copy()
    for cell in comparison.itertuples(index=False):
        mark = "<span class='far'>{}</span>" if cell.verdict != AGREES else "{}"
        cells.loc[getattr(cell, row), cell.dataset] += f"<br><small>{mark.format(published_text(cell))}</small>"
    return cells


def apart_cells(comparison: pd.DataFrame, row: str) -> pd.DataFrame:
    """The cells that disagree, the surest first."""
    apart = comparison[comparison["verdict"] != AGREES].sort_values("p_value", kind="stable")
    published = [published_text(cell) for cell in apart.itertuples(index=False)]
    return pd.DataFrame(
        {
            ROW_TITLES.get(row, row): apart[row].map(label_row),
            "Dataset": apart["dataset"].map(label_dataset),
            "Ours": apart["accuracy_mean"].map("{:.2f}".format),
            "Published": published,
            "Difference": apart["difference"].map(signed),
            "95 % interval": [f"{signed(cell.low, 1)} to {signed(cell.high, 1)}" for cell in apart.itertuples()],
            "p": apart["p_value"].map(p_text),
        }
    ).set_index(ROW_TITLES.get(row, row))


def coverage(ours: pd.DataFrame, published: pd.DataFrame, row: str | None = None) -> str:
    """Sentences on the datasets, and the rows where the tables have any, that only one of the two has."""
    known = set(published["dataset"])
    new = [label_dataset(name) for name in in_order(ours["dataset"], DATASETS) if base(name) not in known]
    absent = [label_dataset(name) for name in in_order(published["dataset"], DATASETS) if name not in _bases(ours)]
    new_rows = [label_row(name) for name in _only_in(ours, published, row)]
    absent_rows = [label_row(name) for name in _only_in(published, ours, row)]
    sentences = [
        f"Nothing was published for {listed(new)}." if new else "",
        f"The paper has no row {listed(new_rows, 'or')}." if new_rows else "",
        f"The paper also has {listed(absent)}, which this run does not." if absent else "",
        f"The paper also has the rows {listed(absent_rows)}, which this run does not." if absent_rows else "",
    ]
    return " ".join(filter(None, sentences))


def _bases(table: pd.DataFrame) -> set[str]:
    return set(table["dataset"].map(base))


def _only_in(table: pd.DataFrame, other: pd.DataFrame, row: str | None) -> list[str]:
    return [name for name in in_order(table[row], ROWS) if name not in set(other[row])] if row else []


def runs_sentence(summary: pd.DataFrame) -> str:
    runs = summary.groupby("dataset")["runs"].max()
    if runs.max() == 1:
        return f"Test {measure_of(runs.index)} in percent, of a single run."
    spread = "sample standard deviation (n\u00a0−\u00a01)"
    return f"Test {measure_of(runs.index)} in percent, mean ± {spread} over {runs_text(runs)}."


def kept_text(records: pd.DataFrame, reference: str) -> str:
    selected = records[records["scorer"] != reference].groupby("dataset")[["kept", "features"]].first()
    kept = [
        f"{selected.loc[name, 'kept']:,} of {selected.loc[name, 'features']:,} on {label_dataset(name)}"
        for name in in_order(selected.index, DATASETS)
    ]
    return (
        f"## What was kept\n\nFeatures kept: {listed(kept)}. A method that gives many features the same score leaves "
        "the choice among them to the tie rule. The table counts the features that share the score where the cut fell "
        "(mean over runs; 0 where the cut fell between two scores)."
    )


def tie_cells(records: pd.DataFrame, reference: str) -> pd.DataFrame:
    ties = name_variants(records[records["scorer"] != reference].assign(metric="accuracy"), "scorer")
    ties = sort_as_paper(ties.groupby(["scorer", "dataset"], as_index=False)["ties"].mean(), "scorer")
    return by_row_and_dataset(ties.assign(text=ties["ties"].map(lambda mean: f"{round(mean, 1):g}")), "scorer")


def printed_table(
    summary: pd.DataFrame, row: str, *, title: str, reference: str = "", published: pd.DataFrame | None = None
) -> dict:
    """The table as it is printed, with title, notes and lines: what `NotebookPage.add_table` takes beside records.

    On a page the cells also have the published numbers.
    """
    cells = {markup: accuracy_cells(summary, row, reference, markup) for markup in MARKUP}
    names, datasets = cells["html"].index, cells["html"].columns
    compared = [] if published is None else compare(summary, published, row)
    if len(compared):
        cells["html"] = beside_published(cells["html"], compared, row)
    return {
        "cells": {markup: label_cells(table, row, markup) for markup, table in cells.items()},
        "title": title,
        "notes": f"{runs_sentence(summary)} {marks_sentence(reference)}",
        "page_notes": PUBLISHED_NOTE if len(compared) else "",
        "rules": [position for position, name in enumerate(names, 1) if name in FULL_MODELS],
        "breaks": group_breaks(datasets),
    }


def marks_sentence(reference: str) -> str:
    apart = f" (the row {label_row(reference)} does not compete)" if reference else ""
    return f"Best in bold, second best underlined{apart}."
