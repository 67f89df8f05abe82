"""Whether what a file unpacks to fits in memory: a few kilobytes can claim to be terabytes."""

import os
from pathlib import Path

from graphsieve.errors import InputError

GIBIBYTE = 2**30
SHARE = 0.5  # of the memory that one array or table may take: reading makes copies


def most_bytes() -> int:
    return int(SHARE * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


def check_size(path: Path, size: int, what: str) -> None:
    """Refuse `what` of this many bytes where that is more than this machine can hold."""
    if size > most_bytes():
        raise InputError(
            f"{path}: {what} would take {size / GIBIBYTE:,.1f} GiB, more than the {most_bytes() / GIBIBYTE:,.1f} GiB "
            "that can be read here: give a smaller file, or use a larger machine"
        )
