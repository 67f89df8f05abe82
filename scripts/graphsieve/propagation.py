"""PyG's layers as polynomials of one sparse matrix, and the forward pass of a model in fewer operations.

Every layer of the study is, before what follows it, a sum over hops k of P^k x W_k^T plus a bias: P is the normalised
adjacency for GCN and TAGCN, the mean over neighbours for GraphSAGE, A + (1 + eps) I for GIN; an MLP has hop 0 only.
That allows what PyG's general message passing cannot do: products with x use its sparsity, P^k x is computed once where
that is cheaper, and later layers project before they propagate. The numbers are the same up to rounding.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn
from torch_geometric.nn import GCNConv, GINConv, SAGEConv, TAGConv
from torch_geometric.nn.aggr import MeanAggregation
from torch_geometric.nn.conv.gcn_conv import gcn_norm

from graphsieve.models import NodeClassifier
from graphsieve.nodewise import NodewiseLinear

# One entry of a dense product costs about a tenth of one entry of a sparse product (measured on Cora to PubMed).
DENSE_DISCOUNT = 10


@dataclass(frozen=True)
class PolynomialLayer:
    """`rest(sum_k matrix^k x linears[k]^T + bias)`; `linears[k]` is None where hop k is not used."""

    matrix: sp.csr_array | None
    linears: list[nn.Module | None]
    bias: Tensor | None
    rest: nn.Module


def as_polynomial(
    layer: nn.Module, edge_index: Tensor, num_nodes: int, dtype: torch.dtype = torch.float32
) -> PolynomialLayer | None:
    """None for a layer this module does not know: only exact types with options it understands are taken."""
    kind = type(layer)
    ones = torch.ones(edge_index.shape[1], dtype=dtype, device=edge_index.device)
    if kind is GCNConv and layer.normalize:
        edges = gcn_norm(edge_index, None, num_nodes, layer.improved, layer.add_self_loops, layer.flow, dtype)
        return PolynomialLayer(_matrix(layer, *edges, num_nodes), [None, layer.lin], layer.bias, nn.Identity())
    if kind is TAGConv and layer.normalize:
        edges = gcn_norm(edge_index, None, num_nodes, False, False, layer.flow, dtype)
        return PolynomialLayer(_matrix(layer, *edges, num_nodes), list(layer.lins), layer.bias, nn.Identity())
    if kind is SAGEConv and type(layer.aggr_module) is MeanAggregation and not (layer.normalize or layer.project):
        root = layer.lin_r if layer.root_weight else None
        matrix = _mean_over_neighbours(_matrix(layer, edge_index, ones, num_nodes))
        return PolynomialLayer(matrix, [root, layer.lin_l], None, nn.Identity())
    if kind is GINConv and isinstance(layer.nn, nn.Sequential) and type(layer.nn[0]) is nn.Linear:
        if isinstance(layer.eps, nn.Parameter):
            return None
        matrix = _matrix(layer, edge_index, ones, num_nodes)
        matrix = matrix + (1 + float(layer.eps)) * sp.eye_array(num_nodes, dtype=matrix.dtype, format="csr")
        return PolynomialLayer(matrix, [None, layer.nn[0]], None, layer.nn[1:])
    if kind is NodewiseLinear:
        return PolynomialLayer(None, [layer], None, nn.Identity())
    return None


def _matrix(layer: nn.Module, edge_index: Tensor, weights: Tensor, num_nodes: int) -> sp.csr_array:
    """Row = the node that receives, column = the node that sends; repeated edges add up."""
    sender, receiver = (0, 1) if layer.flow == "source_to_target" else (1, 0)
    index, values = edge_index.cpu().numpy(), weights.cpu().numpy()
    return sp.coo_array((values, (index[receiver], index[sender])), shape=(num_nodes, num_nodes)).tocsr()


def _mean_over_neighbours(matrix: sp.csr_array) -> sp.csr_array:
    counts = np.maximum(matrix.sum(axis=1), 1).astype(matrix.dtype)
    return sp.csr_array(sp.diags_array(1 / counts) @ matrix)


class FixedMatrix:
    """A matrix that never changes, stored the way in which its products are cheapest."""

    def __init__(self, matrix: sp.csr_array | np.ndarray, device: torch.device):
        sparse = sp.csr_array(matrix)
        self.cost = min(sparse.nnz, np.prod(sparse.shape) / DENSE_DISCOUNT)
        if self.cost < sparse.nnz:
            dense = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
            self.forward = self.backward = torch.from_numpy(np.ascontiguousarray(dense)).to(device)
        else:
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
    layers = [as_polynomial(layer, edge_index, x.shape[0], x.dtype) for layer in model.layers]
    if None in layers:
        return None
    matrices = [None if layer.matrix is None else FixedMatrix(layer.matrix, x.device) for layer in layers]
    first = _first_layer(layers[0], matrices[0], x)

    def forward(model: NodeClassifier) -> Tensor:
        hidden = first()
        for layer, matrix in zip(layers[1:], matrices[1:], strict=True):
            hidden = _apply(layer, matrix, model.dropout(hidden.relu()))
        return hidden

    return forward


def _first_layer(layer: PolynomialLayer, matrix: FixedMatrix | None, x: Tensor) -> Callable[[], Tensor]:
    """Either multiply by x and propagate the product, or multiply by P^k x, computed once: whichever is cheaper."""
    features = FixedMatrix(x.cpu().numpy(), x.device)
    hops = len(layer.linears) - 1
    used = [k for k, linear in enumerate(layer.linears) if linear is not None]
    if hops == 0:
        return lambda: _apply(layer, None, features)
    propagated = [FixedMatrix(power, x.device) for power in _powers(layer.matrix, x.cpu().numpy(), hops)]
    cost_of_propagating = features.cost * len(used) + hops * matrix.cost
    if cost_of_propagating <= sum(propagated[k].cost for k in used):
        return lambda: _apply(layer, matrix, features)
    return lambda: _finish(layer, sum(_project(layer.linears[k], propagated[k]) for k in used))


def _powers(matrix: sp.csr_array, x: np.ndarray, hops: int) -> list[np.ndarray]:
    powers = [x]
    for _ in range(hops):
        powers.append(matrix @ powers[-1])
    return powers


def _project(linear: nn.Module, features: Tensor | FixedMatrix) -> Tensor:
    return features @ linear.weight.T


def _apply(layer: PolynomialLayer, matrix: FixedMatrix | None, features: Tensor | FixedMatrix) -> Tensor:
    """Horner's rule: project at every hop, propagate the (usually narrower) projections."""
    total = None
    for linear in reversed(layer.linears):
        total = None if total is None else matrix @ total
        if linear is not None:
            projected = _project(linear, features)
            total = projected if total is None else total + projected
    return _finish(layer, total)


def _finish(layer: PolynomialLayer, total: Tensor) -> Tensor:
    biases = [layer.bias, *(getattr(linear, "bias", None) for linear in layer.linears)]
    for bias in biases:
        total = total if bias is None else total + bias
    return layer.rest(total)
