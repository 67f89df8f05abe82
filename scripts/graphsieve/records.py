"""Results in and out: CSV for records, NPZ for arrays, each written to a temporary name and renamed."""

import contextlib
import errno
import gzip
import os
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from graphsieve.errors import InputError
from graphsieve.record_checks import check_alike, check_table, damaged

FULL, FORBIDDEN = "free some space", "make the folder writable"
REMEDIES = {errno.ENOSPC: FULL, errno.EDQUOT: FULL, errno.EROFS: FORBIDDEN, errno.EACCES: FORBIDDEN}


@contextlib.contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename it into place only when the block succeeds."""
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=path.suffix)
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        if error.errno not in REMEDIES:
            raise
        raise InputError(f"cannot write {path} ({error.strerror}): {REMEDIES[error.errno]} and run again") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_text(text: str, path: str | Path) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_csv(table: pd.DataFrame, path: str | Path) -> None:
    """A path that ends in .gz is compressed, without name and time of writing: same table, same bytes."""
    data = table.to_csv(index=False).encode()
    with atomic_path(path) as temporary:
        temporary.write_bytes(gzip.compress(data, mtime=0) if str(path).endswith(".gz") else data)


def write_record(record: dict, path: str | Path) -> None:
    """One run, one row."""
    write_csv(pd.DataFrame([record]), path)


def write_npz(arrays: dict[str, np.ndarray], path: str | Path) -> None:
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


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
