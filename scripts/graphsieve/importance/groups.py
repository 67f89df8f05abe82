"""Groups of columns that are perturbed together: what a caller may name, and how their new values are drawn."""

from collections.abc import Mapping, Sequence

import numpy as np

from graphsieve.errors import InputError
from graphsieve.importance.checks import column_numbers
from graphsieve.importance.columns import SPARSE_BELOW, Columns, NewColumn, Perturbation, child_generator, permute


def check_groups(
    groups: Mapping[str, Sequence[int]], features: Sequence[int] | None, num_columns: int, of: str
) -> dict[str, np.ndarray]:
    """The columns of every group, by its name; groups may overlap. `of` says whose columns they are."""
    if features is not None:
        raise InputError("features and groups are both given: score either columns or groups of them in one call")
    if not isinstance(groups, Mapping):
        raise InputError(f"groups must be a dict of names and lists of columns, not {type(groups).__name__}")
    named = {}
    for name, members in groups.items():
        if str(name) in named:
            raise InputError(f"groups names '{name}' more than once: give every group a name of its own")
        named[str(name)] = _columns_of(name, members, num_columns, of)
    return named


def _columns_of(name: object, members: Sequence[int], num_columns: int, of: str) -> np.ndarray:
    columns = column_numbers(members)
    if columns is None:
        raise InputError(f"group '{name}' must be a list of column numbers of {of}, not {members!r}")
    if columns.size == 0:
        raise InputError(f"group '{name}' is empty: name at least one column of {of}")
    unknown = columns[(columns < 0) | (columns >= num_columns)]
    if unknown.size:
        raise InputError(f"group '{name}' names column {unknown[0]}, but {of} has columns 0 to {num_columns - 1}")
    if len(np.unique(columns)) < len(columns):
        raise InputError(f"group '{name}' names a column more than once: name each column once")
    return columns


def draw_group(
    perturb: Perturbation, columns: Columns, group: np.ndarray, repeats: int, root: np.random.SeedSequence
) -> list[NewColumn]:
    """New values of the group's columns; a permutation moves whole rows, noise and masks go column by column.

    A group draws from a child named by its first column and its size, whichever other groups are scored with it.
    """
    rng = child_generator(root, int(group[0]), len(group))
    if perturb is not permute:
        return [perturb(columns, column, repeats, rng) for column in group]
    orders = np.stack([rng.permutation(columns.num_rows) for _ in range(repeats)])
    places = np.argsort(orders, axis=1)
    return [in_orders(columns, column, orders, places) for column in group]


def in_orders(columns: Columns, column: int, orders: np.ndarray, places: np.ndarray) -> NewColumn:
    """The column in each of the orders; of a sparse one, only where its nonzeros go, which the places say."""
    rows, values = columns.nonzeros(column)
    if len(rows) > SPARSE_BELOW * columns.num_rows:
        return NewColumn(None, columns.dense(column)[orders])
    return NewColumn(places[:, rows], values[None].repeat(len(orders), axis=0))
