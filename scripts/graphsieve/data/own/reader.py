"""A graph of the user's own, from a folder of CSV files, an .npz or a .pt: read, checked, and warned about."""

import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from graphsieve.data.graph import Graph, Split, check_graph
from graphsieve.data.own.arrays import read_arrays, read_pyg
from graphsieve.data.own.columns import listed
from graphsieve.data.own.labels import encode_labels
from graphsieve.data.own.raw_graph import RawGraph
from graphsieve.data.own.tables import read_tables
from graphsieve.errors import InputError, one_line, quoted
from graphsieve.options import ReadingOptions

FEW_LABELS = 3
SPLIT_PARTS = ("train", "val", "test")


class GraphWarning(UserWarning):
    """Something about the user's graph that is allowed but seldom meant."""


def read_own_graph(path: str | Path, name: str | None = None, options: ReadingOptions | None = None) -> Graph:
    """The graph at this path, called `name` or else by the name of its file or folder.

    Parameters
    ----------
    path : str or Path
        A folder with nodes.csv and edges.csv, an .npz or a .pt.
    name : str, optional
        What to call the graph.
    options : ReadingOptions, optional
        How tables are read: names of columns, missing values, direction of edges, what labels are.

    Returns
    -------
    Graph
        Checked; what is odd about it, or was changed in reading, is said in warnings of the class `GraphWarning`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp(), "pets")
    >>> folder.mkdir()
    >>> _ = (folder / "nodes.csv").write_text("id;label;age;colour\\na;1,5;3;red\\nb;2,5;4;blue\\nc;;5;red\\n")
    >>> _ = (folder / "edges.csv").write_text("source;target\\na;b\\nb;c\\n")
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore", category=GraphWarning):
    ...     graph = read_own_graph(folder)
    >>> graph.names(), graph.is_regression
    (['age', 'colour=blue', 'colour=red'], True)
    """
    path, options = Path(path), options or ReadingOptions()
    try:
        return _read(path, name, options)
    except InputError as error:
        raise InputError(one_line(str(error))) from None
    except OSError as error:
        raise InputError(one_line(f"{path} cannot be read ({error}): make it readable")) from None
    except MemoryError:
        raise InputError(f"{path} does not fit in memory: give a smaller file, or use a larger machine") from None


def _read(path: Path, name: str | None, options: ReadingOptions) -> Graph:
    if not path.exists():
        raise InputError(f"{path} does not exist: give a folder with nodes.csv and edges.csv, an .npz or a .pt")
    if path.is_dir():
        raw = read_tables(path, options)
    elif path.suffix in READERS:
        raw = READERS[path.suffix](path, options)
    else:
        raise InputError(f"{path} is neither a folder with nodes.csv and edges.csv, nor an .npz, nor a .pt")
    whole = path.resolve()
    return assemble(raw, path, name or (whole.name if whole.is_dir() else whole.stem), options.task)


READERS = {".npz": read_arrays, ".pt": read_pyg}


def assemble(raw: RawGraph, path: Path, name: str, task: str | None = None) -> Graph:
    """One checked graph; whatever is refused here is the same for every format."""
    _check_shapes(raw, path)
    _check_finite(raw, path)
    labels = encode_labels(raw.labels, task, path)
    graph = Graph(
        name=name,
        x=np.ascontiguousarray(raw.x, dtype=np.float32),
        edge_index=np.ascontiguousarray(raw.edge_index, dtype=np.int64),
        y=labels.y,
        num_classes=len(labels.classes),
        feature_names=raw.feature_names,
        public_split=_split(raw.masks, len(labels.y), path),
        column_groups=raw.column_groups,
        edge_weight=_as_floats(raw.edge_weight),
        edge_attr=_as_floats(raw.edge_attr),
        edge_names=raw.edge_names,
    )
    check_graph(graph)
    for sentence in [*raw.notes, *labels.notes, *_oddities(graph, labels.classes)]:
        warnings.warn(one_line(f"{path}: {sentence}"), GraphWarning, stacklevel=4)
    return graph


def _as_floats(values: np.ndarray | None) -> np.ndarray | None:
    return None if values is None else np.ascontiguousarray(values, dtype=np.float32)


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
    for name, dimensions in (("edge_weight", 1), ("edge_attr", 2)):
        values, count = getattr(raw, name), raw.edge_index.shape[1]
        if values is not None and (values.ndim != dimensions or len(values) != count or 0 in values.shape[1:]):
            raise InputError(f"{path}: {name} has shape {values.shape} for {count} edges: give one row per edge")
    for name, values in (("feature_names", raw.x), ("column_groups", raw.x), ("edge_names", raw.edge_attr)):
        given = getattr(raw, name)
        if given and (values is None or len(given) != values.shape[1]):
            count = 0 if values is None else values.shape[1]
            raise InputError(f"{path}: {len(given)} {name} for {count} columns: give one per column")


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
    for values in (raw.edge_weight, raw.edge_attr):
        if values is not None and not (np.abs(values) <= np.finfo(np.float32).max).all():
            count = np.sum(~(np.abs(values) <= np.finfo(np.float32).max))
            raise InputError(f"{path}: {count} edge weights or attributes are not finite: mend or drop them")


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


def _oddities(graph: Graph, classes: Sequence) -> list[str]:
    sentences = []
    counts = np.bincount(graph.y[graph.labelled()]) if classes else np.empty(0)
    rare = [quoted(classes[number]) for number in np.flatnonzero(counts < FEW_LABELS)]
    if rare:
        sentences.append(f"fewer than {FEW_LABELS} nodes are labelled {listed(rare)}: this can hardly be learnt")
    constant = [quoted(graph.names()[column]) for column in np.flatnonzero((graph.x == graph.x[:1]).all(axis=0))]
    if constant:
        sentences.append(f"constant columns cannot matter: {listed(constant)}")
    source, target = graph.edge_index[:, graph.edge_index[0] != graph.edge_index[1]]
    isolated = graph.num_nodes - len(np.union1d(source, target))
    if isolated:
        sentences.append(f"{isolated} of {graph.num_nodes} nodes have no edge to another node")
    return sentences
