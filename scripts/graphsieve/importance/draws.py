"""Other ways to draw a column's new values than at every row, and for every column anew."""

from collections.abc import Callable
from functools import cache

import numpy as np
from torch import Tensor

from graphsieve.importance.columns import Columns, NewColumn, child_generator, rows_of
from graphsieve.importance.groups import in_orders

DrawItem = Callable[[Columns, np.ndarray, int, np.random.SeedSequence], list[NewColumn]]


def draw_shared(root: np.random.SeedSequence) -> DrawItem:
    """Every column is moved by the same permutations of the rows, one a repeat."""

    @cache
    def orders(num_rows: int, repeats: int) -> tuple[np.ndarray, np.ndarray]:
        rng = child_generator(root)
        drawn = np.stack([rng.permutation(num_rows) for _ in range(repeats)])
        return drawn, np.argsort(drawn, axis=1)

    def draw(columns: Columns, item: np.ndarray, repeats: int, _: np.random.SeedSequence) -> list[NewColumn]:
        return [in_orders(columns, column, *orders(columns.num_rows, repeats)) for column in item]

    return draw


def draw_at(draw: DrawItem, x: Tensor, rows: Tensor) -> DrawItem:
    """What `draw` does to a graph of these rows alone; all others keep their values."""
    inner = Columns(rows_of(x, rows))
    numbers = rows.cpu().numpy()
    changed = np.zeros(x.shape[0], dtype=bool)
    changed[numbers] = True

    def draw_some(columns: Columns, item: np.ndarray, repeats: int, root: np.random.SeedSequence) -> list[NewColumn]:
        return [
            _placed(new, numbers, columns.nonzeros(column), changed)
            for column, new in zip(item, draw(inner, item, repeats, root), strict=True)
        ]

    return draw_some


def exchange_among(rows: Tensor, num_rows: int) -> np.ndarray:
    """`Problem.exchange` where only these rows are perturbed."""
    numbers = np.full(num_rows, -1)
    numbers[rows.cpu().numpy()] = 0
    return numbers


def _placed(
    new: NewColumn, numbers: np.ndarray, nonzeros: tuple[np.ndarray, np.ndarray], changed: np.ndarray
) -> NewColumn:
    """The new values of some rows, by their numbers, and the old nonzeros of the others."""
    repeats = len(new.values)
    places = np.tile(numbers, (repeats, 1)) if new.rows is None else numbers[new.rows]
    stay = ~changed[nonzeros[0]]
    rows, values = (np.tile(old[stay], (repeats, 1)) for old in nonzeros)
    return NewColumn(np.concatenate([rows, places], axis=1), np.concatenate([values, new.values], axis=1))
