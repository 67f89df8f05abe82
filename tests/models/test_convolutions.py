"""One description of a convolution serves training and scoring."""

import numpy as np
import torch
from torch import nn
from torch_geometric.nn import GCNConv, MessagePassing

from graphsieve import permutation_importance
from graphsieve.models.classifier import NodeClassifier
from graphsieve.models.fast.convolutions import CONVOLUTIONS, Filter
from graphsieve.models.fast.forward import fast_forward


class TwoHops(MessagePassing):
    """A A x W^T + x V^T, which PyG does not have."""

    def __init__(self, inputs: int, outputs: int):
        super().__init__(aggr="mean")
        self.far, self.own = nn.Linear(inputs, outputs, bias=False), nn.Linear(inputs, outputs, bias=False)

    def forward(self, x, edge_index):
        once = self.propagate(edge_index, x=x)
        return self.far(self.propagate(edge_index, x=once)) + self.own(x)


def test_one_entry_makes_a_convolution_known_to_training_and_to_scoring(monkeypatch, small_graph):
    torch.manual_seed(0)
    model = NodeClassifier([TwoHops(8, 5), TwoHops(5, 3)]).double()
    x, edges, y = (torch.from_numpy(array) for array in (small_graph.x, small_graph.edge_index, small_graph.y))
    x = x.double()
    arguments = {"n_repeats": 3, "metric": "cross_entropy"}
    before = permutation_importance(model, x, edges, y, range(20), **arguments)
    assert before.engine == "full"
    assert fast_forward(model, x, edges) is None

    def describe(layer, edges, num_nodes):
        return Filter(edges, {2: layer.far.weight, 0: layer.own.weight}, None)

    monkeypatch.setitem(CONVOLUTIONS, TwoHops, describe)
    after = permutation_importance(model, x, edges, y, range(20), **arguments)
    assert after.engine == "lowrank"
    np.testing.assert_allclose(after.importances, before.importances, atol=1e-12)
    torch.testing.assert_close(fast_forward(model, x, edges)(model), model(x, edges))


def test_the_fast_pass_follows_the_weights_through_training(small_graph):
    model = NodeClassifier([GCNConv(8, 3)])
    x, edges = torch.from_numpy(small_graph.x), torch.from_numpy(small_graph.edge_index)
    fast = fast_forward(model, x, edges)
    before = fast(model)
    with torch.no_grad():
        model.layers[0].lin.weight.mul_(2)
    torch.testing.assert_close(fast(model), model(x, edges))
    assert not torch.allclose(fast(model), before)
