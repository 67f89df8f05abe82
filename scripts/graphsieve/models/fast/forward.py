"""The forward pass of a model in fewer operations than PyG's, by what is known of its layers.

Every layer of the study is, before what follows it, a filter of `convolutions.py`: a sum over hops k of P^k x W_k^T
plus a bias. P is the normalised adjacency for GCN and TAGCN, the mean over neighbours for GraphSAGE, A + (1 + eps) I
for GIN; an MLP has hop 0 only. That allows what PyG's general message passing cannot do: products with x use its
sparsity, P^k x is computed once where that is cheaper, later layers propagate what is narrower, their input or its
projection, and units that are zero at all nodes are left out. The numbers are the same up to rounding.
"""

import functools
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn

from graphsieve.models.classifier import NodeClassifier
from graphsieve.models.fast.convolutions import (
    CONVOLUTIONS,
    Edges,
    Filter,
    Unsupported,
    linear_filter,
    network_behind,
    read_filter,
    watch_propagation,
)
from graphsieve.models.fast.nonzero_columns import nonzero_columns
from graphsieve.models.graph_free import GraphFreeLinear

# One entry of a dense product costs about a tenth of one entry of a sparse product (measured on Cora to PubMed).
DENSE_DISCOUNT = 10
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
    if not isinstance(network, nn.Sequential) or type(network[0]) is not nn.Linear:
        raise Unsupported("a layer whose network does not begin with a linear map")
    first = known.then_linear(network[0].weight, network[0].bias)
    if [type(part) for part in network] == [nn.Linear, nn.ReLU, nn.Linear]:
        return [(first, nothing), (linear_filter(network[2].weight, network[2].bias), nothing)]
    return [(first, network[1:])]


def _matrix(edges: Edges, num_nodes: int) -> sp.csr_array:
    """Row = the node that receives, column = the node that sends; repeated edges add up."""
    index = (edges.target.cpu().numpy(), edges.source.cpu().numpy())
    return sp.coo_array((edges.weight.cpu().numpy(), index), shape=(num_nodes, num_nodes)).tocsr()


def product_cost(matrix: sp.csr_array | np.ndarray) -> float:
    """Of multiplying by this matrix, stored the cheaper way, in entries of a sparse product."""
    nonzeros = np.count_nonzero(matrix) if isinstance(matrix, np.ndarray) else matrix.nnz
    return min(nonzeros, np.prod(matrix.shape) / DENSE_DISCOUNT)


class FixedMatrix:
    """A matrix that never changes, stored the way in which its products are cheaper."""

    def __init__(self, matrix: sp.csr_array | np.ndarray, device: torch.device):
        if product_cost(matrix) == np.prod(matrix.shape) / DENSE_DISCOUNT:
            dense = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
            self.forward = self.backward = torch.from_numpy(np.ascontiguousarray(dense)).to(device)
        else:
            sparse = sp.csr_array(matrix)
            self.forward, self.backward = _csr_tensor(sparse, device), _csr_tensor(sp.csr_array(sparse.T), device)

    def __matmul__(self, other: Tensor) -> Tensor:
        if self.forward is self.backward:
            return self.forward @ other
        return _SparseProduct.apply(self.forward, self.backward, other)


def _csr_tensor(matrix: sp.csr_array, device: torch.device) -> Tensor:
    matrix.sort_indices()
    # 32-bit indices: the sparse kernels then need not convert them at every call
    pointers, columns = (torch.from_numpy(part.astype(np.int32)) for part in (matrix.indptr, matrix.indices))
    values = torch.from_numpy(matrix.data)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(pointers, columns, values, matrix.shape, check_invariants=False).to(device)


class _SparseProduct(torch.autograd.Function):
    """Constant sparse @ dense; the gradient is a product with the stored transpose."""

    @staticmethod
    def forward(ctx, matrix: Tensor, transposed: Tensor, dense: Tensor) -> Tensor:
        ctx.transposed = transposed
        return matrix @ dense.contiguous()

    @staticmethod
    def backward(ctx, gradient: Tensor):
        return None, None, ctx.transposed @ gradient.contiguous()


@dataclass(frozen=True)
class Step:
    """One filter; `compute(input, columns, units)` gives its output.

    columns: which units of the step before it the input has; units: which of its own are wanted. None means all.
    """

    compute: Callable[..., Tensor]
    behind: list[nn.Module]  # what stands before the ReLU; without it, single units can be computed
    rectified: bool  # whether a ReLU follows
    drops: bool  # whether dropout follows that

    def output(self, hidden: Tensor | None, columns: Tensor | None) -> Tensor:
        values = self.compute(hidden, columns)
        for part in self.behind:
            values = part(values)
        return values

    def run(self, hidden: Tensor | None, columns: Tensor | None, dropout: nn.Dropout) -> tuple[Tensor, Tensor | None]:
        """What the next step reads, and which units that is."""
        if not self.rectified:
            return self.output(hidden, columns), None
        # Dropout draws its random numbers for all units, so none may be missing.
        hidden, units = _rectified(self, hidden, columns, not self.behind and dropout.p == 0)
        return (dropout(hidden) if self.drops else hidden), units


