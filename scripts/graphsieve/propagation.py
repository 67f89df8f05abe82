"""PyG's layers as polynomials of one sparse matrix, and the forward pass of a model in fewer operations.

Every layer of the study is, before what follows it, a sum over hops k of P^k x W_k^T plus a bias: P is the normalised
adjacency for GCN and TAGCN, the mean over neighbours for GraphSAGE, A + (1 + eps) I for GIN; an MLP has hop 0 only.
That allows what PyG's general message passing cannot do: products with x use its sparsity, P^k x is computed once where
that is cheaper, and later layers project before they propagate. The numbers are the same up to rounding.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn
from torch_geometric.nn import GCNConv, SAGEConv, TAGConv

from graphsieve.convolutions import CONVOLUTIONS, Edges, Unsupported, read_filter, watch_propagation
from graphsieve.models import NodeClassifier
from graphsieve.nodewise import NodewiseLinear

# One entry of a dense product costs about a tenth of one entry of a sparse product (measured on Cora to PubMed).
DENSE_DISCOUNT = 10


@dataclass(frozen=True)
class PolynomialLayer:
    """`rest(sum_k matrix^k x linears[k]^T + bias)`; hops that are not used have no entry in `linears`."""

    matrix: sp.csr_array | None
    linears: dict[int, nn.Module]
    bias: Tensor | None = None
    rest: nn.Module = field(default_factory=nn.Identity)


def as_polynomial(layer: nn.Module, calls: list[tuple], num_nodes: int, dtype: torch.dtype) -> PolynomialLayer:
    """The layer with its live weights, given what it passed to `propagate`; `Unsupported` if it is not known."""
    kind = type(layer)
    if kind is NodewiseLinear:
        return PolynomialLayer(None, {0: layer})
    if kind not in CONVOLUTIONS:
        raise Unsupported(f"layer {kind.__name__}")
    edges = read_filter(layer, calls, num_nodes, dtype).edges
    if edges.weight.requires_grad:
        raise Unsupported("a matrix that is trained")
    matrix = _matrix(edges, num_nodes)
    if kind is GCNConv:
        return PolynomialLayer(matrix, {1: layer.lin}, layer.bias)
    if kind is TAGConv:
        return PolynomialLayer(matrix, dict(enumerate(layer.lins)), layer.bias)
    if kind is SAGEConv:
        return PolynomialLayer(matrix, {1: layer.lin_l} | ({0: layer.lin_r} if layer.root_weight else {}))
    if not isinstance(layer.nn, nn.Sequential) or type(layer.nn[0]) is not nn.Linear:
        raise Unsupported("GINConv whose network does not begin with a linear map")
    return PolynomialLayer(matrix, {1: layer.nn[0]}, rest=layer.nn[1:])


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


def fast_forward(model: nn.Module, x: Tensor, edge_index: Tensor) -> Callable[[nn.Module], Tensor] | None:
    """A function of the model that returns `model(x, edge_index)` for its present weights; None for unknown models."""
    if type(model) is not NodeClassifier:
        return None
    calls = _propagations(model, x, edge_index)
    try:
        layers = [as_polynomial(layer, calls.get(layer, []), x.shape[0], x.dtype) for layer in model.layers]
    except Unsupported:
        return None
    matrices = [None if layer.matrix is None else FixedMatrix(layer.matrix, x.device) for layer in layers]
    first = _first_layer(layers[0], matrices[0], x)

    def forward(model: NodeClassifier) -> Tensor:
        hidden = first()
        for layer, matrix in zip(layers[1:], matrices[1:], strict=True):
            hidden = _apply(layer, matrix, model.dropout(hidden.relu()))
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


def _first_layer(layer: PolynomialLayer, matrix: FixedMatrix | None, x: Tensor) -> Callable[[], Tensor]:
    """Either multiply by x and propagate the product, or multiply by P^k x, computed once: whichever is cheaper."""
    features, hops = x.cpu().numpy(), max(layer.linears)
    powers = _powers(layer.matrix, features, hops) if hops else [features]
    propagating = product_cost(features) * len(layer.linears) + (hops * product_cost(layer.matrix) if hops else 0)
    if propagating <= sum(product_cost(powers[hop]) for hop in layer.linears):
        fixed = FixedMatrix(features, x.device)
        return lambda: _apply(layer, matrix, fixed)
    propagated = {hop: FixedMatrix(powers[hop], x.device) for hop in layer.linears}
    return lambda: _finish(layer, sum(_project(layer.linears[hop], power) for hop, power in propagated.items()))


def _powers(matrix: sp.csr_array, x: np.ndarray, hops: int) -> list[np.ndarray]:
    powers = [x]
    for _ in range(hops):
        powers.append(matrix @ powers[-1])
    return powers


def _project(linear: nn.Module, features: Tensor | FixedMatrix) -> Tensor:
    return features @ linear.weight.T


def _apply(layer: PolynomialLayer, matrix: FixedMatrix | None, features: Tensor | FixedMatrix) -> Tensor:
    """Horner's rule: project at every hop, propagate the (usually narrower) projections."""
    hops = max(layer.linears)
    total = _project(layer.linears[hops], features)
    for hop in range(hops - 1, -1, -1):
        total = matrix @ total
        if hop in layer.linears:
            total = total + _project(layer.linears[hop], features)
    return _finish(layer, total)


def _finish(layer: PolynomialLayer, total: Tensor) -> Tensor:
    for bias in (layer.bias, *(linear.bias for linear in layer.linears.values())):
        total = total if bias is None else total + bias
    return layer.rest(total)
