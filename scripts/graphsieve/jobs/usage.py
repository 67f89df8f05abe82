"""What the jobs of a run took: every job says so in the last lines of its log, one for each result that it made.

Snakemake's own benchmark files are no help here: it looks at a job after half a second, then ever more rarely, and
knows CPU time and memory of its last look alone, which is a third of a job of 45 seconds.
"""

import json
import resource
import sys
import time
from pathlib import Path

import pandas as pd

MARK = "used "
WILDCARDS = ["dataset", "model", "split", "scorer", "asked", "setting", "prune", "repeats", "seed"]
SUMMARISED = ["seconds", "cpu_seconds", "max_rss_mb"]
MEASURES = [*SUMMARISED, "start_seconds"]


class Meter:
    """What this process, and those that it started, took: since its beginning, then since the last reading.

    The CPU seconds until the meter was made are those of starting: Python and the libraries.
    """

    def __init__(self):
        self.time, self.cpu = time.perf_counter(), 0.0
        self.start = _cpu_seconds()

    def read(self, rule: str, wildcards: dict[str, str]) -> dict:
        """One row of measures; starting counts in the first."""
        now, cpu = time.perf_counter(), _cpu_seconds()
        row = {"rule": rule, **wildcards, "seconds": round(now - self.time, 2), "cpu_seconds": round(cpu - self.cpu, 2)}
        row |= {"max_rss_mb": round(_max_rss_mb()), "start_seconds": round(self.start, 2)}
        self.time, self.cpu, self.start = now, cpu, 0.0
        return row


def _cpu_seconds() -> float:
    own, started = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + started.ru_utime + started.ru_stime


def _max_rss_mb() -> float:
    unit = 2**20 if sys.platform == "darwin" else 2**10  # macOS counts bytes, Linux KiB
    return max(_own_peak(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) / unit


def _own_peak() -> int:
    """The most memory that this program held; getrusage on Linux also counts the one that started it, before exec."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (peak,) = [line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM:")]
    return int(peak)


def usage_line(row: dict) -> str:
    """A row of measures as it stands at the end of a log."""
    return MARK + json.dumps(row)


def read_usage(logs: str | Path) -> pd.DataFrame:
    """One row per result whose job's log lies under this folder: rule, wildcards and what it took.

    A job without such a wildcard has an empty text there. Logs of jobs that failed or still run have no such line. Of
    a result that stands in several logs, because its job has other members now, the last one counts.
    """
    paths = sorted(Path(logs).rglob("*.log"), key=lambda path: (path.stat().st_mtime_ns, path))
    rows = {_identity(row): (path, line, row) for path in paths for line, row in enumerate(_last_rows(path))}
    ordered = [row for *_, row in sorted(rows.values(), key=lambda found: found[:2])]
    table = pd.DataFrame(ordered, columns=["rule", *WILDCARDS, *MEASURES])
    return table.astype(dict.fromkeys(WILDCARDS, object)).fillna(dict.fromkeys(WILDCARDS, ""))


def _identity(row: dict) -> tuple:
    return tuple(sorted((name, str(value)) for name, value in row.items() if name not in MEASURES))


def _last_rows(log: Path) -> list[dict]:
    rows: list[dict] = []
    for line in reversed(log.read_text(encoding="utf-8", errors="replace").rstrip().split("\n")):
        if not line.startswith(MARK):
            break
        try:
            rows.insert(0, json.loads(line.removeprefix(MARK)))
        except ValueError:  # cut short by a full disk
            break
    return rows


def summarise_usage(jobs: pd.DataFrame) -> pd.DataFrame:
    """One row per rule and dataset: the usual seconds (a busy machine stretches some), the most CPU and memory."""
    groups = jobs.groupby(["rule", "dataset"], as_index=False)
    ways = {name: "median" if name == "seconds" else "max" for name in SUMMARISED}
    return groups.agg(**{name: (name, way) for name, way in ways.items()}, runs=("seconds", "size"))
