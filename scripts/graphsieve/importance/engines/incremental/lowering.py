"""A traced model in three kinds of steps: linear maps of x, row-wise steps, and stages that gather along edges."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, fx, nn

from graphsieve.importance.engines.incremental.attention import ATTENTION, LinearMap
from graphsieve.importance.engines.incremental.edges import EdgeList, Incoming
from graphsieve.importance.engines.incremental.stages import CalledStage, DescribedStage
from graphsieve.importance.engines.incremental.tracing import Call, Traced
from graphsieve.importance.engines.lowrank.trace import NARROW, Convolution, Step, linear_rows
from graphsieve.models.fast.convolutions import CONVOLUTIONS, Edges, Unsupported, read_edges, read_filter


class NotAsDescribed(Exception):
    """A layer of a known type, at this path, is used in a way that its description does not cover."""

    def __init__(self, path: str):
        super().__init__(path)
        self.path = path


@dataclass(frozen=True)
class Gathering:
    """A stage and the node whose value, a tuple of rows, enters it."""

    source: fx.Node
    stage: DescribedStage | CalledStage


class Lowered:
    """`maps`, `rowwise` and `gatherings` by the nodes whose values they give, each in the order of evaluation."""

    def __init__(self, traced: Traced, num_nodes: int, dtype: torch.dtype):
        self.x, self.output, self.per_node = traced.x, traced.output, traced.per_node
        self.model, self.num_nodes, self.dtype = traced.model, num_nodes, dtype
        self.maps: dict[fx.Node, LinearMap] = {}
        self.rowwise: dict[fx.Node, Step] = {}
        self.gatherings: dict[fx.Node, Gathering] = {}
        for node in traced.order:
            if node in traced.rowwise:
                self.rowwise[node] = traced.rowwise[node]
            elif node in traced.calls:
                self._add_call(node, traced.calls[node])
            else:
                self._add_layer(node, traced.convolutions[node], traced.edges_of.get(node, []))

    def _path(self, layer: nn.Module) -> str:
        return next(path for path, module in self.model.named_modules() if module is layer)

    def _add_layer(self, node: fx.Node, layer: Convolution, calls: list[tuple]) -> None:
        if layer.module is None:
            self.maps[node] = layer.linear
            return
        add = self._add_filter if type(layer.module) in CONVOLUTIONS else self._add_attention
        try:
            add(node, layer, calls)
        except Unsupported as reason:
            raise NotAsDescribed(self._path(layer.module)) from reason

    def _add_attention(self, node: fx.Node, layer: Convolution, calls: list[tuple]) -> None:
        edges = read_edges(layer.module, calls[0][0], None, self.dtype)
        attributes = [known["edge_attr"] for _, known in calls if "edge_attr" in known]
        description = ATTENTION[type(layer.module)](layer.module, attributes[0] if attributes else None)
        stage = DescribedStage(self._edge_list(edges), description.outputs)
        if layer.source is self.x:
            self._gather(node, [self._linear(layer.source, *one) for one in description.maps], stage)
        else:
            mapped = self._new_node()
            self.rowwise[mapped] = Step(_mapped, (layer.source, *_stacked(description.maps)), {})
            self.gatherings[node] = Gathering(mapped, stage)

    def _add_filter(self, node: fx.Node, layer: Convolution, calls: list[tuple]) -> None:
        """Horner's scheme: the term of the farthest hop is summed over edges, the next one added, and so on."""
        seen = [(edge_index, known.get("edge_weight")) for edge_index, known in calls]
        known = read_filter(layer.module, seen, self.num_nodes, self.dtype)
        known = known if layer.linear is None else known.then_linear(*layer.linear)
        terms = {
            hop: layer.source if weight is None else self._linear(layer.source, weight, None)
            for hop, weight in known.weights.items()
        }
        total = terms[known.hops]
        for hop in range(known.hops - 1, -1, -1):
            summed = self._new_node()
            self._gather(summed, [total], self._weighted_sum(known.edges))
            total = summed
            if hop in terms:
                total = self._new_node()
                self.rowwise[total] = Step(torch.add, (summed, terms[hop]), {})
        self.rowwise[node] = Step(_plus_bias, (total, known.bias), {})

    def _weighted_sum(self, edges: Edges) -> DescribedStage:
        weight = edges.weight[:, None]

        def outputs(near: Incoming, table: Tensor) -> Tensor:
            return near.weighted_sum(weight[near.edge], table)

        return DescribedStage(self._edge_list(edges), outputs)

    def _add_call(self, node: fx.Node, call: Call) -> None:
        stage = CalledStage(call, self.model.get_submodule(call.path), self.num_nodes)
        self._gather(node, call.operands, stage)

    def _edge_list(self, edges: Edges) -> EdgeList:
        return EdgeList(edges.target, edges.source, self.num_nodes)

    def _linear(self, source: fx.Node, weight: Tensor, bias: Tensor | None) -> fx.Node:
        node = self._new_node()
        if source is self.x:
            self.maps[node] = weight, bias
        else:
            self.rowwise[node] = Step(linear_rows, (source, weight, bias), {})
        return node

    def _gather(self, node: fx.Node, sources: list[fx.Node], stage: DescribedStage | CalledStage) -> None:
        together = self._new_node()
        self.rowwise[together] = Step(_together, tuple(sources), {})
        self.gatherings[node] = Gathering(together, stage)

    def _new_node(self) -> fx.Node:
        return self.x.graph.call_function(_together)


def _together(*rows: Tensor) -> tuple[Tensor, ...]:
    return rows


def _stacked(maps: list[LinearMap]) -> tuple[Tensor, Tensor, list[int]]:
    """Weights and biases of several maps below each other, and how many rows each has."""
    biases = [weight.new_zeros(len(weight)) if bias is None else bias for weight, bias in maps]
    return torch.cat([weight for weight, _ in maps]), torch.cat(biases), [len(weight) for weight, _ in maps]


def _mapped(rows: Tensor, weight: Tensor, bias: Tensor, sizes: list[int]) -> tuple[Tensor, ...]:
    """All maps in one product; for few outputs the transposed one is faster on CPUs."""
    product = torch.addmm(bias[:, None], weight, rows.T).T if len(weight) <= NARROW else F.linear(rows, weight, bias)
    return product.split(sizes, dim=1)


def _plus_bias(rows: Tensor, bias: Tensor | None) -> Tensor:
    return rows if bias is None else rows + bias
