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
from graphsieve.importance.engines.incremental.tracing import WHOLE, Call
from graphsieve.importance.engines.lowrank.trace import twin_of
from graphsieve.importance.verify import agree
from graphsieve.models.fast.convolutions import Unsupported

MOST_HOPS = 2  # of a layer that nobody has described: its own edges, and those that its sources' degrees come from
CACHE_BYTES = 2**21  # of the rows at the edges that are in work at once: they should stay in the cache
TEMPORARIES, FEW_TEMPORARIES = 32, 8  # tensors of that size, in all threads together
SAMPLED, AT_ONCE = 64, 16  # wanted rows on which such a layer is checked, and how many of them in one call


@dataclass(frozen=True)
class DescribedStage:
    """A sum over the edges into a node that somebody has written down."""

    edges: EdgeList
    outputs: Callable[..., Tensor]
    hops = most_hops = 1

    def bytes_at_once(self, memory_limit: int) -> int:
        return min(CACHE_BYTES, memory_limit // TEMPORARIES)

    def rows(self, keys: Tensor, place: Tensor, tables: tuple[Tensor, ...]) -> Tensor:
        return self.outputs(Incoming.of(self.edges, keys, place), *tables)


class CalledStage:
    """A layer nobody has described, or its `propagate`: called on the edges into the wanted rows alone."""

    def __init__(self, call: Call, layer: nn.Module, num_nodes: int):
        self.call, self.layer, self.operands, self.num_nodes = call, layer, call.operands, num_nodes
        self.edge_index = _edge_index(call)
        source, target = self.edge_index if layer.flow == "source_to_target" else self.edge_index.flip(0)
        self.edges = EdgeList(target, source, num_nodes)
        self.hops, self.most_hops = 1, MOST_HOPS if call.method == WHOLE else 1
        self._threads = threading.local()

    def bytes_at_once(self, memory_limit: int) -> int:
        """Copies in one call of a whole layer share the rows that they only read, and what the layer makes of each."""
        if self.call.method == WHOLE:
            return memory_limit // FEW_TEMPORARIES
        return min(CACHE_BYTES, memory_limit // TEMPORARIES)

    def rows(self, keys: Tensor, place: Tensor, tables: tuple[Tensor, ...]) -> Tensor:
        graph_of = _LocalGraph.of_one_hop if self.hops == 1 else _LocalGraph.of_two_hops
        local = graph_of(self.edges, keys, place)
        values = {node: table[local.place] for node, table in zip(self.operands, tables, strict=True)}
        edge_index = torch.stack([local.source, local.target])
        edge_index = edge_index if self.layer.flow == "source_to_target" else edge_index.flip(0)
        result = self._invoke(self.call, _GraphPart(self, values, edge_index, local.nodes, local.edge))
        if result.shape[0] != len(local.nodes):
            raise Unsupported("the number of rows does not follow the graph")
        return result[local.wanted]

    def _invoke(self, call: Call, part: "_GraphPart") -> Tensor:
        """The call on a part of the graph."""

        def argument(value: object) -> object:
            return self._invoke(value, part) if isinstance(value, Call) else part.of(value)

        args, kwargs = fx.node.map_aggregate((call.args, call.kwargs), argument)
        if call.method == WHOLE:
            return self._own_layer(*args, **kwargs)
        return getattr(self._own_layer, call.method)(*args, **{**kwargs, "size": None})

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
        whole = _GraphPart(self, dict(zip(self.operands, tables, strict=True)), self.edge_index, nodes, edges)
        expected = self._invoke(self.call, whole)[sample]
        try:
            parts = [self.rows(part, nodes, tables) for part in sample.split(AT_ONCE)]
        except Exception:  # the layer's own error on a part of the graph only says that this will not do
            return False
        return agree(torch.cat(parts), expected)


@dataclass(frozen=True)
class _GraphPart:
    """What stands, on a part of the graph, for the arguments of a call; which part, `nodes` and `edge` say."""

    stage: CalledStage
    values: dict[fx.Node, Tensor]  # of the operands that depend on x
    edge_index: Tensor
    nodes: Tensor
    edge: Tensor

    def of(self, value: object) -> object:
        if isinstance(value, fx.Node):
            return self.values[value]
        if value is self.stage.edge_index:
            return self.edge_index
        if not isinstance(value, Tensor) or value.dim() == 0:
            return value
        if len(value) == self.stage.edge_index.shape[1]:
            return value[self.edge]
        return value[self.nodes] if len(value) == self.stage.num_nodes else value


@dataclass(frozen=True)
class _LocalGraph:
    """A graph of the wanted rows and of those they read.

    place: where each of its nodes stands in the tables; nodes: which node of the whole graph it is. source, target: the
    ends of its edges; edge: their numbers in the whole graph. wanted: its nodes for the wanted rows.
    """

    place: Tensor
    nodes: Tensor
    source: Tensor
    target: Tensor
    edge: Tensor
    wanted: Tensor

    @classmethod
    def of_one_hop(cls, edges: EdgeList, keys: Tensor, place: Tensor) -> "_LocalGraph":
        """Copies share the rows that are only read; a self-loop stays one."""
        nodes = keys % edges.num_nodes
        owner, edge = edges.into.of(nodes)
        of_source = edges.source[edge]
        is_loop = of_source == nodes[owner]
        read, source = place[(keys - nodes)[owner] + of_source].unique(return_inverse=True)
        node_of = torch.empty_like(read).index_copy_(0, source, of_source)  # a row of the tables is of one node
        source = torch.where(is_loop, owner, len(keys) + source)
        wanted = torch.arange(len(keys), device=keys.device)
        return cls(torch.cat([place[keys], read]), torch.cat([nodes, node_of]), source, owner, edge, wanted)

    @classmethod
    def of_two_hops(cls, edges: EdgeList, keys: Tensor, place: Tensor) -> "_LocalGraph":
        """With all edges into the sources too."""

        def incoming(targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            nodes = targets % edges.num_nodes
            owner, edge = edges.into.of(nodes)
            return (targets - nodes)[owner] + edges.source[edge], owner, edge

        inner = torch.cat([keys, incoming(keys)[0]]).unique()
        sources, owner, edge = incoming(inner)
        every = torch.cat([inner, sources]).unique()
        source, target, wanted = (torch.searchsorted(every, one) for one in (sources, inner, keys))
        return cls(place[every], every % edges.num_nodes, source, target[owner], edge, wanted)


def _edge_index(call: Call) -> Tensor:
    found: dict[int, Tensor] = {}

    def note(value: object) -> object:
        plain = type(value) is Tensor and value.layout == torch.strided and not value.is_floating_point()
        if plain and value.dim() == 2 and value.shape[0] == 2:
            found[id(value)] = value
        elif isinstance(value, Call):
            fx.node.map_aggregate((value.args, value.kwargs), note)
        return value

    note(call)
    if len(found) != 1:
        raise Unsupported("a layer that is not called with one (2, edges) tensor")
    return next(iter(found.values()))


def _probes(tables: tuple[Tensor, ...], generator: torch.Generator) -> list[tuple[Tensor, ...]]:
    """The rows as they are, in another order, and drowned in noise."""
    order = torch.randperm(len(tables[0]), generator=generator).to(tables[0].device)
    noisy = []
    for table in tables:
        noise = torch.randn(table.shape, generator=generator, dtype=table.dtype).to(table.device)
        noisy.append(table + 2 * table.std() * noise)
    return [tables, tuple(table[order] for table in tables), tuple(noisy)]
