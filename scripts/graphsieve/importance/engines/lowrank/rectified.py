"""Few outputs behind a last ReLU: only units that may change sign are computed one by one.

The outputs are `V relu(z) + c`, where z is a convolution's output. When what enters the convolution changes by s, unit
k of z changes by s . w_k, so by at most |s| |w_k|. While that is below |z_k|, the unit keeps its sign and is linear;
all units taken as linear are one small matrix for each node, `V diag(z > 0) W`. What a unit that changes sign adds to
this is how far it gets beyond zero. So the product s . w_k is needed for the units of small |z_k| / |w_k| alone: after
training about one in a hundred, before it one in three. What is left out is zero. Where more than a few of a row's
units may change sign, one product with all of them is cheaper.
"""

from dataclasses import dataclass
from functools import cached_property

import torch
import torch.nn.functional as F
from torch import Tensor

from graphsieve.importance.engines.lowrank.filters import RestrictedFilter
from graphsieve.importance.engines.lowrank.tables import Sums, weighted_sums
from graphsieve.importance.engines.lowrank.trace import rows_times
from graphsieve.models.fast.matrices import csr_tensor
from graphsieve.models.fast.products import product

FEW = 48  # units that are computed one by one at most (measured)


class RectifiedOutput:
    """The changes of the outputs, from the changes of what their convolution reads.

    known: that convolution, which reaches one hop at the most. z: its unperturbed output. head: V, (outputs, units).
    """

    def __init__(self, known: RestrictedFilter, z: Tensor, head: Tensor):
        self.z, self.head = z, head
        self.weight = torch.cat([known.weights[hop] for hop in sorted(known.weights)]).T.contiguous()  # (units, inputs)
        margins = (z.abs() / self.weight.norm(dim=1)).nan_to_num_(torch.inf)  # of a unit that never changes
        margins, units = F.pad(margins, (0, 1), value=torch.inf).topk(min(FEW, z.shape[1]) + 1, largest=False)
        self.margins, self.units, self.limit = margins[:, :-1].contiguous(), units[:, :-1].flatten(), margins[:, -1]
        self.slopes = (head * (z > 0)[:, None]).flatten(0, 1) @ self.weight  # (nodes x outputs, inputs)
        self.outputs = rows_times(z.relu(), head)

    def has_few(self, nodes: Tensor, reach: Tensor) -> Tensor:
        """Whether few units may change sign at these nodes when what enters changes by vectors of this length."""
        return reach < self.limit[nodes]

    def change(self, nodes: Tensor, entering: Tensor) -> Tensor:
        """Of the outputs at these nodes, (rows, outputs), when what enters changes by these rows, hop beside hop."""
        reach = torch.linalg.vector_norm(entering, dim=1)
        few = self.has_few(nodes, reach)
        if few.all():
            return self._few(nodes, entering, reach)
        change = entering.new_empty(len(nodes), len(self.head))
        for chosen, compute in ((few, self._few), (~few, self._all)):
            rows = chosen.nonzero()[:, 0]
            change[rows] = compute(nodes[rows], entering.index_select(0, rows), reach[rows])
        return change

    def _all(self, nodes: Tensor, entering: Tensor, _: Tensor) -> Tensor:
        """With all units."""
        units = product(entering, self.weight.T).add_(self.z.index_select(0, nodes)).relu_()
        return rows_times(units, self.head) - self.outputs[nodes]

    def _few(self, nodes: Tensor, entering: Tensor, reach: Tensor) -> Tensor:
        """The linear part, and what each unit that may change sign adds to it."""
        change = self._linear(nodes, entering)
        rows = (reach >= self.margins[:, 0][nodes]).nonzero()[:, 0]
        nodes, reach = nodes[rows], reach[rows]
        row, place = (self.margins.index_select(0, nodes) <= reach[:, None]).nonzero().T
        node = nodes[row]
        unit = self.units[node * self.margins.shape[1] + place]
        starts = F.pad(torch.bincount(row, minlength=len(rows)).cumsum(0), (1, 0))
        z = self.z.view(-1)[node * self.z.shape[1] + unit]
        moved = _dots(entering.index_select(0, rows), self.weight, starts, unit).add_(z)
        excess = torch.where(z > 0, -moved, moved).relu_()
        return change.index_add_(0, rows, weighted_sums(self.head.T, unit, excess, starts[:-1]))

    def _linear(self, nodes: Tensor, entering: Tensor) -> Tensor:
        outputs = len(self.head)
        own = nodes[:, None] * outputs + torch.arange(outputs, device=nodes.device)
        starts = torch.arange(0, own.numel() + 1, outputs, device=nodes.device)
        return _dots(entering, self.slopes, starts, own.flatten()).view(own.shape)


def _dots(rows: Tensor, others: Tensor, starts: Tensor, which: Tensor) -> Tensor:
    """Of row i with each of the others that `which` names from starts[i] to starts[i + 1]."""
    pattern = csr_tensor(starts, which, rows.new_zeros(len(which)), (len(rows), len(others)))
    return torch.sparse.sampled_addmm(pattern, rows, others.T, beta=0).values()


@dataclass(frozen=True)
class Entering:
    """The changes of what a convolution reads, a row for each pair of a reached node and a copy, sorted by node."""

    nodes: Tensor
    numbers: Tensor  # (nodes, copies), as in a Table
    table: Tensor  # the changes of the convolution's input
    sums: list[Sums]  # of `table`, for each hop

    @cached_property
    def _bounds(self) -> list[Tensor]:
        return [one.bounds(len(self.nodes)) for one in self.sums]

    def rows(self, part: slice) -> Tensor:
        """Hop beside hop."""
        found = []
        for one, bounds in zip(self.sums, self._bounds, strict=True):
            terms = slice(*bounds[[part.start, part.stop]].tolist())
            starts = bounds[part] - terms.start
            found.append(weighted_sums(self.table, one.source[terms], one.factor[terms], starts))
        return found[0] if len(found) == 1 else torch.cat(found, 1)
