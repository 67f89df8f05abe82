"""Table 4: how the scores of other methods go with those of NPT, averaged over runs."""

import pandas as pd
from pandas.io.formats.style import Styler

from graphsieve.study.grids import best_two, by_row_and_dataset, with_latex_signs
from graphsieve.study.labels import DATASETS, base, group_breaks, in_order, label_dataset, label_row, sort_as_paper
from graphsieve.study.markup import MARKUP, label_cells, page_table
from graphsieve.study.statistics import pearson, spearman

MEASURES = {"pearson_r": pearson, "spearman_r": spearman}
MEASURE_NAMES = {"pearson_r": "Pearson", "spearman_r": "Spearman"}


def correlate(means: pd.DataFrame) -> pd.DataFrame:
    """One row per method and dataset; `means` are the run-averaged scores of every feature, by scorer."""
    rows = []
    for dataset, scores in means.groupby("dataset"):
        by_scorer = scores.pivot(index="feature", columns="scorer", values="mean")
        runs = scores.groupby("scorer")["runs"].min()
        for scorer in by_scorer.columns.drop("npt"):
            values = {name: measure(by_scorer[scorer], by_scorer["npt"]) for name, measure in MEASURES.items()}
            rows.append({"scorer": scorer, "dataset": dataset, **values, "runs": runs[scorer]})
    return sort_as_paper(pd.DataFrame(rows), "scorer").round(4)


def cells(table: pd.DataFrame, measure: str, markup: str = "html") -> pd.DataFrame:
    """Correlations by method and dataset, the highest of a dataset in bold, the second underlined."""
    places = best_two(table[measure], table["dataset"])
    texts = [MARKUP[markup][place].format(_number(value)) for place, value in zip(places, table[measure], strict=True)]
    return by_row_and_dataset(table.assign(text=texts), "scorer")


def _number(value: float, digits: int = 4) -> str:
    return "–" if pd.isna(value) else f"{value:.{digits}f}".replace("-", "−")


def comparison_cells(table: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Ours and, below it, the published value; only the cells that both have."""
    both = _beside(table, published)
    texts = [
        f"{_number(a)}<br><small>{_number(b)}</small>" for a, b in zip(both["pearson_r"], both["theirs"], strict=True)
    ]
    return by_row_and_dataset(both.assign(text=texts, dataset=both["full"]), "scorer")


def _beside(table: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """The cells that both have: `theirs` is the published value, `full` the dataset's whole name."""
    theirs = published.rename(columns={"pearson_r": "theirs"}).dropna()
    named = table.assign(full=table["dataset"], dataset=table["dataset"].map(base))
    return named.merge(theirs, on=["scorer", "dataset"])


def distance(table: pd.DataFrame, published: pd.DataFrame) -> float:
    """How far, on average, ours are from the published numbers.

    >>> ours = pd.DataFrame([{"scorer": "mi", "dataset": "cora", "pearson_r": 0.5}])
    >>> paper = pd.DataFrame([{"scorer": "mi", "dataset": "cora", "pearson_r": 0.75}])
    >>> distance(ours, paper)
    0.25
    """
    both = _beside(table, published)
    return float((both["pearson_r"] - both["theirs"]).abs().mean())


def readings_text(signed: pd.DataFrame, sizes: pd.DataFrame, published: pd.DataFrame) -> str:
    """Which reading of the paper is nearer to its numbers."""
    return (
        "The paper does not say whether a feature whose permutation helps the model counts as unimportant (its score "
        "is below zero) or as important (the score is far from zero). The mean distance to the published numbers is "
        f"**{distance(signed, published):.2f}** with the scores as they are and "
        f"**{distance(sizes, published):.2f}** with their sizes. In every cell: with the scores as they are, with "
        "their sizes, and the published value."
    )


def readings_cells(signed: pd.DataFrame, sizes: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """With the scores as they are, with their sizes, and as published; only the cells that all have."""
    both = _beside(signed, published).merge(_beside(sizes, published), on=["scorer", "full"], suffixes=("", "_sizes"))
    columns = ("pearson_r", "pearson_r_sizes", "theirs")
    texts = [" · ".join(_number(value, 2) for value in row) for row in zip(*map(both.get, columns), strict=True)]
    return by_row_and_dataset(both.assign(text=texts, dataset=both["full"]), "scorer")


def page(table_cells: pd.DataFrame, name: str) -> Styler:
    return page_table(label_cells(table_cells, "scorer"), name, breaks=group_breaks(table_cells.columns))


def strongest_sentence(table: pd.DataFrame) -> str:
    """Which method goes with NPT best on every dataset."""
    best = table.loc[table.groupby("dataset")["pearson_r"].idxmax()].set_index("dataset")
    parts = [
        f"{label_row(best.loc[name, 'scorer'])} on {label_dataset(name)} ({_number(best.loc[name, 'pearson_r'])})"
        for name in in_order(best.index, DATASETS)
    ]
    return f"The method closest to NPT is {', '.join(parts)}."


def records(table: pd.DataFrame, measure: str) -> pd.DataFrame:
    """The numbers of one measure, as they are written."""
    return table[["scorer", "dataset", measure, "runs"]]


def printed_table(table: pd.DataFrame, measure: str, *, title: str, published: pd.DataFrame | None = None) -> dict:
    """One measure as it is printed, with title, notes and lines: what `NotebookPage.add_table` takes beside records.

    On a page the cells also have the published numbers, which are Pearson's.
    """
    marked = {markup: cells(table, measure, markup) for markup in MARKUP}
    if published is not None:
        for cell in _beside(table, published).itertuples(index=False):
            marked["html"].loc[cell.scorer, cell.full] += f"<br><small>{_number(cell.theirs)}</small>"
    marked["latex"] = with_latex_signs(marked["latex"])
    name = MEASURE_NAMES[measure]
    return {
        "cells": {markup: label_cells(shown, "scorer", markup) for markup, shown in marked.items()},
        "title": title,
        "notes": f"{name} correlation between the scores of NPT and of other methods, averaged over runs.",
        "page_notes": "Below ours the published number." if published is not None else "",
        "breaks": group_breaks(marked["html"].columns),
    }
