"""Results in and out: CSV for records, NPZ for arrays, each written to a temporary name and renamed."""

import contextlib
import os
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from graphsieve.errors import InputError


@contextlib.contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename it into place only when the block succeeds."""
    path = Path(path)
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


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_text(text: str, path: str | Path) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_csv(table: pd.DataFrame, path: str | Path) -> None:
    with atomic_path(path) as temporary:
        table.to_csv(temporary, index=False)


def write_record(record: dict, path: str | Path) -> None:
    """One run, one row."""
    write_csv(pd.DataFrame([record]), path)


def write_npz(arrays: dict[str, np.ndarray], path: str | Path) -> None:
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def read_csv(path: str | Path) -> pd.DataFrame:
    try:
        return pd.read_csv(path)
    except pd.errors.EmptyDataError:
        raise InputError(f"{path} is empty: delete it and run again") from None


def read_npz(path: str | Path) -> dict[str, np.ndarray]:
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(f"{path} is not a readable .npz file ({error}): delete it and run again") from None


def collect(paths: list[str | Path]) -> pd.DataFrame:
    """Stack one-row records into one tidy table."""
    return pd.concat([read_csv(path) for path in paths], ignore_index=True)
