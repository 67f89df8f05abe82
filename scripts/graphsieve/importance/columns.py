"""What happens to a column of x: permuted, replaced by Gaussian noise, or masked.

Every feature draws from its own child of the seed, so a subset of features gets the numbers it gets among all of them,
and every engine sees the same draws.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from graphsieve.errors import InputError

SPARSE_BELOW = 0.25  # the share of nonzeros below which a permutation is drawn as the places of the nonzeros


def rows_of(x: Tensor, rows: Tensor) -> Tensor:
    """These rows of x, whatever its layout."""
    return (x if x.layout == torch.strided else x.to_sparse_coo()).index_select(0, rows)


class Columns:
    """The columns of x as sorted (rows, nonzero values), whatever the layout of x."""

    def __init__(self, x: Tensor):
        self.num_rows, self.num_columns = x.shape
        self.dtype = np.dtype(str(x.dtype).removeprefix("torch."))
        if x.layout == torch.strided:
            self._dense = x.detach().t().contiguous().cpu().numpy()
            self._sparse = None
        else:
            coo = (x if x.layout == torch.sparse_coo else x.to_sparse_coo()).detach().cpu().coalesce()
            rows, columns = coo.indices().numpy()
            values = coo.values().numpy()
            order = np.lexsort((rows, columns))
            order = order[values[order] != 0]
            starts = np.searchsorted(columns[order], np.arange(self.num_columns + 1))
            self._sparse = rows[order], values[order], starts

    def nonzeros(self, feature: int) -> tuple[np.ndarray, np.ndarray]:
        if self._sparse is None:
            rows = np.flatnonzero(self._dense[feature])
            return rows, self._dense[feature, rows]
        rows, values, starts = self._sparse
        part = slice(starts[feature], starts[feature + 1])
        return rows[part], values[part]

    def dense(self, feature: int) -> np.ndarray:
        if self._sparse is None:
            return self._dense[feature]
        rows, values = self.nonzeros(feature)
        column = np.zeros(self.num_rows, dtype=values.dtype)
        column[rows] = values
        return column


@dataclass(frozen=True)
class NewColumn:
    """A column's new values: `values[k]` stands in `rows[k]` (in every row if `rows` is None), zero elsewhere."""

    rows: np.ndarray | None
    values: np.ndarray  # (repeats, rows)

    def dense(self, repeat: int, num_rows: int) -> np.ndarray:
        if self.rows is None:
            return self.values[repeat]
        column = np.zeros(num_rows, dtype=self.values.dtype)
        column[self.rows[repeat]] = self.values[repeat]
        return column

    def all_dense(self, num_rows: int) -> np.ndarray:
        """Of all repeats, (repeats, rows)."""
        if self.rows is None:
            return self.values
        columns = np.zeros((len(self.values), num_rows), dtype=self.values.dtype)
        np.put_along_axis(columns, self.rows, self.values, axis=1)
        return columns

    def take(self, repeats: range) -> "NewColumn":
        part = slice(repeats.start, repeats.stop)
        return NewColumn(None if self.rows is None else self.rows[part], self.values[part])


def ordered_samples(rng: np.random.Generator, population: int, size: int, repeats: int) -> np.ndarray:
    """(repeats, size) numbers below `population`, without repetition in a row, every order equally likely.

    A number that appeared earlier in its row is drawn again until it is new. That is drawing the row from left to
    right with rejection: a value once taken stays taken, if only by a place further left.
    """
    drawn = rng.integers(population, size=(repeats, size))
    rows = population * np.arange(repeats)[:, None]
    seen_at = np.empty(repeats * population, dtype=np.int64)
    positions = np.arange(repeats * size)
    while True:
        keys = (drawn + rows).ravel()
        seen_at[keys[::-1]] = positions[::-1]  # NumPy keeps the last assignment, here the leftmost place
        again = np.flatnonzero(seen_at[keys] != positions)
        if not len(again):
            return drawn
        drawn.ravel()[again] = rng.integers(population, size=len(again))


def permute(columns: Columns, feature: int, repeats: int, rng: np.random.Generator) -> NewColumn:
    """A uniform permutation; of a sparse column only the places of its nonzeros need drawing."""
    rows, values = columns.nonzeros(feature)
    if len(rows) <= SPARSE_BELOW * columns.num_rows:
        places = ordered_samples(rng, columns.num_rows, len(rows), repeats)
        return NewColumn(places, values[None].repeat(repeats, axis=0))
    copies = np.tile(columns.dense(feature).astype(np.float64), (repeats, 1))  # which NumPy moves faster than float32
    return NewColumn(None, rng.permuted(copies, axis=1, out=copies).astype(columns.dtype, copy=False))


def gaussian(columns: Columns, feature: int, repeats: int, rng: np.random.Generator) -> NewColumn:
    """Independent noise with the column's mean and standard deviation."""
    column = columns.dense(feature)
    noise = rng.standard_normal((repeats, columns.num_rows))
    wide = column.astype(np.float64)
    return NewColumn(None, (wide.mean() + wide.std() * noise).astype(column.dtype))


def mask(columns: Columns, feature: int, repeats: int, rng: np.random.Generator) -> NewColumn:
    """All zeros, in every repeat."""
    values = columns.nonzeros(feature)[1]
    return NewColumn(np.empty((repeats, 0), dtype=np.int64), np.empty((repeats, 0), dtype=values.dtype))


Perturbation = Callable[[Columns, int, int, np.random.Generator], NewColumn]
PERTURBATIONS: dict[str, Perturbation] = {"permute": permute, "gaussian": gaussian, "mask": mask}
DETERMINISTIC = {"mask"}  # one draw serves all repeats
MEAN_OF_COLUMN = {"permute", "gaussian"}  # at every row, the mean over all draws is that of the column


def root_sequence(random_state: int | np.random.SeedSequence | np.random.Generator | None) -> np.random.SeedSequence:
    if isinstance(random_state, np.random.SeedSequence):
        return random_state
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(int(random_state.integers(2**63)))
    try:
        return np.random.SeedSequence(random_state)
    except (TypeError, ValueError):
        raise InputError(f"random_state is {random_state!r}: give a whole number, 0 or more") from None


def child_sequence(root: np.random.SeedSequence, *key: int) -> np.random.SeedSequence:
    return np.random.SeedSequence(root.entropy, spawn_key=(*root.spawn_key, *key), pool_size=root.pool_size)


def child_generator(root: np.random.SeedSequence, *key: int) -> np.random.Generator:
    return np.random.default_rng(child_sequence(root, *key))


def draw_column(
    perturb: Perturbation, columns: Columns, item: np.ndarray, repeats: int, root: np.random.SeedSequence
) -> list[NewColumn]:
    """New values of an item that is a single column."""
    (feature,) = map(int, item)
    return [perturb(columns, feature, repeats, child_generator(root, feature))]
