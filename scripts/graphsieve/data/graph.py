"""The one graph type that flows through the study: NumPy arrays, so that a table script need not import torch."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from graphsieve.errors import InputError
from graphsieve.files.reading import read_npz
from graphsieve.files.writing import write_npz

UNLABELLED = -1
EDGE_VALUES = ("edge_weight", "edge_attr")
NAMES = ("feature_names", "column_groups", "edge_names")


@dataclass(frozen=True)
class Split:
    """Node indices of the three parts, each sorted."""

    train: np.ndarray
    val: np.ndarray
    test: np.ndarray


@dataclass(frozen=True)
class Graph:
    """Nodes with features and labels. `edge_index` holds an undirected edge in both directions.

    y: class numbers, or floats where the label is a quantity; then num_classes is 0. An unlabelled node has
        UNLABELLED, or NaN among quantities, and is in no split.
    column_groups: for every column of x, the column of the user's table it was made of: those of one text column share
        a name.
    edge_weight, edge_attr: a number, and a row of numbers, for every column of edge_index; edge_names names the latter.
    """

    name: str
    x: np.ndarray
    edge_index: np.ndarray
    y: np.ndarray
    num_classes: int
    feature_names: tuple[str, ...] | None = None
    public_split: Split | None = None
    column_groups: tuple[str, ...] | None = None
    edge_weight: np.ndarray | None = None
    edge_attr: np.ndarray | None = None
    edge_names: tuple[str, ...] | None = None

    @property
    def num_nodes(self) -> int:
        return self.x.shape[0]

    @property
    def num_features(self) -> int:
        return self.x.shape[1]

    def names(self) -> list[str]:
        """A name for every column: its own where the graph has them, else its number."""
        return list(self.feature_names or (str(column) for column in range(self.num_features)))

    @property
    def is_regression(self) -> bool:
        return self.num_classes == 0

    @property
    def num_outputs(self) -> int:
        """How many numbers a model returns for a node: a logit for each class, or the quantity."""
        return max(self.num_classes, 1)

    def labelled(self) -> np.ndarray:
        return np.flatnonzero(~np.isnan(self.y) if self.is_regression else self.y != UNLABELLED)

    @property
    def edge_dim(self) -> int:
        """How many attributes an edge has."""
        return 0 if self.edge_attr is None else self.edge_attr.shape[1]

    def edge_values(self) -> dict[str, np.ndarray]:
        """What a model may be given of the edges by name, beside edge_index."""
        return {name: getattr(self, name) for name in EDGE_VALUES if getattr(self, name) is not None}

    def groups(self) -> dict[str, np.ndarray]:
        """The columns that were made of one column of the user's table, where they are several."""
        groups = self.column_groups or ()
        members = {name: np.flatnonzero(np.array(groups) == name) for name in dict.fromkeys(groups)}
        return {name: columns for name, columns in members.items() if len(columns) > 1}


def check_graph(graph: Graph) -> Graph:
    """Refuse what no later step could make sense of."""
    if not np.isfinite(graph.x).all():
        bad = np.flatnonzero(~np.isfinite(graph.x).all(axis=0))
        raise InputError(
            f"dataset '{graph.name}': {len(bad)} features have NaN or infinite values, the first is "
            f"'{graph.names()[bad[0]]}': fill or drop them first"
        )
    if graph.edge_index.size and not (graph.edge_index.min() >= 0 and graph.edge_index.max() < graph.num_nodes):
        raise InputError(
            f"dataset '{graph.name}': edge_index names node {graph.edge_index.max()} (lowest {graph.edge_index.min()}) "
            f"but the nodes are 0 to {graph.num_nodes - 1}: repair the edge list"
        )
    if len(graph.y) != graph.num_nodes:
        raise InputError(
            f"dataset '{graph.name}': {len(graph.y)} labels for {graph.num_nodes} nodes: give one per node"
        )
    _check_labels(graph)
    for part, nodes in vars(graph.public_split).items() if graph.public_split else ():
        if nodes.size and not (nodes.min() >= 0 and nodes.max() < graph.num_nodes):
            raise InputError(
                f"dataset '{graph.name}': the public split's {part} nodes run from {nodes.min()} to {nodes.max()} but "
                f"the nodes are 0 to {graph.num_nodes - 1}: repair the split"
            )
        unlabelled = len(np.setdiff1d(nodes, graph.labelled()))
        if unlabelled:
            raise InputError(
                f"dataset '{graph.name}': {unlabelled} {part} nodes of the public split have no label: take them out"
            )
    return graph


