"""Logits of many perturbed copies at once, from a prepared plan."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, fx

from graphsieve.importance.columns import NewColumn
from graphsieve.importance.engines.cost import counted_cost
from graphsieve.importance.engines.incremental.changes import (
    Changes,
    Family,
    PerturbedInput,
    Value,
    restricted,
    union,
)
from graphsieve.importance.engines.incremental.plan import CHUNK_BYTES, Layer, Plan
from graphsieve.importance.engines.lowrank.filters import Expression
from graphsieve.importance.engines.parallel import ordered_map

BLOCK_BYTES = 2**26  # of changed rows in a block of copies, even where the memory limit allows more
SAMPLED_ITEMS = 3  # from which the size of a block is guessed, and the cost of all is counted


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
        """What the changed rows of all values take."""
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
        tables = tuple(torch.cat([base, base.new_empty(number, *base.shape[1:])]) for base in bases)
        widest = max(base[0].numel() for base in bases) * bases[0].element_size()
        for part in _chunks(number, widest):
            found = expression.evaluate(lambda leaf, part=part: self.values[leaf].at(changes, part))
            for table, base, rows in zip(tables, bases, found if isinstance(found, tuple) else (found,), strict=True):
                table[len(base) + part.start : len(base) + part.stop] = rows
        return tables


class IncrementalEngine:
    """Logits for any (item, repeat) pairs."""

    name = "incremental"

    def __init__(self, plan: Plan):
        self.plan, self.problem = plan, plan.problem
        self.draw = lru_cache(maxsize=16)(self.problem.draw)  # an item's repeats may fall into several blocks
        self.workers = self._workers()
        self.budget = min(BLOCK_BYTES, self.problem.memory_limit // self.workers)

    def _workers(self) -> int:
        """As many as there are threads; but the tables, of which each has its own, must fit the memory limit."""
        if self.problem.x.device.type != "cpu":
            return 1
        tables = [table for layer in self.plan.layers.values() for table in layer.tables]
        fixed = max((table.numel() * table.element_size() for table in tables), default=1)
        return max(1, min(torch.get_num_threads(), self.problem.memory_limit // (2 * fixed)))

    def logits(self, pairs: Sequence[int]) -> Tensor:
        """(classes, nodes, copies) of the pairs."""
        copies = self._copies(pairs)
        if copies.bytes > self.budget and len(pairs) > 1:
            middle = len(pairs) // 2
            return torch.cat([self.logits(pairs[:middle]), self.logits(pairs[middle:])], 2)
        return copies.logits().permute(2, 1, 0).contiguous()

    def _copies(self, pairs: Sequence[int]) -> Copies:
        problem, device = self.problem, self.problem.x.device
        of_pair = np.asarray(pairs) // problem.repeats
        positions, item = np.unique(of_pair, return_inverse=True)
        columns = np.zeros((len(positions), max(len(problem.items[position]) for position in positions)), dtype=int)
        for place, position in enumerate(positions):
            columns[place, : len(problem.items[position])] = problem.items[position]
        old, new, sparse = self._old_and_new(pairs, positions, columns.shape[1])
        item, columns = torch.from_numpy(item).to(device), torch.from_numpy(columns).to(device)
        if not sparse or len(positions) == len(pairs):
            moved = new - old[item]
            family = Family(problem.num_nodes, len(pairs), 0, item)
            return Copies(self.plan, family, columns[item], moved, (moved != 0).any(1))
        family = Family(problem.num_nodes, len(positions) + len(pairs), len(positions), item)
        changed = torch.cat([(old != 0).any(1), (new != 0).any(1)])
        return Copies(
            self.plan, family, torch.cat([columns, columns[item]]), torch.cat([-old, new - old[item]]), changed
        )

    def _old_and_new(self, pairs: Sequence[int], positions: np.ndarray, slots: int) -> tuple[Tensor, Tensor, bool]:
        """Old (items, slots, nodes) and new (pairs, slots, nodes) values of the columns; whether all are sparse."""
        problem = self.problem
        old = np.zeros((len(positions), slots, problem.num_nodes), dtype=problem.columns.dtype)
        new = np.zeros((len(pairs), slots, problem.num_nodes), dtype=problem.columns.dtype)
        for place, position in enumerate(positions):
            for slot, column in enumerate(problem.items[position]):
                rows, values = problem.columns.nonzeros(column)
                old[place, slot, rows] = values
        sparse = True
        for place, pair in enumerate(pairs):
            position, repeat = divmod(pair, problem.repeats)
            for slot, drawn in enumerate(self.draw(position)):
                sparse &= drawn.rows is not None
                _write(new[place, slot], drawn, repeat)
        device = problem.x.device
        return torch.from_numpy(old).to(device), torch.from_numpy(new).to(device), sparse

    def _copies_per_block(self) -> int:
        """As many as a sample of items suggests; a block that turns out too large is split."""
        pairs = self._sample()
        fitting = int(self.budget * len(pairs) // max(self._copies(pairs).bytes, 1))
        return max(1, min(fitting, math.ceil(self.problem.num_pairs / self.workers)))

    def _sample(self) -> list[int]:
        """Some repeats of a few items that are spread over all of them."""
        repeats = self.problem.repeats
        positions = np.unique(np.linspace(0, len(self.problem.items) - 1, SAMPLED_ITEMS).astype(int))
        return [int(position) * repeats + repeat for position in positions for repeat in range(min(repeats, 3))]

    def cost_per_pair(self) -> float:
        """In a block of the usual size: what starting operations costs is shared by all its copies."""
        pairs = self._sample()
        one, several = (counted_cost(lambda part=part: self.logits(part)) for part in (pairs[:1], pairs))
        more = max(several - one, 0) / max(len(pairs) - 1, 1)
        return more + max(one - more, 0) / self._copies_per_block()

    def blocks(self, score: Callable[[Tensor], np.ndarray]) -> Iterator[tuple[range, np.ndarray]]:
        """Scores of all pairs, block by block."""
        pairs, step = self.problem.num_pairs, self._copies_per_block()
        ranges = (range(start, min(start + step, pairs)) for start in range(0, pairs, step))

        def work(block: range) -> tuple[range, np.ndarray]:
            with torch.no_grad():  # gradient mode belongs to a thread
                return block, score(self.logits(block))

        return ordered_map(work, ranges, self.workers)


def _write(target: np.ndarray, drawn: NewColumn, repeat: int) -> None:
    if drawn.rows is None:
        target[:] = drawn.values[repeat]
    else:
        target[drawn.rows[repeat]] = drawn.values[repeat]


def _chunks(rows: int, row_bytes: int) -> Iterator[slice]:
    step = max(CHUNK_BYTES // row_bytes, 64)
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))
