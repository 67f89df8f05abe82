"""Logits of many perturbed copies at once, from a prepared plan."""

import math
from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import Tensor

from graphsieve.importance.columns import NewColumn
from graphsieve.importance.engines.lowrank.copies import Copies
from graphsieve.importance.engines.lowrank.plan import Plan
from graphsieve.importance.engines.lowrank.tables import Lineage
from graphsieve.importance.engines.lowrank.whole import WholeCopies
from graphsieve.importance.engines.parallel import ordered_map


class LowRankEngine:
    """Logits for any range of (item, repeat) pairs."""

    name = "lowrank"

    def __init__(self, plan: Plan):
        self.plan, self.problem = plan, plan.problem
        self.nodes, self.place = plan.x_nodes.cpu().numpy(), plan.x_place.cpu().numpy()
        self.whole_base = self._whole_base() if plan.poolings else None

    def logits(self, pairs: range) -> Tensor:
        """(classes, nodes, copies) of the pairs."""
        problem, device = self.problem, self.problem.x.device
        positions = range(pairs.start // problem.repeats, (pairs.stop - 1) // problem.repeats + 1)
        items = problem.items[positions.start : positions.stop]
        columns = torch.zeros(max(map(len, items)), len(items), dtype=torch.long, device=device)
        for place, item in enumerate(items):
            columns[: len(item), place] = torch.from_numpy(item)
        item = torch.arange(pairs.start, pairs.stop, device=device) // problem.repeats - positions.start
        new, old, sparse = self._moves(pairs, positions, len(columns))
        if self.plan.poolings:
            return self._whole(columns[:, item], new - old[:, :, item])
        if not sparse:
            return Copies(self.plan, columns[:, item], new - old[:, :, item], Lineage(0, item)).logits()
        parents = torch.arange(len(items), device=device)
        moved, columns = torch.cat([-old, new], 2), columns[:, torch.cat([parents, item])]
        return Copies(self.plan, columns, moved, Lineage(len(items), item)).logits()

    def _whole_base(self) -> Tensor:
        """The unperturbed outputs, with the rounding of copies that are computed as a whole."""
        column = torch.zeros(1, 1, dtype=torch.long, device=self.problem.x.device)
        moved = torch.zeros(len(self.nodes), 1, 1, dtype=self.problem.x.dtype, device=column.device)
        return WholeCopies(self.plan, column, moved).outputs()

    def _whole(self, columns: Tensor, moved: Tensor) -> Tensor:
        change = WholeCopies(self.plan, columns, moved).outputs() - self.whole_base
        return (change + self.problem.baseline[:, None]).permute(2, 0, 1).contiguous()

    def _moves(self, pairs: range, positions: range, slots: int) -> tuple[Tensor, Tensor, bool]:
        """New (nodes, slots, copies) and old (nodes, slots, items) values of the columns; whether all are sparse."""
        repeats, dtype = self.problem.repeats, self.problem.columns.dtype
        new = np.zeros((len(self.nodes), slots, len(pairs)), dtype=dtype)
        old = np.zeros((len(self.nodes), slots, len(positions)), dtype=dtype)
        sparse = True
        for place, position in enumerate(positions):
            first = position * repeats
            start, stop = max(first, pairs.start), min(first + repeats, pairs.stop)
            copies = slice(start - pairs.start, stop - pairs.start)
            new_columns = zip(self.problem.items[position], self.problem.draw(position), strict=True)
            for slot, (column, drawn) in enumerate(new_columns):
                self._write_old(old[:, slot, place], column)
                self._write_new(new[:, slot, copies], drawn, slice(start - first, stop - first))
                sparse &= drawn.rows is not None
        device = self.problem.x.device
        return torch.from_numpy(new).to(device), torch.from_numpy(old).to(device), sparse

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
        workers = torch.get_num_threads() if self.problem.x.device.type == "cpu" else 1
        pairs = self.problem.num_pairs
        step = min(self.plan.copies_per_block(workers), math.ceil(pairs / workers))
        ranges = (range(start, min(start + step, pairs)) for start in range(0, pairs, step))

        def work(block: range) -> tuple[range, np.ndarray]:
            with torch.no_grad():  # gradient mode belongs to a thread
                return block, score(self.logits(block))

        return ordered_map(work, ranges, workers)
