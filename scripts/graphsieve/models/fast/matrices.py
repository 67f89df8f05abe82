"""Sparse or dense matrices that stay the same throughout a training."""

import warnings

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from graphsieve.models.fast.convolutions import Edges

# One entry of a dense product costs about a tenth of one entry of a sparse product (measured on Cora to PubMed).
DENSE_DISCOUNT = 10


def adjacency_matrix(edges: Edges, num_nodes: int) -> sp.csr_array:
    """Row = the node that receives, column = the node that sends; repeated edges add up."""
    index = (edges.target.cpu().numpy(), edges.source.cpu().numpy())
    return sp.coo_array((edges.weight.cpu().numpy(), index), shape=(num_nodes, num_nodes)).tocsr()


def product_cost(matrix: sp.csr_array | np.ndarray) -> float:
    """Of multiplying by this matrix, stored the cheaper way, in entries of a sparse product."""
    nonzeros = np.count_nonzero(matrix) if isinstance(matrix, np.ndarray) else matrix.nnz
    return min(nonzeros, np.prod(matrix.shape) / DENSE_DISCOUNT)


class FixedMatrix:
    """A matrix that never changes and its transpose (`T`), stored the way in which its products are cheaper.

    precision: of products where it is dense, if that is not its own.
    """

    def __init__(self, matrix: sp.csr_array | np.ndarray, device: torch.device, precision: torch.dtype | None = None):
        if product_cost(matrix) == np.prod(matrix.shape) / DENSE_DISCOUNT:
            dense = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
            self.matrix = torch.from_numpy(np.ascontiguousarray(dense)).to(device, precision)
            self.T = self.matrix.T
        else:
            sparse = sp.csr_array(matrix)
            self.matrix, self.T = _csr_tensor(sparse, device), _csr_tensor(sp.csr_array(sparse.T), device)

    def __matmul__(self, other: Tensor) -> Tensor:
        if self.matrix.layout == torch.strided:
            return (self.matrix @ other.to(self.matrix.dtype)).to(other.dtype)
        return self.matrix @ other.contiguous()


def _csr_tensor(matrix: sp.csr_array, device: torch.device) -> Tensor:
    matrix.sort_indices()
    # 32-bit indices: the sparse kernels then need not convert them at every call
    pointers, columns = (torch.from_numpy(part.astype(np.int32)) for part in (matrix.indptr, matrix.indices))
    values = torch.from_numpy(matrix.data)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(pointers, columns, values, matrix.shape, check_invariants=False).to(device)
