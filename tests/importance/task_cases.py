"""Small problems of every level, and the plain loop that the function is compared with."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.nn import GATConv, GCNConv, GINConv, SAGEConv, global_mean_pool

from graphsieve.importance.columns import PERTURBATIONS, Columns, draw_column

NODES, FEATURES, GRAPHS, PAIRS, HIDDEN = 40, 5, 6, 30, 8
TOLERANCE = {torch.float32: 1e-6, torch.float64: 1e-10}


def batched_graphs(dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor, Tensor]:
    """x, edges within graphs only, and the graph of each node; columns 0 and 1 are mostly zero."""
    generator = torch.Generator().manual_seed(0)
    batch = torch.randint(0, GRAPHS, (NODES,), generator=generator).sort().values
    batch[:GRAPHS] = torch.arange(GRAPHS)
    batch = batch.sort().values
    x = torch.randn(NODES, FEATURES, generator=generator, dtype=torch.float64)
    x[:, :2] *= torch.rand(NODES, 2, generator=generator) < 0.15
    pairs = torch.randint(0, NODES, (2, 400), generator=generator)
    edges = pairs[:, batch[pairs[0]] == batch[pairs[1]]]
    return x.to(dtype), edges, batch


def label_pairs() -> Tensor:
    return torch.randint(0, NODES, (2, PAIRS), generator=torch.Generator().manual_seed(3))


def convolution(name: str, inputs: int, outputs: int) -> nn.Module:
    if name == "gin":
        return GINConv(nn.Sequential(nn.Linear(inputs, outputs), nn.ReLU(), nn.Linear(outputs, outputs)))
    return {"gcn": GCNConv, "graphsage": SAGEConv, "gat": GATConv}[name](inputs, outputs)


class Head(nn.Module):
    """Two convolutions, pooled if there is a batch, and a linear map to numbers or logits."""

    def __init__(self, name: str = "gcn", outputs: int = 1, pool: Callable = global_mean_pool, flat: bool = False):
        super().__init__()
        self.first, self.second = convolution(name, FEATURES, HIDDEN), convolution(name, HIDDEN, HIDDEN)
        self.last, self.pool, self.flat = nn.Linear(HIDDEN, outputs), pool, flat

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        hidden = self.second(self.first(x, edge_index).relu(), edge_index).relu()
        if batch is not None:
            hidden = self.pool(hidden, batch)
        output = self.last(hidden)
        return output.squeeze(-1) if self.flat else output


class LinkPredictor(nn.Module):
    """An encoder, and a decoder that looks at both ends of each pair."""

    def __init__(self, outputs: int = 1):
        super().__init__()
        self.encoder = GCNConv(FEATURES, HIDDEN)
        self.decoder = nn.Sequential(nn.Linear(2 * HIDDEN, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, outputs))

    def forward(self, x: Tensor, edge_index: Tensor, edge_label_index: Tensor) -> Tensor:
        one, other = self.encoder(x, edge_index).relu()[edge_label_index]
        return self.decoder(torch.cat([one, other], 1))


@torch.no_grad()
def lively(model: nn.Module, dtype: torch.dtype, *arguments: object, **by_name: object) -> nn.Module:
    """With large weights, and outputs of a quarter on both sides of zero, so that every score moves."""
    generator = torch.Generator().manual_seed(1)
    for parameter in model.parameters():
        parameter.data = torch.randn(parameter.shape, generator=generator, dtype=torch.float64).to(dtype)
    model = model.to(dtype).eval()
    last = [module for module in model.modules() if isinstance(module, nn.Linear)][-1]
    last.weight /= 4 * model(*arguments, **by_name).std()
    last.bias -= model(*arguments, **by_name).reshape(-1, last.out_features).median(0).values
    return model


def drawn(matrix: Tensor, feature: int, repeats: int, seed: np.random.SeedSequence) -> list[Tensor]:
    """The permuted column of each repeat, checked to be a permutation."""
    (new,) = draw_column(PERTURBATIONS["permute"], Columns(matrix), np.array([feature]), repeats, seed)
    columns = [torch.from_numpy(new.dense(repeat, len(matrix))) for repeat in range(repeats)]
    assert all(torch.equal(one.sort().values, matrix[:, feature].sort().values) for one in columns)
    return columns


@torch.no_grad()
def plain_loop(
    predict: Callable[[Tensor], Tensor],
    matrix: Tensor,
    score: Callable[[Tensor], float],
    repeats: int = 3,
    seed: np.random.SeedSequence | None = None,
) -> np.ndarray:
    """The fall of the score, one forward pass for each feature and repeat."""
    falls, before = np.empty((matrix.shape[1], repeats)), score(predict(matrix))
    for feature in range(matrix.shape[1]):
        for repeat, column in enumerate(drawn(matrix, feature, repeats, seed or np.random.SeedSequence(0))):
            changed = matrix.clone()
            changed[:, feature] = column
            falls[feature, repeat] = before - score(predict(changed))
    assert np.abs(falls).max() > 1e-4  # otherwise there is nothing to compare
    return falls