def _check_labels(graph: Graph) -> None:
    if graph.is_regression or not graph.y.size:
        return
    if not (graph.y.min() >= UNLABELLED and graph.y.max() < graph.num_classes):
        raise InputError(
            f"dataset '{graph.name}': labels run from {graph.y.min()} to {graph.y.max()} but the {graph.num_classes} "
            f"classes are 0 to {graph.num_classes - 1}: number the classes from 0"
        )


def induced_subgraph(graph: Graph, nodes: np.ndarray) -> Graph:
    """These nodes and the edges among them; a split of the whole graph does not outlive it."""
    number = np.full(graph.num_nodes, -1)
    number[nodes] = np.arange(len(nodes))
    edges = number[graph.edge_index]
    inside = (edges >= 0).all(axis=0)
    of_edges = {name: values[inside] for name, values in graph.edge_values().items()}
    return replace(
        graph, x=graph.x[nodes], edge_index=edges[:, inside], y=graph.y[nodes], public_split=None, **of_edges
    )


def keep_columns(graph: Graph, columns: np.ndarray) -> Graph:
    kept = {
        field: tuple(np.array(names)[columns].tolist())
        for field in ("feature_names", "column_groups")
        if (names := getattr(graph, field))
    }
    return replace(graph, x=np.ascontiguousarray(graph.x[:, columns]), **kept)


def zero_other_columns(graph: Graph, columns: np.ndarray) -> Graph:
    """As many columns as before, and zeros in all but these."""
    x = np.zeros_like(graph.x)
    x[:, columns] = graph.x[:, columns]
    return replace(graph, x=x)


def describe(graph: Graph) -> dict:
    """The numbers of Table 5, and the other ways in which edges are counted."""
    source, target = graph.edge_index
    loops = source == target
    ends = np.stack([np.minimum(source, target), np.maximum(source, target)])[:, ~loops]
    undirected = np.unique(ends, axis=1)
    links = coo_array((np.ones(undirected.shape[1]), undirected), shape=(graph.num_nodes, graph.num_nodes))
    _, component = connected_components(links, directed=False)
    largest = np.bincount(component).argmax()
    both_labelled = (graph.y[source] != UNLABELLED) & (graph.y[target] != UNLABELLED)
    return {
        "dataset": graph.name,
        "nodes": graph.num_nodes,
        "edges": len(source),
        "features": graph.num_features,
        "classes": graph.num_classes,
        "undirected_edges": undirected.shape[1],
        "component_edges": int(np.sum(component[undirected[0]] == largest)),
        "homophily": _share(graph.y[source] == graph.y[target], both_labelled),
        "isolated_nodes": graph.num_nodes - len(np.unique(undirected)),
    }


def describe_features(graph: Graph) -> pd.DataFrame:
    """One row per feature: its number, its name, and the share of the nodes in which it is not zero."""
    columns = {"feature": range(graph.num_features), "name": graph.names(), "frequency": (graph.x != 0).mean(axis=0)}
    return pd.DataFrame(columns).assign(dataset=graph.name)


def _share(hits: np.ndarray, among: np.ndarray) -> float:
    return float(np.mean(hits[among])) if among.any() else np.nan


def save_graph(graph: Graph, path: str | Path) -> None:
    arrays = {"name": np.array(graph.name), "x": graph.x, "edge_index": graph.edge_index, "y": graph.y}
    arrays["num_classes"] = np.array(graph.num_classes)
    arrays |= graph.edge_values()
    for names in NAMES:
        if getattr(graph, names) is not None:
            arrays[names] = np.array(getattr(graph, names))
    if graph.public_split is not None:
        arrays |= {f"public_{part}": getattr(graph.public_split, part) for part in ("train", "val", "test")}
    write_npz(arrays, path)


def read_graph(path: str | Path) -> Graph:
    arrays = read_npz(path, ["name", "x", "edge_index", "y", "num_classes"])
    public = [arrays.get(f"public_{part}") for part in ("train", "val", "test")]
    return Graph(
        name=str(arrays["name"]),
        x=arrays["x"],
        edge_index=arrays["edge_index"],
        y=arrays["y"],
        num_classes=int(arrays["num_classes"]),
        public_split=None if public[0] is None else Split(*public),
        **{name: arrays[name] for name in EDGE_VALUES if name in arrays},
        **{names: tuple(arrays[names].tolist()) for names in NAMES if names in arrays},
    )
