"""Where a run comes from: versions, commit, machine and time. For the page and beside the records, never in tables."""

import os
import platform
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

import pandas as pd

from graphsieve.jobs.estimates import duration_text

PACKAGES = ("torch", "torch_geometric", "snakemake")


def versions() -> str:
    own, *others = [f"{name} {metadata.version(name)}" for name in ("graphsieve", *PACKAGES)]
    return ", ".join([own, f"Python {platform.python_version()}", *others])


# What changes no result: documents, and what was published before.
NO_CODE = (":/", ":(exclude,top)results", ":(exclude,top)*.md", ":(exclude,top)*.cff")
MODIFIED = ", modified"


def commit(folder: Path = Path(__file__).parent) -> str:
    """The commit of the code in a folder, and whether it was modified since; empty where git does not track it."""
    # An installed package may lie in somebody else's repository, whose commit says nothing about it.
    if not shutil.which("git") or not ask("git", "-C", folder, "ls-files"):
        return ""
    head = ask("git", "-C", folder, "rev-parse", "HEAD")
    changed = ask("git", "-C", folder, "status", "--porcelain", "--untracked-files=no", "--", *NO_CODE)
    return f"{head}{MODIFIED}" if changed else head


def machine() -> str:
    cores = usable_cores()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{cores} core{'s' * (cores != 1)} ({cpu()}), {memory:.0f} GiB of memory, {gpus()}, {platform.system()}"


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cpu() -> str:
    """The processor's name, where the system tells it."""
    known = Path("/proc/cpuinfo")
    lines = known.read_text(errors="replace").splitlines() if known.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def gpus() -> str:
    """Asked of the driver, because torch takes seconds to import."""
    names = ask("nvidia-smi", "--query-gpu=name", "--format=csv,noheader") if shutil.which("nvidia-smi") else ""
    return ", ".join(names.splitlines()) or "no GPU"


def ask(*command: object) -> str:
    """What a program prints, or nothing where it fails."""
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    return result.stdout.strip() if result.returncode == 0 else ""


def durations(jobs: pd.DataFrame) -> str:
    """How many jobs were measured, and what they took together; `jobs` has one row per job and its `seconds`."""
    if jobs.empty:
        return ""
    many = f"{len(jobs):,} measured job{'s' * (len(jobs) != 1)}"
    return f"{many} took {duration_text(jobs['seconds'].sum())} together"
