"""Small graphs that several tests share."""

import os

# One test a core: threads of their own would only wait for one another. Read when torch is first imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pytest

from graphsieve.data.graph import Graph
from graphsieve.data.splits import random_split


@pytest.fixture(scope="session")
def small_graph() -> Graph:
    """60 nodes in three classes; the first three of eight binary columns tell the class, the others are chance."""
    rng = np.random.default_rng(7)
    y = np.arange(60) % 3
    x = (rng.random((60, 8)) < 0.3).astype(np.float32)
    x[:, :3] = np.eye(3, dtype=np.float32)[y]
    pairs = np.argwhere(np.triu(rng.random((60, 60)) < np.where(y[:, None] == y, 0.15, 0.02), k=1)).T
    return Graph("small", x, np.concatenate([pairs, pairs[::-1]], axis=1), y, 3)


@pytest.fixture(scope="session")
def small_split(small_graph):
    return random_split(small_graph.num_nodes, seed=0)
