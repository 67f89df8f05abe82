"""How the value of x or of a layer differs from the unperturbed one, for a block of perturbed copies.

A copy differs from its *parent*: the unperturbed model, or, for a permuted sparse column, the model with that column
removed, which all repeats of a feature share. `mask` (nodes, copies) marks the rows that differ from the parent's.
"""

from collections.abc import Callable
from functools import cached_property

import torch
import torch.nn.functional as F
from torch import Tensor

Rows = Callable[[slice], Tensor]


class InputChange:
    """x itself: one column per copy."""

    def __init__(self, x: Tensor, change: Tensor, mask: Tensor, column_of_copy: Tensor):
        self.x, self.change, self.mask, self.column = x, change, mask, column_of_copy
        self.width = x.shape[1]

    def rows(self, nodes: Tensor, copies: Tensor) -> Rows:
        """A function that gives slices of the new rows (nodes[i], copies[i])."""

        def rows(part: slice) -> Tensor:
            values = self.x[nodes[part]]
            places = torch.arange(len(values), device=values.device)
            values[places, self.column[copies[part]]] += self.change[nodes[part], copies[part]]
            return values

        return rows


class LowRankChange:
    """A first layer: the base row plus, for each hop, a coefficient times the weight row of the copy's feature.

    `table` holds the base rows, then for each hop a row for every column of x. `coefficients` (hops, nodes, copies) are
    relative to the parent's.
    """

    def __init__(self, table: Tensor, coefficients: Tensor, column_of_copy: Tensor, num_columns: int):
        self.table, self.coefficients, self.column = table, coefficients, column_of_copy
        self.mask = union(list(coefficients != 0))
        self.starts = [len(table) - num_columns * term for term in range(len(coefficients), 0, -1)]
        self.width = table.shape[1]
        self.parent: LowRankChange | None = None
        self.parent_of_copy: Tensor | None = None

    def rows(self, nodes: Tensor, copies: Tensor) -> Rows:
        column = self.column[copies]
        entries = torch.stack([nodes, *(column + start for start in self.starts)], 1)
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
