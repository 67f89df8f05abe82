"""Write a large generated graph as a user would have it, to measure what `graphsieve rank` takes on it.

A folder with nodes.csv and edges.csv: columns that tell the class, columns that are smooth on the graph, and white
noise, in an order of their own; the first word of a column's name says of which kind it is.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.sparse import coo_array

from graphsieve.files.writing import csv_bytes, write_together

CLASSES = np.array(["red", "green", "blue", "grey"])
HOMOPHILY = 0.5  # of the edges have ends of one class on purpose; others join any two nodes
SIGNALS = (0.4, 0.05)  # deviation of the classes' means in the first and the last relevant column, where noise has 1


@dataclass(frozen=True)
class Sizes:
    nodes: int
    edges: int
    columns: int
    relevant: int = 8
    smooth: int = 4


def generate(sizes: Sizes, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The tables of nodes and edges."""
    rng = np.random.default_rng(seed)
    y = rng.integers(len(CLASSES), size=sizes.nodes)
    pairs = _pairs(y, sizes.edges, rng)
    signals = np.geomspace(*SIGNALS, sizes.relevant)
    means = signals * rng.standard_normal((len(CLASSES), sizes.relevant))
    noise = rng.standard_normal((sizes.nodes, sizes.columns), dtype=np.float32)
    noise[:, : sizes.relevant] += means[y]
    smooth = slice(sizes.relevant, sizes.relevant + sizes.smooth)
    noise[:, smooth] = _averaged(pairs, noise[:, smooth])
    kinds = {"relevant": sizes.relevant, "smooth": sizes.smooth}
    kinds["white"] = sizes.columns - sum(kinds.values())
    names = [f"{kind} {number + 1}" for kind, count in kinds.items() for number in range(count)]
    order = rng.permutation(sizes.columns)
    nodes = pd.DataFrame(noise[:, order].round(3), columns=[names[column] for column in order])
    nodes.insert(0, "label", CLASSES[y])
    nodes.insert(0, "id", np.arange(sizes.nodes))
    return nodes, pd.DataFrame(pairs.T, columns=["source", "target"])


def _pairs(y: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    by_class = np.argsort(y, kind="stable")
    sizes = np.bincount(y, minlength=len(CLASSES))
    starts = sizes.cumsum() - sizes
    source, target = rng.integers(len(y), size=(2, count))
    alike = rng.random(count) < HOMOPHILY
    kind = y[source[alike]]
    target[alike] = by_class[starts[kind] + (rng.random(alike.sum()) * sizes[kind]).astype(int)]
    return np.stack([source, target])


def _averaged(pairs: np.ndarray, values: np.ndarray, times: int = 3) -> np.ndarray:
    number = len(values)
    ends = np.concatenate([pairs, pairs[::-1], np.tile(np.arange(number), (2, 1))], axis=1)
    links = coo_array((np.ones(ends.shape[1], dtype=np.float32), ends), shape=(number, number)).tocsr()
    for _ in range(times):
        values = (links @ values) / links.sum(axis=1)[:, None]
    return values / values.std(axis=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("out", type=Path, help="folder to write to")
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=60)
    parser.add_argument("--relevant", type=int, default=Sizes.relevant)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    nodes, edges = generate(Sizes(given.nodes, given.edges, given.columns, given.relevant), given.seed)
    write_together({given.out / "nodes.csv": csv_bytes(nodes), given.out / "edges.csv": csv_bytes(edges)})


if __name__ == "__main__":
    main()
