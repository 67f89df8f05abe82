"""Whether a table that a run wrote is still as it was written: nothing cut off, no row lost or doubled, no gap."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from graphsieve.errors import InputError

# What tells the runs of one table apart.
RUN = ["dataset", "model", "setting", "split", "seed", "scorer", "prune", "repeats", "hypothesis"]
RUN += ["asked", "share"]  # the model that a scorer asked, where another was retrained, and the share of features kept
# Tables of several rows a run number them in one column; which one is told by the columns they have.
COUNTED = [({"feature", "score", "name"}, "feature", 0), ({"feature", "dropped_at"}, "feature", 0)]
COUNTED += [({"feature", "p_value"}, "feature", 0), ({"feature", "place"}, "place", 1)]
COUNTED += [({"epoch", "train_loss"}, "epoch", 1), ({"checkpoint", "pruned"}, "checkpoint", 1)]
NUMBERS = ["seed", "feature", "score", "epoch", "checkpoint", "best_epoch", "val_accuracy", "test_accuracy"]
SHARES = ["val_accuracy", "test_accuracy"]


def check_table(table: pd.DataFrame, path: str | Path, columns: Sequence[str] = ()) -> pd.DataFrame:
    """The table itself, or an InputError that names file and fault; `columns` are those that must be there."""
    missing = [column for column in columns if column not in table]
    if missing:
        raise damaged(path, f"it has no column {missing[0]}")
    if "rule" in table or ("seed" not in table and not _counted(table)[0]):
        return table  # what jobs took, or a summary of runs: of their rows nothing is known here
    for column in table.columns.intersection(NUMBERS):
        _check_numbers(table[column], path)
    for column in table.columns.intersection(RUN + NUMBERS):
        gaps = table[column].isna()
        if gaps.any() and not gaps.all():
            raise damaged(path, f"row {gaps.idxmax() + 1} has no {column}")
    _check_rows(table, path)
    return table


def check_alike(tables: Sequence[pd.DataFrame], paths: Sequence[str | Path]) -> None:
    """Tables to be stacked have the same columns, and those of one dataset the same number of features or epochs."""
    columns = pd.Series([tuple(table.columns) for table in tables])
    usual = max(columns.mode(), key=len)
    lengths: dict[str, list[tuple[int, str | Path]]] = {}
    for table, path, names in zip(tables, paths, columns, strict=True):
        check_table(table, path, usual)
        if names != usual:
            raise damaged(path, f"its columns are {', '.join(names)} instead of {', '.join(usual)}")
        if "dataset" in table and _counted(table)[0] in ("feature", "epoch"):
            lengths.setdefault(str(table["dataset"].iloc[0]), []).append((len(table), path))
    for found in lengths.values():
        (fewest, path), (most, _) = min(found, key=_length), max(found, key=_length)
        if fewest < most:
            raise damaged(path, f"it has {fewest} rows where others of its dataset have {most}")


def damaged(path: str | Path, fault: str) -> InputError:
    return InputError(f"{path} is not as it was written ({fault}): delete it and run again")


def _length(found: tuple[int, str | Path]) -> int:
    return found[0]


def _check_numbers(values: pd.Series, path: str | Path) -> None:
    numbers = pd.to_numeric(values, errors="coerce")
    wrong = numbers.isna() & values.notna()
    if values.name in SHARES:
        wrong |= (numbers < 0) | (numbers > 1)
    if wrong.any():
        raise damaged(path, f"row {wrong.idxmax() + 1} has the {values.name} '{values[wrong.idxmax()]}'")


def _counted(table: pd.DataFrame) -> tuple[str, int]:
    """The column that numbers the rows of a run, and its first number; none for a table of one row a run."""
    return next(((column, first) for columns, column, first in COUNTED if columns <= set(table.columns)), ("", 0))


def _check_rows(table: pd.DataFrame, path: str | Path) -> None:
    if table.empty:
        raise damaged(path, "it has no rows")
    column, first = _counted(table)
    run = list(table.columns.intersection(RUN))
    number = table.groupby(run, sort=False, dropna=False).cumcount() if run else pd.RangeIndex(len(table)).to_series()
    if column:
        wrong = table[column] != number + first
        if wrong.any():
            row = wrong.idxmax()
            raise damaged(path, f"row {row + 1} has {column} {table[column][row]} instead of {number[row] + first}")
    elif {"dataset", "best_epoch"} <= set(table.columns) and "checkpoint" not in table and number.any():
        raise damaged(path, f"row {number.ne(0).idxmax() + 1} repeats a run")
