"""What to ask of a cluster for a job: from what such a job took when it was measured, else from its graph's size."""

from dataclasses import dataclass

import pandas as pd

MEMORY_MARGIN, MEMORY_BASE = 1.5, 500  # MB on top: the scheduler's own step, and libraries of other versions
GUESS_BASE = 2  # minutes, of a job that was never measured
TIME_MARGIN, TIME_BASE = 3, 2  # minutes on top: slower nodes, and a file system that wakes up


@dataclass(frozen=True)
class Size:
    nodes: int
    edges: int
    features: int


@dataclass(frozen=True)
class Measured:
    """The most that one job of a rule took on a dataset; `epochs` is how long it trained."""

    cpu_seconds: float
    max_rss_mb: float
    epochs: int


def read_measured(table: pd.DataFrame) -> dict[tuple[str, str], Measured]:
    return {
        (row.rule, row.dataset): Measured(row.cpu_seconds, row.max_rss_mb, row.epochs)
        for row in table.itertuples(index=False)
    }


BEYOND_THE_PAPER = {
    "actor": Size(7_600, 30_019, 932),
    "minesweeper": Size(10_000, 78_804, 7),
    "tolokers": Size(11_758, 1_038_000, 10),
    "chameleon_filtered": Size(890, 17_708, 2_325),
    "squirrel_filtered": Size(2_223, 93_996, 2_089),
    "arxiv_standin": Size(169_343, 1_166_243, 128),
}
BUNDLED = Size(2_000, 30_000, 64)  # digits and the synthetic graphs are no larger
UNKNOWN = Size(20_000, 200_000, 500)  # of a graph of the user's own nothing is known before it is loaded


def size_of(dataset: str, table: pd.DataFrame) -> Size:
    """The size of a dataset; `table` has the columns of the paper's Table 5."""
    known = table[table["dataset"] == dataset]
    if len(known):
        return Size(*(int(known[name].iloc[0]) for name in ("nodes", "edges", "features")))
    if dataset in BEYOND_THE_PAPER:
        return BEYOND_THE_PAPER[dataset]
    return BUNDLED if dataset == "digits" or dataset.startswith("synthetic_") else UNKNOWN


def memory_mb(measured: Measured | None, size: Size, attempt: int) -> int:
    needed = measured.max_rss_mb if measured else _guess_memory(size)
    return attempt * round(MEMORY_BASE + MEMORY_MARGIN * needed)


def work_seconds(measured: Measured | None, size: Size, epochs: int) -> float:
    """CPU seconds of one result, as if one thread did it all.

    More epochs than were measured take longer, fewer are not worth asking for less.
    """
    if measured:
        return measured.cpu_seconds * max(1, epochs / max(measured.epochs, 1))
    return 60 * _guess_minutes(size, epochs)


def minutes(measured: Measured | None, size: Size, epochs: int, attempt: int, results: int = 1) -> int:
    """What to ask for a job that makes so many results."""
    needed = results * work_seconds(measured, size, epochs) / 60 + (0 if measured else GUESS_BASE)
    return attempt * round(TIME_BASE + TIME_MARGIN * needed)


def _guess_memory(size: Size) -> float:
    """MB: the libraries, dense features with copies, hidden layers, and messages along edges."""
    return 800 + (25 * size.nodes * size.features + 30_000 * size.nodes + 5_000 * size.edges) / 1e6


def _guess_minutes(size: Size, epochs: int) -> float:
    """Every epoch goes through the features and along the edges; scoring costs about as much again."""
    return 0.1 * (size.nodes * size.features + 512 * size.edges) / 1e6 * epochs / 400
