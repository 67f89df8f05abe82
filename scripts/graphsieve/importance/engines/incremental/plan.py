"""What does not depend on the perturbation: a model's steps, where their values matter, and the unperturbed values.

Why the engine is exact: a node's row after a layer is a function of its own row and of those it receives from. Where
none of them differs from the unperturbed pass, neither does the result, and it is taken from there; all other rows are
computed as the layer computes them. A perturbed column changes a linear map of x by a term of rank one.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, fx

from graphsieve.importance.engines.incremental.lowering import Lowered, NotAsDescribed
from graphsieve.importance.engines.incremental.stages import CalledStage, DescribedStage
from graphsieve.importance.engines.incremental.tracing import trace_on_graph
from graphsieve.importance.engines.lowrank.filters import Expression, read_expression
from graphsieve.importance.problem import Problem
from graphsieve.models.fast.convolutions import Unsupported

FEWEST_EDGES = 64  # in work at once


@dataclass(frozen=True)
class Layer:
    """A stage with what enters it and its unperturbed values."""

    stage: DescribedStage | CalledStage
    source: Expression
    needed: Tensor  # a mask: where its output matters
    tables: tuple[Tensor, ...]  # unperturbed input, at all nodes
    base: Tensor  # unperturbed output, at the needed nodes and zero elsewhere
    edges_at_once: int


class Plan:
    def __init__(self, problem: Problem):
        self.problem = problem
        self.lowered = _lower(problem)
        self.output = read_expression(self.lowered, self.lowered.output)
        self._find_needed()
        self._compute_bases()

    def _find_needed(self) -> None:
        """From the logits backwards: at which nodes does each value matter?"""
        problem, lowered = self.problem, self.lowered
        nowhere = torch.zeros(problem.num_nodes, dtype=torch.bool, device=problem.x.device)
        self.scored = nowhere.clone()
        self.scored[problem.nodes] = True
        self.needed: dict[fx.Node, Tensor] = dict.fromkeys(self.output.leaves, self.scored)
        for node, gathering in reversed(lowered.gatherings.items()):
            read = self.needed.get(node, nowhere)
            for _ in range(gathering.stage.most_hops):
                read = gathering.stage.edges.readable(read)
            for leaf in read_expression(lowered, gathering.source).leaves:
                self.needed[leaf] = self.needed.get(leaf, nowhere) | read
        of_x = [self.needed[node] for node in (lowered.x, *lowered.maps) if node in self.needed]
        self.x_needed = torch.stack(of_x).any(0)

    def _compute_bases(self) -> None:
        problem, lowered = self.problem, self.lowered
        self.bases: dict[fx.Node, Tensor] = dict(lowered.per_node)
        if lowered.x in self.needed:
            self.bases[lowered.x] = problem.x if problem.x.layout == torch.strided else problem.x.to_dense()
        self.map_tables: dict[fx.Node, Tensor] = {}
        for node, (weight, bias) in lowered.maps.items():
            mapped = problem.x @ weight.T
            self.map_tables[node] = torch.cat([mapped if bias is None else mapped + bias, weight.T])
            self.bases[node] = self.map_tables[node][: problem.num_nodes]
        self.layers: dict[fx.Node, Layer] = {}
        for node, gathering in lowered.gatherings.items():
            self.layers[node] = self._layer(node, gathering.source, gathering.stage)
            self.bases[node] = self.layers[node].base
        self.base = self.output.evaluate(lambda leaf: self.bases[leaf][problem.nodes])

    def _layer(self, node: fx.Node, source_node: fx.Node, stage: DescribedStage | CalledStage) -> Layer:
        source, needed = read_expression(self.lowered, source_node), self.needed[node]
        several = len(source.steps) > 1  # which may work in place; a single one only puts rows together
        tables = source.evaluate(lambda leaf: self.bases[leaf].clone() if several else self.bases[leaf])
        tables = tuple(table.contiguous() for table in tables)
        wanted = needed.nonzero()[:, 0]
        if isinstance(stage, CalledStage):
            stage.check(wanted, tables)
        place = torch.arange(len(needed), device=needed.device)
        parts = [stage.rows(part, place, tables) for part in wanted.split(4096)]
        base = parts[0].new_zeros(len(needed), *parts[0].shape[1:])
        base[wanted] = torch.cat(parts)
        widest = max(table[0].numel() * table.element_size() for table in tables)
        at_once = stage.bytes_at_once(self.problem.memory_limit) // widest
        return Layer(stage, source, needed, tables, base, max(at_once, FEWEST_EDGES))


def _lower(problem: Problem) -> Lowered:
    """Follow layers that nobody has described into their forward pass; if that fails, take them as a whole."""
    unknown: frozenset[str] = frozenset()
    inside = True
    while True:
        try:
            arguments = (problem.edge_index, problem.inputs.model_kwargs)
            traced = trace_on_graph(problem.model, problem.x, *arguments, inside, unknown)
            return Lowered(traced, problem.num_nodes, problem.x.dtype)
        except NotAsDescribed as layer:
            unknown |= {layer.path}
        except Unsupported:
            if not inside:
                raise
            inside = False
