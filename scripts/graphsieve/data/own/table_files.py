"""The two tables of a folder, nodes and edges, as they lie on disk: found, decoded and cut into columns.

CSV may be separated by commas, semicolons or tabs, be compressed by gzip, and be in UTF-8, UTF-16 or Latin-1. All of
that is told from the file itself, and said where it is seldom meant.
"""

import codecs
import csv
import gzip
import io
import warnings
import zlib
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pandas as pd

from graphsieve.data.own.memory import check_size
from graphsieve.errors import InputError, quoted

TEXT_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
SUFFIXES = (*TEXT_SUFFIXES, ".parquet")
SEPARATORS = (",", ";", "\t")
# What counts as missing in any column but those that are named in the options, where only an empty field does.
MISSING = ("", "NA", "N/A", "n/a", "nan", "NaN", "NAN", "null", "NULL", "None", "<NA>", "#N/A", "?", "-")
UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
LATIN = ("cp1252", "latin-1")  # Windows' Latin-1, which leaves some bytes undefined, and the plain one
CHUNK = 2**20
MOST_SHOWN = 8
NUMBER = 8  # bytes
DAMAGED = (csv.Error, pd.errors.ParserError, EOFError, gzip.BadGzipFile, zlib.error, UnicodeError)


@dataclass(frozen=True)
class Table:
    """A table, which of its columns have a role (`id`, `label`, ...), and what the user should know of its reading."""

    path: Path
    columns: pd.DataFrame
    roles: dict[str, str]
    notes: tuple[str, ...] = ()

    def column(self, role: str) -> pd.Series:
        return self.columns[self.roles[role]]

    @property
    def others(self) -> pd.DataFrame:
        """The columns that have no role."""
        return self.columns.drop(columns=list(self.roles.values()))


def find_table(folder: Path, stem: str) -> Path:
    """The one file of this name, whatever its format."""
    found = [folder / f"{stem}{suffix}" for suffix in SUFFIXES if (folder / f"{stem}{suffix}").is_file()]
    if not found:
        raise InputError(
            f"{folder / stem}.csv does not exist: a graph's folder holds nodes.csv and edges.csv "
            "(or .csv.gz, .tsv, .parquet)"
        )
    if len(found) > 1:
        raise InputError(f"{folder} has both {found[0].name} and {found[1].name}: keep one of them")
    return found[0]


def read_table(
    path: Path, needed: dict[str, str], optional: dict[str, str] | None = None, as_text: bool = False
) -> Table:
    """The table at this path.

    needed: what a column that must be there is called, by its role; these are read as texts. optional: the same of
    columns that need not be there. Names are compared as they are, and where none is the same, without regard to case.
    as_text: whether everything in a file of text stays text.
    """
    if path.suffix == ".parquet":
        return _read_parquet(path, needed, optional or {})
    return _read_text(path, needed, optional or {}, as_text)


def _read_parquet(path: Path, needed: dict[str, str], optional: dict[str, str]) -> Table:
    try:
        from pyarrow.parquet import read_metadata

        about = read_metadata(path)
        check_size(path, NUMBER * about.num_rows * about.num_columns, "what it unpacks to")
        columns = pd.read_parquet(path)
    except ImportError:
        raise InputError(f"{path} needs the package pyarrow, which is not installed: pip install pyarrow") from None
    except (InputError, MemoryError):
        raise
    except Exception as error:  # the library has an exception of its own for every kind of damage
        raise InputError(f"{path} cannot be read as a Parquet file: {_first_line(error)}") from None
    if columns.index.name is not None or not isinstance(columns.index, pd.RangeIndex):  # an index that says something
        columns = columns.reset_index()
    columns.columns = [str(name).strip() for name in columns.columns]
    _check_header(list(columns.columns), path)
    roles = _roles(list(columns.columns), needed, optional, path)
    for role in needed:
        column = columns[roles[role]]
        columns[roles[role]] = column.astype(str).where(column.notna())
    return Table(path, columns, roles)


def _read_text(path: Path, needed: dict[str, str], optional: dict[str, str], as_text: bool) -> Table:
    try:
        encoding = _encoding(path)
        with _open(path) as file:
            text = io.TextIOWrapper(file, encoding=encoding, newline="")
            separator, header = _header(text, needed.values())
        _check_header(header, path)
        roles = _roles(header, needed, optional, path)
        texts = [name for name in header if name] if as_text else [roles[role] for role in needed]
        columns = _cut(path, encoding, separator, header, texts)
    except DAMAGED as error:
        raise InputError(f"{path} cannot be read as a table of text: {_first_line(error)}") from None
    notes = [f"{path.name} is not in UTF-8 and was read as Latin-1 ({encoding})"] if encoding in LATIN else []
    unnamed = list(_stand_ins(header).values())
    if columns[unnamed].notna().any(axis=None):
        notes.append(f"columns of {path.name} without a name are left out")
    return Table(path, columns.drop(columns=unnamed), roles, tuple(notes))


