"""A block of perturbed copies, evaluated layer by layer."""

from collections.abc import Iterator

import torch
from torch import Tensor, fx

from graphsieve.importance.engines.lowrank.changes import (
    Change,
    DenseChange,
    InputChange,
    LowRankChange,
    Rows,
    SparseChange,
    select,
    union,
)
from graphsieve.importance.engines.lowrank.filters import Expression
from graphsieve.importance.engines.lowrank.plan import Layer, Plan
from graphsieve.importance.engines.lowrank.rectified import Entering
from graphsieve.importance.engines.lowrank.tables import Lineage, Table, filter_table, sums_at_outputs
from graphsieve.importance.engines.lowrank.trace import NARROW
from graphsieve.models.fast.products import product


class Copies:
    """The values of all layers.

    columns: the columns of x in each slot of each copy, (slots, copies). moved: the change of these columns against the
    parent's, (nodes read, slots, copies). by_units: whether only the last units that may change sign are computed.
    """

    def __init__(self, plan: Plan, columns: Tensor, moved: Tensor, lineage: Lineage, by_units: bool):
        self.plan, self.columns, self.moved, self.lineage = plan, columns, moved, lineage
        self.number, self.by_units = columns.shape[1], by_units
        self.changes: dict[fx.Node, Change] = {}
        if plan.x_rows is not None:
            self.changes[plan.program.x] = InputChange(plan.x_rows, moved, columns, lineage)
        self.last = plan.output.leaves[0] if plan.skips_last(by_units) else None  # for it stands `plan.rectified`
        for node, layer in plan.layers.items():
            if node is not self.last:
                self.changes[node] = self._later_layer(layer) if layer.table is None else self._first_layer(layer)

    def _first_layer(self, layer: Layer) -> LowRankChange:
        powers = layer.filter.powers(select(self.moved, layer.reads[self.plan.program.x]))
        coefficients = torch.stack(list(powers.values()))
        return LowRankChange(layer.table, coefficients, self.columns, self.plan.problem.x.shape[1], self.lineage)

    def _later_layer(self, layer: Layer) -> DenseChange | SparseChange:
        """The new rows of its input, minus the unperturbed ones, filtered."""
        if layer.filter.transforms_first:
            mask, keys, rows = self._changed_rows(layer.source, layer.reads)
            change = layer.filter.combine(self._transformed(layer, mask, keys, rows))
            return DenseChange(layer.base, change, lambda: layer.filter.reached(mask))
        return SparseChange(layer.base, filter_table(layer.filter, self._entering(layer), self.lineage))

    def _changed_rows(self, expression: Expression, reads: dict[fx.Node, Tensor | None]) -> tuple[Tensor, Tensor, Rows]:
        """Where the value of an expression differs from the parent's, as a mask and as keys, and its rows there."""
        mask = self._mask(expression, reads)
        keys = mask.flatten().nonzero()[:, 0]
        return mask, keys, self._rows(expression, reads, keys)

    def _mask(self, expression: Expression, reads: dict[fx.Node, Tensor | None]) -> Tensor:
        return union([select(self.changes[leaf].mask, reads[leaf]) for leaf in expression.leaves])

    def _rows(self, expression: Expression, reads: dict[fx.Node, Tensor | None], keys: Tensor) -> Rows:
        nodes, copies = keys // self.number, keys % self.number
        leaves = {leaf: self.changes[leaf].rows(_read(nodes, reads[leaf]), copies) for leaf in expression.leaves}
        return lambda part: expression.evaluate(lambda leaf: leaves[leaf](part))

    def _entering(self, layer: Layer) -> Table:
        """The changes of the input."""
        mask, keys, rows = self._changed_rows(layer.source, layer.reads)
        reference, nodes = layer.reference, keys // self.number
        changes = reference.new_empty(1 + len(keys), reference.shape[1])
        changes[0] = 0
        for part in self._chunks(len(keys), reference.shape[1] * reference.element_size()):
            target = changes[1 + part.start : 1 + part.stop]
            torch.index_select(reference, 0, nodes[part], out=target)
            torch.sub(rows(part), target, out=target)
        return Table(changes, mask, self.lineage.row_numbers(mask, keys))

    def _chunks(self, rows: int, row_bytes: int) -> Iterator[slice]:
        step = max(self.plan.chunk_bytes // row_bytes, 64)
        return (slice(start, min(start + step, rows)) for start in range(0, rows, step))

    def _transformed(self, layer: Layer, mask: Tensor, keys: Tensor, rows: Rows) -> dict[int, Tensor]:
        """The change of the input times the weight of each hop, at all nodes which that hop reads."""
        reference, nodes, numbers = layer.reference, keys // self.number, self.lineage.row_numbers(mask, keys)
        sizes, width, hops = layer.filter.sizes, layer.base.shape[1], sorted(layer.filter.weights)
        ends = {hop: int(torch.searchsorted(keys, sizes[hop] * self.number)) for hop in hops}
        tables = {hop: reference.new_zeros(1 + ends[hop], width) for hop in hops}
        for part in self._chunks(len(keys), layer.weight.shape[1] * reference.element_size()):
            skipped = width * sum(ends[hop] <= part.start for hop in hops)
            product = _product(rows(part), layer.weight[skipped:])
            product -= reference[:, skipped:].index_select(0, nodes[part])
            for place, hop in enumerate(hops[skipped // width :]):
                stop = min(part.stop, ends[hop])
                own = product[: stop - part.start, place * width : (place + 1) * width]
                tables[hop][1 + part.start : 1 + stop] = own
        shape = (self.number, width)
        return {
            hop: table.index_select(0, numbers[: sizes[hop]].flatten()).view(sizes[hop], *shape)
            for hop, table in tables.items()
        }

    def logits(self) -> Tensor:
        """(classes, nodes, scored copies); rows that no change reaches keep the model's own value, unrounded."""
        if self.last is not None:
            return self._logits_behind_last()
        output, reads, base = self.plan.output, self.plan.output_reads, self.plan.problem.baseline
        result = self.changes[output.result] if not output.steps else None
        if isinstance(result, DenseChange):
            change = select(result.change, reads[output.result])[:, self.lineage.parents :]
            return (base[:, None] + change).permute(2, 0, 1).contiguous()
        mask, keys, rows = self._changed_rows(output, reads)
        table = torch.cat([base, base.new_empty(len(keys), base.shape[1])])
        width = max(change.width for change in self.changes.values())
        for part in self._chunks(len(keys), width * base.element_size()):
            table[len(base) + part.start : len(base) + part.stop] = rows(part)
        numbers = self.lineage.row_numbers(mask, keys)[:, self.lineage.parents :]
        unchanged = torch.arange(len(base), device=base.device)[:, None]
        numbers = torch.where(numbers > 0, numbers + (len(base) - 1), unchanged)
        return table.T.contiguous().index_select(1, numbers.flatten()).view(-1, *numbers.shape)

    def _logits_behind_last(self) -> Tensor:
        """As `logits`, without the values of the last convolution."""
        base, (entering, numbers) = self.plan.problem.baseline, self.entering()
        changes = base.new_zeros(1 + len(entering.nodes), base.shape[1])
        for rows, change in self.plan.rectified.groups(entering, self.by_units):
            for part in self._chunks(len(rows), entering.table.shape[1] * base.element_size()):
                changes[1 + rows[part]] = change(part)
        numbers = numbers[:, self.lineage.parents :]
        changes = changes.T.contiguous().index_select(1, numbers.flatten())
        return changes.view(-1, *numbers.shape).add_(base.T[:, :, None])

    def entering(self) -> tuple[Entering, Tensor]:
        """What the last convolution reads at the scored nodes that a change reaches, and its numbers as in a Table."""
        layer = self.plan.layers[self.last]
        table = self._entering(layer)
        reached, numbers, sums = sums_at_outputs(layer.filter, table, self.lineage)
        return Entering(reached.flatten().nonzero()[:, 0] // self.number, table.rows, sums), numbers


def _product(rows: Tensor, weight: Tensor) -> Tensor:
    """rows @ weight.T; for few outputs the transposed product is several times faster on CPUs."""
    return (weight @ rows.T).T if len(weight) <= NARROW else product(rows, weight.T)


def _read(nodes: Tensor, index: Tensor | None) -> Tensor:
    """Where a reader's nodes stand among the rows it reads."""
    return nodes if index is None else index[nodes]
