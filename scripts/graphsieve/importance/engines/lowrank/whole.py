"""Copies in which nearly all rows change: every row is computed, and none is looked for.

That is the case for what is pooled over whole graphs. What is saved against a full pass is the first layer, which is a
low-rank change, and all that is linear before a sum over graphs. The rest is computed for a few graphs after the other:
as no edge leaves them, their rows go through all layers while they are in the cache.
"""

import itertools
from dataclasses import dataclass

import torch
from torch import Tensor, fx

from graphsieve.importance.engines.lowrank.changes import select
from graphsieve.importance.engines.lowrank.filters import RestrictedFilter
from graphsieve.importance.engines.lowrank.plan import Layer, Plan
from graphsieve.models.fast.convolutions import Edges

PART_BYTES = 2**21  # of one layer's rows: larger parts leave the cache, smaller ones waste calls


@dataclass(frozen=True)
class Part:
    """Nodes that no edge leaves, and all layers but the first ones on them."""

    nodes: slice
    filters: dict[fx.Node, RestrictedFilter]


def read_parts(plan: Plan) -> list[Part]:
    """Where graphs are pooled, every layer is known at all nodes in their order."""
    later = {node: layer.filter for node, layer in plan.layers.items() if layer.table is None}
    row = max(layer.base.shape[1] for layer in plan.layers.values()) * plan.problem.x.element_size()
    edges = [edges for known in later.values() for edges in known.edges]
    parts = closed_parts(edges, plan.problem.num_nodes, PART_BYTES // row)
    return [Part(part, {node: known.block(part) for node, known in later.items()}) for part in parts]


def closed_parts(edges: list[Edges], num_nodes: int, most: int) -> list[slice]:
    """Of the nodes in their order, each of so many at the most, unless more of them cannot be parted."""
    spanning = torch.zeros(num_nodes + 2, dtype=torch.long)  # how many edges join nodes on both sides of a cut
    for one in edges:
        source, target = one.source.cpu(), one.target.cpu()
        spanning.add_(torch.bincount(torch.minimum(source, target) + 1, minlength=num_nodes + 2))
        spanning.sub_(torch.bincount(torch.maximum(source, target) + 1, minlength=num_nodes + 2))
    cuts = (spanning.cumsum(0)[: num_nodes + 1] == 0).nonzero()[:, 0].tolist()
    parts, start, last = [], 0, 0
    for cut in cuts[1:]:
        if cut - start > most and last > start:
            parts.append(slice(start, last))
            start = last
        last = cut
    return [*parts, slice(start, num_nodes)]


class WholeCopies:
    """A block of copies, computed one by one.

    column: the columns of x in each slot of each copy, (slots, copies). moved: how they change, (nodes, slots, copies).
    """

    def __init__(self, plan: Plan, parts: list[Part], column: Tensor, moved: Tensor):
        self.plan, self.parts, self.column, self.moved = plan, parts, column, moved
        self.coefficients = {
            node: self._coefficients(layer) for node, layer in plan.layers.items() if layer.table is not None
        }

    def _coefficients(self, layer: Layer) -> Tensor:
        """(hops, slots, copies, nodes)"""
        powers = layer.filter.powers(select(self.moved, layer.reads[self.plan.program.x]))
        return torch.stack(list(powers.values())).permute(0, 2, 3, 1).contiguous()

    def outputs(self) -> Tensor:
        """(copies, graphs, columns)"""
        copies = self.column.shape[1]
        totals = {node: pooling.map.start(copies) for node, pooling in self.plan.poolings.items()}
        for copy, part in itertools.product(range(copies), self.parts):
            rows = self._rows(part, copy)
            for node, total in totals.items():
                total.add(copy, part.nodes, self.plan.poolings[node].source.evaluate(rows.__getitem__))
        return self.plan.output.evaluate(lambda leaf: totals[leaf].result()).unflatten(0, (copies, -1))

    def _rows(self, part: Part, copy: int) -> dict[fx.Node, Tensor]:
        """Of all layers."""
        rows: dict[fx.Node, Tensor] = {}
        if self.plan.x_rows is not None:
            rows[self.plan.program.x] = self._of_x(part.nodes, copy)
        for node, layer in self.plan.layers.items():
            if layer.table is not None:
                rows[node] = self._of_first_layer(node, layer, part.nodes, copy)
            else:
                rows[node] = part.filters[node].apply(layer.source.evaluate(rows.__getitem__))
        return rows

    def _of_x(self, nodes: slice, copy: int) -> Tensor:
        values = self.plan.x_rows[nodes].clone()
        for column, moved in zip(self.column[:, copy], self.moved[nodes, :, copy].T, strict=True):
            values[:, column] += moved
        return values

    def _of_first_layer(self, node: fx.Node, layer: Layer, nodes: slice, copy: int) -> Tensor:
        """The base row plus, for each hop and slot, a coefficient times the weight row of the slot's column."""
        coefficients = self.coefficients[node][:, :, copy, nodes]
        weights = layer.table[len(layer.base) :].view(len(coefficients), self.plan.problem.x.shape[1], -1)
        terms = zip(coefficients.flatten(0, 1)[..., None], weights[:, self.column[:, copy]].flatten(0, 1), strict=True)
        values = torch.addcmul(layer.base[nodes], *next(terms))
        for coefficient, weight in terms:
            values.addcmul_(coefficient, weight)
        return values
