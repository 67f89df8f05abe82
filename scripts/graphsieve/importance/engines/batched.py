"""The engine for graphs that come in mini-batches: every batch goes through the model once for each pair.

The loader is iterated once for as many pairs as fit into memory. Beside them goes the unperturbed batch: should the
loader sample neighbours anew in every pass, then both are judged by the same sample.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from graphsieve.errors import InputError
from graphsieve.importance.batches import Batch, Batches, Seen
from graphsieve.importance.problem import Problem, call_model

Change = tuple[np.ndarray, Tensor]  # columns, and (nodes, columns) new values


@dataclass
class BatchedProblem(Problem):
    """A problem on a loader, of which one pass was seen."""

    batches: Batches | None = None
    seen: Seen | None = None

    @cached_property
    def baseline(self) -> Tensor:
        return self.outputs([], [])[..., 0].T

    def outputs(self, changes: list[Change], when: list[str]) -> Tensor:
        """(columns, scored rows, 1 + changes): unperturbed, and with each of the changes."""
        parts = []
        for batch in self.batches:
            rows = self.seen.rows_of(batch.nodes)
            self.seen.check_same(rows, batch.x)
            plain = self._call(batch, batch.x, "an unperturbed batch")
            x = batch.x.clone()
            copies = [plain]
            for (columns, values), what in zip(changes, when, strict=True):
                x[:, columns] = values[rows]
                copies.append(self._call(batch, x, what))
                x[:, columns] = batch.x[:, columns]
            parts.append((batch, torch.stack(copies, -1).transpose(0, 1)))
        return self._in_order(parts)

    def _call(self, batch: Batch, x: Tensor, when: str) -> Tensor:
        output = call_model(self.model, x, batch.edge_index, when, batch.model_kwargs)
        if not isinstance(output, Tensor) or output.dim() not in (1, 2) or len(output) not in batch.num_rows:
            found = f"shape {tuple(output.shape)}" if isinstance(output, Tensor) else type(output).__name__
            raise InputError(f"model returned {found} for {when}, and must return {batch.num_rows[0]} rows")
        self.is_flat = output.dim() == 1
        return (output[:, None] if self.is_flat else output)[batch.scored]

    def _in_order(self, parts: list[tuple[Batch, Tensor]]) -> Tensor:
        """The scored rows in the order of the first pass, in which the labels are."""
        outputs, y = torch.cat([part for _, part in parts], 1), torch.cat([batch.y for batch, _ in parts])
        if self.seen.scored is None:
            if not torch.equal(y, self.seen.y):
                raise InputError("the loader yields labels in another order than before: set shuffle=False")
            return outputs
        nodes = torch.cat([batch.nodes[batch.scored] for batch, _ in parts])
        here, there = nodes.argsort(), self.seen.scored.argsort()
        if not torch.equal(nodes[here], self.seen.scored[there]):
            raise InputError("the loader scores other nodes in one pass than in another: give it a fixed set of nodes")
        order = torch.empty_like(here)
        order[there] = here
        return outputs[:, order]


class BatchedEngine:
    """One pass over the loader for a block of pairs."""

    name = "batched"

    def __init__(self, problem: BatchedProblem):
        self.problem = problem

    def blocks(self, judge: Callable[[Tensor], np.ndarray]) -> Iterator[tuple[range, np.ndarray]]:
        problem, before = self.problem, judge(self.problem.baseline.T[..., None])
        for start in range(0, problem.num_pairs, self._pairs_at_once()):
            pairs = range(start, min(start + self._pairs_at_once(), problem.num_pairs))
            changes, when = zip(*map(self._change, pairs), strict=True)
            found = judge(problem.outputs(list(changes), list(when)))
            yield pairs, found[:, 1:] - found[:, :1] + before

    def _pairs_at_once(self) -> int:
        problem = self.problem
        cells = 3 * problem.baseline.numel() + 2 * problem.num_nodes * problem.largest_item
        return max(1, problem.memory_limit // (cells * problem.x.element_size()))

    def _change(self, pair: int) -> tuple[Change, str]:
        problem = self.problem
        position, repeat = divmod(pair, problem.repeats)
        new = [one.dense(repeat, problem.num_nodes) for one in problem.draw(position)]
        values = torch.from_numpy(np.stack(new, axis=1)).to(problem.x.device)
        return (problem.items[position], values), problem.describe(position, repeat)
