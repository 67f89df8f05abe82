"""A layer for models without a graph."""

from torch import Tensor, nn


class GraphFreeLinear(nn.Linear):
    """A linear layer that is called like a convolution and ignores the graph."""

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return super().forward(x)
