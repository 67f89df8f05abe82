"""A filter on all nodes of a graph, with its gradient by hand, so that dead units and unlabelled nodes cost nothing.

Autograd would compute gradients of all units. Behind a ReLU, a unit that is zero at every node has none, and what the
next layer reads of it is zero too: so the output is computed first, outside autograd, and only live units go on. And
the loss reads training nodes alone: up to the last sum over neighbours, all other nodes have a gradient of zero.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from graphsieve.models.fast.convolutions import Filter
from graphsieve.models.fast.matrices import FixedMatrix
from graphsieve.models.fast.nonzero_columns import nonzero_columns
from graphsieve.models.fast.products import product

# Share of live units below which going on with these alone pays: it saves products, and costs a copy.
WORTH_SKIPPING = 0.9
MANY_NODES = 512  # on fewer, picking the weights of the live units takes longer than what it saves (measured)
# Share of nodes with a gradient below which the products are taken of these alone: the copies cost about as much.
WORTH_PICKING = 0.9
Operand = Tensor | FixedMatrix


class GraphFilter:
    """Z = sum over hops k of P^k V W_k^T + b, computed in one of two orders: P^k V first, or V W_k^T first.

    matrix: P, or None where only hop 0 occurs. Two more matrices may be given where V is the features: `features`, or
    `powers`, that is P^k V for each hop. precision: of the products with weights; all else is as the weights are.
    """

    def __init__(
        self,
        known: Filter,
        matrix: FixedMatrix | None,
        features: FixedMatrix | None = None,
        powers: dict[int, FixedMatrix] | None = None,
        precision: torch.dtype | None = None,
    ):
        self.known, self.matrix, self.features, self.powers = known, matrix, features, powers
        self.hops, self.precision = sorted(known.weights), precision

    @property
    def parameters(self) -> list[Tensor | None]:
        return [self.known.bias, *(self.known.weights[hop] for hop in self.hops)]

    def operands(self, hidden: Tensor | None) -> dict[int, Operand]:
        """What each hop's weight is applied to: P^k V where that comes first, else V itself."""
        if self.powers is not None:
            return self.powers
        if hidden is None:
            return dict.fromkeys(self.hops, self.features)
        if not self.propagates_input(hidden):
            return dict.fromkeys(self.hops, hidden)
        found, power = {}, hidden
        for hop in range(self.known.hops + 1):
            power = self.matrix @ power if hop else power
            if hop in self.known.weights:
                found[hop] = power
        return found

    def propagates_input(self, hidden: Tensor | None) -> bool:
        """Propagate what is narrower: the input or the output."""
        if hidden is None:
            return self.powers is not None
        return hidden.shape[1] <= len(self.known.weights[self.known.hops])

    def output(self, hidden: Tensor | None, operands: dict[int, Operand], columns: Tensor | None) -> Tensor:
        """columns: which units of the step before the input has; None for all."""
        weights = {hop: _part(self.known.weights[hop], None, columns).T for hop in self.hops}
        parts = {hop: self._product(operands[hop], weights[hop]) for hop in self.hops}
        total = _sum(parts.values()) if self.propagates_input(hidden) else _horner(self.matrix, parts)
        return total if self.known.bias is None else total.add_(self.known.bias)

    def gradients(
        self,
        gradient: Tensor,
        hidden: Tensor | None,
        operands: dict[int, Operand],
        columns: Tensor | None,
        units: Tensor | None,
    ) -> tuple[Tensor | None, Tensor | None, list[Tensor]]:
        """Of the input, the bias and the weights, from the gradient of the output at `units`."""
        inputs_first = self.propagates_input(hidden)
        nodes = _nodes_with_gradient(gradient) if inputs_first and hidden is not None else None
        if nodes is not None:
            gradient = gradient.index_select(0, nodes)
            operands = {hop: operand.index_select(0, nodes) for hop, operand in operands.items()}
        arriving = dict.fromkeys(self.hops, gradient) if inputs_first else self._propagated_back(gradient)
        products = {hop: self._product_over_nodes(arriving[hop], operands[hop]) for hop in self.hops}
        weights = [_spread(products[hop], self.known.weights[hop], units, columns) for hop in self.hops]
        bias = None if self.known.bias is None else _spread(gradient.sum(0), self.known.bias, units, None)
        if hidden is None:
            return None, bias, weights
        read = {hop: _part(self.known.weights[hop], units, columns) for hop in self.hops}
        parts = {hop: self._product(arriving[hop], read[hop]) for hop in self.hops}
        if nodes is not None:
            parts = {hop: part.new_zeros(hidden.shape).index_copy_(0, nodes, part) for hop, part in parts.items()}
        return (_horner(self.matrix and self.matrix.T, parts) if inputs_first else _sum(parts.values())), bias, weights

    def _product_over_nodes(self, gradient: Tensor, operand: Operand) -> Tensor:
        """gradient^T operand"""
        if isinstance(operand, FixedMatrix):
            return (operand.T @ gradient).T
        return self._product(gradient.T, operand)

    def _product(self, one: Operand, other: Tensor) -> Tensor:
        if isinstance(one, FixedMatrix):
            return one @ other
        if self.precision is None:
            return product(one, other)
        return (one.to(self.precision) @ other.to(self.precision)).to(other.dtype)

    def _propagated_back(self, gradient: Tensor) -> dict[int, Tensor]:
        found = {}
        for hop in range(self.known.hops + 1):
            gradient = self.matrix.T @ gradient if hop else gradient
            if hop in self.known.weights:
                found[hop] = gradient
        return found


