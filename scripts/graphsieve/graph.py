"""The one graph type that flows through the study: NumPy arrays, so that a table script need not import torch."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from graphsieve.errors import InputError
from graphsieve.randomness import generator
from graphsieve.records import read_npz, write_npz


@dataclass(frozen=True)
class Split:
    """Node indices of the three parts, each sorted."""

    train: np.ndarray
    val: np.ndarray
    test: np.ndarray


@dataclass(frozen=True)
class Graph:
    """A node-classification graph. `edge_index` holds an undirected edge in both directions."""

    name: str
    x: np.ndarray
    edge_index: np.ndarray
    y: np.ndarray
    num_classes: int
    feature_names: tuple[str, ...] | None = None
    public_split: Split | None = None

    @property
    def num_nodes(self) -> int:
        return self.x.shape[0]

    @property
    def num_features(self) -> int:
        return self.x.shape[1]

    def names(self) -> list[str]:
        """A name for every column: its own where the graph has them, else its number."""
        return list(self.feature_names or (str(column) for column in range(self.num_features)))


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
        raise InputError(f"dataset '{graph.name}': {len(graph.y)} labels for {graph.num_nodes} nodes: give one a node")
    if graph.y.size and not (graph.y.min() >= 0 and graph.y.max() < graph.num_classes):
        raise InputError(
            f"dataset '{graph.name}': labels run from {graph.y.min()} to {graph.y.max()} but the {graph.num_classes} "
            f"classes are 0 to {graph.num_classes - 1}: number the classes from 0"
        )
    for part, nodes in vars(graph.public_split).items() if graph.public_split else ():
        if nodes.size and not (nodes.min() >= 0 and nodes.max() < graph.num_nodes):
            raise InputError(
                f"dataset '{graph.name}': the public split's {part} nodes run from {nodes.min()} to {nodes.max()} but "
                f"the nodes are 0 to {graph.num_nodes - 1}: repair the split"
            )
    return graph


def normalise_rows(x: np.ndarray) -> np.ndarray:
    """Each row sums to 1; rows that sum to zero or less stay as they are."""
    sums = x.sum(axis=1, keepdims=True)
    return x / np.where(sums > 0, sums, 1)


NORMALISATIONS = {"none": lambda x: x, "row": normalise_rows}


def random_split(num_nodes: int, seed: int, train: float = 0.7, val: float = 0.1) -> Split:
    """70 / 10 / 20 % of the nodes in random order, drawn anew for every seed."""
    order = generator(seed, "split").permutation(num_nodes)
    first, second = round(train * num_nodes), round((train + val) * num_nodes)
    return Split(*(np.sort(part) for part in np.split(order, [first, second])))


def choose_split(graph: Graph, kind: str, seed: int) -> Split:
    """`random` for this seed, or the `public` one that came with the data; refuses one nothing can be learnt from."""
    if kind == "public":
        if graph.public_split is None:
            raise InputError(f"dataset '{graph.name}' has no public split: set `split: random`")
        split = graph.public_split
    elif kind == "random":
        split = random_split(graph.num_nodes, seed)
    else:
        raise InputError(f"split '{kind}' is unknown: choose random or public")
    for part in ("train", "val", "test"):
        if len(getattr(split, part)) == 0:
            raise InputError(f"dataset '{graph.name}': the {kind} split leaves no {part} nodes: use a larger graph")
    if len(np.unique(graph.y[split.train])) < 2:
        raise InputError(
            f"dataset '{graph.name}': fewer than two classes among the {len(split.train)} training nodes of the {kind} "
            f"split (seed {seed}): nothing can be learnt"
        )
    return split


def classes_without_training_node(graph: Graph, split: Split) -> list[int]:
    return sorted(set(range(graph.num_classes)) - set(graph.y[split.train].tolist()))


def describe(graph: Graph) -> dict:
    """The numbers of Table 5, and the other ways in which edges are counted."""
    source, target = graph.edge_index
    loops = source == target
    ends = np.stack([np.minimum(source, target), np.maximum(source, target)])[:, ~loops]
    undirected = np.unique(ends, axis=1)
    links = coo_array((np.ones(undirected.shape[1]), undirected), shape=(graph.num_nodes, graph.num_nodes))
    _, component = connected_components(links, directed=False)
    largest = np.bincount(component).argmax()
    return {
        "dataset": graph.name,
        "nodes": graph.num_nodes,
        "edges": len(source),
        "features": graph.num_features,
        "classes": graph.num_classes,
        "undirected_edges": undirected.shape[1],
        "component_edges": int(np.sum(component[undirected[0]] == largest)),
        "homophily": float(np.mean(graph.y[source] == graph.y[target])) if len(source) else np.nan,
        "isolated_nodes": graph.num_nodes - len(np.unique(undirected)),
    }


def save_graph(graph: Graph, path: str | Path) -> None:
    arrays = {"name": np.array(graph.name), "x": graph.x, "edge_index": graph.edge_index, "y": graph.y}
    arrays["num_classes"] = np.array(graph.num_classes)
    if graph.feature_names is not None:
        arrays["feature_names"] = np.array(graph.feature_names)
    if graph.public_split is not None:
        arrays |= {f"public_{part}": getattr(graph.public_split, part) for part in ("train", "val", "test")}
    write_npz(arrays, path)


def read_graph(path: str | Path) -> Graph:
    arrays = read_npz(path)
    public = [arrays.get(f"public_{part}") for part in ("train", "val", "test")]
    return Graph(
        name=str(arrays["name"]),
        x=arrays["x"],
        edge_index=arrays["edge_index"],
        y=arrays["y"],
        num_classes=int(arrays["num_classes"]),
        feature_names=tuple(arrays["feature_names"].tolist()) if "feature_names" in arrays else None,
        public_split=None if public[0] is None else Split(*public),
    )
