"""How the value of x or of a layer differs from the unperturbed one, for a block of perturbed copies.

A copy is x with an item's columns perturbed: one, or several of a group. They stand in *slots*; where the items of a
block differ in size, a free slot holds column 0 and a change of zero.

A copy differs from its *parent*: the unperturbed model, or, for permuted sparse columns, the model with these columns
removed, which all repeats of an item share. `mask` (nodes, copies) marks the rows that differ from the parent's.
"""

from collections.abc import Callable
from functools import cached_property

import torch
import torch.nn.functional as F
from torch import Tensor

from graphsieve.importance.engines.lowrank.tables import FilteredChange, Lineage, weighted_sums

Rows = Callable[[slice], Tensor]


class InputChange:
    """x itself: `moved` (nodes, slots, copies) against the parent, in the columns `column_of_copy` (slots, copies)."""

    def __init__(self, x: Tensor, moved: Tensor, column_of_copy: Tensor, lineage: Lineage):
        self.x, self.change, self.mask, self.column = x, lineage.total(moved), (moved != 0).any(1), column_of_copy
        self.width = x.shape[1]

    def rows(self, nodes: Tensor, copies: Tensor) -> Rows:
        """A function that gives slices of the new rows (nodes[i], copies[i])."""

        def rows(part: slice) -> Tensor:
            values = self.x[nodes[part]]
            places = torch.arange(len(values), device=values.device)
            for slot, column in enumerate(self.column):
                values[places, column[copies[part]]] += self.change[nodes[part], slot, copies[part]]
            return values

        return rows


class LowRankChange:
    """A first layer: the base row plus, for each hop and slot, a coefficient times the weight row of the slot's column.

    `table` holds the base rows, then for each hop a row for every column of x. `coefficients` (hops, nodes, slots,
    copies) are relative to the parent's.
    """

    def __init__(self, table: Tensor, coefficients: Tensor, column_of_copy: Tensor, num_columns: int, lineage: Lineage):
        starts = [len(table) - num_columns * hop for hop in range(len(coefficients), 0, -1)]
        self.table, self.entries = table, torch.cat([column_of_copy + start for start in starts])  # (terms, copies)
        coefficients = coefficients.transpose(1, 2).flatten(0, 1)  # (terms, nodes, copies)
        self.mask = union(list(coefficients != 0))
        self.coefficients = lineage.total(coefficients)
        self.width = table.shape[1]

    def rows(self, nodes: Tensor, copies: Tensor) -> Rows:
        entries = torch.stack([nodes, *self.entries[:, copies]], 1)
        factors = self.coefficients.flatten(1)[:, nodes * self.mask.shape[1] + copies].T
        factors = torch.cat([torch.ones_like(factors[:, :1]), factors], 1)
        # One fused gather, multiply and add: `base[node] + sum of factor * weight row`, without temporaries.
        return lambda part: F.embedding_bag(entries[part], self.table, per_sample_weights=factors[part], mode="sum")


class DenseChange:
    """A later layer of few outputs: the base row plus a stored change (nodes, copies, width)."""

    def __init__(self, base: Tensor, change: Tensor, reached: Callable[[], Tensor]):
        self.base, self.change, self._reached = base, change, reached
        self.width = base.shape[1]

    @cached_property
    def mask(self) -> Tensor:
        return self._reached()

    def rows(self, nodes: Tensor, copies: Tensor) -> Rows:
        return lambda part: self.base[nodes[part]] + self.change[nodes[part], copies[part]]


class SparseChange:
    """A later layer of many outputs: the base row plus a sum of products, taken when the row is asked for."""

    def __init__(self, base: Tensor, change: FilteredChange):
        self.base, self.change, self.mask = base, change, change.mask
        self.width = base.shape[1]
        self.counts = torch.bincount(change.sums.target, minlength=1 + int(change.mask.sum()))

    def rows(self, nodes: Tensor, copies: Tensor) -> Rows:
        sums, numbers = self.change.sums, self.change.numbers[nodes, copies]
        counts = self.counts[numbers]
        ends = counts.cumsum(0)
        # The place in `sums` of every term: its row's first one there, and so many on as it is on in its row here.
        shift = (self.counts.cumsum(0) - self.counts)[numbers] - (ends - counts)
        places = torch.arange(int(counts.sum()), device=nodes.device) + shift.repeat_interleave(counts)
        source, factor = sums.source[places], sums.factor[places]
        bounds = F.pad(ends, (1, 0))

        def rows(part: slice) -> Tensor:
            terms = slice(*bounds[[part.start, part.stop]].tolist())
            starts = (ends - counts)[part] - terms.start
            change = weighted_sums(self.change.rows, source[terms], factor[terms], starts)
            return change.add_(self.base.index_select(0, nodes[part]))

        return rows


Change = InputChange | LowRankChange | DenseChange | SparseChange


def select(values: Tensor, index: Tensor | None) -> Tensor:
    """The indexed rows; None stands for all of them in order."""
    return values if index is None else values[index]


def union(masks: list[Tensor]) -> Tensor:
    return masks[0] if len(masks) == 1 else torch.stack(masks).any(0)
