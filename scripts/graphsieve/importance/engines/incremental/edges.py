"""The edges of a layer, and those that enter some rows of a block of copies."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import torch
import torch.nn.functional as F
from torch import Tensor


class Grouped:
    """Edges grouped by one of their ends, in their original order within a group."""

    def __init__(self, end: Tensor, num_nodes: int):
        self.order = end.argsort(stable=True)
        self.counts = torch.bincount(end, minlength=num_nodes)
        self.starts = self.counts.cumsum(0) - self.counts

    def of(self, nodes: Tensor) -> tuple[Tensor, Tensor]:
        """All edges of these nodes, node by node: which of `nodes` each belongs to, and its number."""
        counts = self.counts[nodes]
        owner = torch.arange(len(nodes), device=nodes.device).repeat_interleave(counts)
        shift = self.starts[nodes] - (counts.cumsum(0) - counts)
        return owner, self.order[torch.arange(len(owner), device=nodes.device) + shift[owner]]


class EdgeList:
    """Edges from `source` to `target`, by either end."""

    def __init__(self, target: Tensor, source: Tensor, num_nodes: int):
        self.target, self.source, self.num_nodes = target, source, num_nodes
        self.into, self.out_of = Grouped(target, num_nodes), Grouped(source, num_nodes)

    def receivers(self, keys: Tensor) -> Tensor:
        """The rows (copy * num_nodes + node) that receive from these rows, in no order."""
        nodes = keys % self.num_nodes
        owner, edge = self.out_of.of(nodes)
        return (keys - nodes)[owner] + self.target[edge]

    def readable(self, wanted: Tensor) -> Tensor:
        """The nodes whose rows are read for the wanted nodes: these and their sources, both as masks."""
        read = wanted.clone()
        read[self.source[wanted[self.target]]] = True
        return read

    def parts(self, nodes: Tensor, largest: int) -> Iterator[slice]:
        """Slices of `nodes` with about so many incoming edges each, or nodes where these are more."""
        ends = (self.into.counts[nodes] + 1).cumsum(0)
        total = int(ends[-1]) if len(ends) else 0
        limits = torch.arange(largest, total + largest, largest, device=nodes.device)
        cuts = torch.searchsorted(ends, limits, right=True).clamp_max(len(nodes)).unique().tolist()
        start = 0
        for stop in (*cuts, len(nodes)):
            if stop > start:
                yield slice(start, stop)
            start = max(start, stop)


@dataclass(frozen=True)
class Incoming:
    """The edges into some wanted rows of a block; rows are given by their places in the table of the layer's input.

    The edges of a wanted row follow each other, in the layer's order.
    """

    own: Tensor  # the place of each wanted row
    source: Tensor  # the place of each edge's source
    owner: Tensor  # which wanted row each edge enters
    edge: Tensor  # its number in the layer's list

    @classmethod
    def of(cls, edges: EdgeList, keys: Tensor, place: Tensor) -> "Incoming":
        nodes = keys % edges.num_nodes
        owner, edge = edges.into.of(nodes)
        return cls(place[keys], place[(keys - nodes)[owner] + edges.source[edge]], owner, edge)

    @cached_property
    def starts(self) -> Tensor:
        """The first edge of each wanted row."""
        wanted = torch.arange(len(self.own), device=self.own.device)
        return torch.searchsorted(self.owner, wanted)

    def sum(self, messages: Tensor) -> Tensor:
        """The sum of the messages (edges, width) that enter each wanted row."""
        if not len(messages):
            return messages.new_zeros(len(self.own), *messages.shape[1:])
        each = torch.arange(len(messages), device=messages.device)
        return F.embedding_bag(each, messages, self.starts, mode="sum")

    def softmax(self, scores: Tensor) -> Tensor:
        """Of the scores (edges, heads) of the edges into each wanted row, as in torch_geometric.utils.softmax."""
        index = self.owner[:, None].expand_as(scores)
        top = scores.new_zeros(len(self.own), scores.shape[1])
        top = top.scatter_reduce(0, index, scores, "amax", include_self=False)
        exponents = (scores - top[self.owner]).exp_()
        return exponents / (self.sum(exponents) + 1e-16)[self.owner]

    def weighted_sum(self, weight: Tensor, table: Tensor) -> Tensor:
        """The sum of weight (edges, heads) times the source's row (heads * width), head by head, in one fused pass."""
        heads, number = weight.shape[1], len(self.source)
        width = table.shape[1] // heads
        if not number:
            return table.new_zeros(len(self.own), table.shape[1])
        head = torch.arange(heads, device=weight.device)[:, None]
        entries, starts = self.source * heads + head, self.starts + number * head
        summed = F.embedding_bag(
            entries.flatten(),
            table.view(-1, width),
            starts.flatten(),
            mode="sum",
            per_sample_weights=weight.T.flatten(),
        )
        return summed.view(heads, len(self.own), width).transpose(0, 1).reshape(len(self.own), -1)
