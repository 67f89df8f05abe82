"""What the jobs of a run took: every job says so in the last line of its log.

Snakemake's own benchmark files are no help here: it looks at a job after half a second, then ever more rarely, and
knows CPU time and memory of its last look alone, which is a third of a job of 45 seconds.
"""

import json
import resource
import sys
from pathlib import Path

import pandas as pd

MARK = "used "
WILDCARDS = ["dataset", "model", "split", "scorer", "setting", "prune", "repeats", "seed"]
MEASURES = ["seconds", "cpu_seconds", "max_rss_mb"]


def usage_line(rule: str, wildcards: dict[str, str], seconds: float) -> str:
    """What this process, and those that it started, took until now: the last line of a job's log."""
    own, started = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    cpu = own.ru_utime + own.ru_stime + started.ru_utime + started.ru_stime
    unit = 2**20 if sys.platform == "darwin" else 2**10  # macOS counts bytes, Linux KiB
    memory = max(own.ru_maxrss, started.ru_maxrss) / unit
    measures = {"seconds": round(seconds, 2), "cpu_seconds": round(cpu, 2), "max_rss_mb": round(memory)}
    return MARK + json.dumps({"rule": rule, **wildcards, **measures})


def read_usage(logs: str | Path) -> pd.DataFrame:
    """One row per finished job whose log lies under this folder: rule, wildcards and what it took.

    A job without such a wildcard has an empty text there. Logs of jobs that failed or still run have no such line.
    """
    rows = [row for log in sorted(Path(logs).rglob("*.log")) if (row := _last_line(log))]
    table = pd.DataFrame(rows, columns=["rule", *WILDCARDS, *MEASURES])
    return table.fillna(dict.fromkeys(WILDCARDS, ""))


def _last_line(log: Path) -> dict | None:
    lines = log.read_text(encoding="utf-8", errors="replace").rstrip().rsplit("\n", 1)
    if not lines[-1].startswith(MARK):
        return None
    try:
        return json.loads(lines[-1].removeprefix(MARK))
    except ValueError:  # cut short by a full disk
        return None


def summarise_usage(jobs: pd.DataFrame) -> pd.DataFrame:
    """One row per rule and dataset: the usual seconds (a busy machine stretches some), the most CPU and memory."""
    groups = jobs.groupby(["rule", "dataset"], as_index=False)
    ways = {name: "median" if name == "seconds" else "max" for name in MEASURES}
    return groups.agg(**{name: (name, way) for name, way in ways.items()}, runs=("seconds", "size"))
