"""A loader of mini-batches instead of a whole graph.

A column is permuted over all nodes, as on the whole graph, and every batch takes its new values by the numbers of its
nodes, `n_id`. So the same seed gives the same permutations, whatever the batches are.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor
from torch_geometric.data import HeteroData
from torch_geometric.data.data import BaseData

from graphsieve.errors import InputError
from graphsieve.importance.tasks import TASK_LEVELS

LABELS = {"node": "y", "edge": "edge_label", "graph": "y"}  # where a batch has its labels


@dataclass(frozen=True)
class Batch:
    """What is read of a batch."""

    x: Tensor
    edge_index: object
    nodes: Tensor  # the row of each node among those of the whole graph
    scored: slice | Tensor  # the rows of the output that are scored
    num_rows: tuple[int, ...]  # that the model may return
    y: Tensor
    weight: Tensor | None
    model_kwargs: dict[str, object]


@dataclass(frozen=True)
class Batches:
    """A loader and what its batches are asked for; `names` of arguments of the model are those of their attributes."""

    loader: Iterable
    task_level: str
    names: Mapping[str, str]
    weight_name: str | None
    nodes: Tensor | None  # of the whole graph; None to score all that the loader says
    device: torch.device

    def __post_init__(self):
        if iter(self.loader) is self.loader:
            raise InputError("the loader can be iterated once only: give a DataLoader or a list of batches")

    def __iter__(self) -> Iterator[Batch]:
        number, before = -1, 0
        for number, batch in enumerate(self.loader):
            read = self._read(batch, f"batch {number} of the loader", before)
            before += len(read.x)
            yield read
        if number < 0:
            raise InputError("the loader yields no batch: there is nothing to score")

    def _read(self, batch: object, where: str, before: int) -> Batch:
        if isinstance(batch, HeteroData):
            raise InputError(f"{where} is a HeteroData: nodes by type are scored on a whole graph only, give x_dict")
        x = self._tensor(batch, "x", where)
        if x.dim() != 2 or not x.is_floating_point():
            raise InputError(f"{where} has x of shape {tuple(x.shape)} and {x.dtype}: it must be (nodes, features)")
        if len(x) == 0:
            raise InputError(f"{where} is empty: leave it out")
        nodes = self._numbers(batch, len(x), where, before)
        y = self._tensor(batch, LABELS[self.task_level], where)
        scored, num_rows = slice(0, len(y)), (len(y),)
        if self.task_level == "node":
            seeds = _entry(batch, "batch_size")
            size = len(x) if seeds is None else int(seeds)
            if len(y) < size:
                raise InputError(f"{where} has {len(y)} labels in y for {size} scored nodes: give one label per node")
            scored, num_rows, y = slice(0, size), (len(x), size), y[:size]
            if self.nodes is not None:
                scored = torch.isin(nodes[:size], self.nodes).nonzero()[:, 0]
                y = y[scored]
        weight = None if self.weight_name is None else self._tensor(batch, self.weight_name, where)[scored]
        model_kwargs = {name: self._given(batch, of, where) for name, of in self.names.items()}
        edges = self._given(batch, "edge_index", where)
        return Batch(x, edges, nodes, scored, num_rows, y, weight, model_kwargs)

    def _numbers(self, batch: object, count: int, where: str, before: int) -> Tensor:
        """Of the nodes; whole graphs share none, so that without `n_id` theirs are counted on from batch to batch."""
        if self.task_level == "graph" and _entry(batch, "n_id") is None:
            return torch.arange(before, before + count, device=self.device)
        nodes = self._tensor(batch, "n_id", where)
        if nodes.shape != (count,):
            raise InputError(f"{where} has {count} nodes, but n_id has shape {tuple(nodes.shape)}")
        if nodes.is_floating_point() or nodes.min() < 0:
            raise InputError(f"{where} has {nodes.dtype} from {nodes.min()} in n_id: number the nodes 0, 1, 2, ...")
        return nodes.long()

    def _given(self, batch: object, name: str, where: str) -> object:
        value = _entry(batch, name)
        if value is None:
            raise InputError(f"{where} has no {name}: the model is called with it")
        return value.to(self.device) if isinstance(value, Tensor) else value

    def _tensor(self, batch: object, name: str, where: str) -> Tensor:
        value = _entry(batch, name)
        if not isinstance(value, Tensor):
            known = "x, edge_index, n_id and labels of " + TASK_LEVELS[self.task_level].split()[0] + "s"
            raise InputError(f"{where} has no tensor {name}: batches must have {known}")
        return value.to(self.device)


def _entry(batch: object, name: str) -> object:
    if isinstance(batch, Mapping):
        return batch.get(name)
    if (
        isinstance(batch, BaseData) and name not in batch
    ):  # a PyG Batch has a property `batch_size` that is another thing
        return None
    return getattr(batch, name, None)


@dataclass(frozen=True)
class Seen:
    """What one pass over the loader shows of the whole graph, and of what is scored."""

    x: Tensor  # (nodes, features), in the order of their numbers
    numbers: Tensor  # the number of each of these nodes
    scored: Tensor | None  # the numbers of the scored nodes; None where what is scored has no numbers
    y: Tensor
    weight: Tensor | None

    def rows_of(self, nodes: Tensor) -> Tensor:
        """Where the nodes with these numbers are."""
        rows = torch.searchsorted(self.numbers, nodes).clamp(max=len(self.numbers) - 1)
        missing = nodes[self.numbers[rows] != nodes]
        if len(missing):
            raise InputError(f"the loader yields node {int(missing[0])}, which it did not yield in its first pass")
        return rows

    def check_same(self, rows: Tensor, x: Tensor) -> None:
        """What is permuted are the features of the first pass."""
        if not torch.equal(self.x[rows], x):
            raise InputError(
                "the loader yields other features for a node than in its first pass: let every pass give the same, and "
                "set shuffle=False where batches have no n_id"
            )


def look_through(batches: Batches) -> Seen:
    """One pass over the loader, without the model."""
    features, labels, weights, scored = _Features(), [], [], []
    for number, batch in enumerate(batches):
        features.add(batch.nodes, batch.x, number)
        labels.append(batch.y)
        weights.append(batch.weight)
        scored.append(batch.nodes[batch.scored] if batches.task_level == "node" else batch.nodes[:0])
    y = torch.cat(labels)
    if len(y) == 0:
        raise InputError("the loader yields nothing that is scored: name other nodes, or leave nodes out")
    weight = None if batches.weight_name is None else torch.cat(weights)
    ids = torch.cat(scored) if batches.task_level == "node" else None
    if ids is not None and len(ids.unique()) < len(ids):
        raise InputError("the loader yields a scored node more than once: let every node be scored in one batch")
    x, numbers = features.whole(getattr(batches.loader, "data", None))
    return Seen(x, numbers, ids, y, weight)


class _Features:
    """The features of all nodes that batches have shown."""

    def __init__(self):
        self.x: Tensor | None = None
        self.known: Tensor | None = None

    def add(self, nodes: Tensor, x: Tensor, number: int) -> None:
        if self.x is None:
            self.x, self.known = x.new_zeros(0, x.shape[1]), nodes.new_zeros(0, dtype=torch.bool)
        if x.shape[1] != self.x.shape[1] or x.dtype != self.x.dtype:
            raise InputError(
                f"batch {number} of the loader has {x.shape[1]} features of {x.dtype}, but those before had "
                f"{self.x.shape[1]} of {self.x.dtype}: all batches must have the same columns"
            )
        if not x.isfinite().all():
            raise InputError(f"batch {number} of the loader holds NaN or infinity in x: fill in what is missing")
        size = int(nodes.max()) + 1
        if size > len(self.x):
            size = max(size, 2 * len(self.x))
            self.x = torch.cat([self.x, self.x.new_zeros(size - len(self.x), self.x.shape[1])])
            self.known = torch.cat([self.known, self.known.new_zeros(size - len(self.known))])
        met = self.known[nodes]
        if not torch.equal(self.x[nodes[met]], x[met]):
            raise InputError(f"batch {number} of the loader has other features for a node than a batch before")
        self.x[nodes], self.known[nodes] = x, True

    def whole(self, data: object) -> tuple[Tensor, Tensor]:
        """All rows, also those that no batch has shown if the loader tells of its data; and their numbers."""
        numbers = self.known.nonzero()[:, 0]
        whole = getattr(data, "x", None)
        if isinstance(whole, Tensor) and whole.shape[1:] == self.x.shape[1:] and len(whole) > int(numbers[-1]):
            whole = whole.to(self.x.device)
            if torch.equal(whole[numbers], self.x[numbers]):
                return whole, torch.arange(len(whole), device=self.x.device)
        return self.x[numbers], numbers
