"""What the tests of this room share."""

from pathlib import Path

import numpy as np
import pytest
from own_cases import EDGES, NODES
from small_datasets import SMALL, Small, make_small

from graphsieve.data.graph import Graph, Split
from graphsieve.data.raw_files import MIRROR_VARIABLE


@pytest.fixture
def graph() -> Graph:
    """Ten nodes, and everything that a graph can have."""
    rng = np.random.default_rng(0)
    edge_index = np.array([[0, 1, 2, 9], [1, 0, 3, 9]])
    split = Split(np.array([0, 1, 2]), np.array([3, 4]), np.array([5, 8]))
    names = ("age", "größe", "c")
    return Graph("toy", rng.random((10, 3), dtype=np.float32), edge_index, np.arange(10) % 2, 2, names, split)


@pytest.fixture
def folder(tmp_path) -> Path:
    """A user's graph in two tables."""
    (tmp_path / "pets").mkdir()
    (tmp_path / "pets/nodes.csv").write_text(NODES)
    (tmp_path / "pets/edges.csv").write_text(EDGES)
    return tmp_path / "pets"


@pytest.fixture
def no_mirror_from_outside(monkeypatch):
    monkeypatch.delenv(MIRROR_VARIABLE, raising=False)


@pytest.fixture
def small(request, tmp_path) -> Small:
    make_graph, write = SMALL[request.param]
    return make_small(tmp_path, make_graph(), write)
