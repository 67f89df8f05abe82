"""Sparse or dense matrices that stay the same throughout a training."""

import warnings
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from graphsieve.models.fast.convolutions import Edges
from graphsieve.models.fast.products import product

# One entry of a dense product costs about a fifth of one of a sparse product (measured: they break even where between a
# tenth and a fifth of the entries are not zero).
DENSE_DISCOUNT = 5


def adjacency_matrix(edges: Edges, num_nodes: int) -> sp.csr_array:
    """Row = the node that receives, column = the node that sends; repeated edges add up."""
    index = (edges.target.cpu().numpy(), edges.source.cpu().numpy())
    return sp.coo_array((edges.weight.cpu().numpy(), index), shape=(num_nodes, num_nodes)).tocsr()


def product_cost(matrix: sp.csr_array | np.ndarray) -> float:
    """Of multiplying by this matrix, stored the cheaper way, in entries of a sparse product."""
    nonzeros = np.count_nonzero(matrix) if isinstance(matrix, np.ndarray) else matrix.nnz
    return min(nonzeros, np.prod(matrix.shape) / DENSE_DISCOUNT)


class SparseRows:
    """A sparse matrix for products with dense ones.

    On CPUs its products are bags of rows, weighted and summed: torch has a kernel for these that is three to ten times
    as fast as its product of a CSR tensor. It is of single precision alone.
    """

    def __init__(self, starts: Tensor, columns: Tensor, values: Tensor, shape: tuple[int, int]):
        # 32-bit indices: the sparse kernels then need not convert them at every call
        self.starts, self.columns = starts.int(), columns.int()
        self.values, self.shape = values, shape

    @classmethod
    def of(cls, matrix: sp.csr_array, device: torch.device) -> "SparseRows":
        matrix.sort_indices()
        parts = (torch.from_numpy(part).to(device) for part in (matrix.indptr, matrix.indices, matrix.data))
        return cls(*parts, matrix.shape)

    def block(self, rows: slice, columns: slice) -> "SparseRows":
        """These rows, which have entries in these columns alone."""
        first, last = self.starts[[rows.start, rows.stop]].tolist()
        starts, places = self.starts[rows.start : rows.stop + 1] - first, self.columns[first:last] - columns.start
        shape = (rows.stop - rows.start, columns.stop - columns.start)
        return SparseRows(starts, places, self.values[first:last], shape)

    def __matmul__(self, other: Tensor) -> Tensor:
        other = other.contiguous()
        if other.device.type == "cpu" and other.dtype == self.values.dtype == torch.float32:
            return embedding_bag(
                *(self.columns, other, self.starts),
                per_sample_weights=self.values,
                mode="sum",
                include_last_offset=True,
            )
        return self._csr @ other

    @cached_property
    def _csr(self) -> Tensor:
        return csr_tensor(self.starts, self.columns, self.values, self.shape)


def csr_tensor(starts: Tensor, columns: Tensor, values: Tensor, shape: tuple[int, int]) -> Tensor:
    _hear_warning()
    return torch.sparse_csr_tensor(starts, columns, values, shape, check_invariants=False)


@cache
def _hear_warning() -> None:
    """torch says once a process that CSR tensors are in beta."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        torch.sparse_csr_tensor([0], [], [], (0, 0), check_invariants=False)


@dataclass(frozen=True)
class FixedMatrix:
    """A matrix that never changes, and its transpose."""

    stored: Tensor | SparseRows
    transposed: Tensor | SparseRows

    @property
    def T(self) -> "FixedMatrix":  # noqa: N802, as of tensors
        return FixedMatrix(self.transposed, self.stored)

    def __matmul__(self, other: Tensor) -> Tensor:
        if isinstance(self.stored, SparseRows):
            return self.stored @ other
        return product(self.stored, other.to(self.stored.dtype)).to(other.dtype)


def fixed_matrix(
    matrix: sp.csr_array | np.ndarray, device: torch.device, precision: torch.dtype | None = None
) -> FixedMatrix:
    """Stored the way in which its products are cheaper. precision: of these if it is dense, where not its own."""
    if product_cost(matrix) == np.prod(matrix.shape) / DENSE_DISCOUNT:
        dense = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
        stored = torch.from_numpy(np.ascontiguousarray(dense)).to(device, precision)
        return FixedMatrix(stored, stored.T)
    sparse = sp.csr_array(matrix)
    return FixedMatrix(SparseRows.of(sparse, device), SparseRows.of(sp.csr_array(sparse.T), device))
