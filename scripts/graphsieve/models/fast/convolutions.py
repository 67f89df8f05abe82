"""The convolutions whose effect is known: sums over hops k of A^k V W_k, plus a bias.

A is not rebuilt from formulas: it is what the layer itself hands to `propagate`, with its normalisation, self-loops,
edge weights and caches.
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch_geometric.nn import Aggregation, GCNConv, GINConv, Linear, MessagePassing, SAGEConv, TAGConv
from torch_geometric.utils import is_torch_sparse_tensor, to_edge_index


class Unsupported(Exception):
    """This engine cannot vouch for this model; not an error, the next engine is tried."""


@dataclass(frozen=True)
class Edges:
    """Entries of a square sparse matrix: row `target`, column `source`."""

    target: Tensor
    source: Tensor
    weight: Tensor


@dataclass(frozen=True)
class Filter:
    """V -> sum over hops k of A^k V weights[k] + bias; a weight of None is the identity."""

    edges: Edges | None  # A, or None where only hop 0 occurs
    weights: dict[int, Tensor | None]
    bias: Tensor | None

    @property
    def hops(self) -> int:
        return max(self.weights)


def _gcn(layer: GCNConv, edges: Edges, num_nodes: int) -> Filter:
    return Filter(edges, {1: layer.lin.weight.T}, layer.bias)


def _tagcn(layer: TAGConv, edges: Edges, num_nodes: int) -> Filter:
    return Filter(edges, {hop: lin.weight.T for hop, lin in enumerate(layer.lins)}, layer.bias)


def _graphsage(layer: SAGEConv, edges: Edges, num_nodes: int) -> Filter:
    if layer.project or layer.normalize:
        raise Unsupported("SAGEConv with project or normalize")
    if layer.aggr == "mean":
        count = torch.zeros(num_nodes, dtype=edges.weight.dtype, device=edges.weight.device)
        count.index_add_(0, edges.target, torch.ones_like(edges.weight))
        edges = Edges(edges.target, edges.source, edges.weight / count[edges.target])
    weights = {1: layer.lin_l.weight.T}
    if layer.root_weight:
        weights[0] = layer.lin_r.weight.T
    return Filter(edges, weights, layer.lin_l.bias)


def _gin(layer: GINConv, edges: Edges, num_nodes: int) -> Filter:
    """Only the weighted sum; the network behind it is traced by itself."""
    nodes = torch.arange(num_nodes, device=edges.target.device)
    own = (1 + layer.eps.to(edges.weight.dtype)).expand(num_nodes)
    merged = Edges(torch.cat([edges.target, nodes]), torch.cat([edges.source, nodes]), torch.cat([edges.weight, own]))
    return Filter(merged, {1: None}, None)


CONVOLUTIONS: dict[type, Callable[[MessagePassing, Edges, int], Filter]] = {
    GCNConv: _gcn,
    TAGConv: _tagcn,
    SAGEConv: _graphsage,
    GINConv: _gin,
}
SUMS = {"add", "sum"}
AGGREGATIONS = {GCNConv: SUMS, TAGConv: SUMS, GINConv: SUMS, SAGEConv: SUMS | {"mean"}}


def read_filter(layer: nn.Module, calls: list[tuple], num_nodes: int, dtype: torch.dtype) -> Filter:
    """The filter of a known layer, given the arguments it passed to `propagate`."""
    if not isinstance(layer.aggr, str) or layer.aggr not in AGGREGATIONS[type(layer)]:
        raise Unsupported(f"aggregation {layer.aggr}")
    if not isinstance(layer, GINConv) and not all(map(_is_linear_or_aggregation, _inner_modules(layer))):
        raise Unsupported("a layer with foreign parts")
    if not calls:
        if isinstance(layer, TAGConv) and layer.K == 0:
            return Filter(None, {0: layer.lins[0].weight.T}, layer.bias)
        raise Unsupported("a layer that did not propagate")
    edges = _read_edges(layer, *calls[0], dtype)
    for call in calls[1:]:
        if not _same(calls[0], call):
            raise Unsupported("a layer that is called with several graphs")
    return CONVOLUTIONS[type(layer)](layer, edges, num_nodes)


def _inner_modules(layer: nn.Module) -> list[nn.Module]:
    return [part for child in layer.children() for part in (child if isinstance(child, nn.ModuleList) else [child])]


def _is_linear_or_aggregation(part: nn.Module) -> bool:
    hooked = part._forward_hooks or part._forward_pre_hooks
    return isinstance(part, Aggregation) or (type(part) in (Linear, nn.Linear) and not hooked)


def _read_edges(layer: MessagePassing, edge_index: Tensor, weight: Tensor | None, dtype: torch.dtype) -> Edges:
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
