"""Logits of many perturbed copies at once, from a prepared plan."""

from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor, fx

from graphsieve.importance.columns import NewColumn
from graphsieve.importance.engines.lowrank.changes import (
    Change,
    DenseChange,
    InputChange,
    LowRankChange,
    Rows,
    select,
    union,
)
from graphsieve.importance.engines.lowrank.filters import Expression
from graphsieve.importance.engines.lowrank.plan import CHUNK_BYTES, Layer, Plan
from graphsieve.importance.engines.lowrank.trace import NARROW
from graphsieve.importance.engines.lowrank.whole import WholeCopies
from graphsieve.importance.engines.parallel import ordered_map

State = dict[fx.Node, Change]


class Copies:
    """A block of copies evaluated layer by layer.

    columns: the columns of x in each slot of each item, (slots, items). item: which one each copy perturbs.
    moved: the change of these columns against the parent's, (nodes read, slots, copies). parent: a block with one copy
    per item, the parents of the copies; without it the parent is the unperturbed model.
    """

    def __init__(
        self,
        plan: Plan,
        columns: Tensor,
        item: Tensor,
        moved: Tensor,
        parent: "Copies | None" = None,
        has_children: bool = False,
    ):
        self.plan, self.column, self.item, self.parent = plan, columns[:, item], item, parent
        self.has_children = has_children
        self.number = len(item)
        self.references: dict[fx.Node, Tensor] = {}
        self.changes: State = {}
        if plan.x_rows is not None:
            change = moved if parent is None else moved + parent.moved[:, :, item]
            self.changes[plan.program.x] = InputChange(plan.x_rows, change, (moved != 0).any(1), self.column)
        self.moved = moved
        for node, layer in plan.layers.items():
            if layer.table is not None:
                self.changes[node] = self._first_layer(node, layer)
            else:
                self.changes[node] = self._later_layer(node, layer)

    def _first_layer(self, node: fx.Node, layer: Layer) -> LowRankChange:
        powers = layer.filter.powers(select(self.moved, layer.reads[self.plan.program.x]))
        change = LowRankChange(
            layer.table, torch.stack(list(powers.values())), self.column, self.plan.problem.x.shape[1]
        )
        if self.parent is not None:
            change.parent, change.parent_of_copy = self.parent.changes[node], self.item
        return change

    def _later_layer(self, node: fx.Node, layer: Layer) -> DenseChange:
        """The new rows of its input, minus those of the parent, filtered, plus the parent's change."""
        known = layer.filter
        mask, keys, rows = self._changed_rows(layer.source, layer.reads)
        reference = layer.reference if self.parent is None else self.parent.references[node]
        entering = keys // self.number
        if self.parent is not None:
            entering = entering * self.parent.number + self.item[keys % self.number]
        if known.transforms_first:
            parts = self._transformed(layer, rows, keys, entering, reference)
            change = known.combine(parts)
        else:
            parts = {known.hops: self._entering(layer, rows, keys, entering, reference)}
            change = known.mix(known.powers(parts[known.hops]))
        if self.has_children:
            self.references[node] = self._reference_for_children(layer, parts)
        if self.parent is not None:
            change += self.parent.changes[node].change[:, self.item]
        return DenseChange(layer.base, change, lambda: known.reached(mask))

    def _changed_rows(self, expression: Expression, reads: dict[fx.Node, Tensor | None]) -> tuple[Tensor, Tensor, Rows]:
        """Where the value of an expression differs from the parent's, as a mask and as keys, and its rows there."""
        mask = union([select(self.changes[leaf].mask, reads[leaf]) for leaf in expression.leaves])
        keys = mask.flatten().nonzero()[:, 0]
        nodes, copies = keys // self.number, keys % self.number
        leaves = {leaf: self.changes[leaf].rows(_read(nodes, reads[leaf]), copies) for leaf in expression.leaves}
        return mask, keys, lambda part: expression.evaluate(lambda leaf: leaves[leaf](part))

    def _entering(self, layer: Layer, rows: Rows, keys: Tensor, entering: Tensor, reference: Tensor) -> Tensor:
        width, nodes = reference.shape[1], len(layer.filter.inputs)
        change = reference.new_zeros(nodes * self.number, width)
        for part in _chunks(len(keys), width * change.element_size()):
            change[keys[part]] = rows(part) - reference[entering[part]]
        return change.view(nodes, self.number, width)

    def _transformed(
        self, layer: Layer, rows: Rows, keys: Tensor, entering: Tensor, reference: Tensor
    ) -> dict[int, Tensor]:
        """The change of the input times the weight of each hop, at the nodes that hop reads."""
        sizes, width, hops = layer.filter.sizes, layer.base.shape[1], sorted(layer.filter.weights)
        results = {hop: reference.new_zeros(sizes[hop] * self.number, width) for hop in hops}
        ends = {hop: int(torch.searchsorted(keys, sizes[hop] * self.number)) for hop in hops}
        for part in _chunks(len(keys), layer.weight.shape[1] * reference.element_size()):
            skipped = width * sum(ends[hop] <= part.start for hop in hops)
            product = _product(rows(part), layer.weight[skipped:])
            product -= reference[:, skipped:].index_select(0, entering[part])
            for place, hop in enumerate(hops[skipped // width :]):
                stop = min(part.stop, ends[hop])
                own = product[: stop - part.start, place * width : (place + 1) * width]
                results[hop].index_copy_(0, keys[part.start : stop], own)
        return {hop: result.view(sizes[hop], self.number, width) for hop, result in results.items()}

    def _reference_for_children(self, layer: Layer, parts: dict[int, Tensor]) -> Tensor:
        reference = layer.reference[:, None].repeat(1, self.number, 1)
        for place, hop in enumerate(sorted(parts)):
            width = parts[hop].shape[2]
            reference[: len(parts[hop]), :, place * width : (place + 1) * width] += parts[hop]
        return reference.view(-1, reference.shape[2])

    def logits(self) -> Tensor:
        """(nodes, copies, classes); rows that no change reaches keep the parent's value."""
        output, reads = self.plan.output, self.plan.output_reads
        base = self.plan.problem.baseline  # the model's own, so that what does not change is not even rounded
        result = self.changes[output.result] if not output.steps else None
        if isinstance(result, DenseChange):
            return base[:, None] + select(result.change, reads[output.result])
        _, keys, rows = self._changed_rows(output, reads)
        whole = base[:, None].repeat(1, self.number, 1) if self.parent is None else self.parent.logits()[:, self.item]
        flat = whole.view(-1, base.shape[1])
        width = max(change.width for change in self.changes.values())
        for part in _chunks(len(keys), width * flat.element_size()):
            flat[keys[part]] = rows(part)
        return whole


class LowRankEngine:
    """Logits for any range of (item, repeat) pairs."""

    name = "lowrank"

    def __init__(self, plan: Plan):
        self.plan, self.problem = plan, plan.problem
        self.nodes, self.place = plan.x_nodes.cpu().numpy(), plan.x_place.cpu().numpy()
        self.draw = lru_cache(maxsize=16)(self.problem.draw)  # an item's repeats may fall into several blocks
        self.whole_base = self._whole_base()

    def logits(self, pairs: range) -> Tensor:
        """(classes, nodes, copies) of the pairs."""
        problem, device = self.problem, self.problem.x.device
        positions = range(pairs.start // problem.repeats, (pairs.stop - 1) // problem.repeats + 1)
        items = problem.items[positions.start : positions.stop]
        columns = torch.zeros(max(map(len, items)), len(items), dtype=torch.long, device=device)
        for place, item in enumerate(items):
            columns[: len(item), place] = torch.from_numpy(item)
        item = torch.arange(pairs.start, pairs.stop, device=device) // problem.repeats - positions.start
        new, old, sparse = self._moves(pairs, positions, len(columns))
        if not sparse or self.plan.poolings:
            return self._whole(columns[:, item], new - old[:, :, item])
        if sparse:
            removed = Copies(self.plan, columns, torch.arange(len(items), device=device), -old, has_children=True)
            copies = Copies(self.plan, columns, item, new, parent=removed)
        else:
            copies = Copies(self.plan, columns, item, new - old[:, :, item])
        return copies.logits().permute(2, 0, 1).contiguous()

    def _whole_base(self) -> Tensor:
        """The unperturbed outputs, with the rounding of copies that are computed as a whole."""
        column = torch.zeros(1, 1, dtype=torch.long, device=self.problem.x.device)
        moved = torch.zeros(len(self.nodes), 1, 1, dtype=self.problem.x.dtype, device=column.device)
        return WholeCopies(self.plan, column, moved).outputs()

    def _whole(self, columns: Tensor, moved: Tensor) -> Tensor:
        change = WholeCopies(self.plan, columns, moved).outputs() - self.whole_base
        return (change + self.problem.baseline[:, None]).permute(2, 0, 1).contiguous()

    def _moves(self, pairs: range, positions: range, slots: int) -> tuple[Tensor, Tensor, bool]:
        """New (nodes, slots, copies) and old (nodes, slots, items) values of the columns; whether all are sparse."""
        repeats, dtype = self.problem.repeats, self.problem.columns.dtype
        new = np.zeros((len(self.nodes), slots, len(pairs)), dtype=dtype)
        old = np.zeros((len(self.nodes), slots, len(positions)), dtype=dtype)
        sparse = True
        for place, position in enumerate(positions):
            first = position * repeats
            start, stop = max(first, pairs.start), min(first + repeats, pairs.stop)
            copies = slice(start - pairs.start, stop - pairs.start)
            for slot, (column, drawn) in enumerate(zip(self.problem.items[position], self.draw(position), strict=True)):
                self._write_old(old[:, slot, place], column)
                self._write_new(new[:, slot, copies], drawn, slice(start - first, stop - first))
                sparse &= drawn.rows is not None
        device = self.problem.x.device
        return torch.from_numpy(new).to(device), torch.from_numpy(old).to(device), sparse

    def _write_old(self, target: np.ndarray, column: int) -> None:
        rows, values = self.problem.columns.nonzeros(column)
        there = self.place[rows]
        target[there[there >= 0]] = values[there >= 0]

    def _write_new(self, target: np.ndarray, drawn: NewColumn, repeats: slice) -> None:
        if drawn.rows is None:
            target[:] = drawn.values[repeats, self.nodes].T
            return
        there = self.place[drawn.rows[repeats]]
        copy, which = (there >= 0).nonzero()
        target[there[copy, which], copy] = drawn.values[repeats][copy, which]

    def blocks(self, score: Callable[[Tensor], np.ndarray]) -> Iterator[tuple[range, np.ndarray]]:
        """Scores of all pairs, block by block."""
        workers = torch.get_num_threads() if self.problem.x.device.type == "cpu" else 1
        pairs, step = self.problem.num_pairs, self.plan.copies_per_block(workers)
        ranges = (range(start, min(start + step, pairs)) for start in range(0, pairs, step))

        def work(block: range) -> tuple[range, np.ndarray]:
            with torch.no_grad():  # gradient mode belongs to a thread
                return block, score(self.logits(block))

        return ordered_map(work, ranges, workers)


def _product(rows: Tensor, weight: Tensor) -> Tensor:
    """rows @ weight.T; for few outputs the transposed product is several times faster on CPUs."""
    return (weight @ rows.T).T if len(weight) <= NARROW else rows @ weight.T


def _read(nodes: Tensor, index: Tensor | None) -> Tensor:
    """Where a reader's nodes stand among the rows it reads."""
    return nodes if index is None else index[nodes]


def _chunks(rows: int, row_bytes: int) -> Iterator[slice]:
    step = max(CHUNK_BYTES // row_bytes, 64)
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))
