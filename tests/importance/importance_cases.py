"""Tiny graphs and modules on which the engines are compared."""

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.nn import APPNP, GATConv, GCNConv, JumpingKnowledge, PairNorm, SAGEConv, global_mean_pool

from graphsieve import permutation_importance

NODES, FEATURES, CLASSES, HIDDEN = 40, 6, 3, 8
TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-10}
METRICS = ["accuracy", "cross_entropy", "macro_f1"]


def make_graph(dtype: torch.dtype = torch.float32, density: float = 0.2) -> tuple[Tensor, Tensor, Tensor]:
    """Directed edges, two self-loops, a double edge, and four isolated nodes; the last column of x is constant."""
    generator = torch.Generator().manual_seed(0)
    present = torch.rand(NODES, FEATURES, generator=generator) < density
    x = (torch.randn(NODES, FEATURES, generator=generator, dtype=torch.float64) * present).to(dtype)
    x[:, -1] = 1
    edges = torch.randint(0, NODES - 4, (2, 70), generator=generator)
    edges = torch.cat([edges, edges[:, :1], torch.tensor([[3, 5], [3, 5]])], 1)
    return x, edges, torch.randint(0, CLASSES, (NODES,), generator=generator)


def scored_nodes() -> Tensor:
    """In no particular order, the isolated last node among them."""
    return torch.tensor([7, 3, 39, 12, 0, 21, 18])


def break_ties(model: nn.Module) -> None:
    """Biases start at zero, which leaves nodes without features in a tie between all classes: move them apart."""
    generator = torch.Generator().manual_seed(5)
    for parameter in model.parameters():
        parameter.data += 0.1 * torch.randn(parameter.shape, generator=generator, dtype=parameter.dtype)


def compare(model: nn.Module, graph: tuple, engine: str = "auto", n_repeats: int = 3, **options) -> str:
    """Score with `engine` and with the reference, check that every entry agrees, and return the engine that ran."""
    x, edges, y = graph
    break_ties(model)
    found, expected = (
        permutation_importance(
            model, x, edges, y, scored_nodes(), metric=METRICS, n_repeats=n_repeats, engine=name, **options
        )
        for name in (engine, "full")
    )
    assert np.abs(expected["cross_entropy"].importances).max() > 1e-4  # otherwise there is nothing to compare
    for metric in METRICS:
        difference = np.abs(found[metric].importances - expected[metric].importances).max()
        assert difference <= TOLERANCE[x.dtype], f"{metric} differs by {difference}"
    return found["accuracy"].engine


class Stack(nn.Module):
    """Layers called on (x, edge_index, *extra), with something between them."""

    def __init__(self, layers: list[nn.Module], between: list[nn.Module], extra: tuple = ()):
        super().__init__()
        self.layers, self.between, self.extra = nn.ModuleList(layers), nn.ModuleList(between), extra

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        for layer, step in zip(self.layers, self.between, strict=False):
            x = step(layer(x, edge_index, *self.extra))
        return self.layers[-1](x, edge_index, *self.extra)


class SkipConnections(nn.Module):
    """x joins again at the end, and the hidden layers meet in JumpingKnowledge."""

    def __init__(self, mode: str):
        super().__init__()
        self.first, self.second = GCNConv(FEATURES, HIDDEN), SAGEConv(HIDDEN, HIDDEN)
        self.jump = JumpingKnowledge(mode, HIDDEN, num_layers=2)
        self.last = nn.Linear(FEATURES + (2 * HIDDEN if mode == "cat" else HIDDEN), CLASSES)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        first = self.first(x, edge_index).tanh()
        second = (self.second(first, edge_index) + first).relu()
        return self.last(torch.cat([x, self.jump([first, second])], dim=-1)).log_softmax(dim=-1)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = GATConv(FEATURES, HIDDEN, heads=2), GATConv(2 * HIDDEN, CLASSES)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return self.last(self.first(x, edge_index).relu(), edge_index)


class Propagated(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.propagate = nn.Linear(FEATURES, CLASSES), APPNP(K=3, alpha=0.1)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return self.propagate(self.linear(x), edge_index)


class HandWritten(nn.Module):
    """Sums over neighbours written with plain tensor operations."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(FEATURES, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        hidden = self.first(x).relu()
        summed = torch.zeros_like(hidden).index_add(0, edge_index[1], hidden[edge_index[0]])
        return self.last(summed + hidden)


class WeightsFromFeatures(nn.Module):
    """A known layer, but its edge weights depend on x."""

    def __init__(self):
        super().__init__()
        self.layer = GCNConv(FEATURES, CLASSES)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        weight = torch.sigmoid((x[edge_index[0]] * x[edge_index[1]]).sum(1))
        return self.layer(x, edge_index, weight)


class Pooled(nn.Module):
    """Every node sees the mean of all nodes."""

    def __init__(self):
        super().__init__()
        self.first, self.last = GCNConv(FEATURES, HIDDEN), nn.Linear(2 * HIDDEN, CLASSES)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        hidden = self.first(x, edge_index).relu()
        pooled = global_mean_pool(hidden, None).expand_as(hidden)
        return self.last(torch.cat([hidden, pooled], dim=1))


class Centred(nn.Module):
    """As Pooled, with nothing but traceable tensor operations."""

    def __init__(self):
        super().__init__()
        self.first = GCNConv(FEATURES, CLASSES)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return self.first(x, edge_index) - x.mean()


def pair_normalised() -> nn.Module:
    return Stack([GCNConv(FEATURES, HIDDEN), GCNConv(HIDDEN, CLASSES)], [PairNorm()])


def batch_statistics() -> nn.Module:
    """Batch normalisation that has no stored statistics uses those of the batch, in evaluation too."""
    norm = nn.BatchNorm1d(HIDDEN, track_running_stats=False)
    return Stack([GCNConv(FEATURES, HIDDEN), GCNConv(HIDDEN, CLASSES)], [norm])


class AlwaysTraining(nn.BatchNorm1d):
    """Batch normalisation that evaluation mode cannot switch off."""

    def train(self, mode: bool = True) -> nn.Module:
        return super().train(True)


def training_statistics() -> nn.Module:
    norm = AlwaysTraining(HIDDEN, momentum=0.0)
    return Stack([GCNConv(FEATURES, HIDDEN), GCNConv(HIDDEN, CLASSES)], [norm])
