"""A known convolution restricted to the nodes that matter, and the rows that enter it."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, reduce

import torch
from torch import Tensor, fx

from graphsieve.importance.engines.lowrank.trace import NARROW, Program, Step, rows_times
from graphsieve.models.fast.convolutions import Edges, Filter
from graphsieve.models.fast.matrices import SparseRows
from graphsieve.models.fast.nonzero_columns import without_zero_columns
from graphsieve.models.fast.products import product


@dataclass(frozen=True)
class Expression:
    """Row-wise steps from the outputs of convolutions (or x itself) to the value of `result`."""

    leaves: list[fx.Node]
    steps: list[tuple[fx.Node, Step]]
    result: fx.Node

    def evaluate(self, rows_of: Callable[[fx.Node], Tensor]) -> Tensor:
        rows = {leaf: rows_of(leaf) for leaf in self.leaves}
        for node, step in self.steps:
            args, kwargs = fx.node.map_arg((step.args, step.kwargs), rows.__getitem__)
            rows[node] = step.function(*args, **kwargs)
        return rows[self.result]


def read_expression(program: Program, result: fx.Node) -> Expression:
    needed, queue = set(), [result]
    while queue:
        node = queue.pop()
        if node not in needed:
            needed.add(node)
            queue.extend(program.rowwise[node].operands if node in program.rowwise else ())
    steps = [(node, step) for node, step in program.rowwise.items() if node in needed]
    return Expression([node for node in needed if node not in program.rowwise], steps, result)


def sparse_matrix(edges: Edges, shape: tuple[int, int]) -> SparseRows:
    order = edges.target.argsort(stable=True)
    starts = torch.zeros(shape[0] + 1, dtype=torch.long, device=order.device)
    starts[1:] = torch.bincount(edges.target, minlength=shape[0]).cumsum(0)
    return SparseRows(starts, edges.source[order], edges.weight[order], shape)


class RestrictedFilter:
    """A filter whose output is wanted at `outputs` only.

    The nodes it reads are ordered by distance from the outputs: the first `sizes[k]` of `inputs` lie within k hops, so
    every restriction is a prefix, and hop k of the sum reads `matrices[k]` only, of shape (sizes[k], sizes[k + 1]).
    """

    def __init__(self, full: Filter, outputs: Tensor, num_nodes: int):
        self.hops, self.bias = full.hops, full.bias
        self.weights = {hop: None if weight is None else weight.T for hop, weight in full.weights.items()}
        self.place = torch.full((num_nodes,), -1, dtype=torch.long, device=outputs.device)
        self.place[outputs] = torch.arange(len(outputs), device=outputs.device)
        self.inputs, self.sizes = outputs, [len(outputs)]
        self.edges: list[Edges] = []
        self.matrices: list[SparseRows] = []
        for _ in range(self.hops):
            self._extend(full.edges)
        self.transforms_first = self._transforms_first()

    def _extend(self, edges: Edges) -> None:
        reaching = (self.place[edges.target] >= 0).nonzero()[:, 0]
        reaching = reaching[self.place[edges.target[reaching]].argsort(stable=True)]  # sums of terms are sorted so, too
        target, source, weight = edges.target[reaching], edges.source[reaching], edges.weight[reaching]
        new = source[self.place[source] < 0].unique()
        target = self.place[target]
        self.place[new] = self.sizes[-1] + torch.arange(len(new), device=new.device)
        self.inputs = torch.cat([self.inputs, new])
        self.sizes.append(len(self.inputs))
        self.edges.append(Edges(target, self.place[source], weight))
        self.matrices.append(sparse_matrix(self.edges[-1], (self.sizes[-2], self.sizes[-1])))

    @cached_property
    def patterns(self) -> list[SparseRows]:
        """The matrices with an entry of one wherever they have any."""
        return [
            SparseRows(one.starts, one.columns, torch.ones_like(one.values, dtype=torch.float32), one.shape)
            for one in self.matrices
        ]

    def block(self, part: slice) -> "RestrictedFilter":
        """The same on a part of the nodes that no edge leaves, where all nodes are outputs in their order.

        Rows of several copies of each node may stand below each other, whence no size.
        """
        own = copy.copy(self)
        own.matrices = [matrix.block(part, part) for matrix in self.matrices]
        own.sizes = [None] * len(self.sizes)
        return own

    def propagate(self, values: Tensor, hop: int) -> Tensor:
        """One multiplication by A: (sizes[hop + 1], ...) to (sizes[hop], ...)."""
        matrix = self.matrices[hop]
        return (matrix @ values.reshape(matrix.shape[1], -1)).view(-1, *values.shape[1:])

    def powers(self, values: Tensor) -> dict[int, Tensor]:
        """A^k values at the outputs, for the hops that have a weight."""
        found = {}
        for hop in range(self.hops + 1):
            if hop > 0:
                values = self.propagate(values, self.hops - hop)
            if hop in self.weights:
                found[hop] = values[: self.sizes[0]]
        return found

    def combine(self, transformed: dict[int, Tensor]) -> Tensor:
        """The sum over hops of A^k transformed[k] (Horner's scheme), where transformed[k] has sizes[k] rows."""
        total = transformed[self.hops]
        for hop in range(self.hops - 1, -1, -1):
            total = self.propagate(total, hop)
            if hop in transformed:
                total = total + transformed[hop]
        return total

    def _transforms_first(self) -> bool:
        """Whether V W then A is less work than A V then W, counted in multiplications of a matrix product.

        Multiplying by A, and writing down what it is applied to, are bound by memory: hence the factors (measured). Of
        many outputs only the rows that change are worth writing down, and these are counted when they are known.
        """
        if None in self.weights.values():
            return False
        (inputs, outputs), terms = next(iter(self.weights.values())).shape, len(self.weights)
        if outputs > NARROW:
            return False
        entries = sum(matrix.values.numel() for matrix in self.matrices)
        rows_read = sum(self.sizes[hop] for hop in self.weights)
        first = rows_read * inputs * outputs + (8 * entries + 50 * rows_read) * outputs
        last = self.sizes[0] * terms * inputs * outputs + (8 * entries + 50 * self.sizes[-1]) * inputs
        return first <= last

    def apply(self, values: Tensor) -> Tensor:
        """The filter's output at the outputs, from the values at all inputs."""
        if self.transforms_first:
            read = {hop: values[: self.sizes[hop]] for hop in self.weights}
            result = self.combine({hop: rows_times(rows, self.weights[hop].T) for hop, rows in read.items()})
        else:
            result = self.mix(self.powers(values))
        return result if self.bias is None else result.add_(self.bias)

    def mix(self, powers: dict[int, Tensor]) -> Tensor:
        return reduce(torch.add, (_times(powers[hop], weight) for hop, weight in self.weights.items()))

    def spread(self, mask: Tensor, hop: int) -> Tensor:
        """Where one multiplication by A takes a change of the masked rows (nodes, copies)."""
        return self.patterns[hop] @ mask.float() > 0

    def reached(self, mask: Tensor) -> Tensor:
        """The outputs (nodes, copies) that a change of the masked inputs can reach."""
        for hop in range(self.hops - 1, -1, -1):
            mask = self.spread(mask, hop) | mask[: self.sizes[hop]]
        return mask


def _times(values: Tensor, weight: Tensor | None) -> Tensor:
    """values (..., inputs) @ weight; None is the identity."""
    if weight is None:
        return values
    rows, transposed = without_zero_columns(values.flatten(0, -2), weight.T)
    return product(rows, transposed.T).view(*values.shape[:-1], -1)
