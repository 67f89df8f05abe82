"""Columns of a user's table as columns of numbers: numbers as they are, dates as days, texts as one column per value.

Whatever is computed from a whole column here (medians, rare values, the first date) is the same in whichever order its
values stand. So a column that is chance stays chance, and p-values from permutations hold.
"""

import datetime
import decimal
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from graphsieve.data.own.dates import date_parts, is_ambiguous, parse_dates
from graphsieve.data.own.memory import check_size
from graphsieve.errors import InputError, quoted
from graphsieve.options import ReadingOptions

FEW_VALUES = 10  # up to so many values of a text column have a column each, however rare
RARE = 5  # a value of fewer rows is one of the "other"
MOST_VALUES = 100  # beyond so many, the commonest have a column each
MOST_KEPT = 1000  # of a column that is kept on purpose
OTHER = "other"
SCALARS = (str, bool, int, float, decimal.Decimal, datetime.date, datetime.datetime, np.generic)
DECIMAL_COMMA = r"[-+]?(?:[0-9]+|[0-9]{1,3}(?:\.[0-9]{3})+)(?:,[0-9]+)?"
CERTAIN_COMMA = r",(?:[0-9]{1,2}|[0-9]{4,})$"


@dataclass(frozen=True)
class Encoded:
    """Columns of numbers, their names, of each the column of the table it was made of, and the rows that are left."""

    values: np.ndarray
    names: tuple[str, ...]
    groups: tuple[str, ...]
    rows: np.ndarray
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Block:
    """What one column became: NaN in all columns of a row where its value is missing."""

    values: np.ndarray
    names: list[str]
    is_text: bool = False


class Notes:
    """What happened to which columns, one sentence for each kind of event."""

    def __init__(self):
        self.columns: dict[str, list[str]] = defaultdict(list)

    def add(self, sentence: str, column: str) -> None:
        """`sentence` ends where the columns are to be named, as {}."""
        self.columns[sentence].append(column)

    def sentences(self) -> tuple[str, ...]:
        return tuple(sentence.format(listed(columns)) for sentence, columns in self.columns.items())


