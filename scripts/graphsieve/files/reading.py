"""Results in: tables and arrays as they were written, or one sentence that says what is wrong with the file."""

import gzip
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from graphsieve.errors import InputError
from graphsieve.files.checks import check_alike, check_table, damaged


def read_csv(path: str | Path, columns: Sequence[str] = ()) -> pd.DataFrame:
    """A table that must have these columns; one that was cut short or changed is refused where that can be told."""
    try:
        table = pd.read_csv(path)
    except pd.errors.EmptyDataError:
        raise InputError(f"{path} is empty: delete it and run again") from None
    except (pd.errors.ParserError, UnicodeDecodeError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise damaged(path, str(error).strip()) from None
    return check_table(table, path, columns)


def read_npz(path: str | Path, names: Sequence[str] = ()) -> dict[str, np.ndarray]:
    """All arrays of an archive, among which these names must be."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(f"{path} is not a readable .npz file ({error}): delete it and run again") from None
    missing = [name for name in names if name not in arrays]
    if missing:
        raise damaged(path, f"it has no array {missing[0]}")
    return arrays


def collect(paths: Sequence[str | Path]) -> pd.DataFrame:
    """Stack the tables of many runs into one; of no runs, an empty one."""
    if not paths:
        return pd.DataFrame()
    tables = [read_csv(path) for path in paths]
    check_alike(tables, paths)
    return pd.concat(tables, ignore_index=True)
