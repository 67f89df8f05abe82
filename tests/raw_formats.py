"""Writers of small graphs in the raw format of each public dataset, so that the loaders' real parsing code runs."""

import hashlib
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix

from graphsieve.data.graph import Graph, Split
from graphsieve.data.raw_files import RawFile

UNREACHABLE = "http://127.0.0.1:9"
PLANETOID_TRAIN, PLANETOID_VAL, PLANETOID_TEST = 10, 500, 8
BEYOND_THE_PAPER = ("actor", "minesweeper", "tolokers", "chameleon_filtered", "squirrel_filtered")
MIRRORED = ("cora", "citeseer", "pubmed", "photo", "computers", "cornell", "texas", "wisconsin", *BEYOND_THE_PAPER)


def manifest_of(mirror: Path, dataset: str, source: str = UNREACHABLE) -> list[RawFile]:
    """The manifest of the files in this mirror, each downloadable from `source`, if that answers."""
    files = sorted(path.relative_to(mirror).as_posix() for path in mirror.rglob("*") if path.is_file())
    return [RawFile(dataset, file, sha256(mirror / file), (f"{source}/{file}",)) for file in files]


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def small_graph(name: str, num_nodes: int = 30, num_classes: int = 3, directed: bool = False) -> Graph:
    """Binary features, every class present; directed graphs also get a self-loop."""
    rng = np.random.default_rng(7)
    x = rng.integers(0, 2, size=(num_nodes, 6)).astype(np.float32)
    edges = {(int(u), int(v)) for u, v in rng.integers(0, num_nodes, size=(3 * num_nodes, 2)) if u != v}
    edges |= {(4, 4)} if directed else {(v, u) for u, v in edges}
    y = np.arange(num_nodes, dtype=np.int64) % num_classes
    return Graph(name, x, np.array(sorted(edges), dtype=np.int64).T, y, num_classes)


def planetoid_graph(name: str) -> Graph:
    """Planetoid's public split has 500 validation nodes, so the graph cannot be smaller.

    As in the real CiteSeer, one of its test nodes is isolated, without features or a label, and in no split.
    """
    known = PLANETOID_TRAIN + PLANETOID_VAL
    graph = small_graph(name, known + PLANETOID_TEST)
    test = np.arange(known, known + PLANETOID_TEST)
    if name == "citeseer":
        lost = known + 3
        graph.x[lost], graph.y[lost] = 0, 0
        keep = (graph.edge_index != lost).all(axis=0)
        graph = Graph(name, graph.x, graph.edge_index[:, keep], graph.y, graph.num_classes)
        test = test[test != lost]
    split = Split(np.arange(PLANETOID_TRAIN), np.arange(PLANETOID_TRAIN, known), test)
    return Graph(name, graph.x, graph.edge_index, graph.y, graph.num_classes, public_split=split)


def write_planetoid(graph: Graph, mirror: Path, pyg_name: str) -> None:
    folder = _folder(mirror, f"Planetoid/{pyg_name}/raw")
    split, one_hot = graph.public_split, np.eye(graph.num_classes, dtype=np.int32)[graph.y]
    shuffled = np.random.default_rng(1).permutation(split.test)
    neighbours = {node: graph.edge_index[1, graph.edge_index[0] == node].tolist() for node in range(graph.num_nodes)}
    neighbours[0] += [0, neighbours[0][0]]  # the real files have self-loops and repeated edges, which PyG removes
    known = np.arange(len(split.train) + len(split.val))
    parts = {"": split.train, "t": shuffled, "all": known}
    contents = {f"{part}x": csr_matrix(graph.x[nodes]) for part, nodes in parts.items()}
    contents |= {f"{part}y": one_hot[nodes] for part, nodes in parts.items()} | {"graph": neighbours}
    for ending, content in contents.items():
        (folder / f"ind.{graph.name}.{ending}").write_bytes(pickle.dumps(content))
    (folder / f"ind.{graph.name}.test.index").write_text("".join(f"{node}\n" for node in shuffled))


