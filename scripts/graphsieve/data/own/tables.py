"""A folder with nodes.csv (id, label, features) and edges.csv (source, target, perhaps weight).

An empty label means unlabelled. A row of edges.csv joins its two nodes in both directions. A column of text becomes one
column of zeros and ones for each of its values.
"""

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

from graphsieve.data.own.raw_graph import WEIGHTS_NOTE, RawGraph
from graphsieve.errors import InputError

NODE_COLUMNS = ("id", "label")
EDGE_COLUMNS = ("source", "target")
MAX_CATEGORIES = 256


def read_tables(folder: Path) -> RawGraph:
    nodes = _read(folder / "nodes.csv", NODE_COLUMNS)
    edges = _read(folder / "edges.csv", EDGE_COLUMNS)
    notes = ()
    if "weight" in edges:
        _check_weights(edges["weight"], folder / "edges.csv")
        notes = (WEIGHTS_NOTE,)
    columns = nodes.drop(columns=list(NODE_COLUMNS))
    if columns.shape[1] == 0:
        raise InputError(f"{folder / 'nodes.csv'} has no feature columns: add some beside id and label")
    x, names, groups = encode_columns(columns, folder / "nodes.csv")
    edge_index = _node_numbers(nodes["id"], edges, folder)
    return RawGraph(x, edge_index, _labels(nodes["label"]), names, groups, notes=notes)


def _read(path: Path, wanted: tuple[str, str]) -> pd.DataFrame:
    """Texts as they are in the `wanted` columns, where only an empty field is missing; pandas decides on the others."""
    if not path.is_file():
        raise InputError(f"{path} does not exist: a graph's folder holds nodes.csv and edges.csv")
    try:
        header = _header(path, wanted)
        missing = {column: [""] if column in wanted else list(MISSING) for column in header}
        return pd.read_csv(
            path,
            encoding="utf-8-sig",
            dtype=dict.fromkeys(wanted, str),
            keep_default_na=False,
            na_values=missing,
            skipinitialspace=True,
            low_memory=False,
            index_col=False,
        )
    except (UnicodeDecodeError, csv.Error, pd.errors.ParserError) as error:
        raise InputError(f"{path} cannot be read as a CSV file in UTF-8: {' '.join(str(error).split())}") from None


MISSING = ("", "NA", "N/A", "n/a", "nan", "NaN", "null", "NULL", "None", "<NA>")


def _header(path: Path, wanted: tuple[str, str]) -> list[str]:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        header = next(csv.reader(lines, skipinitialspace=True), [])
    for column in wanted:
        if column not in header:
            raise InputError(f"{path} has no column '{column}': it needs {' and '.join(wanted)} in its first line")
    repeated = [column for column, times in Counter(header).items() if times > 1]
    if repeated:
        raise InputError(f"{path} has more than one column '{repeated[0]}': give every column its own name")
    return header


def _check_weights(weights: pd.Series, path: Path) -> None:
    bad = ~np.isfinite(pd.to_numeric(weights, errors="coerce").to_numpy(float))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise InputError(
            f"{path}: {bad.sum()} weights are not finite numbers, the first in line {row + 2}: mend or drop these edges"
        )


def _labels(labels: pd.Series) -> np.ndarray:
    """Numbers where all labels are numbers, so that class 10 comes after class 2."""
    numbers = pd.to_numeric(labels, errors="coerce")
    if (numbers.isna() == labels.isna()).all():
        return numbers.to_numpy(float)
    return labels.fillna("").to_numpy(str)


def _node_numbers(ids: pd.Series, edges: pd.DataFrame, folder: Path) -> np.ndarray:
    """Ends of the edges as positions in nodes.csv, both directions, each edge once."""
    if ids.isna().any():
        raise InputError(f"{folder / 'nodes.csv'}: {ids.isna().sum()} nodes have no id: give each its own")
    repeated = ids.duplicated()
    if repeated.any():
        raise InputError(
            f"{folder / 'nodes.csv'}: {repeated.sum()} ids are duplicates, the first is '{ids[repeated].iloc[0]}': "
            "give every node its own"
        )
    index = pd.Index(ids)
    ends = np.stack([index.get_indexer(edges[end]) for end in EDGE_COLUMNS]).astype(np.int64)
    unknown = (ends < 0).any(axis=0)
    if unknown.any():
        row = int(np.flatnonzero(unknown)[0])
        end = EDGE_COLUMNS[int(ends[0, row] >= 0)]
        raise InputError(
            f"{folder / 'edges.csv'}: {unknown.sum()} edges lead to unknown nodes, the first is {end} "
            f"'{edges[end].iloc[row]}' in line {row + 2}: add these nodes to nodes.csv or drop the edges"
        )
    codes = np.unique(np.concatenate([ends[0] * len(ids) + ends[1], ends[1] * len(ids) + ends[0]]))
    return np.stack(np.divmod(codes, len(ids)))


def encode_columns(columns: pd.DataFrame, path: Path) -> tuple[np.ndarray, tuple[str, ...], tuple[str, ...]]:
    """Numbers as they are, texts as one column per value; the names of all columns, and of those they were made of."""
    missing = columns.isna().sum()
    if missing.any():
        name, count = missing.idxmax(), missing.max()
        others = f" (and {(missing > 0).sum() - 1} more columns have some)" if (missing > 0).sum() > 1 else ""
        raise InputError(
            f"{path}: column '{name}' has {count} missing values (NaN){others}: "
            "fill them in, or drop the column or the nodes"
        )
    blocks, names, groups = [], [], []
    for name, column in columns.items():
        if pd.api.types.is_numeric_dtype(column):
            blocks.append(column.to_numpy(np.float64)[:, None])
            names.append(str(name))
        else:
            block, values = _one_hot(column.astype(str), path)
            blocks.append(block)
            names += [f"{name}={value}" for value in values]
        groups += [str(name)] * blocks[-1].shape[1]
    return np.concatenate(blocks, axis=1), tuple(names), tuple(groups)


def _one_hot(column: pd.Series, path: Path) -> tuple[np.ndarray, list[str]]:
    values, codes = np.unique(column.to_numpy(str), return_inverse=True)
    if len(values) > MAX_CATEGORIES:
        texts = column[pd.to_numeric(column, errors="coerce").isna()]
        raise InputError(
            f"{path}: column '{column.name}' is text (the first is '{texts.iloc[0]}') with {len(values)} different "
            f"values, more than {MAX_CATEGORIES}: drop it, or make numbers or fewer values of it"
        )
    return np.eye(len(values), dtype=np.float32)[codes], values.tolist()
