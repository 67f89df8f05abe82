"""Outputs of many perturbed copies of whole graphs, from a prepared plan."""

import math
from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import Tensor

from graphsieve.importance.engines.lowrank.plan import Plan
from graphsieve.importance.engines.lowrank.sizes import BLOCK_BYTES, bytes_for_any_copy
from graphsieve.importance.engines.lowrank.whole import Part, WholeCopies, bytes_of_row, read_cuts, read_parts
from graphsieve.importance.engines.parallel import ordered_map
from graphsieve.importance.problem import KEPT_DRAWS

LAYERS_HELD = 4  # at once, of the rows of a part
MOST_COPIES = 16  # in a block: more of them share no more, and leave room for fewer graphs in a part


class WholeGraphsEngine:
    """For what is pooled, where nearly all rows change in every copy.

    All threads share each operation: on all copies of a column these are long enough. With a block for each thread,
    threads would wait for each other at every operation, because Python starts one at a time (measured).
    """

    name = "lowrank"

    def __init__(self, plan: Plan):
        self.plan, self.problem = plan, plan.problem
        self.cuts = read_cuts(plan)
        self.parts: dict[int, list[Part]] = {}  # by the number of copies
        self.unperturbed = self._unperturbed()

    def logits(self, pairs: range) -> Tensor:
        """(classes, graphs, copies) of the pairs, which are of one item."""
        columns, moved = self._block(pairs)
        change = self._outputs(columns, moved) - self.unperturbed
        return (change + self.problem.baseline[:, None]).permute(2, 0, 1).contiguous()

    def blocks(self, score: Callable[[Tensor], np.ndarray]) -> Iterator[tuple[range, np.ndarray]]:
        """Scores of all pairs, block by block, each of one item, because its copies are alike."""
        problem, step = self.problem, self._copies_per_block()
        for position in range(len(problem.items)):
            if position % KEPT_DRAWS == 0:
                self._draw(range(position, min(position + KEPT_DRAWS, len(problem.items))))
            stop = (position + 1) * problem.repeats
            for start in range(position * problem.repeats, stop, step):
                pairs = range(start, min(start + step, stop))
                yield pairs, score(self.logits(pairs))

    def _draw(self, positions: range) -> None:
        """Beforehand, because that takes one thread an item, and all else takes all threads."""
        for _ in ordered_map(self.problem.draw, positions, torch.get_num_threads()):
            pass

    def _copies_per_block(self) -> int:
        repeats, memory = self.problem.repeats, min(BLOCK_BYTES, self.problem.memory_limit // 2)
        together = LAYERS_HELD * int(np.diff(self.cuts).max()) * bytes_of_row(self.plan)
        fitting = max(1, min(MOST_COPIES, memory // (bytes_for_any_copy(self.plan) + together)))
        return math.ceil(repeats / math.ceil(repeats / fitting))

    def _block(self, pairs: range) -> tuple[Tensor, Tensor]:
        """Which columns the copies change, (slots,), and how, (nodes, slots, copies)."""
        problem = self.problem
        position, first = divmod(pairs.start, problem.repeats)
        columns, repeats = problem.items[position], range(first, first + len(pairs))
        moved = np.empty((problem.num_nodes, len(columns), len(repeats)), dtype=problem.columns.dtype)
        for slot, (column, drawn) in enumerate(zip(columns, problem.draw(position), strict=True)):
            new, old = drawn.take(repeats).all_dense(problem.num_nodes), problem.columns.dense(column)
            np.subtract(new.T, old[:, None], out=moved[:, slot])
        return torch.from_numpy(columns).to(problem.x.device), torch.from_numpy(moved).to(problem.x.device)

    def _outputs(self, columns: Tensor, moved: Tensor) -> Tensor:
        """(graphs, copies, classes)"""
        copies = moved.shape[2]
        if copies not in self.parts:
            self.parts[copies] = read_parts(self.plan, self.cuts, copies)
        return WholeCopies(self.plan, self.parts[copies], columns, moved).outputs()

    def _unperturbed(self) -> Tensor:
        """The outputs, with the rounding of copies."""
        problem, device = self.problem, self.problem.x.device
        moved = torch.zeros(problem.num_nodes, 1, 1, dtype=problem.x.dtype, device=device)
        return self._outputs(torch.zeros(1, dtype=torch.long, device=device), moved)
