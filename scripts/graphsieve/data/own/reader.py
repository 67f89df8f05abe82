"""A graph of the user's own, from a folder of CSV files, an .npz or a .pt: read, checked, and warned about."""

import warnings
from pathlib import Path

import numpy as np

from graphsieve.data.graph import UNLABELLED, Graph, Split, check_graph
from graphsieve.data.own.arrays import read_arrays, read_pyg
from graphsieve.data.own.raw_graph import RawGraph
from graphsieve.data.own.tables import read_tables
from graphsieve.errors import InputError

FEW_LABELS = 3
SPLIT_PARTS = ("train", "val", "test")


class GraphWarning(UserWarning):
    """Something about the user's graph that is allowed but seldom meant."""


def read_own_graph(path: str | Path, name: str | None = None) -> Graph:
    """The graph at this path, called `name` or else by the name of its file or folder."""
    path = Path(path)
    if not path.exists():
        raise InputError(f"{path} does not exist: give a folder with nodes.csv and edges.csv, an .npz or a .pt")
    if path.is_dir():
        raw = read_tables(path)
    elif path.suffix in READERS:
        raw = READERS[path.suffix](path)
    else:
        raise InputError(f"{path} is neither a folder with nodes.csv and edges.csv, nor an .npz, nor a .pt")
    whole = path.resolve()
    return assemble(raw, path, name or (whole.name if whole.is_dir() else whole.stem))


READERS = {".npz": read_arrays, ".pt": read_pyg}


def assemble(raw: RawGraph, path: Path, name: str) -> Graph:
    """One checked graph; whatever is refused here is the same for every format."""
    _check_shapes(raw, path)
    _check_finite(raw, path)
    y, classes = encode_labels(raw.labels, path)
    graph = Graph(
        name=name,
        x=np.ascontiguousarray(raw.x, dtype=np.float32),
        edge_index=np.ascontiguousarray(raw.edge_index, dtype=np.int64),
        y=y,
        num_classes=len(classes),
        feature_names=raw.feature_names,
        public_split=_split(raw.masks, len(y), path),
        column_groups=raw.column_groups,
    )
    check_graph(graph)
    for sentence in [*raw.notes, *_oddities(graph, classes)]:
        warnings.warn(f"{path}: {sentence}", GraphWarning, stacklevel=3)
    return graph


def _check_shapes(raw: RawGraph, path: Path) -> None:
    if raw.x.ndim != 2 or 0 in raw.x.shape:
        raise InputError(f"{path}: x has shape {raw.x.shape}: give one row per node and at least one feature column")
    if raw.edge_index.ndim != 2 or len(raw.edge_index) != 2 or raw.edge_index.dtype.kind not in "iu":
        raise InputError(
            f"{path}: edge_index has shape {raw.edge_index.shape} and type {raw.edge_index.dtype}: "
            "give two rows of node numbers"
        )
    if raw.labels.shape != (len(raw.x),):
        raise InputError(f"{path}: labels have shape {raw.labels.shape} for {len(raw.x)} nodes: give one per node")
    if raw.feature_names and len(raw.feature_names) != raw.x.shape[1]:
        raise InputError(
            f"{path}: {len(raw.feature_names)} feature_names for {raw.x.shape[1]} columns of x: give one per column"
        )


def _check_finite(raw: RawGraph, path: Path) -> None:
    # What float32 cannot hold would become infinite later on.
    bad = ~(np.abs(raw.x) <= np.finfo(np.float32).max)
    if bad.any():
        columns = np.flatnonzero(bad.any(axis=0))
        first = columns[0]
        name = raw.feature_names[first] if raw.feature_names else first
        others = f" (and {len(columns) - 1} more columns have some)" if len(columns) > 1 else ""
        raise InputError(
            f"{path}: column '{name}' has {bad[:, first].sum()} missing or infinite values{others}: "
            "fill them in, or drop the column or the nodes"
        )


def encode_labels(labels: np.ndarray, path: Path) -> tuple[np.ndarray, list]:
    """Class numbers from 0 in the order of the labels, UNLABELLED where there is none; and the labels themselves."""
    missing = labels == (UNLABELLED if labels.dtype.kind in "iub" else "")
    if labels.dtype.kind == "f":
        missing = np.isnan(labels)
    known = labels[~missing]
    if not known.size:
        raise InputError(f"{path}: no node has a label: label at least two classes of nodes")
    if labels.dtype.kind == "f":
        if (fractions := known[known != np.round(known)]).size:
            raise InputError(f"{path}: labels such as {fractions[0]:g} are quantities, but labels must be classes")
        known = known.astype(np.int64)
    classes, encoded = np.unique(known, return_inverse=True)
    if len(classes) < 2:
        raise InputError(f"{path}: all {len(known)} labelled nodes are of one class, '{classes[0]}': label another too")
    y = np.full(len(labels), UNLABELLED)
    y[~missing] = encoded
    return y, classes.tolist()


def _split(masks: dict[str, np.ndarray], num_nodes: int, path: Path) -> Split | None:
    if not masks:
        return None
    for part in SPLIT_PARTS:
        mask = masks.get(part)
        if mask is None:
            raise InputError(f"{path} has masks but no {part}_mask: give all of train, val and test, or none")
        if mask.shape != (num_nodes,) or mask.dtype != bool:
            raise InputError(
                f"{path}: {part}_mask has shape {mask.shape} and type {mask.dtype}: give one true or false per node"
            )
        if not mask.any():
            raise InputError(f"{path}: {part}_mask names no node: give all of train, val and test nodes, or no masks")
    shared = np.sum(sum(masks[part].astype(int) for part in SPLIT_PARTS) > 1)
    if shared:
        raise InputError(f"{path}: {shared} nodes are in more than one mask: a node is in one of train, val and test")
    return Split(*(np.flatnonzero(masks[part]) for part in SPLIT_PARTS))


def _oddities(graph: Graph, classes: list) -> list[str]:
    sentences = []
    counts = np.bincount(graph.y[graph.labelled()])
    rare = [str(classes[number]) for number in np.flatnonzero(counts < FEW_LABELS)]
    if rare:
        sentences.append(f"fewer than {FEW_LABELS} nodes are labelled {_first(rare)}: this can hardly be learnt")
    constant = [graph.names()[column] for column in np.flatnonzero((graph.x == graph.x[:1]).all(axis=0))]
    if constant:
        sentences.append(f"constant columns cannot matter: {_first(constant)}")
    source, target = graph.edge_index[:, graph.edge_index[0] != graph.edge_index[1]]
    isolated = graph.num_nodes - len(np.union1d(source, target))
    if isolated:
        sentences.append(f"{isolated} of {graph.num_nodes} nodes have no edge to another node")
    return sentences


def _first(names: list[str], most: int = 5) -> str:
    return ", ".join(f"'{name}'" for name in names[:most]) + (f" and {len(names) - most} more" * (len(names) > most))
