"""The table of edges: which nodes they join, their weights, and whatever else is known of them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from graphsieve.data.own.columns import Encoded, as_numbers, encode_columns
from graphsieve.data.own.table_files import Table
from graphsieve.errors import InputError
from graphsieve.options import ReadingOptions

ENDS = ("source", "target")


@dataclass(frozen=True)
class Edges:
    """As in a RawGraph. Where there are attributes, the weight is the first of them as well."""

    index: np.ndarray
    weight: np.ndarray | None
    attributes: np.ndarray | None
    names: tuple[str, ...] | None
    notes: tuple[str, ...]


def encode_edges(edges: Table, nodes: Table, nodes_left: np.ndarray, options: ReadingOptions) -> Edges:
    """The edges among the nodes that are left, each once.

    Rows that join the same nodes become one edge, with the mean of their weights and attributes.
    """
    ends = _node_numbers(edges, nodes)
    weight = _weights(edges) if "weight" in edges.roles else None
    attributes = encode_columns(edges.others, edges.path, options, of="edge")
    _check_finite(edges, attributes)
    left = nodes_left[ends].all(axis=0) & attributes.rows
    columns = np.full((len(left), len(attributes.names)), np.nan)
    columns[attributes.rows] = attributes.values
    named = attributes.names
    if weight is not None:
        columns, named = np.c_[weight, columns], (edges.roles["weight"], *named)
    ends, columns = (np.cumsum(nodes_left) - 1)[ends[:, left]], columns[left]
    if not options.directed:
        ends, columns = np.concatenate([ends, ends[::-1]], axis=1), np.concatenate([columns, columns])
    index, columns = _merge(ends, columns, int(nodes_left.sum()))
    return Edges(
        index=index,
        weight=None if weight is None else columns[:, 0],
        attributes=columns if attributes.names else None,
        names=named if attributes.names else None,
        notes=attributes.notes,
    )


def _node_numbers(edges: Table, nodes: Table) -> np.ndarray:
    """Ends of the edges as positions in the table of nodes."""
    index = pd.Index(nodes.column("id"))
    ends = np.stack([index.get_indexer(edges.column(end)) for end in ENDS]).astype(np.int64)
    unknown = (ends < 0).any(axis=0)
    if unknown.any():
        row = int(np.flatnonzero(unknown)[0])
        end = ENDS[int(ends[0, row] >= 0)]
        raise InputError(
            f"{edges.path}: {unknown.sum()} edges lead to unknown nodes, the first is {end} "
            f"'{edges.column(end).iloc[row]}' in {_place(edges, row)}: "
            f"add these nodes to {nodes.path.name} or drop the edges"
        )
    return ends


def _weights(edges: Table) -> np.ndarray:
    weights = edges.column("weight")
    numbers = as_numbers(weights)
    if numbers is None:
        numbers = pd.to_numeric(weights, errors="coerce").to_numpy(float)
    bad = ~(np.abs(numbers) <= np.finfo(np.float32).max)
    if bad.any():
        raise InputError(
            f"{edges.path}: {bad.sum()} weights are not finite numbers, the first in "
            f"{_place(edges, int(bad.argmax()))}: mend or drop these edges"
        )
    return numbers


def _check_finite(edges: Table, attributes: Encoded) -> None:
    bad = ~(np.abs(attributes.values) <= np.finfo(np.float32).max)
    if bad.any():
        name, row = attributes.names[int(bad.any(axis=0).argmax())], int(bad.any(axis=1).argmax())
        place = _place(edges, int(np.flatnonzero(attributes.rows)[row]))
        raise InputError(
            f"{edges.path}: column '{name}' has values that are infinite or too large, the first in {place}: "
            "mend or drop them"
        )


def _place(table: Table, row: int) -> str:
    """Where a row stands; the first line of a text has the names."""
    return f"row {row + 1}" if table.path.suffix == ".parquet" else f"line {row + 2}"


def _merge(ends: np.ndarray, columns: np.ndarray, num_nodes: int) -> tuple[np.ndarray, np.ndarray]:
    codes, place, times = np.unique(ends[0] * num_nodes + ends[1], return_inverse=True, return_counts=True)
    means = np.empty((len(codes), columns.shape[1]))
    for number, column in enumerate(columns.T):
        means[:, number] = np.bincount(place, column, len(codes)) / times
    return np.stack(np.divmod(codes, num_nodes)).astype(np.int64), means