def _open(path: Path) -> BinaryIO:
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")


def _encoding(path: Path) -> str:
    """What the whole file can be decoded by; looking at its beginning would not do."""
    with _open(path) as file:
        encodings = ("utf-16",) if file.read(2) in UTF_16_MARKS else ("utf-8-sig", *LATIN)
    for name in encodings:
        if _decodes(path, name):
            return name
    raise UnicodeError("it begins as UTF-16 does, but does not go on like that")


def _decodes(path: Path, encoding: str) -> bool:
    decoder, size = codecs.getincrementaldecoder(encoding)(), 0
    with _open(path) as file:
        while chunk := file.read(CHUNK):
            size += len(chunk)
            check_size(path, size, "what it unpacks to")
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError:
                return False
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _header(text: io.TextIOWrapper, wanted: Collection[str]) -> tuple[str, list[str]]:
    """The separator under which the first row has the wanted columns, or else the most; and that row."""
    found = []
    for separator in SEPARATORS:
        text.seek(0)
        rows = csv.reader(text, delimiter=separator, skipinitialspace=True)
        header = [name.strip() for name in next((row for row in rows if row), [])]
        known = {name.casefold() for name in header}
        found.append((sum(name.casefold() in known for name in wanted), len(header), separator, header))
    _, _, separator, header = max(found, key=lambda one: one[:2])
    return separator, header


def _check_header(header: list[str], path: Path) -> None:
    if not any(header):
        raise InputError(f"{path} is empty: its first line names the columns")
    repeated = [column for column, times in Counter(header).items() if column and times > 1]
    if repeated:
        raise InputError(f"{path} has more than one column {quoted(repeated[0])}: give every column its own name")


def _roles(header: list[str], needed: dict[str, str], optional: dict[str, str], path: Path) -> dict[str, str]:
    """Which column of the header has which role."""
    found = {}
    for role, name in {**needed, **optional}.items():
        alike = [name] if name in header else [one for one in header if one.casefold() == name.casefold()]
        if len(alike) > 1:
            raise InputError(f"{path} has columns '{alike[0]}' and '{alike[1]}': say which one it is with --{role}")
        if alike:
            found[role] = alike[0]
        elif role in needed:
            shown = ", ".join(map(quoted, header[:MOST_SHOWN])) + ", ..." * (len(header) > MOST_SHOWN)
            raise InputError(f"{path} has no column '{name}', only {shown}: rename one, or name it with --{role}")
    shared = [name for name, times in Counter(found.values()).items() if times > 1]
    if shared:
        roles = " and ".join(role for role, name in found.items() if name == shared[0])
        raise InputError(f"{path}: column '{shared[0]}' cannot be both {roles}: name another for one of them")
    return found


def _stand_ins(header: list[str]) -> dict[int, str]:
    """Names for columns that have none, by their places; no other name has a line break at its end."""
    return {place: f"{place}\n" for place, name in enumerate(header) if not name}


def _cut(path: Path, encoding: str, separator: str, header: list[str], texts: list[str]) -> pd.DataFrame:
    """Texts as they are in the columns `texts`, where only an empty field is missing; pandas decides on the others."""
    stand_ins = _stand_ins(header)
    names = [stand_ins.get(place, name) for place, name in enumerate(header)]
    with _open(path) as file, warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)  # of fields beyond the header, which would be lost
        try:
            columns = pd.read_csv(
                file,
                sep=separator,
                names=names,
                header=0,
                encoding=encoding,
                dtype=dict.fromkeys(texts, str),
                keep_default_na=False,
                na_values={name: [""] if name in texts else list(MISSING) for name in names},
                skipinitialspace=True,
                low_memory=False,
                index_col=False,
            )
        except pd.errors.ParserWarning:
            raise InputError(
                f"{path}: its first line names {len(header)} columns, but rows have more: name every column, and quote "
                "texts that hold the separator"
            ) from None
    # Beside whole numbers that are too large for 64 bits, pandas takes what is missing for text.
    for name in columns:
        if name not in texts and pd.api.types.is_string_dtype(columns[name]):
            columns[name] = columns[name].mask(columns[name].isin(MISSING))
    return columns


def _first_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