def _nodes_with_gradient(gradient: Tensor) -> Tensor | None:
    """None, for all of them, where leaving out the others would save little."""
    nodes = (gradient != 0).any(1).nonzero()[:, 0]
    return nodes if len(nodes) < WORTH_PICKING * len(gradient) else None


def _part(weight: Tensor, units: Tensor | None, columns: Tensor | None) -> Tensor:
    weight = weight if units is None else weight[units]
    return weight if columns is None else weight[:, columns]


def _spread(part: Tensor, whole: Tensor, units: Tensor | None, columns: Tensor | None) -> Tensor:
    """The gradient of a whole weight, zero but for the units and columns that were computed."""
    if units is None and columns is None:
        return part
    result = torch.zeros_like(whole)
    if columns is None:
        result[units] = part
    elif units is None:
        result[:, columns] = part
    else:
        result[units[:, None], columns] = part
    return result


def _sum(parts) -> Tensor:
    first, *others = parts
    for part in others:
        first = first.add_(part)
    return first


def _horner(matrix: FixedMatrix | None, parts: dict[int, Tensor]) -> Tensor:
    """The sum over hops k of matrix^k parts[k]."""
    total = parts[max(parts)]
    for hop in range(max(parts) - 1, -1, -1):
        total = matrix @ total
        if hop in parts:
            total = total.add_(parts[hop])
    return total


@dataclass(frozen=True)
class _Call:
    """One use of a filter, until its gradient is asked for."""

    filter: GraphFilter
    operands: dict[int, Operand]
    columns: Tensor | None
    units: Tensor | None
    rectified: bool


class _Computed(torch.autograd.Function):
    """Values that are known already, with the way back to what they were computed from."""

    @staticmethod
    def forward(ctx, values: Tensor, call: _Call, hidden: Tensor | None, *parameters: Tensor | None) -> Tensor:
        ctx.call = call
        ctx.save_for_backward(values, hidden)
        return values.view_as(values)

    @staticmethod
    def backward(ctx, gradient: Tensor):
        (values, hidden), call = ctx.saved_tensors, ctx.call
        if call.rectified:
            gradient = torch.ops.aten.threshold_backward(gradient, values, 0)
        of_input, of_bias, of_weights = call.filter.gradients(
            gradient.contiguous(), hidden, call.operands, call.columns, call.units
        )
        return None, None, of_input, of_bias, *of_weights


def apply_filter(
    known: GraphFilter, hidden: Tensor | None, columns: Tensor | None, *, rectified: bool, may_skip: bool
) -> tuple[Tensor, Tensor | None]:
    """The filter's output, behind a ReLU if asked for, and which of its units that is (None for all).

    hidden: the values at the units `columns` of the step before; None where the filter reads the features.
    may_skip: whether units that are zero everywhere may be left out.
    """
    with torch.no_grad():
        operands = known.operands(hidden)
        values = known.output(hidden, operands, columns)
        values = values.relu_() if rectified else values
        may_skip = may_skip and rectified and len(values) >= MANY_NODES
        units = nonzero_columns(values, nonnegative=True, below=WORTH_SKIPPING) if may_skip else None
        values = values if units is None else values.index_select(1, units)
    call = _Call(known, operands, columns, units, rectified)
    return _Computed.apply(values, call, hidden, *known.parameters), units
