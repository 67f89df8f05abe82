"""Results out: CSV for records, NPZ for arrays, each written to a temporary name and renamed."""

import contextlib
import errno
import gzip
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from graphsieve.errors import InputError

FULL, FORBIDDEN, IN_THE_WAY = "free some space", "make the folder writable", "move what has that name"
REMEDIES = {errno.ENOSPC: FULL, errno.EDQUOT: FULL, errno.EROFS: FORBIDDEN, errno.EACCES: FORBIDDEN}
REMEDIES |= dict.fromkeys((errno.EEXIST, errno.ENOTDIR, errno.EISDIR), IN_THE_WAY)


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


def check_folder(folder: Path) -> None:
    """Whether files may be written there, as far as that can be known before the work is done."""
    nearest = next(one for one in (folder, *folder.parents) if os.path.lexists(one))
    if not nearest.is_dir():
        raise InputError(f"cannot write to {folder}: {nearest} is no folder, so choose another place")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise InputError(f"cannot write to {folder}: make {nearest} writable, or choose another place")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_text(text: str, path: str | Path) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_together(files: Mapping[Path, bytes]) -> None:
    """All of these files, or none: each gets its name only when all of them are written."""
    with contextlib.ExitStack() as renamed_at_the_end:
        for path, content in files.items():
            renamed_at_the_end.enter_context(atomic_path(path)).write_bytes(content)


def csv_bytes(table: pd.DataFrame) -> bytes:
    return table.to_csv(index=False).encode()


def write_csv(table: pd.DataFrame, path: str | Path) -> None:
    """A path that ends in .gz is compressed, without name and time of writing: same table, same bytes."""
    data = csv_bytes(table)
    with atomic_path(path) as temporary:
        temporary.write_bytes(gzip.compress(data, mtime=0) if str(path).endswith(".gz") else data)


def write_record(record: dict, path: str | Path) -> None:
    """One run, one row."""
    write_csv(pd.DataFrame([record]), path)


def write_npz(arrays: dict[str, np.ndarray], path: str | Path) -> None:
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
