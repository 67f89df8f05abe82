"""The engine: which copies are evaluated together, and what is done to x in each."""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from graphsieve.importance.columns import NewColumn
from graphsieve.importance.engines.cost import counted_cost
from graphsieve.importance.engines.incremental.blocks import Copies
from graphsieve.importance.engines.incremental.changes import Family
from graphsieve.importance.engines.incremental.plan import Plan
from graphsieve.importance.engines.parallel import ordered_map, workers_on

BLOCK_BYTES = 2**26  # of changed rows in a block of copies, even where the memory limit allows more
MOVES = 5  # arrays with an entry for every node and slot of a copy
SAMPLED_ITEMS = 3  # from which the size of a block is guessed, and the cost of all is counted


class IncrementalEngine:
    """Logits for any (item, repeat) pairs."""

    name = "incremental"

    def __init__(self, plan: Plan):
        self.plan, self.problem = plan, plan.problem
        self.workers, self.budget = self._workers_and_budget()

    def _workers_and_budget(self) -> tuple[int, int]:
        """How many threads, and the bytes that each has for what changes beside its copy of a layer's tables."""
        layers, limit = self.plan.layers.values(), self.problem.memory_limit
        tables = max((sum(table.nbytes for table in layer.tables) for layer in layers), default=0)
        threads = workers_on(self.problem.x.device)
        workers = max(1, min(threads, limit // (2 * tables + 1)))
        return workers, max(limit // workers - tables, 0) // 2

    def logits(self, pairs: Sequence[int]) -> Tensor:
        """(classes, nodes, copies) of the pairs; a block that turns out to be too large is split."""
        if len(pairs) > self._most_copies(pairs):
            return self._in_halves(pairs)
        copies = self._copies(pairs)
        if copies.bytes > self.budget and len(pairs) > 1:
            del copies
            return self._in_halves(pairs)
        return copies.logits().permute(2, 1, 0).contiguous()

    def _in_halves(self, pairs: Sequence[int]) -> Tensor:
        middle = len(pairs) // 2
        return torch.cat([self.logits(pairs[:middle]), self.logits(pairs[middle:])], 2)

    def _most_copies(self, pairs: Sequence[int]) -> int:
        """For how many the old and new values of the columns fit; the last item is the largest."""
        slots = len(self.problem.items[pairs[-1] // self.problem.repeats])
        one_copy = MOVES * slots * self.problem.num_nodes * self.problem.columns.dtype.itemsize
        return max(self.budget // one_copy, 1)

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
            for slot, drawn in enumerate(problem.draw(position)):
                sparse &= drawn.rows is not None
                _write(new[place, slot], drawn, repeat)
        device = problem.x.device
        return torch.from_numpy(old).to(device), torch.from_numpy(new).to(device), sparse

    def _copies_per_block(self) -> int:
        """As many as a sample of items suggests, and all repeats of an item if that is possible."""
        pairs, repeats = self._sample(), self.problem.repeats
        one_copy = max(self._copies(pairs).bytes / len(pairs), 1)
        step = int(min(max(BLOCK_BYTES / one_copy, repeats), self.budget / one_copy, self._most_copies(pairs)))
        step = max(1, min(step, math.ceil(self.problem.num_pairs / self.workers)))
        return step - step % repeats if step > repeats else step

    def _sample(self) -> list[int]:
        """Some repeats of a few items that are spread over all of them."""
        repeats, last = self.problem.repeats, len(self.problem.items) - 1
        positions = np.unique(np.linspace(0, last, SAMPLED_ITEMS).astype(int)).tolist()
        pairs = [position * repeats + repeat for position in positions for repeat in range(min(repeats, 3))]
        return pairs[-self._most_copies(pairs) :]

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
