"""The forward pass of a model in fewer operations than PyG's, by what is known of its layers.

Every layer of the study is, before what follows it, a filter of `convolutions.py`: a sum over hops k of P^k x W_k^T
plus a bias. P is the normalised adjacency for GCN and TAGCN, the mean over neighbours for GraphSAGE, A + (1 + eps) I
for GIN; an MLP has hop 0 only. That allows what PyG's general message passing cannot do: products with x use its
sparsity, P^k x is computed once where that is cheaper, later layers propagate what is narrower, their input or its
projection, and units that are zero at all nodes are left out. The numbers are the same up to rounding.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest

import scipy.sparse as sp
import torch
from torch import Tensor, nn

from graphsieve.models.classifier import NodeClassifier
from graphsieve.models.fast.convolutions import (
    CONVOLUTIONS,
    Filter,
    Unsupported,
    linear_filter,
    network_behind,
    read_filter,
    watch_propagation,
)
from graphsieve.models.fast.gradients import GraphFilter, apply_filter
from graphsieve.models.fast.matrices import FixedMatrix, adjacency_matrix, fixed_matrix, product_cost
from graphsieve.models.graph_free import GraphFreeLinear

NOTHING = (nn.Identity, type(None))  # what may stand before a ReLU without doing anything


def read_layer(
    layer: nn.Module, calls: list[tuple], num_nodes: int, dtype: torch.dtype
) -> list[tuple[Filter, nn.Module]]:
    """The layer as filters and what follows each, given what it passed to `propagate`.

    One filter, or two with a ReLU between them for a GIN with the usual network; `Unsupported` if it is not known.
    """
    nothing = nn.Identity()
    if type(layer) is GraphFreeLinear:
        return [(linear_filter(layer.weight, layer.bias), nothing)]
    if type(layer) not in CONVOLUTIONS:
        raise Unsupported(f"layer {type(layer).__name__}")
    known, network = read_filter(layer, calls, num_nodes, dtype), network_behind(layer)
    if known.edges is not None and known.edges.weight.requires_grad:
        raise Unsupported("a matrix that is trained")
    if network is None:
        return [(known, nothing)]
    parts = [*network] if isinstance(network, nn.Sequential) else [network]
    if type(parts[0]) is not nn.Linear:
        raise Unsupported("a layer whose network does not begin with a linear map")
    first = known.then_linear(parts[0].weight, parts[0].bias)
    if [type(part) for part in parts] == [nn.Linear, nn.ReLU, nn.Linear]:
        return [(first, nothing), (linear_filter(parts[2].weight, parts[2].bias), nothing)]
    return [(first, nn.Sequential(*parts[1:]) if parts[1:] else nothing)]


@dataclass(frozen=True)
class Step:
    """One filter and what follows it."""

    filter: GraphFilter
    behind: list[nn.Module]  # what stands before the ReLU; without it, single units can be left out
    rectified: bool  # whether a ReLU follows
    drops: bool  # whether dropout follows that

    def run(self, hidden: Tensor | None, columns: Tensor | None, dropout: nn.Dropout) -> tuple[Tensor, Tensor | None]:
        """What the next step reads, and which units that is."""
        if self.behind:
            hidden, units = apply_filter(self.filter, hidden, columns, rectified=False, may_skip=False)
            for part in self.behind:
                hidden = part(hidden)
            hidden = hidden.relu() if self.rectified else hidden
        else:
            # Dropout draws its random numbers for all units, so none may be missing.
            hidden, units = apply_filter(
                self.filter, hidden, columns, rectified=self.rectified, may_skip=dropout.p == 0
            )
        return (dropout(hidden) if self.drops else hidden), units


def fast_forward(
    model: nn.Module,
    x: Tensor,
    edge_index: Tensor,
    precision: torch.dtype | None = None,
    edge_values: dict[str, Tensor] | None = None,
) -> Callable[[nn.Module], Tensor] | None:
    """A function of the model that returns `model(x, edge_index)` for its present weights; None for unknown models.

    precision: of products of dense matrices, where it is not that of the weights. edge_values: what the model is given
    by name.
    """
    if type(model) is not NodeClassifier:
        return None
    calls = _propagations(model, x, edge_index, edge_values or {})
    try:
        layers = [read_layer(layer, calls.get(layer, []), x.shape[0], x.dtype) for layer in model.layers]
    except Unsupported:
        return None
    steps = _steps(layers, model.norms, x, precision)
    if type(model.classifier) is nn.Linear:
        known = linear_filter(model.classifier.weight, model.classifier.bias)
        steps.append(Step(GraphFilter(known, None, precision=precision), [], rectified=False, drops=False))

    def forward(model: NodeClassifier) -> Tensor:
        hidden, columns = None, None
        for step in steps:
            hidden, columns = step.run(hidden, columns, model.dropout)
        return hidden

    return forward


@torch.no_grad()
def _propagations(
    model: nn.Module, x: Tensor, edge_index: Tensor, edge_values: dict[str, Tensor]
) -> dict[nn.Module, list[tuple]]:
    """What each convolution passes to `propagate`; in evaluation mode, which draws no random numbers."""
    training = model.training
    with watch_propagation(model) as calls:
        model.eval()(x, edge_index, **edge_values)
    model.train(training)
    return calls


def _steps(
    layers: list[list[tuple[Filter, nn.Module]]], norms: list[nn.Module], x: Tensor, precision: torch.dtype | None
) -> list[Step]:
    steps = []
    for parts, norm in zip_longest(layers, norms):
        for number, (known, rest) in enumerate(parts, 1):
            adjacency = adjacency_matrix(known.edges, x.shape[0]) if known.hops else None
            matrix = None if adjacency is None else fixed_matrix(adjacency, x.device)
            ends_layer = number == len(parts)
            behind = [part for part in (rest, norm if ends_layer else None) if type(part) not in NOTHING]
            drops = ends_layer and norm is not None
            if steps:
                filtered = GraphFilter(known, matrix, precision=precision)
            else:
                filtered = _on_features(known, adjacency, matrix, x, precision)
            steps.append(Step(filtered, behind, rectified=drops or not ends_layer, drops=drops))
    return steps


def _on_features(
    known: Filter,
    adjacency: sp.csr_array | None,
    matrix: FixedMatrix | None,
    x: Tensor,
    precision: torch.dtype | None,
) -> GraphFilter:
    """Either multiply by x and propagate the product, or multiply by P^k x, computed once: whichever is cheaper."""
    features, hops = x.cpu().numpy(), known.hops
    powers = [features]
    for _ in range(hops):
        powers.append(adjacency @ powers[-1])
    propagating = product_cost(features) * len(known.weights) + (hops * product_cost(adjacency) if hops else 0)
    if propagating <= sum(product_cost(powers[hop]) for hop in known.weights):
        return GraphFilter(known, matrix, features=fixed_matrix(features, x.device, precision), precision=precision)
    fixed = {hop: fixed_matrix(powers[hop], x.device, precision) for hop in known.weights}
    return GraphFilter(known, matrix, powers=fixed, precision=precision)
