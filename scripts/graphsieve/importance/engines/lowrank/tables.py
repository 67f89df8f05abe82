"""Changes of few rows, as a table of them, and what linear maps make of them."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from graphsieve.importance.engines.lowrank.filters import RestrictedFilter


@dataclass(frozen=True)
class Lineage:
    """Which copies of a block are parents: the first `parents` of them; each later one has that in `parent`.

    The parents, and all copies where there are none, start from the unperturbed model.
    """

    parents: int
    parent: Tensor

    def total(self, changes: Tensor) -> Tensor:
        """Changes against the unperturbed values, from those against the parents; copies are the last dimension."""
        if not self.parents:
            return changes
        own = changes[..., self.parents :]
        return torch.cat([changes[..., : self.parents], own + changes[..., self.parent]], -1)

    def row_numbers(self, mask: Tensor) -> Tensor:
        """Where in a table of all masked rows, counted from 1, each row's change stands: its own, its parent's or 0."""
        numbers = mask.flatten().cumsum(0).view_as(mask) * mask
        if self.parents:
            own = numbers[:, self.parents :]
            own += numbers[:, self.parent].masked_fill_(mask[:, self.parents :], 0)
        return numbers


@dataclass(frozen=True)
class Table:
    """Changes against the unperturbed value.

    rows: first a row of zeros, then those of the masked (node, copy) pairs in their order. mask: (nodes, copies) where
    a copy differs from its parent. numbers: (nodes, copies), which of `rows` holds the change.
    """

    rows: Tensor
    mask: Tensor
    numbers: Tensor

    def first(self, nodes: int) -> "Table":
        mask = self.mask[:nodes]
        return Table(self.rows[: 1 + int(mask.sum())], mask, self.numbers[:nodes])

    def times(self, weight: Tensor | None) -> "Table":
        """rows @ weight; None is the identity."""
        return self if weight is None else Table(self.rows @ weight, self.mask, self.numbers)


def filter_table(known: RestrictedFilter, table: Table, lineage: Lineage) -> Table:
    """The change of the filter's output; the weights are applied where they meet fewer rows."""
    if None in known.weights.values() or _rows_reached(known, table.mask) <= _rows_read(known, table.mask):
        return _transform_last(known, table, lineage)
    total = table.times(known.weights[known.hops])
    for hop in range(known.hops - 1, -1, -1):
        total = _propagate(known, hop, total, lineage)
        if hop in known.weights:
            total = _add([total, table.first(known.sizes[hop]).times(known.weights[hop])], lineage)
    return total


def _transform_last(known: RestrictedFilter, table: Table, lineage: Lineage) -> Table:
    found = []
    for hop in range(known.hops + 1):
        if hop > 0:
            table = _propagate(known, known.hops - hop, table, lineage)
        if hop in known.weights:
            found.append(table.first(known.sizes[0]).times(known.weights[hop]))
    return _add(found, lineage)


def _rows_read(known: RestrictedFilter, mask: Tensor) -> int:
    return sum(int(mask[: known.sizes[hop]].sum()) for hop in known.weights)


def _rows_reached(known: RestrictedFilter, mask: Tensor) -> int:
    """Rows of the outputs that change by each of the weighted hops."""
    total = 0
    for hop in range(known.hops + 1):
        if hop > 0:
            mask = known.spread(mask, known.hops - hop)
        if hop in known.weights:
            total += int(mask[: known.sizes[0]].sum())
    return total


def _propagate(known: RestrictedFilter, hop: int, table: Table, lineage: Lineage) -> Table:
    """One multiplication by A, of the rows that change."""
    mask, edges = known.spread(table.mask, hop), known.edges[hop]
    numbers = lineage.row_numbers(mask)
    edge, copy = (mask[edges.target] & (table.numbers > 0)[edges.source]).nonzero().T
    into, order = numbers[edges.target[edge], copy].sort()
    edge, copy = edge[order], copy[order]
    counts = torch.bincount(into, minlength=1 + int(mask.sum()))
    # The weighted sum of the rows that enter each changed row; into the row of zeros nothing enters.
    rows = F.embedding_bag(
        table.numbers[edges.source[edge], copy],
        table.rows,
        counts.cumsum(0) - counts,
        per_sample_weights=edges.weight[edge],
        mode="sum",
    )
    return Table(rows, mask, numbers)


def _add(tables: list[Table], lineage: Lineage) -> Table:
    if len(tables) == 1:
        return tables[0]
    mask = torch.stack([table.mask for table in tables]).any(0)
    changed = mask.flatten().nonzero()[:, 0]
    numbers = torch.stack([table.numbers.flatten()[changed] for table in tables])
    rows = tables[0].rows.new_zeros(1 + len(changed), tables[0].rows.shape[1])
    for table, number in zip(tables, numbers, strict=True):
        rows[1:] += table.rows.index_select(0, number)
    return Table(rows, mask, lineage.row_numbers(mask))
