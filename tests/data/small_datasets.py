"""Small graphs that are called like public datasets, in the raw format of each."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from graphsieve.data.datasets import load_graph
from graphsieve.data.graph import Graph, Split
from graphsieve.data.raw_files import RawFile
from raw_formats import (
    manifest_of,
    planetoid_graph,
    small_graph,
    write_actor,
    write_amazon,
    write_arxiv,
    write_heterophilous,
    write_planetoid,
    write_webkb,
)


@dataclass
class Small:
    """A small graph, written in raw form to a mirror, and what it takes to load it."""

    graph: Graph
    mirror: Path
    root: Path
    manifest: list[RawFile]

    def load(self, **changes) -> Graph:
        return load_graph(
            self.graph.name, **({"root": self.root, "mirror": self.mirror, "manifest": self.manifest} | changes)
        )

    def first_file(self, folder: Path) -> Path:
        return folder / self.manifest[0].file


def make_small(tmp_path: Path, graph: Graph, write) -> Small:
    mirror = tmp_path / "mirror"
    write(graph, mirror)
    return Small(graph, mirror, tmp_path / "data", manifest_of(mirror, graph.name))


def arxiv_graph() -> Graph:
    graph = small_graph("arxiv", directed=True)
    parts = Split(np.arange(0, 15), np.arange(15, 20), np.arange(20, 30))
    return replace(graph, x=graph.x / 8 - 0.3, num_classes=40, public_split=parts)


def actor_graph() -> Graph:
    """Every node has a word."""
    graph = small_graph("actor", directed=True)
    graph.x[:, 1] = 1
    return graph


SMALL = {
    "cora": (partial(planetoid_graph, "cora"), partial(write_planetoid, pyg_name="Cora")),
    "citeseer": (partial(planetoid_graph, "citeseer"), partial(write_planetoid, pyg_name="CiteSeer")),
    "pubmed": (partial(planetoid_graph, "pubmed"), partial(write_planetoid, pyg_name="PubMed")),
    "photo": (partial(small_graph, "photo"), write_amazon),
    "computers": (partial(small_graph, "computers"), write_amazon),
    "cornell": (partial(small_graph, "cornell", directed=True), write_webkb),
    "texas": (partial(small_graph, "texas", directed=True), write_webkb),
    "wisconsin": (partial(small_graph, "wisconsin", directed=True), write_webkb),
    "actor": (actor_graph, write_actor),
    "minesweeper": (partial(small_graph, "minesweeper", num_classes=2), write_heterophilous),
    "tolokers": (partial(small_graph, "tolokers", num_classes=2), write_heterophilous),
    "chameleon_filtered": (partial(small_graph, "chameleon_filtered"), write_heterophilous),
    "squirrel_filtered": (partial(small_graph, "squirrel_filtered"), write_heterophilous),
    "arxiv": (arxiv_graph, write_arxiv),
}


on = partial(pytest.mark.parametrize, "small", indirect=True)


def assert_same_graph(loaded: Graph, expected: Graph) -> None:
    assert (loaded.name, loaded.num_classes) == (expected.name, expected.num_classes)
    assert (loaded.x.dtype, loaded.y.dtype, loaded.edge_index.dtype) == (np.float32, np.int64, np.int64)
    np.testing.assert_allclose(loaded.x, expected.x, rtol=1e-6)
    np.testing.assert_array_equal(loaded.y, expected.y)
    assert sorted(loaded.edge_index.T.tolist()) == sorted(expected.edge_index.T.tolist())
    assert (loaded.public_split is None) == (expected.public_split is None)
    if expected.public_split is not None:
        for part, nodes in vars(expected.public_split).items():
            np.testing.assert_array_equal(getattr(loaded.public_split, part), nodes)
            assert getattr(loaded.public_split, part).dtype == np.int64


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())
