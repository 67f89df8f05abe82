"""One scoring problem: what every engine is given."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np
import torch
from torch import Tensor, nn

from graphsieve.errors import InputError
from graphsieve.importance.columns import Columns, NewColumn
from graphsieve.models.fast.convolutions import watch_propagation

KEPT_DRAWS = 16  # items whose draws are kept


@dataclass
class Problem:
    """A model, its input, and the perturbations to score; `nodes` are indices on the device of x.

    An item is what one score belongs to: a column of x, or a group of columns that are perturbed together. Engines
    score pairs: number `position * repeats + repeat` is that repeat of the item at that position.
    """

    model: nn.Module
    x: Tensor
    edge_index: object
    nodes: Tensor
    items: list[np.ndarray]  # the columns of each
    labels: list[str]  # what an error message calls each
    repeats: int
    draw_item: Callable[[Columns, np.ndarray, int, np.random.SeedSequence], list[NewColumn]]
    seed: np.random.SeedSequence
    columns: Columns
    memory_limit: int
    propagations: dict[nn.Module, list[tuple]] = field(default_factory=dict)  # filled by the unperturbed pass
    exchange: np.ndarray | None = None  # nodes with equal numbers exchange values, -1 keeps its own; None: all with all
    first_repeat: int = 0  # of a part: the number in the whole of what is repeat 0 here

    def __post_init__(self):
        # An item's repeats may fall into several blocks of an engine.
        self.draw = lru_cache(maxsize=KEPT_DRAWS)(self._draw)

    @property
    def num_nodes(self) -> int:
        return self.x.shape[0]

    @property
    def num_pairs(self) -> int:
        return len(self.items) * self.repeats

    @cached_property
    def baseline(self) -> Tensor:
        """The unperturbed logits at the scored nodes; settles whether a sparse x has to become dense."""
        with watch_propagation(self.model) as self.propagations:
            try:
                return self.call(self.x, "the unperturbed x")
            except InputError:
                if self.x.layout == torch.strided:
                    raise
        self.x = self.x.to_dense()
        with watch_propagation(self.model) as self.propagations:
            return self.call(self.x, "the unperturbed x")

    @property
    def largest_item(self) -> int:
        return max(map(len, self.items))

    def _draw(self, position: int) -> list[NewColumn]:
        """The new values of each column of the item at that position, for all repeats."""
        return self.draw_item(self.columns, self.items[position], self.repeats, self.seed)

    def part(self, positions: np.ndarray, repeats: range) -> "Problem":
        """Some of the items and repeats. A repeat is the same perturbation in whatever part it is scored."""
        baseline = self.baseline  # may make x dense

        def draw_part(columns: Columns, item: np.ndarray, _: int, seed: np.random.SeedSequence) -> list[NewColumn]:
            whole = self.draw_item(columns, item, self.repeats, seed)
            return [new.take(repeats) for new in whole]

        part = replace(
            self,
            items=[self.items[position] for position in positions],
            labels=[self.labels[position] for position in positions],
            repeats=len(repeats),
            draw_item=draw_part,
            first_repeat=repeats.start,
        )
        part.baseline = baseline
        return part

    def describe(self, position: int, repeat: int) -> str:
        return f"{self.labels[position]} perturbed (repeat {self.first_repeat + repeat})"

    def call(self, x: Tensor, when: str) -> Tensor:
        """The model's logits at the scored nodes."""
        return call_model(self.model, x, self.edge_index, when)[self.nodes]


def call_model(model: nn.Module, x: Tensor, edge_index: object, when: str) -> Tensor:
    """The model's logits; a failure is reported with the call that failed."""
    try:
        logits = model(x, edge_index)
    except Exception as error:
        raise InputError(
            f"model raised {type(error).__name__} when called as model(x, edge_index) with {when}: {error}"
        ) from error
    if not isinstance(logits, Tensor) or logits.dim() != 2 or logits.shape[0] != x.shape[0]:
        found = f"shape {tuple(logits.shape)}" if isinstance(logits, Tensor) else type(logits).__name__
        raise InputError(
            f"model returned {found} when called with {when}: it must return {x.shape[0]} rows of logits, one per node"
        )
    return logits


@contextlib.contextmanager
def evaluation_mode(model: nn.Module) -> Iterator[None]:
    """No gradients and no training behaviour inside; every module's own flag is restored afterwards."""
    flags = {module: module.training for module in model.modules()}
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        for module, training in flags.items():
            module.training = training
