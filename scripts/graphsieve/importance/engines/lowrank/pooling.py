"""Rows of nodes that become rows of graphs: by a sum or mean, which is linear, or by a maximum.

Because a sum is linear, a linear map or a convolution right before it need not be computed for every node. Where no
edge joins two graphs, the sum over a graph of A^k V W is the sum of V with other shares, times W: `shares[k]` says how
much each node's row of V counts.
"""

from dataclasses import dataclass, replace
from functools import reduce

import torch
from torch import Tensor, fx

from graphsieve.importance.engines.lowrank.filters import Expression, sparse_matrix
from graphsieve.importance.engines.lowrank.trace import Pooling, Program, rows_times
from graphsieve.models.fast.convolutions import Edges, Filter
from graphsieve.models.fast.matrices import SparseRows


@dataclass(frozen=True)
class PooledMap:
    """What happens from the rows of `source` to the rows of graphs."""

    source: fx.Node
    batch: Tensor  # the graph of each node
    num_graphs: int
    shares: dict[int, Tensor] | None  # of each node in the sum over its graph, by hops; None for a maximum
    weights: dict[int, Tensor | None]  # (outputs, inputs) of each hop; None is the identity
    bias: Tensor | None  # the sum over each graph of what is added to its nodes, (graphs, outputs)

    def then_linear(self, weight: Tensor, bias: Tensor | None) -> "PooledMap":
        """The same followed by a linear map of the rows of graphs; for a sum."""
        weights = {hop: weight if own is None else weight @ own for hop, own in self.weights.items()}
        total = None if self.bias is None else self.bias @ weight.T
        if bias is not None:
            total = _plus(total, bias.expand(self.num_graphs, -1))
        return replace(self, weights=weights, bias=total)

    def start(self, copies: int = 1) -> "Sums | Maxima":
        return (Maxima if self.shares is None else Sums)(self, copies)

    def of_parts(self, parts: list[slice]) -> list["PooledPart"]:
        """What pools the rows of each of these parts of the nodes; graphs in no part belong to the one before them."""
        ends = [*(int(self.batch[part].min()) for part in parts[1:]), self.num_graphs]
        graphs = [slice(*bounds) for bounds in zip([0, *ends], ends, strict=False)]
        if self.shares is None:
            return [PooledPart(part, own, None) for part, own in zip(parts, graphs, strict=True)]
        hops, device = len(self.shares), self.batch.device
        row = torch.cat([self.batch * hops + hop for hop in range(hops)])
        node = torch.arange(len(self.batch), device=device).repeat(hops)
        shape = (self.num_graphs * hops, len(self.batch))
        matrix = sparse_matrix(Edges(row, node, torch.cat([*self.shares.values()])), shape)
        return [
            PooledPart(part, own, matrix.block(slice(own.start * hops, own.stop * hops), part))
            for part, own in zip(parts, graphs, strict=True)
        ]


@dataclass(frozen=True)
class PooledPart:
    """Nodes, and the graphs that they make up.

    matrix: (graphs x hops, nodes), what sums the rows of these nodes, None for a maximum. The hops of a graph stand
    below each other, so that they are summed while its nodes' rows are in the cache.
    """

    nodes: slice
    graphs: slice
    matrix: SparseRows | None


@dataclass(frozen=True)
class PoolingLayer:
    """A pooling, the rows that enter it, and where the rows of each leaf are."""

    map: PooledMap
    source: Expression
    reads: dict[fx.Node, Tensor | None]


class Sums:
    """Rows of graphs in some copies, summed part by part of the nodes."""

    def __init__(self, pooled: PooledMap, copies: int):
        self.map, self.copies = pooled, copies
        self.found: list[Tensor] = []  # of each part, (graphs, hops, copies x width)

    def add(self, part: PooledPart, rows: Tensor) -> None:
        """rows: (nodes x copies, width)"""
        sums = part.matrix @ rows.reshape(part.matrix.shape[1], -1)
        self.found.append(sums.view(-1, len(self.map.shares), sums.shape[1]))

    def result(self) -> Tensor:
        """(graphs x copies, outputs)"""
        total = reduce(torch.add, (self._of_hop(place, hop) for place, hop in enumerate(self.map.shares)))
        return total if self.map.bias is None else total + self.map.bias.repeat_interleave(self.copies, 0)

    def _of_hop(self, place: int, hop: int) -> Tensor:
        rows, weight = torch.cat([one[:, place] for one in self.found]), self.map.weights[hop]
        rows = rows.view(len(rows) * self.copies, -1)
        return rows if weight is None else rows_times(rows, weight)


