"""The models of the benchmark: those of the study, attention, a layer nobody has described, one that defies
all, and models of whole graphs."""

from functools import partial

import torch
from torch import Tensor, nn
from torch_geometric.nn import GATConv, GATv2Conv, MessagePassing, TransformerConv, global_mean_pool

from graphsieve.models.classifier import NodeClassifier, build_model
from graphsieve.models.layers import LAYERS

HIDDEN, HEADS = 512, 8
NARROW = 64  # for whole graphs of some thirty nodes


class GatedSum(MessagePassing):
    """Written by hand: each neighbour is weighed by a gate that both ends decide on."""

    def __init__(self, inputs: int, outputs: int):
        super().__init__(aggr="sum")
        self.value, self.gate = nn.Linear(inputs, outputs), nn.Linear(2 * outputs, 1)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return self.propagate(edge_index, x=self.value(x))

    def message(self, x_i: Tensor, x_j: Tensor) -> Tensor:
        return torch.sigmoid(self.gate(torch.cat([x_i, x_j], dim=-1))) * x_j


class CentredModel(nn.Module):
    """Subtracts the mean over all nodes between its layers, so that every node sees every other."""

    def __init__(self, features: int, classes: int):
        super().__init__()
        self.first, self.second = GATConv(features, HIDDEN), GATConv(HIDDEN, classes)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        hidden = self.first(x, edge_index).relu()
        return self.second(hidden - hidden.mean(dim=0), edge_index)


class PooledModel(nn.Module):
    """Two convolutions, the mean over each graph's nodes, and a linear layer."""

    def __init__(self, layer: str, features: int, classes: int):
        super().__init__()
        make = LAYERS[layer]
        self.first, self.second = make(features, NARROW, NARROW), make(NARROW, NARROW, NARROW)
        self.last = nn.Linear(NARROW, classes)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        hidden = self.second(self.first(x, edge_index).relu(), edge_index)
        return self.last(global_mean_pool(hidden, batch))


def _attention(layer: type, features: int, classes: int) -> nn.Module:
    return NodeClassifier([layer(features, HIDDEN // HEADS, heads=HEADS), layer(HIDDEN, classes)])


OTHERS = {
    "gat": lambda features, classes: _attention(GATConv, features, classes),
    "gatv2": lambda features, classes: _attention(GATv2Conv, features, classes),
    "transformer": lambda features, classes: _attention(TransformerConv, features, classes),
    "by hand": lambda features, classes: NodeClassifier([GatedSum(features, HIDDEN), GatedSum(HIDDEN, classes)]),
    "centred": CentredModel,
    **{f"pooled {layer}": partial(PooledModel, layer) for layer in ("gcn", "graphsage", "gin")},
}


def make_model(name: str, features: int, classes: int, classifier: str) -> nn.Module:
    """A freshly initialised model; `classifier` matters to those of the study alone."""
    if name in LAYERS:
        return build_model(name, features, classes, hidden=HIDDEN, classifier=classifier)
    torch.manual_seed(0)
    return OTHERS[name](features, classes)
