"""A folder with a table of nodes (id, label, features) and one of edges (source, target, perhaps weight and others).

An empty label means unlabelled. A row of the edges joins its two nodes in both directions, unless they are directed.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from graphsieve.data.own.columns import as_numbers, encode_columns
from graphsieve.data.own.edge_table import encode_edges
from graphsieve.data.own.raw_graph import RawGraph
from graphsieve.data.own.table_files import MISSING, Table, find_table, read_table
from graphsieve.errors import InputError, quoted
from graphsieve.options import ReadingOptions


def read_tables(folder: Path, options: ReadingOptions) -> RawGraph:
    nodes = read_table(find_table(folder, "nodes"), {"id": options.id, "label": options.label})
    ends = {"source": options.source, "target": options.target}
    edges = read_table(find_table(folder, "edges"), ends, {"weight": options.weight})
    _check_ids(nodes)
    _check_kept(nodes, edges, options)
    features = encode_columns(nodes.others, nodes.path, options)
    if not features.names:
        why = f" ({'; '.join(features.notes)})" if features.notes else ""
        raise InputError(f"{nodes.path} has no feature columns that can be used{why}: add some beside id and label")
    if not features.rows.any():
        raise InputError(f"{nodes.path}: every node has a missing value: choose another way with --missing")
    links = encode_edges(edges, nodes, features.rows, options)
    labels, label_notes = _labels(nodes.column("label")[features.rows])
    return RawGraph(
        x=features.values,
        edge_index=links.index,
        labels=labels,
        feature_names=features.names,
        column_groups=features.groups,
        edge_weight=links.weight,
        edge_attr=links.attributes,
        edge_names=links.names,
        notes=(*nodes.notes, *edges.notes, *features.notes, *links.notes, *label_notes),
    )


def _check_ids(nodes: Table) -> None:
    ids = nodes.column("id")
    if ids.isna().any():
        raise InputError(f"{nodes.path}: {ids.isna().sum()} nodes have no id: give each its own")
    repeated = ids.duplicated()
    if repeated.any():
        raise InputError(
            f"{nodes.path}: {repeated.sum()} ids are duplicates, the first is {quoted(ids[repeated].iloc[0])}: "
            "give every node its own"
        )


def _check_kept(nodes: Table, edges: Table, options: ReadingOptions) -> None:
    unknown = set(options.keep) - set(nodes.others) - set(edges.others)
    if unknown:
        raise InputError(f"{nodes.path} has no feature column {quoted(min(unknown))} to keep: name one of its columns")


def _labels(labels: pd.Series) -> tuple[np.ndarray, tuple[str, ...]]:
    """Numbers where all labels are numbers, so that class 10 comes after class 2; and what to say of them."""
    numbers, notes = as_numbers(labels), ()
    if numbers is None:
        numbers, notes = _numbers_with_gaps(labels)
    return (labels.fillna("").to_numpy(str) if numbers is None else numbers), notes


def _numbers_with_gaps(labels: pd.Series) -> tuple[np.ndarray | None, tuple[str, ...]]:
    """NaN for words like NA, where all other labels are numbers; beside other texts such a word is a class."""
    gaps = labels.isin(MISSING)
    numbers = as_numbers(labels[~gaps])
    if numbers is None or np.isnan(numbers).all():
        return None, ()
    words = ", ".join(quoted(word) for word in sorted(labels[gaps].unique()))
    return as_numbers(labels.mask(gaps)), (f"{gaps.sum()} nodes are unlabelled, because their label is {words}",)
