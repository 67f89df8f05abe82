"""The attention layers whose effect is known: linear maps of a layer's input, then a sum over the edges into a node.

A description names the linear maps, and computes the output at wanted rows from the tables of the mapped rows. In it
`near` are the edges into the wanted rows; `table[near.source]` are the rows at their sources, `table[near.own]` those
of the wanted nodes themselves.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.nn import GATConv, GATv2Conv, MessagePassing, ResGatedGraphConv, TransformerConv

from graphsieve.importance.engines.incremental.edges import Incoming
from graphsieve.importance.engines.lowrank.trace import ELEMENTWISE_MODULES
from graphsieve.models.fast.convolutions import Unsupported

LinearMap = tuple[Tensor, Tensor | None]  # weight (outputs, inputs) and bias


@dataclass(frozen=True)
class Description:
    maps: list[LinearMap]
    outputs: Callable[..., Tensor]  # of the edges into the wanted rows, and of one table per map


def _gat(layer: GATConv, edge_attr: Tensor | None) -> Description:
    """The scores of a node's row are linear in it too, so that they need not be computed edge by edge."""
    from_source, from_target = (layer.lin, layer.lin) if layer.lin is not None else (layer.lin_src, layer.lin_dst)
    maps = [
        (from_source.weight, None),
        (_per_head(layer.att_src, from_source.weight), None),
        (_per_head(layer.att_dst, from_target.weight), None),
        *_residual(layer),
    ]
    of_edges = None
    if edge_attr is not None and layer.lin_edge is not None:
        of_edges = F.linear(_two_dimensional(edge_attr), _per_head(layer.att_edge, layer.lin_edge.weight))

    def outputs(near: Incoming, values: Tensor, source: Tensor, target: Tensor, *residual: Tensor) -> Tensor:
        scores = source[near.source] + target[near.own][near.owner]
        if of_edges is not None:
            scores += of_edges[near.edge]
        weight = near.softmax(F.leaky_relu(scores, layer.negative_slope))
        return _finish(layer, near.weighted_sum(weight, values), near, residual)

    return Description(maps, outputs)


def _gatv2(layer: GATv2Conv, edge_attr: Tensor | None) -> Description:
    maps = [_map(layer.lin_l), _map(layer.lin_r), *_residual(layer)]

    def outputs(near: Incoming, left: Tensor, right: Tensor, *residual: Tensor) -> Tensor:
        both = left[near.source].add_(right[near.own][near.owner])
        if edge_attr is not None:
            both += layer.lin_edge(_two_dimensional(edge_attr)[near.edge])
        scores = _head_products(F.leaky_relu_(both, layer.negative_slope), layer.att.view(1, -1), layer.heads)
        return _finish(layer, near.weighted_sum(near.softmax(scores), left), near, residual)

    return Description(maps, outputs)


def _transformer(layer: TransformerConv, edge_attr: Tensor | None) -> Description:
    if layer.lin_edge is None and edge_attr is not None:
        raise Unsupported("edge features without a map of them")
    maps = [_map(layer.lin_query), _map(layer.lin_key), _map(layer.lin_value)]
    if layer.root_weight:
        maps.append(_map(layer.lin_skip))

    def outputs(near: Incoming, query: Tensor, key: Tensor, value: Tensor, *skip: Tensor) -> Tensor:
        keys, of_edges = key[near.source], None
        if layer.lin_edge is not None:
            of_edges = layer.lin_edge(edge_attr[near.edge])
            keys += of_edges
        scores = _head_products(keys, query[near.own][near.owner], layer.heads) / math.sqrt(layer.out_channels)
        weight = near.softmax(scores)
        result = near.weighted_sum(weight, value)
        if of_edges is not None:
            result += near.sum(of_edges * weight.repeat_interleave(layer.out_channels, dim=1))
        result = result if layer.concat else _mean_of_heads(layer, result)
        if not skip:
            return result
        own = skip[0][near.own]
        if layer.lin_beta is None:
            return result + own
        beta = layer.lin_beta(torch.cat([result, own, result - own], dim=-1)).sigmoid()
        return beta * own + (1 - beta) * result

    return Description(maps, outputs)


def _residual_gated(layer: ResGatedGraphConv, edge_attr: Tensor | None) -> Description:
    """With edge features every map reads a row and an edge together: one part for each."""
    linears = [layer.lin_key, layer.lin_query, layer.lin_value]
    inputs = linears[0].in_channels - (layer.edge_dim or 0)
    maps = [(linear.weight[:, :inputs], linear.bias) for linear in linears]
    if layer.root_weight:
        maps.append(_map(layer.lin_skip))

    def outputs(near: Incoming, key: Tensor, query: Tensor, value: Tensor, *skip: Tensor) -> Tensor:
        gates, values = query[near.source].add_(key[near.own][near.owner]), value[near.source]
        if edge_attr is not None:
            features = edge_attr[near.edge]
            gates += F.linear(features, (linears[0].weight + linears[1].weight)[:, inputs:])
            values += F.linear(features, linears[2].weight[:, inputs:])
        result = near.sum(layer.act(gates).mul_(values))
        if skip:
            result += skip[0][near.own]
        return result if layer.bias is None else result + layer.bias

    return Description(maps, outputs)


# To add an attention layer, write such a function.
ATTENTION: dict[type, Callable[[MessagePassing, Tensor | None], Description]] = {
    GATConv: _gat,
    GATv2Conv: _gatv2,
    TransformerConv: _transformer,
    ResGatedGraphConv: _residual_gated,
}


def is_described(layer: nn.Module) -> bool:
    """Of a known type, with nothing about it that the descriptions do not speak of."""
    if type(layer) not in ATTENTION or layer.flow != "source_to_target" or layer.aggr not in ("add", "sum"):
        return False
    if any(map(_is_hooked, layer.modules())):
        return False
    return type(layer) is not ResGatedGraphConv or type(layer.act) in ELEMENTWISE_MODULES


def _is_hooked(module: nn.Module) -> bool:
    return any(hooks for name, hooks in vars(module).items() if "forward" in name and name.endswith("_hooks"))


def _map(linear: nn.Module) -> LinearMap:
    return linear.weight, linear.bias


def _residual(layer: GATConv | GATv2Conv) -> list[LinearMap]:
    return [] if layer.res is None else [_map(layer.res)]


def _finish(layer: GATConv | GATv2Conv, summed: Tensor, near: Incoming, residual: tuple[Tensor, ...]) -> Tensor:
    result = summed if layer.concat else _mean_of_heads(layer, summed)
    for table in residual:
        result = result + table[near.own]
    return result if layer.bias is None else result + layer.bias


def _mean_of_heads(layer: nn.Module, rows: Tensor) -> Tensor:
    return rows.view(-1, layer.heads, layer.out_channels).mean(dim=1)


def _per_head(attention: Tensor, weight: Tensor) -> Tensor:
    """The linear map behind (W v * attention).sum(-1): (heads, inputs)."""
    heads, channels = attention.shape[1:]
    return (weight.view(heads, channels, -1) * attention.view(heads, channels, 1)).sum(1)


def _head_products(rows: Tensor, others: Tensor, heads: int) -> Tensor:
    """The inner product of both, head by head; overwrites `rows`."""
    return rows.mul_(others).view(len(rows), heads, -1).sum(-1)


def _two_dimensional(edge_attr: Tensor) -> Tensor:
    return edge_attr.view(-1, 1) if edge_attr.dim() == 1 else edge_attr
