"""Few outputs behind a last ReLU, node by node: only units that may change sign are computed one by one.

The outputs are `V relu(z) + c`, where z is a convolution's output. When what enters the convolution changes by s, unit
k of z changes by s . w_k, so by at most |s| |w_k|. While that is below |z_k|, the unit keeps its sign and is linear;
all units taken as linear are one small matrix for each node, `V diag(z > 0) W`. What a unit that changes sign adds to
this is how far it gets beyond zero. So the product s . w_k is needed for the units of small |z_k| / |w_k| alone: after
training about one in a hundred, before it one in three. What is left out is zero.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from graphsieve.importance.engines.lowrank.filters import RestrictedFilter
from graphsieve.importance.engines.lowrank.tables import Sums, weighted_sums

TERMS = 2048  # rows that are summed at once: they should stay in the cache
ROWS = 32  # that are computed with the same units: those that the largest of these changes needs


class RectifiedOutput:
    """The changes of the outputs at a node, from the changes of what its convolution reads.

    known: that convolution, which reaches one hop at the most. z: its unperturbed output. head: V, (outputs, units).
    """

    def __init__(self, known: RestrictedFilter, z: Tensor, head: Tensor):
        self.z, self.head = z, head
        self.weight = torch.cat([known.weights[hop] for hop in sorted(known.weights)]).T.contiguous()  # (units, inputs)
        margins = z.abs() / self.weight.norm(dim=1)  # NaN, which is sorted last, for a unit that never changes
        self.margins, self.units = margins.sort(dim=1)
        self.slopes = ((head * (z > 0)[:, None]).flatten(0, 1) @ self.weight).view(len(z), len(head), -1)

    def share(self, nodes: Tensor, entering: Tensor) -> float:
        """Of the units that may change sign at these nodes when what enters changes by these rows."""
        reach = torch.linalg.vector_norm(entering, dim=1, keepdim=True)
        return float((self.margins[nodes] <= reach).float().mean())

    def change(self, node: int, entering: Tensor) -> Tensor:
        """Of the outputs, (outputs, rows), when what enters changes by these rows, hop beside hop."""
        reach, order = torch.linalg.vector_norm(entering, dim=1).sort(descending=True)
        entering = entering.index_select(0, order)
        change = self.slopes[node] @ entering.T
        counts = torch.searchsorted(self.margins[node], reach[::ROWS].contiguous(), right=True).tolist()
        units = self.units[node, : counts[0]]
        z = self.z[node].index_select(0, units)[:, None]
        depth, beyond = z.abs().neg_(), torch.where(z > 0, -1, 1).to(z.dtype)
        weight = self.weight.index_select(0, units).mul_(beyond)
        head = self.head.index_select(1, units)
        for start, count in zip(range(0, len(order), ROWS), counts, strict=True):
            if count == 0:
                break
            rows = entering[start : start + ROWS]
            excess = torch.addmm(depth[:count], weight[:count], rows.T).relu_()
            change[:, start : start + ROWS].addmm_(head[:, :count], excess)
        return torch.empty_like(change).index_copy_(1, order, change)


@dataclass(frozen=True)
class Bag:
    """The changes of one hop's sums at the scored nodes, from the new rows and the unperturbed ones of each term."""

    sums: Sums
    bounds: Tensor  # of the terms of each sum
    new: Callable[[slice], Tensor]  # rows of the terms
    reference: Tensor
    nodes: Tensor  # which rows of `reference` the terms are of

    def rows(self, part: slice) -> Tensor:
        terms = slice(*self.bounds[[part.start, part.stop]].tolist())
        starts, factor, new = self.bounds[part] - terms.start, self.sums.factor[terms], self.new(terms)
        change = weighted_sums(new, torch.arange(len(new), device=new.device), factor, starts)
        return change.sub_(weighted_sums(self.reference, self.nodes[terms], factor, starts))


@dataclass(frozen=True)
class Entering:
    """The changes of what a convolution reads, a row for each pair of a reached node and a copy, sorted by node."""

    nodes: Tensor
    numbers: Tensor  # (nodes, copies), as in a Table
    bags: list[Bag]  # of each hop

    def rows(self, part: slice) -> Tensor:
        return torch.cat([bag.rows(part) for bag in self.bags], 1)

    def parts(self, number: int) -> Iterator[tuple[int, slice]]:
        """Each of so many nodes and its rows, in several parts where they have many terms."""
        ends = torch.searchsorted(self.nodes, torch.arange(number + 1, device=self.nodes.device))
        terms = sum(bag.bounds for bag in self.bags)[ends].diff().tolist()
        ends = ends.tolist()
        for node, (start, stop, count) in enumerate(zip(ends, ends[1:], terms, strict=False)):
            step = max(1, (stop - start) * TERMS // max(1, count))
            for first in range(start, stop, step):
                yield node, slice(first, min(first + step, stop))
