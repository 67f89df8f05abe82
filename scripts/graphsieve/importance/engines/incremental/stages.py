"""How a layer's output is found at wanted rows of a block of copies, from a table of its input rows.

A row is one node of one copy, with the key `copy * num_nodes + node`. `place[key]` says where in the tables it stands,
so that a row that does not differ from the unperturbed one needs no copy of its own.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, fx, nn

from graphsieve.importance.engines.incremental.edges import EdgeList, Incoming
from graphsieve.importance.engines.incremental.tracing import Call
from graphsieve.importance.engines.lowrank.trace import twin_of
from graphsieve.importance.verify import agree
from graphsieve.models.fast.convolutions import Unsupported

MOST_HOPS = 2  # of a layer that nobody has described: its own edges, and those that its sources' degrees come from
SAMPLED, AT_ONCE = 64, 16  # wanted rows on which such a layer is checked, and how many of them in one call


@dataclass(frozen=True)
class DescribedStage:
    """A sum over the edges into a node that somebody has written down."""

    edges: EdgeList
    outputs: Callable[..., Tensor]
    hops = most_hops = 1

    def rows(self, keys: Tensor, place: Tensor, tables: tuple[Tensor, ...]) -> Tensor:
        return self.outputs(Incoming.of(self.edges, keys, place), *tables)


class CalledStage:
    """A layer nobody has described, or its `propagate`: called on the edges into the wanted rows alone."""

    def __init__(self, call: Call, layer: nn.Module, operands: list[fx.Node], num_nodes: int):
        self.call, self.layer, self.operands, self.num_nodes = call, layer, operands, num_nodes
        self.edge_index = _edge_index(call)
        source, target = self.edge_index if layer.flow == "source_to_target" else self.edge_index.flip(0)
        self.edges = EdgeList(target, source, num_nodes)
        self.hops, self.most_hops = 1, MOST_HOPS if call.whole else 1
        self._threads = threading.local()

    def rows(self, keys: Tensor, place: Tensor, tables: tuple[Tensor, ...]) -> Tensor:
        local = _LocalGraph(self.edges, keys, self.hops)
        nodes, values = local.keys % self.num_nodes, [table[place[local.keys]] for table in tables]
        edge_index = torch.stack([local.source, local.target])
        edge_index = edge_index if self.layer.flow == "source_to_target" else edge_index.flip(0)
        result = self._call(dict(zip(self.operands, values, strict=True)), edge_index, nodes, local.edge)
        if result.shape[0] != len(nodes):
            raise Unsupported("the number of rows does not follow the graph")
        return result[local.wanted]

    def _call(self, values: dict[fx.Node, Tensor], edge_index: Tensor, nodes: Tensor, edge: Tensor) -> Tensor:
        """The layer on a part of the graph: `nodes` and `edge` say which part of the constants belongs to it."""

        def part(value: object) -> object:
            if isinstance(value, fx.Node):
                return values[value]
            if value is self.edge_index:
                return edge_index
            if not isinstance(value, Tensor) or value.dim() == 0:
                return value
            if len(value) == self.edge_index.shape[1]:
                return value[edge]
            return value[nodes] if len(value) == self.num_nodes else value

        args, kwargs = fx.node.map_aggregate((self.call.args, self.call.kwargs), part)
        if self.call.whole:
            return self._own_layer(*args, **kwargs)
        return type(self.layer).propagate(self._own_layer, *args, **(kwargs | {"size": None}))

    @property
    def _own_layer(self) -> nn.Module:
        """A copy for each thread: a layer may keep what it computes in attributes."""
        if not hasattr(self._threads, "layer"):
            self._threads.layer = twin_of(self.layer)
        return self._threads.layer

    def check(self, wanted: Tensor, tables: tuple[Tensor, ...]) -> None:
        """Compare with the layer on the whole graph: for its input, for that in another order, and for noise."""
        generator = torch.Generator(device="cpu").manual_seed(0)
        sample = wanted[torch.randperm(len(wanted), generator=generator)[:SAMPLED].to(wanted.device)].sort().values
        for hops in range(1, self.most_hops + 1):
            self.hops = hops
            if all(self._is_exact(sample, probe) for probe in _probes(tables, generator)):
                return
        raise Unsupported("a layer's output depends on more than the edges into a node")

    def _is_exact(self, sample: Tensor, tables: tuple[Tensor, ...]) -> bool:
        nodes = torch.arange(self.num_nodes, device=sample.device)
        edges = torch.arange(self.edge_index.shape[1], device=sample.device)
        expected = self._call(dict(zip(self.operands, tables, strict=True)), self.edge_index, nodes, edges)[sample]
        try:
            parts = [self.rows(part, nodes, tables) for part in sample.split(AT_ONCE)]
        except Exception:  # the layer's own error on a part of the graph only says that this will not do
            return False
        return agree(torch.cat(parts), expected)


class _LocalGraph:
    """The wanted rows, the rows they read, and the edges into all of them but those that are only read."""

    def __init__(self, edges: EdgeList, keys: Tensor, hops: int):
        inner = keys
        for _ in range(hops - 1):
            inner = torch.cat([inner, self._sources(edges, inner)[0]]).unique()
        sources, owner, self.edge = self._sources(edges, inner)
        self.keys = torch.cat([inner, sources]).unique()
        self.source = torch.searchsorted(self.keys, sources)
        self.target = torch.searchsorted(self.keys, inner)[owner]
        self.wanted = torch.searchsorted(self.keys, keys)

    @staticmethod
    def _sources(edges: EdgeList, keys: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        nodes = keys % edges.num_nodes
        owner, edge = edges.into.of(nodes)
        return (keys - nodes)[owner] + edges.source[edge], owner, edge


def _edge_index(call: Call) -> Tensor:
    found: list[Tensor] = []

    def note(value: object) -> object:
        plain = type(value) is Tensor and value.layout == torch.strided and not value.is_floating_point()
        if plain and value.dim() == 2 and value.shape[0] == 2:
            found.append(value)
        return value

    fx.node.map_aggregate((call.args, call.kwargs), note)
    if len(found) != 1:
        raise Unsupported("a layer that is not called with one (2, edges) tensor")
    return found[0]


def _probes(tables: tuple[Tensor, ...], generator: torch.Generator) -> list[tuple[Tensor, ...]]:
    """The rows as they are, in another order, and drowned in noise."""
    order = torch.randperm(len(tables[0]), generator=generator).to(tables[0].device)
    noisy = []
    for table in tables:
        noise = torch.randn(table.shape, generator=generator, dtype=table.dtype).to(table.device)
        noisy.append(table + 2 * table.std() * noise)
    return [tables, tuple(table[order] for table in tables), tuple(noisy)]
