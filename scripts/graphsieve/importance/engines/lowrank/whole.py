"""Copies in which nearly all rows change: every row is computed, and none is looked for.

That is the case for columns with few zeros, and for what is pooled over whole graphs. What is saved against a full pass
is the first layer, which is a low-rank change, and all that is linear before a sum over graphs.
"""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor, fx

from graphsieve.importance.engines.lowrank.changes import select
from graphsieve.importance.engines.lowrank.filters import Expression
from graphsieve.importance.engines.lowrank.plan import Layer, Plan
from graphsieve.importance.engines.lowrank.pooling import PoolingLayer
from graphsieve.importance.engines.lowrank.trace import rows_times

PART_BYTES = 2**21  # rows in flight between two layers: larger parts leave the cache, smaller ones waste calls
RowsOf = Callable[[slice | Tensor], Tensor]


class WholeCopies:
    """A block of copies, computed one by one.

    column: the columns of x in each slot of each copy, (slots, copies). moved: how they change, (nodes read, slots,
    copies).
    """

    def __init__(self, plan: Plan, column: Tensor, moved: Tensor):
        self.plan, self.column, self.moved = plan, column, moved
        self.coefficients = {
            node: self._coefficients(layer) for node, layer in plan.layers.items() if layer.table is not None
        }

    def _coefficients(self, layer: Layer) -> Tensor:
        """(hops, slots, copies, nodes)"""
        powers = layer.filter.powers(select(self.moved, layer.reads[self.plan.program.x]))
        return torch.stack(list(powers.values())).permute(0, 2, 3, 1).contiguous()

    def outputs(self) -> Tensor:
        """(rows, copies, columns)"""
        return torch.stack([self._output(copy) for copy in range(self.column.shape[1])], 1)

    def _output(self, copy: int) -> Tensor:
        rows: dict[fx.Node, RowsOf] = {}
        if self.plan.x_rows is not None:
            rows[self.plan.program.x] = self._of_x(copy)
        for node, layer in self.plan.layers.items():
            rows[node] = self._of_first_layer(node, layer, copy) if layer.table is not None else _later(layer, rows)
        for node, pooling in self.plan.poolings.items():
            rows[node] = _pooled(pooling, rows)
        reads = self.plan.output_reads
        every_row = slice(0, len(self.plan.problem.nodes))
        return self.plan.output.evaluate(lambda leaf: rows[leaf](_where(reads[leaf], every_row)))

    def _of_x(self, copy: int) -> RowsOf:
        def rows(where: slice | Tensor) -> Tensor:
            values = self.plan.x_rows[where].clone()
            for column, moved in zip(self.column[:, copy], self.moved[where, :, copy].T, strict=True):
                values[:, column] += moved
            return values

        return rows

    def _of_first_layer(self, node: fx.Node, layer: Layer, copy: int) -> RowsOf:
        """The base row plus, for each hop and slot, a coefficient times the weight row of the slot's column."""
        coefficients, columns = self.coefficients[node], self.plan.problem.x.shape[1]
        weights = layer.table[len(layer.base) :].view(len(coefficients), columns, -1)
        terms = [
            (coefficients[hop, slot, copy][:, None], weights[hop, self.column[slot, copy]])
            for hop in range(len(coefficients))
            for slot in range(len(self.column))
        ]

        def rows(where: slice | Tensor) -> Tensor:
            values = torch.addcmul(layer.base[where], terms[0][0][where], terms[0][1])
            for coefficient, weight in terms[1:]:
                values.addcmul_(coefficient[where], weight)
            return values

        return rows


def _later(layer: Layer, rows: dict[fx.Node, RowsOf]) -> RowsOf:
    known = layer.filter
    parts = _evaluated(layer.source, layer.reads, rows, known.sizes[-1])
    if known.transforms_first:
        sums = {hop: layer.base.new_empty(known.sizes[hop], layer.base.shape[1]) for hop in known.weights}
        for part, values in parts:
            for hop, weight in known.weights.items():
                stop = min(part.stop, known.sizes[hop])
                if part.start < stop:
                    sums[hop][part.start : stop] = rows_times(values[: stop - part.start], weight.T)
        result = known.combine(sums)
    else:
        powers = known.powers(torch.cat([values for _, values in parts]))
        result = sum(
            powers[hop] if weight is None else rows_times(powers[hop], weight.T)
            for hop, weight in known.weights.items()
        )
    if known.bias is not None:
        result = result + known.bias
    return result.__getitem__


def _pooled(layer: PoolingLayer, rows: dict[fx.Node, RowsOf]) -> RowsOf:
    totals = layer.map.start()
    for part, values in _evaluated(layer.source, layer.reads, rows, len(layer.map.batch)):
        totals.add(part, values)
    return totals.result().__getitem__


def _evaluated(
    expression: Expression, reads: dict[fx.Node, Tensor | None], rows: dict[fx.Node, RowsOf], number: int
) -> Iterator[tuple[slice, Tensor]]:
    """The rows that enter a layer, part by part."""
    width = max(rows[leaf](slice(0, 1)).shape[1] * rows[leaf](slice(0, 1)).element_size() for leaf in expression.leaves)
    step = max(PART_BYTES // width, 64)
    for start in range(0, number, step):
        part = slice(start, min(start + step, number))
        yield part, expression.evaluate(lambda leaf, part=part: rows[leaf](_where(reads[leaf], part)))


def _where(reads: Tensor | None, part: slice) -> slice | Tensor:
    return part if reads is None else reads[part]
