"""What the jobs of a run took: benchmarks/<rule>/<dataset>/... .tsv by Snakemake, and the last line of the job's log.

Snakemake looks at a job after half a second, then ever more rarely, up to every half minute, and knows CPU time and
memory of its last look alone: of a job of 45 seconds a third. So our programs say in the end what they used.
"""

import re
import resource
import sys
from pathlib import Path

import numpy as np
import pandas as pd

COLUMNS = {"s": "seconds", "cpu_time": "cpu_seconds", "max_rss": "max_rss_mb"}
USAGE = re.compile(r"^used (?P<cpu_seconds>[\d.]+) s of CPU and (?P<max_rss_mb>[\d.]+) MiB of memory$")


def usage_sentence() -> str:
    """What this process and those that it started took until now."""
    own, started = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    seconds = own.ru_utime + own.ru_stime + started.ru_utime + started.ru_stime
    unit = 2**20 if sys.platform == "darwin" else 2**10  # macOS counts bytes, Linux KiB
    return f"used {seconds:.1f} s of CPU and {max(own.ru_maxrss, started.ru_maxrss) / unit:.0f} MiB of memory"


def benchmark_files(folder: str | Path) -> list[Path]:
    """In order of their names; those of jobs that were killed while writing are empty and left out."""
    return sorted(file for file in Path(folder).rglob("*.tsv") if file.stat().st_size)


def read_benchmarks(folder: str | Path) -> pd.DataFrame:
    """A row a job: its rule, its dataset (empty if it has none), the rest of its path, and what it took."""
    logs = Path(folder).parent / "logs"
    rows = []
    for file in benchmark_files(folder):
        name = file.relative_to(folder)
        rows.append(_identify(name) | _read(file) | _said_usage(logs / name.with_suffix(".log")))
    return pd.DataFrame(rows, columns=["rule", "dataset", "job", *COLUMNS.values()])


def _identify(path: Path) -> dict:
    rule, *rest = path.with_suffix("").parts
    return {"rule": rule, "dataset": rest[0] if rest else "", "job": "/".join(rest[1:])}


def _read(file: Path) -> dict:
    """Jobs shorter than a second leave a dash where Snakemake had no time to look.

    A job that does not say what it used counts as busy as long as it took, or for what Snakemake saw if that is more.
    """
    values = pd.read_csv(file, sep="\t", na_values="-").iloc[-1]
    record = {name: values[column] for column, name in COLUMNS.items()}
    return record | {"cpu_seconds": np.fmax(record["cpu_seconds"], record["seconds"])}


def _said_usage(log: Path) -> dict:
    """From the last line of a job's log; nothing of jobs that are not ours, such as notebooks."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
    said = USAGE.match(lines[-1]) if lines else None
    return {name: float(value) for name, value in said.groupdict().items()} if said else {}


def summarise_benchmarks(jobs: pd.DataFrame) -> pd.DataFrame:
    """Of a rule's jobs on a dataset: the usual seconds (a busy machine stretches some), the most CPU and memory."""
    groups = jobs.groupby(["rule", "dataset"], as_index=False)
    ways = {name: "median" if name == "seconds" else "max" for name in COLUMNS.values()}
    return groups.agg(**{name: (name, way) for name, way in ways.items()}, runs=("seconds", "size"))
