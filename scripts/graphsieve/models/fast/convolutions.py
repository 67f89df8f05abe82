"""The convolutions whose effect is known: sums over hops k of A^k V W_k^T, plus a bias.

This is the only description of them. Training's fast pass (`forward.py`) and the low-rank engine both work from it.

A is not rebuilt from formulas: it is what the layer itself hands to `propagate`, with its normalisation, self-loops,
edge weights and caches.
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch_geometric.nn import Aggregation, GCNConv, GINConv, GraphConv, Linear, MessagePassing, SAGEConv, TAGConv
from torch_geometric.utils import is_torch_sparse_tensor, to_edge_index


class Unsupported(Exception):
    """Nothing here can vouch for this model; not an error, the next way is tried."""


@dataclass(frozen=True)
class Edges:
    """Entries of a square sparse matrix: row `target`, column `source`."""

    target: Tensor
    source: Tensor
    weight: Tensor


@dataclass(frozen=True)
class Filter:
    """V -> sum over hops k of A^k V weights[k]^T + bias; a weight of None is the identity.

    Weights (outputs, inputs) and bias are the layer's own parameters, so a filter follows its layer through training.
    """

    edges: Edges | None  # A, or None where only hop 0 occurs
    weights: dict[int, Tensor | None]
    bias: Tensor | None

    @property
    def hops(self) -> int:
        return max(self.weights)

    def then_linear(self, weight: Tensor, bias: Tensor | None) -> "Filter":
        """The same followed by a linear map; for filters that have no weights of their own."""
        return Filter(self.edges, dict.fromkeys(self.weights, weight), bias)


def linear_filter(weight: Tensor, bias: Tensor | None) -> Filter:
    return Filter(None, {0: weight}, bias)


def _gcn(layer: GCNConv, edges: Edges, num_nodes: int) -> Filter:
    return Filter(edges, {1: layer.lin.weight}, layer.bias)


def _tagcn(layer: TAGConv, edges: Edges | None, num_nodes: int) -> Filter:
    return Filter(edges, {hop: lin.weight for hop, lin in enumerate(layer.lins)}, layer.bias)


def _graphsage(layer: SAGEConv, edges: Edges, num_nodes: int) -> Filter:
    if layer.project or layer.normalize:
        raise Unsupported("SAGEConv with project or normalize")
    weights = {1: layer.lin_l.weight}
    if layer.root_weight:
        weights[0] = layer.lin_r.weight
    return Filter(edges, weights, layer.lin_l.bias)


def _graphconv(layer: GraphConv, edges: Edges, num_nodes: int) -> Filter:
    return Filter(edges, {0: layer.lin_root.weight, 1: layer.lin_rel.weight}, layer.lin_rel.bias)


def _gin(layer: GINConv, edges: Edges, num_nodes: int) -> Filter:
    """Only the weighted sum; for the rest see `network_behind`."""
    nodes = torch.arange(num_nodes, device=edges.target.device)
    own = (1 + layer.eps.to(edges.weight.dtype)).expand(num_nodes)
    merged = Edges(torch.cat([edges.target, nodes]), torch.cat([edges.source, nodes]), torch.cat([edges.weight, own]))
    return Filter(merged, {1: None}, None)


# To add a convolution, write such a function: training and scoring both read it.
CONVOLUTIONS: dict[type, Callable[[MessagePassing, Edges, int], Filter]] = {
    GCNConv: _gcn,
    TAGConv: _tagcn,
    SAGEConv: _graphsage,
    GINConv: _gin,
    GraphConv: _graphconv,
}


def network_behind(layer: nn.Module) -> nn.Module | None:
    """What a known layer does to each row after its filter, if it has such a part."""
    return layer.nn if type(layer) is GINConv else None


def read_filter(layer: nn.Module, calls: list[tuple], num_nodes: int, dtype: torch.dtype) -> Filter:
    """The filter of a known layer, given the arguments it passed to `propagate`."""
    if network_behind(layer) is None and not all(map(_is_linear_or_aggregation, _inner_modules(layer))):
        raise Unsupported("a layer with foreign parts")
    if not calls and getattr(layer, "K", None) != 0:
        raise Unsupported("a layer that did not propagate")
    for call in calls[1:]:
        if not _same(calls[0], call):
            raise Unsupported("a layer that is called with several graphs")
    edges = _aggregated(layer.aggr, read_edges(layer, *calls[0], dtype), num_nodes) if calls else None
    return CONVOLUTIONS[type(layer)](layer, edges, num_nodes)


def _aggregated(aggregation: object, edges: Edges, num_nodes: int) -> Edges:
    """The matrix of a sum over incoming edges, or of a mean."""
    if aggregation in ("add", "sum"):
        return edges
    if aggregation != "mean":
        raise Unsupported(f"aggregation {aggregation}")
    count = torch.zeros(num_nodes, dtype=edges.weight.dtype, device=edges.weight.device)
    count.index_add_(0, edges.target, torch.ones_like(edges.weight))
    return Edges(edges.target, edges.source, edges.weight / count[edges.target])


def _inner_modules(layer: nn.Module) -> list[nn.Module]:
    return [part for child in layer.children() for part in (child if isinstance(child, nn.ModuleList) else [child])]


def _is_linear_or_aggregation(part: nn.Module) -> bool:
    hooked = part._forward_hooks or part._forward_pre_hooks
    return isinstance(part, Aggregation) or (type(part) in (Linear, nn.Linear) and not hooked)


def read_edges(layer: MessagePassing, edge_index: Tensor, weight: Tensor | None, dtype: torch.dtype) -> Edges:
    if is_torch_sparse_tensor(edge_index):
        (target, source), weight = to_edge_index(edge_index)
    elif isinstance(edge_index, Tensor):
        source, target = edge_index.as_subclass(Tensor)
        if layer.flow == "target_to_source":
            source, target = target, source
    else:
        raise Unsupported(f"edges given as {type(edge_index).__name__}")
    if weight is None:
        weight = torch.ones(len(source), dtype=dtype, device=source.device)
    if weight.dim() != 1:
        raise Unsupported("edge weights of several dimensions")
    return Edges(target, source, weight.detach().to(dtype))


def _same(one: tuple, other: tuple) -> bool:
    return all(a is b or (_is_plain(a) and _is_plain(b) and torch.equal(a, b)) for a, b in zip(one, other, strict=True))


def _is_plain(value: object) -> bool:
    return isinstance(value, Tensor) and value.layout == torch.strided


@contextlib.contextmanager
def watch_propagation(model: nn.Module) -> Iterator[dict[nn.Module, list[tuple]]]:
    """Collect (edge_index, edge_weight) of every `propagate` call of the known layers."""
    seen: dict[nn.Module, list[tuple]] = {}
    handles = []

    def note(layer: MessagePassing, arguments: tuple) -> None:
        edge_index, _, kwargs = arguments
        seen.setdefault(layer, []).append((edge_index, kwargs.get("edge_weight")))

    for layer in model.modules():
        if type(layer) in CONVOLUTIONS:
            handles.append(layer.register_propagate_forward_pre_hook(note))
    try:
        yield seen
    finally:
        for handle in handles:
            handle.remove()
