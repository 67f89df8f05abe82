"""Few outputs behind a last ReLU: only units that may change sign are computed one by one.

The outputs are `V relu(z) + c`, where z is a convolution's output. When what enters the convolution changes by s, unit
k of z changes by s . w_k, so by at most |s| |w_k|. While that is below |z_k|, the unit keeps its sign and is linear;
all units taken as linear are one small matrix for each node, `V diag(z > 0) W`. What a unit that changes sign adds to
this is how far it gets beyond zero. So the product s . w_k is needed for the units of small |z_k| / |w_k| alone: after
training about one in a hundred, before it one in three. What is left out is zero. Where more than a few of a row's
units may change sign, one product with all of them is cheaper. Where that is so of most rows, all are computed so, and
rows share products.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import torch
import torch.nn.functional as F
from torch import Tensor

from graphsieve.importance.engines.lowrank.filters import RestrictedFilter
from graphsieve.importance.engines.lowrank.tables import SummedRows, Sums, rows_ahead, weighted_sums
from graphsieve.importance.engines.lowrank.trace import rows_times
from graphsieve.models.fast.matrices import csr_tensor
from graphsieve.models.fast.nonzero_columns import MOST, without_zero_columns
from graphsieve.models.fast.products import filled_up, product

Group = tuple[Tensor, Callable[[slice], Tensor]]  # numbers of rows, and what gives slices of values there
FEW = 48  # units that are computed one by one at most (measured)


class RectifiedOutput:
    """The changes of the outputs, from the changes of what their convolution reads.

    known: that convolution, which reaches one hop at the most. z: its unperturbed output. head: V, (outputs, units).
    """

    def __init__(self, known: RestrictedFilter, z: Tensor, head: Tensor):
        self.z, self.head, self.has_one_weight = z, head, len(known.weights) == 1
        self.weight = torch.cat([known.weights[hop] for hop in sorted(known.weights)]).T.contiguous()  # (units, inputs)
        margins = (z.abs() / self.weight.norm(dim=1)).nan_to_num_(torch.inf)  # of a unit that never changes
        margins, units = F.pad(margins, (0, 1), value=torch.inf).topk(min(FEW, z.shape[1]) + 1, largest=False)
        self.margins, self.limit = margins[:, :-1].contiguous(), margins[:, -1]
        self.units = units[:, :-1].clamp(max=z.shape[1] - 1)  # those of these margins; behind infinite ones any
        self.z_of_units = z.gather(1, self.units)
        self.slopes = (head * (z > 0)[:, None]).flatten(0, 1) @ self.weight  # (nodes x outputs, inputs)
        self.outputs = rows_times(z.relu(), head)

    def has_few(self, nodes: Tensor, reach: Tensor) -> Tensor:
        """Whether few units may change sign at these nodes when what enters changes by vectors of this length."""
        return reach < self.limit[nodes]

    def change(self, nodes: Tensor, entering: Tensor) -> Tensor:
        """Of the outputs at these nodes, (rows, outputs), when what enters changes by these rows, hop beside hop."""
        reach = torch.linalg.vector_norm(entering, dim=1)
        few = self.has_few(nodes, reach)
        change = self._linear(nodes, entering)
        self._add_excess(change, nodes, entering, torch.where(few, reach, -1))  # nothing where it is not few
        whole = (~few).nonzero()[:, 0]
        if len(whole):
            change[whole] = self._whole(nodes[whole], entering.index_select(0, whole))
        return change

    def groups(self, entering: "Entering", by_units: bool) -> list[Group]:
        """The changes of the outputs, from those that enter: of few units, or, of a single weight, of all."""
        nodes = entering.nodes
        if by_units:
            every = torch.arange(len(nodes), device=nodes.device)
            return [(every, lambda part: self.change(nodes[part], entering.rows(part)))]
        return [
            (rows, lambda part, rows=rows, moved=moved: self._behind(nodes[rows[part]], moved(part)))
            for rows, moved in entering.times(self.weight)
        ]

    def _whole(self, nodes: Tensor, entering: Tensor) -> Tensor:
        """With all units."""
        units = product(entering, self.weight.T).add_(self.z.index_select(0, nodes)).relu_()
        return rows_times(units, self.head) - self.outputs[nodes]

    def _behind(self, nodes: Tensor, moved: Tensor) -> Tensor:
        """When z changes by these rows, which are overwritten; those that fill them up are ignored."""
        moved[: len(nodes)].add_(self.z.index_select(0, nodes)).relu_()
        return product(self.head, moved.T).T[: len(nodes)] - self.outputs[nodes]

    def _add_excess(self, change: Tensor, nodes: Tensor, entering: Tensor, reach: Tensor) -> None:
        """What units add that change sign, where each unit with a margin within `reach` may."""
        rows = (reach >= self.margins[:, 0][nodes]).nonzero()[:, 0]
        own = nodes[rows]
        turns = self.margins.index_select(0, own) <= reach[rows, None]
        unit, z = (table.index_select(0, own).masked_select(turns) for table in (self.units, self.z_of_units))
        ends = reach.new_zeros(len(nodes) + 1, dtype=torch.long)
        ends[rows + 1] = turns.sum(1)
        starts = ends.cumsum(0)
        moved = _dots(entering, self.weight, starts, unit).add_(z)
        excess = torch.where(z > 0, -moved, moved).relu_()
        change += weighted_sums(self.head.T, unit, excess, starts[:-1])

    def _linear(self, nodes: Tensor, entering: Tensor) -> Tensor:
        outputs = len(self.head)
        own = nodes[:, None] * outputs + torch.arange(outputs, device=nodes.device)
        starts = torch.arange(0, own.numel() + 1, outputs, device=nodes.device)
        return _dots(entering, self.slopes, starts, own.flatten()).view(own.shape)


def _dots(rows: Tensor, others: Tensor, starts: Tensor, which: Tensor) -> Tensor:
    """The products of row i with each of the others that `which` names from starts[i] to starts[i + 1]."""
    pattern = csr_tensor(starts, which, rows.new_zeros(len(which)), (len(rows), len(others)))
    return torch.sparse.sampled_addmm(pattern, rows, others.T, beta=0).values()


class Entering:
    """The changes of what a convolution reads, a row for each pair of a reached node and a copy, sorted by node.

    table: the changes of the convolution's input. sums: of its rows, for each hop.
    """

    def __init__(self, nodes: Tensor, table: Tensor, sums: list[Sums]):
        self.nodes, self.table, self.sums = nodes, table, sums

    @cached_property
    def _of_hops(self) -> list[SummedRows]:
        return [SummedRows(self.table, one, len(self.nodes)) for one in self.sums]

    def rows(self, part: slice) -> Tensor:
        """Hop beside hop."""
        found = [hop.rows(part)[: part.stop - part.start] for hop in self._of_hops]
        return found[0] if len(found) == 1 else torch.cat(found, 1)

    def times(self, weight: Tensor) -> list[Group]:
        """The rows of the only hop times the transposed weight, filled up: sums of products, and products of sums."""
        (sums,), number = self.sums, len(self.nodes)
        table, weight = without_zero_columns(self.table, weight, MOST)
        ahead = rows_ahead(sums, len(table))
        products = product(table.index_select(0, filled_up(ahead.nonzero()[:, 0], 0)), weight.T)
        is_late = torch.bincount(sums.target[~ahead[sums.source]], minlength=1 + number)[1:] > 0
        of_products = sums.into(~is_late)
        of_products = replace(of_products, source=(ahead.cumsum(0) - 1)[of_products.source])
        early, late = (~is_late).nonzero()[:, 0], is_late.nonzero()[:, 0]
        multiplied = SummedRows(products, of_products, len(early))
        summed = SummedRows(table, sums.into(is_late), len(late))
        return [(early, multiplied.rows), (late, lambda part: product(summed.rows(part), weight.T))]
