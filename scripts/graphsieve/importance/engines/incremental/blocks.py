"""A block of perturbed copies, evaluated layer by layer where they change."""

from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import Tensor, fx

from graphsieve.importance.engines.incremental.changes import (
    Changes,
    Family,
    PerturbedInput,
    Value,
    restricted,
    union,
)
from graphsieve.importance.engines.incremental.plan import Layer, Plan
from graphsieve.importance.engines.incremental.stages import CACHE_BYTES
from graphsieve.importance.engines.lowrank.filters import Expression


class Copies:
    """A block of copies: first, which rows of every value change; then, layer by layer, the values there.

    columns: the columns of x in each slot of each copy, (copies, slots); a free slot moves by zero. moved: the change
    of these columns against the unperturbed ones, (copies, slots, nodes). changed: a mask of the rows that differ from
    the parent's, (copies, nodes).
    """

    def __init__(self, plan: Plan, family: Family, columns: Tensor, moved: Tensor, changed: Tensor):
        self.plan, self.family, self.columns = plan, family, columns
        keys = (changed & plan.x_needed).flatten().nonzero()[:, 0]
        self.x_changes = Changes(family, keys)
        self.moved = moved[keys // family.num_nodes, :, keys % family.num_nodes]  # (rows, slots)
        self._find_changes()

    def _find_changes(self) -> None:
        plan = self.plan
        nothing = Changes(self.family, self.x_changes.keys[:0])
        self.changes = dict.fromkeys((plan.lowered.x, *plan.lowered.maps), self.x_changes)
        self.changes |= dict.fromkeys(plan.lowered.per_node, nothing)
        self.entering: dict[fx.Node, Changes] = {}
        for node, layer in plan.layers.items():
            self.entering[node] = union([self.changes[leaf] for leaf in layer.source.leaves])
            self.changes[node] = self._reached(layer, self.entering[node])
        self.at_output = restricted(union([self.changes[leaf] for leaf in plan.output.leaves]), plan.scored)

    def _reached(self, layer: Layer, changes: Changes) -> Changes:
        keys = changes.keys
        for _ in range(layer.stage.hops):
            keys = torch.cat([keys, layer.stage.edges.receivers(keys)])
        keys = keys[layer.needed[keys % self.family.num_nodes]]
        reached = torch.zeros(self.family.copies * self.family.num_nodes, dtype=torch.bool, device=keys.device)
        reached[keys] = True
        return Changes(self.family, reached.nonzero()[:, 0])

    @property
    def bytes(self) -> int:
        """What the changed rows of all values take, and where each row stands."""
        element, plan = self.plan.problem.x.element_size(), self.plan
        total = sum(table.shape[1] for table in plan.map_tables.values()) * len(self.x_changes.keys) * element
        for node, layer in plan.layers.items():
            width = sum(table[0].numel() for table in layer.tables)
            total += element * (
                width * len(self.entering[node].keys) + layer.base[0].numel() * len(self.changes[node].keys)
            )
            total += 16 * self.family.copies * self.family.num_nodes
        return total

    def logits(self) -> Tensor:
        """(copies that are not parents, nodes, classes)"""
        self._compute_values()
        nodes, family = self.plan.problem.nodes, self.family
        base = self.plan.problem.baseline  # the model's own, so that what does not change is not even rounded
        (table,) = self._evaluated(self.plan.output, self.at_output, (base,))
        place = self.at_output.place.view(family.copies, -1)[family.parents :, nodes] - family.num_nodes
        unchanged = torch.arange(len(nodes), device=nodes.device)
        return table[torch.where(place >= 0, place + len(nodes), unchanged)]

    def _compute_values(self) -> None:
        plan = self.plan
        self.values: dict[fx.Node, Value | PerturbedInput] = {}
        if plan.lowered.x in plan.bases:
            self.values[plan.lowered.x] = PerturbedInput(
                plan.bases[plan.lowered.x], self.moved, self.columns, self.x_changes
            )
        for node in plan.lowered.per_node:
            self.values[node] = Value(plan.bases[node], plan.bases[node][:0], self.changes[node])
        for node, table in plan.map_tables.items():
            self.values[node] = Value(plan.bases[node], self._mapped(table), self.x_changes)
        for node, layer in plan.layers.items():
            self.values[node] = Value(layer.base, self._layer_rows(node, layer), self.changes[node])

    def _mapped(self, table: Tensor) -> Tensor:
        """A linear map of the changed rows of x: the unperturbed row, and the weights of the columns that moved."""
        nodes, copies = self.x_changes.nodes, self.x_changes.keys // self.family.num_nodes
        entries = torch.cat([nodes[:, None], self.family.num_nodes + self.columns[copies]], 1)
        factors = torch.cat([torch.ones_like(self.moved[:, :1]), self.moved], 1)
        # One fused gather, multiply and add, without temporaries.
        return F.embedding_bag(entries, table, per_sample_weights=factors, mode="sum")

    def _layer_rows(self, node: fx.Node, layer: Layer) -> Tensor:
        entering, wanted = self.entering[node], self.changes[node]
        tables = self._evaluated(layer.source, entering, layer.tables)
        rows = layer.base.new_empty(len(wanted.keys), *layer.base.shape[1:])
        for part in layer.stage.edges.parts(wanted.nodes, layer.edges_at_once):
            rows[part] = layer.stage.rows(wanted.keys[part], entering.place, tables)
        return rows

    def _evaluated(self, expression: Expression, changes: Changes, bases: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """Tables of the unperturbed rows, and below them an expression's values (a tuple, or one) where they change."""
        number = len(changes.keys)
        tables = tuple(base.new_empty(len(base) + number, *base.shape[1:]) for base in bases)
        for table, base in zip(tables, bases, strict=True):
            table[: len(base)] = base
        read = [self.plan.bases[leaf] for leaf in expression.leaves]
        widest = max(base[0].numel() * base.element_size() for base in (*bases, *read))
        for part in _chunks(number, widest):
            found = expression.evaluate(lambda leaf, part=part: self.values[leaf].at(changes, part))
            for table, base, rows in zip(tables, bases, found if isinstance(found, tuple) else (found,), strict=True):
                table[len(base) + part.start : len(base) + part.stop] = rows
        return tables


def _chunks(rows: int, row_bytes: int) -> Iterator[slice]:
    step = max(CACHE_BYTES // row_bytes, 64)
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))
