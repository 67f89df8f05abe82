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

Rows = Callable[[slice], Tensor]


class InputChange:
    """x itself: `change` (nodes, slots, copies) in the columns `column_of_copy` (slots, copies)."""

    def __init__(self, x: Tensor, change: Tensor, mask: Tensor, column_of_copy: Tensor):
        self.x, self.change, self.mask, self.column = x, change, mask, column_of_copy
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

    def __init__(self, table: Tensor, coefficients: Tensor, column_of_copy: Tensor, num_columns: int):
        starts = [len(table) - num_columns * hop for hop in range(len(coefficients), 0, -1)]
        self.table, self.entries = table, torch.cat([column_of_copy + start for start in starts])  # (terms, copies)
        self.coefficients = coefficients.transpose(1, 2).flatten(0, 1)  # (terms, nodes, copies)
        self.mask = union(list(self.coefficients != 0))
        self.width = table.shape[1]
        self.parent: LowRankChange | None = None
        self.parent_of_copy: Tensor | None = None

    def rows(self, nodes: Tensor, copies: Tensor) -> Rows:
        entries = torch.stack([nodes, *self.entries[:, copies]], 1)
        factors = self._coefficients_at(nodes, copies)
        factors = torch.cat([torch.ones_like(factors[:, :1]), factors], 1)
        # One fused gather, multiply and add: `base[node] + sum of factor * weight row`, without temporaries.
        return lambda part: F.embedding_bag(entries[part], self.table, per_sample_weights=factors[part], mode="sum")

    def _coefficients_at(self, nodes: Tensor, copies: Tensor) -> Tensor:
        flat = nodes * self.coefficients.shape[2] + copies
        own = self.coefficients.flatten(1)[:, flat].T
        if self.parent is None:
            return own
        return own + self.parent._coefficients_at(nodes, self.parent_of_copy[copies])


class DenseChange:
    """A later layer: the base row plus a stored change (nodes, copies, width)."""

    def __init__(self, base: Tensor, change: Tensor, reached: Callable[[], Tensor]):
        self.base, self.change, self._reached = base, change, reached
        self.width = base.shape[1]

    @cached_property
    def mask(self) -> Tensor:
        return self._reached()

    def rows(self, nodes: Tensor, copies: Tensor) -> Rows:
        return lambda part: self.base[nodes[part]] + self.change[nodes[part], copies[part]]


Change = InputChange | LowRankChange | DenseChange


def select(values: Tensor, index: Tensor | None) -> Tensor:
    """The indexed rows; None stands for all of them in order."""
    return values if index is None else values[index]


def union(masks: list[Tensor]) -> Tensor:
    return masks[0] if len(masks) == 1 else torch.stack(masks).any(0)
