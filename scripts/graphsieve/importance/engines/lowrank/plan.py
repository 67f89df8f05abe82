"""The engine for models made of known convolutions with row-wise operations between them.

Why it is exact: perturbing column m adds d to that column, so a first layer `sum_k A^k X W_k + b` changes by the
low-rank term `sum_k (A^k d) W_k[m]`; a group of columns adds one such term for each of them. Rows where all A^k d are
zero keep their value, and so does whatever is computed row by row from them. A later convolution is linear too: its
output changes by the filtered change of its input. So each value is a known base plus a change on few rows, and no
approximation is made; only rounding differs from a full pass.

This file prepares what does not depend on the perturbation; `copies.py` evaluates blocks of copies.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor, fx

from graphsieve.importance.engines.lowrank.changes import select
from graphsieve.importance.engines.lowrank.filters import Expression, RestrictedFilter, read_expression
from graphsieve.importance.engines.lowrank.pooling import PooledMap, PoolingLayer, read_pooling, with_linear_maps
from graphsieve.importance.engines.lowrank.rectified import RectifiedOutput
from graphsieve.importance.engines.lowrank.trace import (
    Convolution,
    Pooling,
    Program,
    linear_rows,
    relu_in_place,
    trace_program,
)
from graphsieve.importance.engines.parallel import workers_on
from graphsieve.importance.problem import Problem
from graphsieve.models.fast.convolutions import Filter, Unsupported, linear_filter, read_filter

# Rows in flight between two convolutions, per thread: more would leave every cache; fewer make operations so short that
# Python threads wait for each other.
CHUNK_BYTES = 2**22
CHUNKS = 16  # a thread's share of the memory is at least so many times that


@dataclass(frozen=True)
class Layer:
    """One convolution with all that does not depend on the perturbation."""

    filter: RestrictedFilter
    source: Expression
    reads: dict[fx.Node, Tensor | None]  # for each leaf of `source`, where its rows for `filter.inputs` are
    base: Tensor  # unperturbed output
    table: Tensor | None  # where x is read: `base`, and below it the weights of all hops
    reference: Tensor | None  # elsewhere: unperturbed input, times `weight` if the filter transforms first
    weight: Tensor | None  # the weights of all hops below each other, (hops x outputs, inputs)

    @property
    def is_wide(self) -> bool:
        """Whether only the rows that change are held."""
        return self.table is None and not self.filter.transforms_first


class Plan:
    """A problem's convolutions, restricted to the nodes that matter, and their unperturbed values."""

    def __init__(self, problem: Problem):
        self.problem = problem
        self.chunk_bytes = min(CHUNK_BYTES, problem.memory_limit // workers_on(problem.x.device) // CHUNKS)
        of_graphs = problem.target.level == "graph"
        self.program = trace_program(problem.model, problem.inputs.model_kwargs, sums_first=of_graphs)
        self.output = read_expression(self.program, self.program.output)
        if any((leaf in self.program.poolings) != of_graphs for leaf in self.output.leaves):
            raise Unsupported(f"the output has no row per {problem.target.level}")
        filters = {node: self._full_filter(one) for node, one in self.program.convolutions.items()}
        maps = {node: self._pooled_map(one, filters) for node, one in self.program.poolings.items()}
        self.output, maps = with_linear_maps(self.output, maps)
        self.program = _needed(self.program, self.output, maps)
        restricted, self.x_nodes = _restrict(self.program, self.output, filters, maps, problem)
        places = {node: one.place for node, one in restricted.items()}
        self.x_place = torch.full((problem.num_nodes,), -1, device=problem.x.device)
        self.x_place[self.x_nodes] = torch.arange(len(self.x_nodes), device=problem.x.device)
        places[self.program.x] = self.x_place
        self._prepare_layers(restricted, places, maps)

    def _pooled_map(self, pooling: Pooling, filters: dict[fx.Node, Filter]) -> PooledMap:
        batch = self.problem.inputs.model_kwargs[pooling.batch]
        return read_pooling(self.program, pooling, filters, batch, self.problem.x.dtype)

    def _full_filter(self, convolution: Convolution) -> Filter:
        problem = self.problem
        if convolution.module is None:
            return linear_filter(*convolution.linear)
        calls = problem.propagations.get(convolution.module, [])
        known = read_filter(convolution.module, calls, problem.num_nodes, problem.x.dtype)
        return known if convolution.linear is None else known.then_linear(*convolution.linear)

    def _prepare_layers(
        self,
        restricted: dict[fx.Node, RestrictedFilter],
        places: dict[fx.Node, Tensor],
        maps: dict[fx.Node, PooledMap],
    ) -> None:
        bases = {self.program.x: _dense_rows(self.problem.x, self.x_nodes)}
        self.layers: dict[fx.Node, Layer] = {}
        for node, convolution in self.program.convolutions.items():
            known, source = restricted[node], read_expression(self.program, convolution.source)
            reads = {leaf: _reading(places[leaf], known.inputs, len(bases[leaf])) for leaf in source.leaves}
            values = source.evaluate(lambda leaf, reads=reads: select(bases[leaf], reads[leaf]).clone())
            bases[node] = known.apply(values)
            on_x = convolution.source is self.program.x
            self.layers[node] = _prepare_layer(known, source, reads, values, bases[node], on_x)
        self._prepare_poolings(bases, places, maps)
        later = (*(layer for layer in self.layers.values() if layer.table is None), *self.poolings.values())
        expressions = [self.output, *(layer.source for layer in later)]
        self.x_rows = bases[self.program.x] if any(self.program.x in one.leaves for one in expressions) else None
        self.output_reads = {
            leaf: _reading(places[leaf], self.problem.nodes, len(bases[leaf])) for leaf in self.output.leaves
        }
        self.base = self.output.evaluate(lambda leaf: select(bases[leaf], self.output_reads[leaf]).clone())
        self.rectified = self._rectified_output()

    def skips_last(self, by_units: bool) -> bool:
        """Whether `rectified` stands for the last convolution: with all units, it knows those of a single weight."""
        return by_units or (self.rectified is not None and self.rectified.has_one_weight)

    def _rectified_output(self) -> RectifiedOutput | None:
        """Where the output is a ReLU and a linear map behind a wide convolution, and the matrices of all nodes fit."""
        steps, (leaf, *others) = [step for _, step in self.output.steps], self.output.leaves
        layer, problem = self.layers.get(leaf), self.problem
        if [step.function for step in steps] != [relu_in_place, linear_rows] or others or layer is None:
            return None
        known = layer.filter
        if not layer.is_wide or known.hops > 1 or None in known.weights.values() or self.output_reads[leaf] is not None:
            return None
        matrices = self.base.numel() * layer.reference.shape[1] * len(known.weights) * problem.x.element_size()
        if problem.x.device.type != "cpu" or matrices > problem.memory_limit // 8:
            return None
        return RectifiedOutput(known, layer.base, head=steps[-1].args[1])

    def _prepare_poolings(
        self, bases: dict[fx.Node, Tensor], places: dict[fx.Node, Tensor], maps: dict[fx.Node, PooledMap]
    ) -> None:
        every_node = torch.arange(self.problem.num_nodes, device=self.problem.x.device)
        self.poolings: dict[fx.Node, PoolingLayer] = {}
        for node, pooled in maps.items():
            source = read_expression(self.program, pooled.source)
            reads = {leaf: _reading(places[leaf], every_node, len(bases[leaf])) for leaf in source.leaves}
            self.poolings[node] = PoolingLayer(pooled, source, reads)
            totals = pooled.start()
            rows = source.evaluate(lambda leaf, reads=reads: select(bases[leaf], reads[leaf]).clone())
            totals.add(*pooled.of_parts([slice(0, len(every_node))]), rows)
            bases[node] = totals.result()
            places[node] = torch.arange(pooled.num_graphs, device=every_node.device)


def _prepare_layer(
    known: RestrictedFilter,
    source: Expression,
    reads: dict[fx.Node, Tensor | None],
    values: Tensor,
    base: Tensor,
    on_x: bool,
) -> Layer:
    weights = [weight for _, weight in sorted(known.weights.items())]
    if on_x and None not in weights:
        return Layer(known, source, reads, base, torch.cat([base, *weights]), None, None)
    if not known.transforms_first:
        return Layer(known, source, reads, base, None, values, None)
    weight = torch.cat([weight.T for weight in weights])
    return Layer(known, source, reads, base, None, values @ weight.T, weight)


def _needed(program: Program, output: Expression, maps: dict[fx.Node, PooledMap]) -> Program:
    """Without the convolutions that became part of a pooling."""
    found: set[fx.Node] = set()
    queue = list(output.leaves)
    while queue:
        node = queue.pop()
        if node not in found and node is not program.x:
            found.add(node)
            source = maps[node].source if node in maps else program.convolutions[node].source
            queue.extend(read_expression(program, source).leaves)
    return replace(program, convolutions={node: one for node, one in program.convolutions.items() if node in found})


def _restrict(
    program: Program,
    output: Expression,
    filters: dict[fx.Node, Filter],
    maps: dict[fx.Node, PooledMap],
    problem: Problem,
) -> tuple[dict[fx.Node, RestrictedFilter], Tensor]:
    """From the logits backwards: at which nodes must each convolution's output, and x, be known?

    In the order in which they are read, so that most reads are of all rows as they stand.
    """
    nobody = problem.nodes[:0]
    needed = dict.fromkeys((program.x, *program.convolutions), nobody)
    for leaf in output.leaves:
        needed[leaf] = problem.nodes
    for pooled in maps.values():
        for leaf in read_expression(program, pooled.source).leaves:
            needed[leaf] = torch.arange(problem.num_nodes, device=nobody.device)
    restricted: dict[fx.Node, RestrictedFilter] = {}
    for node, convolution in reversed(program.convolutions.items()):
        restricted[node] = RestrictedFilter(filters[node], needed[node], problem.num_nodes)
        for leaf in read_expression(program, convolution.source).leaves:
            inputs = restricted[node].inputs
            needed[leaf] = torch.cat([needed[leaf], inputs[~torch.isin(inputs, needed[leaf])]])
    return restricted, needed[program.x]


def _reading(place: Tensor, nodes: Tensor, available: int) -> Tensor | None:
    """Where the rows for `nodes` stand; None where they are all the available rows, in order."""
    index = place[nodes]
    in_order = len(index) == available and bool((index == torch.arange(available, device=index.device)).all())
    return None if in_order else index


def _dense_rows(x: Tensor, nodes: Tensor) -> Tensor:
    if x.layout == torch.strided:
        return x[nodes]
    return (x if x.layout == torch.sparse_coo else x.to_sparse_coo()).index_select(0, nodes).to_dense()
