"""One scoring problem: what every engine is given."""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np
import torch
from torch import Tensor, nn

from graphsieve.errors import InputError
from graphsieve.importance.columns import Columns, NewColumn
from graphsieve.importance.inputs import Inputs
from graphsieve.importance.tasks import Target
from graphsieve.models.fast.convolutions import watch_propagation

KEPT_DRAWS = 16  # items whose draws are kept


@dataclass
class Problem:
    """A model, its input, and the perturbations to score.

    x is the matrix whose columns are perturbed: of the nodes, unless `inputs` says otherwise. An item is what one score
    belongs to: a column of x, or a group of columns that are perturbed together. Engines score pairs: number
    `position * repeats + repeat` is that repeat of the item at that position.
    """

    model: nn.Module
    inputs: Inputs
    target: Target
    items: list[np.ndarray]  # the columns of each
    labels: list[str]  # what an error message calls each
    repeats: int
    draw_item: Callable[[Columns, np.ndarray, int, np.random.SeedSequence], list[NewColumn]]
    seed: np.random.SeedSequence
    columns: Columns
    memory_limit: int
    propagations: dict[nn.Module, list[tuple]] = field(default_factory=dict)  # filled by the unperturbed pass
    is_flat: bool = False  # whether the model returns numbers without columns; filled by the unperturbed pass
    exchange: np.ndarray | None = None  # rows with equal numbers exchange values, -1 keeps its own; None: all with all
    first_repeat: int = 0  # of a part: the number in the whole of what is repeat 0 here

    def __post_init__(self):
        self.x = self.inputs.matrix
        # An item's repeats may fall into several blocks of an engine.
        self.draw = lru_cache(maxsize=KEPT_DRAWS)(self._draw)

    @property
    def edge_index(self) -> object:
        return self.inputs.edge_index

    @property
    def nodes(self) -> Tensor:
        """The scored rows of the output: nodes, or at the level of edges and graphs all rows."""
        return self.target.rows

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
        part.baseline, part.x = baseline, self.x
        return part

    def share_passes(self, other: "Problem") -> None:
        """Take over what the unperturbed pass of the same model on the same graph has shown."""
        self.baseline, self.x, self.columns = other.baseline, other.x, other.columns
        self.propagations, self.is_flat = other.propagations, other.is_flat

    def describe(self, position: int, repeat: int) -> str:
        return f"{self.labels[position]} perturbed (repeat {self.first_repeat + repeat})"

    def call(self, x: Tensor, when: str) -> Tensor:
        """The model's outputs at the scored rows, (rows, columns)."""
        x, edge_index, model_kwargs = self.inputs.arguments(x)
        output = self.target.scored(call_model(self.model, x, edge_index, when, model_kwargs), when)
        self.is_flat = output.dim() == 1
        return output[:, None] if self.is_flat else output


def call_model(
    model: nn.Module, x: object, edge_index: object, when: str, model_kwargs: Mapping[str, object] | None = None
) -> object:
    """What the model returns; a failure is reported with the call that failed."""
    model_kwargs = model_kwargs or {}
    try:
        return model(x, edge_index, **model_kwargs)
    except Exception as error:
        call = ", ".join(["x", "edge_index", *(f"{name}=..." for name in model_kwargs)])
        raise InputError(
            f"model raised {type(error).__name__} when called as model({call}) with {when}: {error}"
        ) from error


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
