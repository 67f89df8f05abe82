"""Where a run comes from: versions, commit, machine and time. It is for the page alone: tables never hold it."""

import os
import platform
import shutil
import subprocess
import time
import tomllib
from importlib import metadata
from pathlib import Path

from graphsieve.jobs.estimates import duration_text
from graphsieve.jobs.usage import benchmark_files, read_benchmarks

PROJECT = Path(__file__).resolve().parents[3]
PACKAGES = ("torch", "torch_geometric", "snakemake")


def versions() -> str:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    packages = [f"{name} {metadata.version(name)}" for name in PACKAGES]
    return ", ".join([f"graphsieve {project['version']}", f"Python {platform.python_version()}", *packages])


def commit(folder: Path = PROJECT) -> str:
    """The commit of the code, and whether it was modified since; empty outside git."""
    if not shutil.which("git"):
        return ""
    head = _ask("git", "-C", folder, "rev-parse", "HEAD")
    changed = _ask("git", "-C", folder, "status", "--porcelain", "--untracked-files=no")
    return f"{head}, modified" if head and changed else head


def machine() -> str:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{cores} core{'s' * (cores != 1)}, {memory:.0f} GiB of memory, {gpus()}, {platform.system()}"


def gpus() -> str:
    """Asked of the driver, because torch takes seconds to import."""
    names = _ask("nvidia-smi", "--query-gpu=name", "--format=csv,noheader") if shutil.which("nvidia-smi") else ""
    return ", ".join(names.splitlines()) or "no GPU"


def _ask(*command: object) -> str:
    """What a program prints, or nothing where it fails."""
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    return result.stdout.strip() if result.returncode == 0 else ""


def durations(benchmarks: Path) -> str:
    """What the measured jobs took together, and the time from the start of the first of them until now."""
    jobs = read_benchmarks(benchmarks)
    if jobs.empty:
        return ""
    ends = [file.stat().st_mtime for file in benchmark_files(benchmarks)]
    began = min(end - seconds for end, seconds in zip(ends, jobs["seconds"], strict=True))
    return (
        f"{len(jobs):,} measured jobs took {duration_text(jobs['seconds'].sum())} together; from the start of the "
        f"first to this page it was {duration_text(time.time() - began)}, pauses included"
    )
