"""Rows of nodes that become rows of graphs: by a sum or mean, which is linear, or by a maximum."""

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor, fx
from torch_geometric.utils import scatter

from graphsieve.importance.engines.lowrank.changes import Rows
from graphsieve.importance.engines.lowrank.filters import Expression
from graphsieve.importance.engines.lowrank.trace import Pooling


@dataclass(frozen=True)
class PoolingLayer:
    """A pooling over all nodes, with all that does not depend on the perturbation."""

    source: Expression
    reads: dict[fx.Node, Tensor | None]  # for each leaf of `source`, where the rows of all nodes are
    batch: Tensor  # the graph of each node
    share: Tensor | None  # of each node in the sum over its graph; None for a maximum
    base: Tensor  # unperturbed output, (graphs, width)
    reference: Tensor  # unperturbed input, (nodes, width)

    def change(
        self, keys: Tensor, rows: Rows, reference: Tensor, entering: Tensor, parts: Iterable[slice], copies: int
    ) -> Tensor:
        """(graphs, copies, width): how the sums change when rows `keys` (node * copies + copy) of the input do.

        The rows were `reference[entering]` before.
        """
        change = self.base.new_zeros(len(self.base) * copies, self.base.shape[1])
        for part in parts:
            nodes = keys[part] // copies
            moved = (rows(part) - reference[entering[part]]) * self.share[nodes, None]
            change.index_add_(0, self.batch[nodes] * copies + keys[part] % copies, moved)
        return change.view(len(self.base), copies, -1)

    def reached(self, mask: Tensor) -> Tensor:
        """The graphs (graphs, copies) of the masked nodes."""
        reach = torch.zeros(len(self.base), mask.shape[1], dtype=torch.int32, device=mask.device)
        return reach.index_add_(0, self.batch, mask.int()) > 0

    def maxima(self, values: Tensor) -> Tensor:
        """(graphs, copies, width) from the rows of all nodes and copies."""
        return scatter(values, self.batch, dim=0, dim_size=len(self.base), reduce="max")


def prepare_pooling(
    pooling: Pooling, source: Expression, reads: dict[fx.Node, Tensor | None], values: Tensor, batch: Tensor
) -> PoolingLayer:
    base = scatter(values, batch, dim=0, dim_size=pooling.num_graphs, reduce=pooling.reduction)
    share = None
    if pooling.reduction != "max":
        share = torch.ones_like(values[:, 0])
        if pooling.reduction == "mean":
            share /= torch.bincount(batch, minlength=len(base))[batch]
    return PoolingLayer(source, reads, batch, share, base, values)
