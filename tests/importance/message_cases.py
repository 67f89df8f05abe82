"""Layers that pass messages in ways of their own, written as people write them."""

from typing import Optional

import torch
from importance_cases import CLASSES, FEATURES, HIDDEN, Stack
from torch import Tensor, nn
from torch_geometric.nn import GATConv, GCNConv, MessagePassing
from torch_geometric.utils import add_self_loops, degree, softmax


class NormalisedSum(MessagePassing):
    """A graph convolution as in PyG's tutorial: degrees are counted in the forward pass."""

    def __init__(self, inputs: int, outputs: int):
        super().__init__(aggr="add")
        self.linear, self.bias = nn.Linear(inputs, outputs, bias=False), nn.Parameter(torch.rand(outputs))

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        edge_index, _ = add_self_loops(edge_index, num_nodes=x.size(0))
        x = self.linear(x)
        row, col = edge_index
        scale = degree(col, x.size(0), dtype=x.dtype).pow(-0.5)
        out = self.propagate(edge_index, x=x, norm=scale[row] * scale[col])
        out += self.bias
        return out

    def message(self, x_j: Tensor, norm: Tensor) -> Tensor:
        return norm.view(-1, 1) * x_j


class EdgeNetwork(MessagePassing):
    """The largest output of a network that looks at both ends of an edge."""

    def __init__(self, inputs: int, outputs: int, flow: str = "source_to_target"):
        super().__init__(aggr="max", flow=flow)
        self.network = nn.Sequential(nn.Linear(2 * inputs, outputs), nn.Tanh())

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return self.propagate(edge_index, x=x)

    def message(self, x_i: Tensor, x_j: Tensor) -> Tensor:
        return self.network(torch.cat([x_i, x_j - x_i], dim=-1))


class HeadedSum(MessagePassing):
    """Rows of several dimensions, a matrix as a parameter, a constant per node, and `update` reads the rows again."""

    def __init__(self, inputs: int, outputs: int):
        super().__init__(aggr="mean", node_dim=0)
        self.weight, self.outputs = nn.Parameter(torch.rand(inputs, 2 * outputs) - 0.5), outputs

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        count = degree(edge_index[0], x.size(0), dtype=x.dtype).view(-1, 1, 1) + 1
        rows = (x @ self.weight).view(-1, 2, self.outputs) / count
        return self.propagate(edge_index, x=rows, size=None).sum(dim=1)[:, : self.outputs]

    def update(self, summed: Tensor, x: Tensor) -> Tensor:
        return summed + 0.5 * x


class LooksAtValues(MessagePassing):
    """Cannot be followed inside: what it does depends on the entries of x. It also keeps what it computed."""

    def __init__(self, inputs: int, outputs: int):
        super().__init__(aggr="mean")
        self.linear, self.kept = nn.Linear(inputs, outputs), None

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        if bool(torch.isnan(x).any()):
            x = torch.nan_to_num(x)
        self.kept = self.linear(x)
        return self.propagate(edge_index, x=self.kept) + self.kept


class OwnAttention(MessagePassing):
    """Weights of edges are computed first, messages are weighted with them then."""

    def __init__(self, inputs: int, outputs: int):
        super().__init__(aggr="add")
        self.linear, self.score = nn.Linear(inputs, outputs), nn.Linear(outputs, 2)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        rows = self.linear(x)
        scores = self.score(rows)
        weight = self.edge_updater(edge_index, scores=(scores[:, :1], scores[:, 1:]))
        return self.propagate(edge_index, x=rows, weight=nn.functional.dropout(weight, 0.5, self.training))

    def edge_update(self, scores_i: Tensor, scores_j: Tensor, index: Tensor, size_i: Optional[int]) -> Tensor:  # noqa: UP045 - PyG reads it
        return softmax((scores_i + scores_j).tanh(), index, num_nodes=size_i)

    def message(self, x_j: Tensor, weight: Tensor) -> Tensor:
        return weight * x_j


class NormalisedInside(LooksAtValues):
    """As before, and divides by the number of edges into the *source*: one more hop of edges is needed."""

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        scale = 1 / (1 + degree(edge_index[1], x.size(0), dtype=x.dtype))
        return super().forward(x * scale.view(-1, 1), edge_index)


class EdgeAverage(LooksAtValues):
    """Subtracts the mean over all edges."""

    def message(self, x_j: Tensor) -> Tensor:
        return x_j - x_j.mean(dim=0)


class OutDegrees(LooksAtValues):
    """Divides by the number of edges out of a node, which no edge into the wanted nodes tells."""

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        scale = 1 / (1 + degree(edge_index[0], x.size(0), dtype=x.dtype))
        return super().forward(x * scale.view(-1, 1), edge_index)


class NoisyMessages(NormalisedSum):
    def message(self, x_j: Tensor, norm: Tensor) -> Tensor:
        return nn.functional.dropout(norm.view(-1, 1) * x_j, 0.5, training=True)


class Mixed(nn.Module):
    """Known convolutions, attention, normalisation, a skip connection from x, and constants with a row per node."""

    def __init__(self):
        super().__init__()
        self.first, self.second = GCNConv(FEATURES, HIDDEN), GATConv(HIDDEN, HIDDEN // 2, heads=2)
        self.batch, self.layer = nn.BatchNorm1d(HIDDEN), nn.LayerNorm(HIDDEN)
        self.batch.running_mean.normal_(generator=torch.Generator().manual_seed(3))
        self.last = nn.Linear(FEATURES + 3 * HIDDEN, CLASSES)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        first = self.batch(self.first(x, edge_index)).relu()
        second = self.layer(self.second(first, edge_index) + first)
        crowded = degree(edge_index[1], x.size(0), dtype=x.dtype).view(-1, 1) * second
        return self.last(torch.cat([x, first, nn.functional.elu(second), crowded], dim=-1)).log_softmax(dim=-1)


def two_layers(make, between: nn.Module | None = None, extra: tuple = ()) -> nn.Module:
    return Stack([make(FEATURES, HIDDEN), make(HIDDEN, CLASSES)], [between or nn.ELU()], extra)