class Maxima:
    """The same for the highest value among the nodes of each graph; zero where it has none."""

    def __init__(self, pooled: PooledMap, copies: int):
        self.map, self.copies = pooled, copies
        self.found: list[Tensor] = []  # of each part, (graphs, copies x width)

    def add(self, part: PooledPart, rows: Tensor) -> None:
        graph = self.map.batch[part.nodes, None] - part.graphs.start
        rows = rows.reshape(len(graph), -1)
        lowest = rows.new_full((part.graphs.stop - part.graphs.start, rows.shape[1]), -torch.inf)
        self.found.append(lowest.scatter_reduce_(0, graph.expand_as(rows), rows, "amax"))

    def result(self) -> Tensor:
        found = torch.cat(self.found)
        return found.masked_fill_(found == -torch.inf, 0).view(len(found) * self.copies, -1)


def read_pooling(
    program: Program, pooling: Pooling, filters: dict[fx.Node, Filter], batch: Tensor, dtype: torch.dtype
) -> PooledMap:
    """The pooling together with the linear map and the convolution right before it, if it is a sum."""
    num_graphs = int(batch.max()) + 1 if pooling.num_graphs is None else pooling.num_graphs
    if pooling.reduction == "max":
        return PooledMap(pooling.source, batch, num_graphs, None, {}, None)
    source, weight, bias = pooling.source, None, None
    while source in program.rowwise and program.rowwise[source].is_linear:
        source, own_weight, own_bias = program.rowwise[source].args
        weight, bias = _times(weight, own_weight), _plus(_times(weight, own_bias), bias)
    share = _shares(pooling.reduction, batch, num_graphs, dtype)
    shares, weights = {0: share}, {0: weight}
    convolution = program.convolutions.get(source)
    if convolution is not None and convolution.source is not program.x and _stays(filters[source].edges, batch):
        known, source = filters[source], convolution.source
        shares = _shares_by_hop(known, share)
        weights = {hop: weight if own is None else _times(weight, own) for hop, own in known.weights.items()}
        bias = _plus(_times(weight, known.bias), bias)
    if bias is not None:
        bias = share.new_zeros(num_graphs).index_add_(0, batch, share)[:, None] * bias
    return PooledMap(source, batch, num_graphs, shares, weights, bias)


def with_linear_maps(output: Expression, maps: dict[fx.Node, PooledMap]) -> tuple[Expression, dict[fx.Node, PooledMap]]:
    """Where only a linear map reads a sum over graphs, the two are one: it has fewer columns, most of the time."""
    maps, leaves, steps = dict(maps), list(output.leaves), []
    for node, step in output.steps:
        source = step.args[0]
        readers = sum(source in other.operands for _, other in output.steps)
        if step.is_linear and source in maps and maps[source].shares is not None and readers == 1:
            maps[node] = maps.pop(source).then_linear(*step.args[1:])
            leaves[leaves.index(source)] = node
        else:
            steps.append((node, step))
    return Expression(leaves, steps, output.result), maps


def _shares(reduction: str, batch: Tensor, num_graphs: int, dtype: torch.dtype) -> Tensor:
    share = torch.ones(len(batch), dtype=dtype, device=batch.device)
    return share / torch.bincount(batch, minlength=num_graphs)[batch] if reduction == "mean" else share


def _shares_by_hop(known: Filter, share: Tensor) -> dict[int, Tensor]:
    """share, A^T share, A^T A^T share, ... for the hops that have a weight."""
    found = {}
    for hop in range(known.hops + 1):
        if hop > 0:
            sent = known.edges.weight * share[known.edges.target]
            share = torch.zeros_like(share).index_add_(0, known.edges.source, sent)
        if hop in known.weights:
            found[hop] = share
    return found


def _stays(edges: Edges | None, batch: Tensor) -> bool:
    """Whether no edge joins two graphs."""
    return edges is None or bool((batch[edges.target] == batch[edges.source]).all())


def _times(weight: Tensor | None, other: Tensor | None) -> Tensor | None:
    """weight @ other, where a weight of None is the identity."""
    return other if weight is None or other is None else weight @ other


def _plus(one: Tensor | None, other: Tensor | None) -> Tensor | None:
    return one + other if one is not None and other is not None else (other if one is None else one)
