"""Each task as three parts, of which training, scoring and the final test each see one."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data

from graphsieve.data.datasets import load_graph
from graphsieve.data.graph_sets import load_graphs
from graphsieve.data.planted import COLUMNS, generate_planted
from graphsieve.data.splits import random_split
from graphsieve.randomness import generator

LINK_SHARES = {"train": 0.8, "val": 0.1, "test": 0.1}


@dataclass(frozen=True)
class Part:
    """What a model is called with, and what is labelled there: the rows of its output, or all of them."""

    x: Tensor
    edge_index: Tensor
    y: Tensor
    model_kwargs: dict[str, Tensor]
    rows: Tensor | None = None

    def with_columns(self, columns: np.ndarray) -> "Part":
        return replace(self, x=self.x[:, torch.from_numpy(columns)])

    def to(self, device: torch.device) -> "Part":
        given = {name: value.to(device) for name, value in self.model_kwargs.items()}
        rows = None if self.rows is None else self.rows.to(device)
        return Part(self.x.to(device), self.edge_index.to(device), self.y.to(device), given, rows)

    @property
    def labels(self) -> Tensor:
        return self.y if self.rows is None else self.y[self.rows]


@dataclass(frozen=True)
class Example:
    train: Part
    val: Part
    test: Part
    outputs: int  # columns that the model returns
    features: list[str]

    @property
    def parts(self) -> dict[str, Part]:
        return {"train": self.train, "val": self.val, "test": self.test}


def cora_links(seed: int, root: str | Path) -> Example:
    """Pairs of papers, half of them linked. Messages go along the links of the training part only."""
    graph = load_graph("cora", root=root)
    links = graph.edge_index[:, graph.edge_index[0] < graph.edge_index[1]]
    rng = generator(seed, "split")
    links = links[:, rng.permutation(links.shape[1])]
    ends = np.cumsum([round(share * links.shape[1]) for share in LINK_SHARES.values()])[:-1]
    known = np.split(links, ends, axis=1)
    others = np.split(_unlinked(links, graph.num_nodes, rng), ends, axis=1)
    messages = torch.from_numpy(np.concatenate([known[0], known[0][::-1]], axis=1))
    x = torch.from_numpy(graph.x)
    parts = []
    for linked, unlinked in zip(known, others, strict=True):
        y = torch.cat([torch.ones(linked.shape[1]), torch.zeros(unlinked.shape[1])]).long()
        pairs = torch.from_numpy(np.concatenate([linked, unlinked], axis=1))
        parts.append(Part(x, messages, y, {"edge_label_index": pairs}))
    return Example(*parts, outputs=1, features=[f"word {word}" for word in range(graph.num_features)])


def _unlinked(links: np.ndarray, num_nodes: int, rng: np.random.Generator) -> np.ndarray:
    """As many pairs without a link, each drawn once."""
    linked = set((links[0] * num_nodes + links[1]).tolist())
    found: dict[int, None] = {}
    while len(found) < links.shape[1]:
        low, high = sorted(rng.integers(num_nodes, size=2).tolist())
        if low != high and low * num_nodes + high not in linked:
            found[low * num_nodes + high] = None
    return np.array([divmod(key, num_nodes) for key in found]).T


def graph_set(name: str, seed: int, root: str | Path) -> Example:
    """Whole graphs; columns are scaled by the mean and deviation in the training graphs."""
    graphs = load_graphs(name, root=root)
    split = random_split(len(graphs), seed, train=0.8, val=0.1)
    batches = [Batch.from_data_list([graphs[i] for i in part]) for part in (split.train, split.val, split.test)]
    mean, deviation = batches[0].x.mean(0), batches[0].x.std(0).clamp(min=1e-6)
    parts = [Part((one.x - mean) / deviation, one.edge_index, one.y, {"batch": one.batch}) for one in batches]
    kinds = _one_hot_columns(graphs)
    numbers = graphs[0].x.shape[1] - kinds
    features = [*(f"attribute {k + 1}" for k in range(numbers)), *(f"kind {k + 1}" for k in range(kinds))]
    return Example(*parts, outputs=int(max(int(one.y.max()) for one in graphs)) + 1, features=features)


def _one_hot_columns(graphs: list[Data]) -> int:
    """How many of the last columns tell the kind of a node."""
    x = torch.cat([one.x for one in graphs])
    width = x.shape[1]
    return next(k for k in range(width, -1, -1) if k == 0 or bool((x[:, width - k :].sum(1) == 1).all()))


def planted(seed: int, root: str | Path) -> Example:
    graph = generate_planted(seed)
    split = random_split(len(graph.y), seed, train=0.6, val=0.2)
    x, edges, y = (torch.from_numpy(one) for one in (graph.x, graph.edge_index, graph.y))
    parts = [Part(x, edges, y, {}, torch.from_numpy(part)) for part in (split.train, split.val, split.test)]
    features = [f"{kind} {number + 1}" for kind, count in COLUMNS.items() for number in range(count)]
    return Example(*parts, outputs=1, features=features)


EXAMPLES: dict[str, Callable[[int, str | Path], Example]] = {
    "cora_links": cora_links,
    "enzymes": lambda seed, root: graph_set("enzymes", seed, root),
    "mutag": lambda seed, root: graph_set("mutag", seed, root),
    "planted": planted,
}
