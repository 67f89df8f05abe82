"""Copies in which nearly all rows change: every row is computed, and none is looked for.

That is the case for what is pooled over whole graphs. What is saved against a full pass is the first layer, which is a
low-rank change, and all that is linear before a sum over graphs. The rest is computed for a few graphs after the other:
as no edge leaves them, their rows go through all layers while they are in the cache.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, fx

from graphsieve.importance.engines.lowrank.changes import select
from graphsieve.importance.engines.lowrank.filters import RestrictedFilter
from graphsieve.importance.engines.lowrank.plan import Layer, Plan
from graphsieve.importance.engines.lowrank.pooling import PooledPart
from graphsieve.models.fast.convolutions import Edges

# Of one layer's rows for each thread: larger parts leave the cache, smaller ones waste calls (measured). Starting a
# product takes longer than starting a sum.
PART_BYTES, PART_BYTES_WITH_PRODUCTS = 2**20, 2**21


@dataclass(frozen=True)
class Part:
    """Nodes that no edge leaves, and on them all layers but the first ones, and what pools them."""

    nodes: slice
    filters: dict[fx.Node, RestrictedFilter]
    poolings: dict[fx.Node, PooledPart]


def read_cuts(plan: Plan) -> list[int]:
    """Where the nodes of all layers and poolings can be parted."""
    edges = [edges for known in _later_filters(plan).values() for edges in known.edges]
    batches = [pooling.map.batch for pooling in plan.poolings.values()]
    return closed_cuts(edges, batches, plan.problem.num_nodes)


def bytes_of_row(plan: Plan) -> int:
    """Of the widest layer, or of x where there is none."""
    widths = [layer.base.shape[1] for layer in plan.layers.values()] or [plan.problem.x.shape[1]]
    return max(widths) * plan.problem.x.element_size()


def read_parts(plan: Plan, cuts: list[int], copies: int) -> list[Part]:
    """For so many copies at a time. Where graphs are pooled, every layer is known at all nodes in their order."""
    later = _later_filters(plan)
    size = torch.get_num_threads() * (PART_BYTES_WITH_PRODUCTS if later else PART_BYTES)
    parts = parts_between(cuts, size // (bytes_of_row(plan) * copies))
    pooled = {node: pooling.map.of_parts(parts) for node, pooling in plan.poolings.items()}
    return [
        Part(
            part,
            {node: known.block(part) for node, known in later.items()},
            {node: of_parts[place] for node, of_parts in pooled.items()},
        )
        for place, part in enumerate(parts)
    ]


def _later_filters(plan: Plan) -> dict[fx.Node, RestrictedFilter]:
    return {node: layer.filter for node, layer in plan.layers.items() if layer.table is None}


def closed_cuts(edges: list[Edges], batches: list[Tensor], num_nodes: int) -> list[int]:
    """Before which nodes in their order no edge, and no graph, reaches from one side to the other; and the two ends.

    The numbers of graphs are higher behind a cut than before it.
    """
    is_cut = torch.ones(num_nodes + 1, dtype=torch.bool)
    for one in edges:
        source, target = one.source.cpu(), one.target.cpu()
        spanning = torch.bincount(torch.minimum(source, target) + 1, minlength=num_nodes + 2)
        spanning -= torch.bincount(torch.maximum(source, target) + 1, minlength=num_nodes + 2)
        is_cut &= spanning.cumsum(0)[: num_nodes + 1] == 0  # edges that join nodes on both sides
    for batch in batches:
        highest_before, lowest_after = batch.cpu().cummax(0)[0], batch.cpu().flip(0).cummin(0)[0].flip(0)
        is_cut[1:num_nodes] &= highest_before[:-1] < lowest_after[1:]
    return is_cut.nonzero()[:, 0].tolist()


def parts_between(cuts: list[int], most: int) -> list[slice]:
    """Each of so many nodes at the most, unless more of them cannot be parted."""
    parts, start, last = [], 0, 0
    for cut in cuts[1:]:
        if cut - start > most and last > start:
            parts.append(slice(start, last))
            start = last
        last = cut
    return [*parts, slice(start, cuts[-1])]


class WholeCopies:
    """A block of copies, computed together for a few graphs after the other.

    The rows of a node's copies stand below each other: what they have in common is read once, and a sum over nodes is
    one for all of them. columns: those of x that change, (slots,). moved: by how much, (nodes, slots, copies).
    """

    def __init__(self, plan: Plan, parts: list[Part], columns: Tensor, moved: Tensor):
        self.plan, self.parts, self.columns, self.moved = plan, parts, columns, moved
        self.copies = moved.shape[2]
        later = (*(layer for layer in plan.layers.values() if layer.table is None), *plan.poolings.values())
        self.readers = Counter(leaf for one in later for leaf in one.source.leaves)
        self.terms = {node: self._terms(layer) for node, layer in plan.layers.items() if layer.table is not None}

    def _terms(self, layer: Layer) -> list[tuple[Tensor, Tensor]]:
        """For each hop and slot a coefficient, (nodes, copies, 1), and what it is of, (outputs,)."""
        powers = layer.filter.powers(select(self.moved, layer.reads[self.plan.program.x]))
        weights = layer.table[len(layer.base) :].view(len(powers), self.plan.problem.x.shape[1], -1)
        return [
            (power[:, slot, :, None], weight[column])
            for power, weight in zip(powers.values(), weights, strict=True)
            for slot, column in enumerate(self.columns)
        ]

    def outputs(self) -> Tensor:
        """(graphs, copies, columns)"""
        totals = {node: pooling.map.start(self.copies) for node, pooling in self.plan.poolings.items()}
        for part in self.parts:
            rows = self._rows(part)
            for node, total in totals.items():
                total.add(part.poolings[node], self.plan.poolings[node].source.evaluate(self._reading(rows)))
        return self.plan.output.evaluate(lambda leaf: totals[leaf].result()).unflatten(0, (-1, self.copies))

    def _rows(self, part: Part) -> dict[fx.Node, Tensor]:
        """Of all layers, (nodes x copies, columns)."""
        rows: dict[fx.Node, Tensor] = {}
        if self.plan.x_rows is not None:
            rows[self.plan.program.x] = self._of_x(part.nodes)
        for node, layer in self.plan.layers.items():
            if layer.table is not None:
                rows[node] = self._of_first_layer(layer.base[part.nodes], self.terms[node], part.nodes)
            else:
                rows[node] = part.filters[node].apply(layer.source.evaluate(self._reading(rows)))
        return rows

    def _reading(self, rows: dict[fx.Node, Tensor]) -> Callable[[fx.Node], Tensor]:
        """Rows that are read once are let go, so that what follows takes their place in the cache."""
        return lambda leaf: rows.pop(leaf) if self.readers[leaf] == 1 else rows[leaf]

    def _of_x(self, nodes: slice) -> Tensor:
        values = self.plan.x_rows[nodes, None].repeat(1, self.copies, 1)
        for slot, column in enumerate(self.columns):
            values[:, :, column] += self.moved[nodes, slot]
        return values.flatten(0, 1)

    def _of_first_layer(self, base: Tensor, terms: list[tuple[Tensor, Tensor]], nodes: slice) -> Tensor:
        """The base row plus, for each hop and slot, a coefficient times the weight row of the slot's column."""
        (coefficient, weight), *others = terms
        values = torch.addcmul(base[:, None], coefficient[nodes], weight)
        for coefficient, weight in others:
            values.addcmul_(coefficient[nodes], weight)
        return values.flatten(0, 1)
