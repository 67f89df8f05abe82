"""The reference engine: one forward pass of the whole graph for every item and repeat."""

from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import Tensor

from graphsieve.importance.columns import NewColumn
from graphsieve.importance.engines.cost import counted_cost
from graphsieve.importance.problem import Problem


class FullEngine:
    name = "full"

    def __init__(self, problem: Problem):
        self.problem = problem

    def cost_per_pair(self) -> float:
        return counted_cost(lambda: self.problem.call(self.problem.x, "the unperturbed x"))

    def blocks(self, score: Callable[[Tensor], np.ndarray]) -> Iterator[tuple[range, np.ndarray]]:
        """Scores of all (item, repeat) pairs, item by item."""
        problem, copy = self.problem, PerturbedInput(self.problem.x)
        for position, columns in enumerate(problem.items):
            new = problem.draw(position)
            repeats = [
                problem.call(copy.with_columns(columns, new, repeat), problem.describe(position, repeat))
                for repeat in range(problem.repeats)
            ]
            pairs = range(position * problem.repeats, (position + 1) * problem.repeats)
            yield pairs, score(torch.stack(repeats, -1).transpose(0, 1))


class PerturbedInput:
    """x with some columns replaced, in the layout of x; dense x is changed and changed back in one working copy."""

    def __init__(self, x: Tensor):
        self.original = x
        if x.layout == torch.strided:
            self.work = x.clone()
            self.changed = np.empty(0, dtype=int)
        else:
            self.coo = (x if x.layout == torch.sparse_coo else x.to_sparse_coo()).coalesce()

    def with_columns(self, columns: np.ndarray, new: list[NewColumn], repeat: int) -> Tensor:
        num_rows = self.original.shape[0]
        values = np.stack([column.dense(repeat, num_rows) for column in new], axis=1)
        replace = self._dense if self.original.layout == torch.strided else self._sparse
        return replace(columns, torch.from_numpy(values).to(self.original.device))

    def _dense(self, columns: np.ndarray, values: Tensor) -> Tensor:
        if self.changed is not columns:
            self.work[:, self.changed] = self.original[:, self.changed]
        self.work[:, columns] = values
        self.changed = columns
        return self.work

    def _sparse(self, columns: np.ndarray, values: Tensor) -> Tensor:
        indices, old = self.coo.indices(), self.coo.values()
        columns = torch.from_numpy(columns).to(indices.device)
        kept = ~torch.isin(indices[1], columns)
        rows, places = values.nonzero().T
        changed = torch.sparse_coo_tensor(
            torch.cat([indices[:, kept], torch.stack([rows, columns[places]])], 1),
            torch.cat([old[kept], values[rows, places]]),
            self.original.shape,
            check_invariants=False,
        ).coalesce()
        return changed if self.original.layout == torch.sparse_coo else changed.to_sparse(layout=self.original.layout)
