"""The reference engine: one forward pass of the whole graph for every feature and repeat."""

from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import Tensor

from graphsieve.importance.columns import NewColumn
from graphsieve.importance.problem import Problem


class FullEngine:
    name = "full"

    def __init__(self, problem: Problem):
        self.problem = problem

    def blocks(self, score: Callable[[Tensor], np.ndarray]) -> Iterator[tuple[range, np.ndarray]]:
        """Scores of all (feature, repeat) pairs, feature by feature."""
        problem, copy = self.problem, PerturbedInput(self.problem.x)
        for position, feature in enumerate(problem.features):
            new = problem.draw(feature)
            repeats = [
                problem.call(copy.with_column(feature, new, repeat), f"feature {feature} perturbed (repeat {repeat})")
                for repeat in range(problem.repeats)
            ]
            pairs = range(position * problem.repeats, (position + 1) * problem.repeats)
            yield pairs, score(torch.stack(repeats, -1).transpose(0, 1))


class PerturbedInput:
    """x with one column replaced, in the layout of x; dense x is changed and changed back in one working copy."""

    def __init__(self, x: Tensor):
        self.original = x
        if x.layout == torch.strided:
            self.work = x.clone()
            self.changed: int | None = None
        else:
            self.coo = (x if x.layout == torch.sparse_coo else x.to_sparse_coo()).coalesce()

    def with_column(self, feature: int, new: NewColumn, repeat: int) -> Tensor:
        column = torch.from_numpy(np.array(new.dense(repeat, self.original.shape[0]))).to(self.original.device)
        if self.original.layout == torch.strided:
            return self._dense(feature, column)
        return self._sparse(feature, column)

    def _dense(self, feature: int, column: Tensor) -> Tensor:
        if self.changed is not None and self.changed != feature:
            self.work[:, self.changed] = self.original[:, self.changed]
        self.work[:, feature] = column
        self.changed = feature
        return self.work

    def _sparse(self, feature: int, column: Tensor) -> Tensor:
        indices, values = self.coo.indices(), self.coo.values()
        kept = indices[1] != feature
        rows = column.nonzero()[:, 0]
        new_indices = torch.stack([rows, torch.full_like(rows, feature)])
        changed = torch.sparse_coo_tensor(
            torch.cat([indices[:, kept], new_indices], 1),
            torch.cat([values[kept], column[rows]]),
            self.original.shape,
            check_invariants=False,
        ).coalesce()
        return changed if self.original.layout == torch.sparse_coo else changed.to_sparse(layout=self.original.layout)