def listed(names: list[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" * (len(names) > most))


def encode_columns(table: pd.DataFrame, path: Path, options: ReadingOptions, of: str = "node") -> Encoded:
    """All columns of a table; `of` is what its rows are called."""
    notes, blocks = Notes(), {}
    for name, column in table.items():
        block = _encode(column, path, options, notes, of)
        if block is not None:
            blocks[name] = block
    rows = np.ones(len(table), dtype=bool)
    if options.missing == "drop":
        rows = _complete_rows(blocks, len(table), notes, of)
    else:
        blocks = {name: _filled(name, block, options.missing, notes) for name, block in blocks.items()}
    values = [block.values[rows] for block in blocks.values()]
    return Encoded(
        values=np.concatenate(values, axis=1) if values else np.empty((int(rows.sum()), 0)),
        names=tuple(name for block in blocks.values() for name in block.names),
        groups=tuple(name for name, block in blocks.items() for _ in block.names),
        rows=rows,
        notes=notes.sentences(),
    )


def _encode(column: pd.Series, path: Path, options: ReadingOptions, notes: Notes, of: str) -> Block | None:
    name = str(column.name)
    if column.isna().all():
        notes.add(f"columns of {path.name} without any value are left out: {{}}", quoted(name))
        return None
    numbers = as_numbers(column)
    if numbers is not None:
        if pd.api.types.is_string_dtype(column) and column.str.contains(",").any():
            notes.add("decimal commas are read as such in {}", quoted(name))
        return Block(numbers[:, None], [name])
    _check_scalars(column, path)
    texts = column.astype(str).str.strip().where(column.notna())
    texts = texts.where(texts != "")
    present = texts.dropna()
    if present.empty:
        notes.add(f"columns of {path.name} without any value are left out: {{}}", quoted(name))
        return None
    return _dates(texts, present, notes) or _values(texts, present, path, options, notes, of)


def as_numbers(column: pd.Series) -> np.ndarray | None:
    """The column as floats, NaN where a value is missing; None where one of its values is no number."""
    if pd.api.types.is_datetime64_any_dtype(column) or isinstance(column.dtype, pd.CategoricalDtype):
        return None
    if pd.api.types.is_timedelta64_dtype(column):
        return (column / pd.Timedelta(days=1)).to_numpy(float)
    if pd.api.types.is_numeric_dtype(column):
        return column.to_numpy(np.float64, na_value=np.nan)
    try:
        return pd.to_numeric(column).to_numpy(np.float64, na_value=np.nan)
    except (ValueError, TypeError, OverflowError):
        return _decimal_commas(column)


def _decimal_commas(column: pd.Series) -> np.ndarray | None:
    """Numbers as in 1.234,5: only where one of them cannot be meant as 1,234."""
    present = column.dropna()
    if not pd.api.types.is_string_dtype(column) or not present.str.fullmatch(DECIMAL_COMMA).all():
        return None
    if not present.str.contains(CERTAIN_COMMA).any():
        return None
    numbers = present.str.replace(".", "", regex=False).str.replace(",", ".", regex=False).astype(float)
    return numbers.reindex(column.index).to_numpy(float)


def _check_scalars(column: pd.Series, path: Path) -> None:
    for value in column.dropna():
        if not isinstance(value, SCALARS):
            raise InputError(
                f"{path}: column '{column.name}' holds values of type {type(value).__name__}: "
                "give numbers, texts or dates"
            )


def _dates(texts: pd.Series, present: pd.Series, notes: Notes) -> Block | None:
    found = parse_dates(present)
    if found is None:
        return None
    dates, form = found
    parts = date_parts(dates.reindex(texts.index))
    order = ", day before month" if is_ambiguous(present, form) else ""
    notes.add("dates became numbers: {}", f"{quoted(texts.name)} ({', '.join(parts)}{order})")
    return Block(np.stack(list(parts.values()), axis=1), [f"{texts.name} ({part})" for part in parts])


def _values(
    texts: pd.Series, present: pd.Series, path: Path, options: ReadingOptions, notes: Notes, of: str
) -> Block | None:
    """One column per value, with the rare ones together; None where nearly every row has its own."""
    counts, name = present.value_counts(), texts.name
    if name in options.keep:
        if len(counts) > MOST_KEPT:
            raise InputError(f"{path}: column {quoted(name)} has {len(counts)} values, too many to keep: make fewer")
    elif len(counts) > FEW_VALUES:
        if counts[counts < RARE].sum() > len(present) / 2:
            odd = present[pd.to_numeric(present, errors="coerce").isna()]
            notes.add(
                f"text columns where nearly every {of} has its own value are left out, unless --keep names them: {{}}",
                f"{quoted(name)} (such as {quoted((odd if len(odd) else present).iloc[0])})",
            )
            return None
        texts, merged = _merge_rare(texts, counts)
        if merged:
            notes.add(f"rare values became '{OTHER}' in {{}}", f"{quoted(name)} ({merged} values)")
    values = sorted(texts.dropna().unique())
    check_size(path, 8 * len(texts) * len(values), f"column {quoted(name)}")
    codes = pd.Categorical(texts, categories=values).codes
    block = np.full((len(texts), len(values)), np.where(codes < 0, np.nan, 0)[:, None])
    block[np.flatnonzero(codes >= 0), codes[codes >= 0]] = 1
    return Block(block, [f"{name}={value}" for value in values], is_text=True)


def _merge_rare(texts: pd.Series, counts: pd.Series) -> tuple[pd.Series, int]:
    """The texts with one name for all that are rare, and how many there are; one alone keeps its own."""
    ranked = counts.sort_index(kind="stable").sort_values(ascending=False, kind="stable")
    rare = ranked.index[(ranked.to_numpy() < RARE) | (np.arange(len(ranked)) >= MOST_VALUES)]
    return (texts.mask(texts.isin(rare), OTHER), len(rare)) if len(rare) > 1 else (texts, 0)


def _complete_rows(blocks: dict[str, Block], num_rows: int, notes: Notes, of: str) -> np.ndarray:
    complete = np.ones(num_rows, dtype=bool)
    incomplete = []
    for name, block in blocks.items():
        missing = np.isnan(block.values[:, 0])
        complete &= ~missing
        if missing.any():
            incomplete.append(quoted(name))
    if incomplete:
        left = f"{(~complete).sum()} of {num_rows} {of}s are left out because values are missing in {{}}"
        for name in incomplete:
            notes.add(left, name)
    return complete


def _filled(name: str, block: Block, how: str, notes: Notes) -> Block:
    missing = np.isnan(block.values[:, 0])
    if not missing.any():
        return block
    values = block.values.copy()
    if how == "indicator":
        notes.add(
            "missing values are the column's median, and a column says where: {}", f"{quoted(name)} ({missing.sum()})"
        )
        values[missing] = 0 if block.is_text else _medians(values[~missing])
        return Block(np.c_[values, missing], [*block.names, f"{name} is missing"], block.is_text)
    notes.add("missing values are the column's median, or its commonest text: {}", f"{quoted(name)} ({missing.sum()})")
    commonest = np.arange(values.shape[1]) == np.nansum(values, axis=0).argmax()
    values[missing] = commonest if block.is_text else _medians(values[~missing])
    return Block(values, block.names, block.is_text)


def _medians(values: np.ndarray) -> np.ndarray:
    """Of every column; of zeros and ones, one of them."""
    medians, binary = np.median(values, axis=0), np.isin(values, (0, 1)).all(axis=0)
    return np.where(binary, np.floor(medians), medians)