def write_amazon(graph: Graph, mirror: Path) -> None:
    """Edges in one direction and counts above 1, as in the real files; PyG mirrors the edges and cuts at 1."""
    folder = _folder(mirror, f"Amazon/{graph.name.capitalize()}/raw")
    u, v = graph.edge_index[:, graph.edge_index[0] < graph.edge_index[1]]
    adjacency = csr_matrix((np.ones(len(u), dtype=np.float32), (u, v)), shape=2 * (graph.num_nodes,))
    matrices = {"adj": adjacency, "attr": csr_matrix(graph.x * 3)}
    arrays = {
        f"{name}_{field}": getattr(matrix, field)
        for name, matrix in matrices.items()
        for field in ("data", "indices", "indptr", "shape")
    }
    np.savez(folder / f"amazon_electronics_{graph.name}.npz", labels=graph.y, **arrays)


def write_webkb(graph: Graph, mirror: Path) -> None:
    folder = _folder(mirror, f"WebKB/{graph.name}/raw")
    nodes = [
        f"{node}\t{','.join(f'{value:g}' for value in row)}\t{label}\n"
        for node, (row, label) in enumerate(zip(graph.x, graph.y, strict=True))
    ]
    (folder / "out1_node_feature_label.txt").write_text("node_id\tfeature\tlabel\n" + "".join(nodes))
    edges = "".join(f"{u}\t{v}\n" for u, v in graph.edge_index.T)
    (folder / "out1_graph_edges.txt").write_text("node_id\tnode_id\n" + edges)
    _write_ten_splits(graph, folder, graph.name)


def write_actor(graph: Graph, mirror: Path) -> None:
    """Numbers of the words of each node, in any order of nodes, which every node has some of."""
    folder = _folder(mirror, "Actor/raw")
    words = [",".join(map(str, np.flatnonzero(row))) for row in graph.x]
    nodes = [f"{node}\t{words[node]}\t{graph.y[node]}\n" for node in reversed(range(graph.num_nodes))]
    header = f"node_id\tfeature(feature_amount:{graph.num_features - 1})\tlabel\n"
    (folder / "out1_node_feature_label.txt").write_text(header + "".join(nodes))
    edges = "".join(f"{u}\t{v}\n" for u, v in [*graph.edge_index.T, graph.edge_index.T[0]])  # real ones repeat, too
    (folder / "out1_graph_edges.txt").write_text("node_id\tnode_id\n" + edges)
    _write_ten_splits(graph, folder, "film")


def _write_ten_splits(graph: Graph, folder: Path, name: str) -> None:
    masks = {f"{part}_mask": np.arange(graph.num_nodes) % 3 == i for i, part in enumerate(("train", "val", "test"))}
    for number in range(10):
        np.savez(folder / f"{name}_split_0.6_0.2_{number}.npz", **masks)


def write_heterophilous(graph: Graph, mirror: Path) -> None:
    """Every edge in one direction, ten splits as rows of masks."""
    folder = _folder(mirror, f"HeterophilousGraphDataset/{graph.name}/raw")
    masks = {f"{part}_masks": np.arange(graph.num_nodes) % 3 == i for i, part in enumerate(("train", "val", "test"))}
    np.savez(
        folder / f"{graph.name}.npz",
        node_features=graph.x,
        node_labels=graph.y,
        edges=graph.edge_index[:, graph.edge_index[0] < graph.edge_index[1]].T,
        **{name: np.tile(mask, (10, 1)) for name, mask in masks.items()},
    )


def write_arxiv(graph: Graph, mirror: Path) -> None:
    folder = _folder(mirror, "ogbn_arxiv")
    (folder / "RELEASE_v1.txt").touch()
    tables = {
        "raw/edge": graph.edge_index.T,
        "raw/node-feat": graph.x,
        "raw/node-label": graph.y,
        "raw/node_year": 2010 + np.arange(graph.num_nodes) % 11,
        "raw/num-node-list": [graph.num_nodes],
        "raw/num-edge-list": [graph.edge_index.shape[1]],
        "split/time/train": graph.public_split.train,
        "split/time/valid": graph.public_split.val,
        "split/time/test": graph.public_split.test,
    }
    for name, table in tables.items():
        path = folder / f"{name}.csv.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        pd.DataFrame(table).to_csv(path, header=False, index=False)


def _folder(mirror: Path, name: str) -> Path:
    folder = mirror / name
    folder.mkdir(parents=True)
    return folder