def fast_forward(model: nn.Module, x: Tensor, edge_index: Tensor) -> Callable[[nn.Module], Tensor] | None:
    """A function of the model that returns `model(x, edge_index)` for its present weights; None for unknown models."""
    if type(model) is not NodeClassifier:
        return None
    calls = _propagations(model, x, edge_index)
    try:
        layers = [read_layer(layer, calls.get(layer, []), x.shape[0], x.dtype) for layer in model.layers]
    except Unsupported:
        return None
    steps = _steps(layers, model.norms, x)
    if type(model.classifier) is nn.Linear:
        known = linear_filter(model.classifier.weight, model.classifier.bias)
        steps.append(Step(functools.partial(_apply, known, None), [], rectified=False, drops=False))

    def forward(model: NodeClassifier) -> Tensor:
        hidden, columns = None, None
        for step in steps:
            hidden, columns = step.run(hidden, columns, model.dropout)
        return hidden

    return forward


@torch.no_grad()
def _propagations(model: nn.Module, x: Tensor, edge_index: Tensor) -> dict[nn.Module, list[tuple]]:
    """What each convolution passes to `propagate`; in evaluation mode, which draws no random numbers."""
    training = model.training
    with watch_propagation(model) as calls:
        model.eval()(x, edge_index)
    model.train(training)
    return calls


def _steps(layers: list[list[tuple[Filter, nn.Module]]], norms: list[nn.Module], x: Tensor) -> list[Step]:
    steps = []
    for parts, norm in zip_longest(layers, norms):
        for number, (known, rest) in enumerate(parts, 1):
            adjacency = _matrix(known.edges, x.shape[0]) if known.hops else None
            matrix = None if adjacency is None else FixedMatrix(adjacency, x.device)
            compute = functools.partial(_apply, known, matrix) if steps else _on_features(known, adjacency, matrix, x)
            ends_layer = number == len(parts)
            behind = [part for part in (rest, norm if ends_layer else None) if type(part) not in NOTHING]
            drops = ends_layer and norm is not None
            steps.append(Step(compute, behind, rectified=drops or not ends_layer, drops=drops))
    return steps


def _rectified(
    step: Step, hidden: Tensor | None, columns: Tensor | None, may_skip: bool
) -> tuple[Tensor, Tensor | None]:
    """The output behind a ReLU, and which units that is.

    Where few are alive, these are computed once more by themselves: it costs little and saves the others' gradients.
    """
    values = step.output(hidden, columns).relu()
    units = nonzero_columns(values, nonnegative=True) if may_skip else None
    return (values if units is None else step.compute(hidden, columns, units).relu()), units


def _on_features(
    known: Filter, adjacency: sp.csr_array | None, matrix: FixedMatrix | None, x: Tensor
) -> Callable[..., Tensor]:
    """Either multiply by x and propagate the product, or multiply by P^k x, computed once: whichever is cheaper."""
    features, hops = x.cpu().numpy(), known.hops
    powers = _powers(adjacency, features, hops)
    propagating = product_cost(features) * len(known.weights) + (hops * product_cost(adjacency) if hops else 0)
    if propagating <= sum(product_cost(powers[hop]) for hop in known.weights):
        fixed = FixedMatrix(features, x.device)
        return lambda _, columns, units=None: _apply(known, matrix, fixed, columns, units)
    propagated = {hop: FixedMatrix(powers[hop], x.device) for hop in known.weights}
    return lambda _, columns, units=None: _add_bias(known, _projected(known, propagated, columns, units), units)


def _powers(matrix: sp.csr_array | FixedMatrix | None, x: np.ndarray | Tensor, hops: int) -> list[np.ndarray | Tensor]:
    powers = [x]
    for _ in range(hops):
        powers.append(matrix @ powers[-1])
    return powers


def _project(weight: Tensor, features: Tensor | FixedMatrix, columns: Tensor | None, units: Tensor | None) -> Tensor:
    weight = weight if units is None else weight[units]
    return features @ (weight if columns is None else weight[:, columns]).T


def _projected(known: Filter, powers: dict, columns: Tensor | None, units: Tensor | None) -> Tensor:
    parts = (_project(weight, powers[hop], columns, units) for hop, weight in known.weights.items())
    return functools.reduce(torch.add, parts)


def _apply(
    known: Filter,
    matrix: FixedMatrix | None,
    features: Tensor | FixedMatrix,
    columns: Tensor | None,
    units: Tensor | None = None,
) -> Tensor:
    """Propagate what is narrower: a few live columns of the input, or else its projections (by Horner's rule)."""
    hops = known.hops
    outputs = len(known.weights[hops]) if units is None else len(units)
    if columns is not None and len(columns) < outputs:
        powers = dict(enumerate(_powers(matrix, features, hops)))
        return _add_bias(known, _projected(known, powers, columns, units), units)
    total = _project(known.weights[hops], features, columns, units)
    for hop in range(hops - 1, -1, -1):
        total = matrix @ total
        if hop in known.weights:
            total = total + _project(known.weights[hop], features, columns, units)
    return _add_bias(known, total, units)


def _add_bias(known: Filter, total: Tensor, units: Tensor | None) -> Tensor:
    if known.bias is None:
        return total
    return total + (known.bias if units is None else known.bias[units])
