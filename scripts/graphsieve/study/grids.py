"""Texts laid out as tables: rows and datasets in the paper's order, marks, and tables below each other."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from graphsieve.study.labels import DATASETS, group_breaks, in_order, label_dataset, label_row

LATEX_SIGNS = {"±": r"$\pm$", "−": "$-$", "–": "--", "%": r"\%"}


def by_row_and_dataset(table: pd.DataFrame, row: str) -> pd.DataFrame:
    """The column `text` by row and dataset, both still by name; empty where the table has nothing."""
    cells = table.pivot(index=row, columns="dataset", values="text")
    return cells.reindex(index=table[row].unique(), columns=in_order(table["dataset"], DATASETS)).fillna("")


def best_two(values: pd.Series, datasets: pd.Series) -> pd.Series:
    """1 for the highest value of each dataset, 2 for the second highest, 0 for the rest; equal values share a place."""
    rank = values.groupby(datasets).rank(method="dense", ascending=False)
    return rank.where(rank <= 2, 0).astype(int)


def stack(parts: Mapping[str, pd.DataFrame], corner: str, markup: str = "html") -> pd.DataFrame:
    """Tables of methods by datasets below each other, each named once, in a column headed `corner`."""
    datasets = _all_datasets(parts)
    stacked = [pd.DataFrame(columns=["Method", *map(label_dataset, datasets)], dtype=str)]
    for name, cells in parts.items():
        cells = cells.reindex(columns=datasets, fill_value="").rename(columns=label_dataset)
        cells.insert(0, "Method", [label_row(method, markup) for method in cells.index])
        stacked.append(cells.set_axis([name, *[""] * (len(cells) - 1)]))
    return pd.concat(stacked).rename_axis(corner)


def stack_lines(parts: Mapping[str, pd.DataFrame]) -> dict[str, list[int]]:
    """Where to draw lines in stacked tables: `rules` below rows, between the tables; `breaks` before columns."""
    rules = np.cumsum([len(cells) for cells in parts.values()], dtype=int)[:-1].tolist()
    return {"rules": rules, "breaks": [1] + [position + 1 for position in group_breaks(_all_datasets(parts))]}


def _all_datasets(parts: Mapping[str, pd.DataFrame]) -> list[str]:
    return in_order([name for cells in parts.values() for name in cells.columns], DATASETS)


def with_latex_signs(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells of a page, made of numbers and signs alone, as LaTeX writes them."""
    return cells.map(lambda text: text.translate(str.maketrans(LATEX_SIGNS)))
