"""Logits of many perturbed copies at once, from a prepared plan."""

import math
from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import Tensor

from graphsieve.importance.columns import NewColumn
from graphsieve.importance.engines.lowrank.copies import Copies
from graphsieve.importance.engines.lowrank.plan import Plan
from graphsieve.importance.engines.lowrank.sizes import (
    BLOCK_BYTES,
    bytes_for_any_copy,
    bytes_of_rows,
    wide_layers,
)
from graphsieve.importance.engines.lowrank.tables import Lineage
from graphsieve.importance.engines.parallel import ordered_map, workers_on

SAMPLE = 16  # items on which the changed rows are counted to choose the size of blocks
# Share of rows with few units near zero from which on these are computed apart. Measured: a third or less does not pay,
# as of fresh models, nearly all does, as after training; what lies between was not met.
ENOUGH_ROWS = 0.5


class LowRankEngine:
    """Logits for any range of (item, repeat) pairs."""

    name = "lowrank"

    def __init__(self, plan: Plan):
        self.plan, self.problem = plan, plan.problem
        self.nodes, self.place = plan.x_nodes.cpu().numpy(), plan.x_place.cpu().numpy()
        self.by_units = plan.rectified is not None and self._pays_by_units()
        self.holds_rows = bool(wide_layers(plan))

    def logits(self, pairs: range) -> Tensor:
        """(classes, nodes, copies) of the pairs."""
        return self._logits(pairs, self.problem.memory_limit)

    def _logits(self, pairs: range, memory: int) -> Tensor:
        columns, moved, lineage = self._block(pairs)
        if self.holds_rows and len(pairs) > 1 and self._bytes_of_rows(moved) > memory:
            middle = (pairs.start + pairs.stop) // 2
            halves = (range(pairs.start, middle), range(middle, pairs.stop))
            return torch.cat([self._logits(half, memory) for half in halves], 2)
        return Copies(self.plan, columns, moved, lineage, self.by_units).logits()

    def _bytes_of_rows(self, moved: Tensor) -> int:
        return bytes_of_rows(self.plan, (moved != 0).any(1), self.by_units)

    def _block(self, pairs: range) -> tuple[Tensor, Tensor, Lineage]:
        """Which columns the copies change, how, and which copies are parents: those with sparse columns removed."""
        problem, device = self.problem, self.problem.x.device
        positions = range(pairs.start // problem.repeats, (pairs.stop - 1) // problem.repeats + 1)
        items = problem.items[positions.start : positions.stop]
        columns = torch.zeros(max(map(len, items)), len(items), dtype=torch.long, device=device)
        for place, item in enumerate(items):
            columns[: len(item), place] = torch.from_numpy(item)
        item = torch.arange(pairs.start, pairs.stop, device=device) // problem.repeats - positions.start
        new, old = self._moves(pairs, positions, len(columns))
        if not old.any():
            return columns[:, item], new, Lineage(0, item)
        if len(pairs) < problem.repeats:
            return columns[:, item], new - old[:, :, item], Lineage(0, item)
        parents = torch.arange(len(items), device=device)
        return columns[:, torch.cat([parents, item])], torch.cat([-old, new], 2), Lineage(len(items), item)

    def _moves(self, pairs: range, positions: range, slots: int) -> tuple[Tensor, Tensor]:
        """What is added to the columns (nodes, slots, copies) after removing the old values (nodes, slots, items).

        Only where the new columns are sparse: others would change all rows again, so nothing is removed first.
        """
        repeats, dtype = self.problem.repeats, self.problem.columns.dtype
        new = np.zeros((len(self.nodes), slots, len(pairs)), dtype=dtype)
        old = np.zeros((len(self.nodes), slots, len(positions)), dtype=dtype)
        for place, position in enumerate(positions):
            first = position * repeats
            start, stop = max(first, pairs.start), min(first + repeats, pairs.stop)
            copies = slice(start - pairs.start, stop - pairs.start)
            draws = self.problem.draw(position)
            for slot, (column, drawn) in enumerate(zip(self.problem.items[position], draws, strict=True)):
                self._write_old(old[:, slot, place], column)
                self._write_new(new[:, slot, copies], drawn, slice(start - first, stop - first))
            if any(drawn.rows is None for drawn in draws):
                new[:, :, copies] -= old[:, :, place, None]
                old[:, :, place] = 0
        device = self.problem.x.device
        return torch.from_numpy(new).to(device), torch.from_numpy(old).to(device)

    def _write_old(self, target: np.ndarray, column: int) -> None:
        rows, values = self.problem.columns.nonzeros(column)
        there = self.place[rows]
        target[there[there >= 0]] = values[there >= 0]

    def _write_new(self, target: np.ndarray, drawn: NewColumn, repeats: slice) -> None:
        if drawn.rows is None:
            target[:] = drawn.values[repeats, self.nodes].T
            return
        there = self.place[drawn.rows[repeats]]
        copy, which = (there >= 0).nonzero()
        target[there[copy, which], copy] = drawn.values[repeats][copy, which]

    def blocks(self, score: Callable[[Tensor], np.ndarray]) -> Iterator[tuple[range, np.ndarray]]:
        """Scores of all pairs, block by block."""
        workers = workers_on(self.problem.x.device)
        memory = max(1, self.problem.memory_limit // workers - 4 * self.plan.chunk_bytes)
        pairs, step = self.problem.num_pairs, self._copies_per_block(workers, memory)
        ranges = (range(start, min(start + step, pairs)) for start in range(0, pairs, step))

        def work(block: range) -> tuple[range, np.ndarray]:
            with torch.no_grad():  # gradient mode belongs to a thread
                return block, score(self._logits(block, memory // 2))

        return ordered_map(work, ranges, workers)

    def _pays_by_units(self) -> bool:
        """Whether, in a sample, enough of the rows have but few units that may change sign."""
        few = []
        for first in self._sample():
            entering, _ = Copies(self.plan, *self._block(range(first, first + 1)), by_units=True).entering()
            changes = entering.rows(slice(0, len(entering.nodes)))
            few.append(self.plan.rectified.has_few(entering.nodes, torch.linalg.vector_norm(changes, dim=1)))
        return float(torch.cat(few).float().mean()) >= ENOUGH_ROWS

    def _sample(self) -> list[int]:
        """The first pair of some items."""
        last = len(self.problem.items) - 1
        return (np.unique(np.linspace(0, last, SAMPLE).astype(int)) * self.problem.repeats).tolist()

    def _copies_per_block(self, workers: int, memory: int) -> int:
        """By what some items take; all repeats of an item in one block, if they fit; and as many for every worker."""
        problem, one_copy = self.problem, bytes_for_any_copy(self.plan)
        fitting = max(1, min(BLOCK_BYTES, memory) // one_copy)
        if self.holds_rows:
            sample = [range(first, first + min(problem.repeats, fitting)) for first in self._sample()]
            rows = sum(self._bytes_of_rows(self._block(some)[1]) for some in sample)
            fitting = max(1, min(BLOCK_BYTES, memory // 2) // (one_copy + rows // sum(map(len, sample))))
        turns = math.ceil(problem.num_pairs / (workers * fitting))
        step = math.ceil(problem.num_pairs / (workers * turns))
        return math.ceil(step / problem.repeats) * problem.repeats if fitting >= 2 * problem.repeats else step
