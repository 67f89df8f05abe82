"""How tests run the workflow as its users do, and compare what two runs made."""

import gzip
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import yaml

from graphsieve.jobs.bundles import single_rule

PROJECT = Path(__file__).parents[1]
TINY = Path(__file__).parent / "workflow" / "tiny.yaml"


def make_project(folder: Path) -> Path:
    """A folder with the project's code and results of its own."""
    folder.mkdir(exist_ok=True)
    for name in ("workflow", "scripts", "notebooks", "config", "envs", "profiles"):
        (folder / name).symlink_to(PROJECT / name)
    return folder


def snakemake_command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "snakemake", *map(str, arguments)]


def _command(arguments: tuple, configs: tuple) -> list[str]:
    return snakemake_command("--cores", "2", *arguments, "--configfile", *configs)


def _environment() -> dict[str, str]:
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def run_snakemake(folder: Path, *arguments: object, **variables: str) -> subprocess.CompletedProcess:
    """Run Snakemake in this folder, with these variables in its environment."""
    environment = _environment() | variables
    return subprocess.run(
        snakemake_command(*arguments), cwd=folder, env=environment, text=True, capture_output=True, check=False
    )


def snakemake(project: Path, *arguments: object, configs: tuple = (TINY,)) -> subprocess.CompletedProcess:
    return run_snakemake(project, *_command(arguments, configs)[3:])


def start_snakemake(project: Path, *arguments: object, configs: tuple = (TINY,)) -> subprocess.Popen:
    return leave_running(project, _command(arguments, configs))


def leave_running(folder: Path, command: list[str], **variables: str) -> subprocess.Popen:
    """Start it, with its jobs, in a process group of its own; what it prints is in snakemake.log."""
    with (folder / "snakemake.log").open("w") as log:
        return subprocess.Popen(
            command,
            cwd=folder,
            env=_environment() | variables,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def kill_group(process: subprocess.Popen) -> None:
    """kill -9 for Snakemake and all its jobs."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def jobs(project: Path, *arguments: object, configs: tuple = (TINY,)) -> Counter:
    """How many jobs of each rule a dry run announces; those that bundle results of a rule count as its own."""
    result = snakemake(project, "--dry-run", *arguments, configs=configs)
    assert result.returncode == 0, result.stdout + result.stderr
    rows = re.findall(r"^(\w+) +(\d+)$", result.stdout + result.stderr, flags=re.MULTILINE)
    announced = Counter()
    for rule, count in dict(rows).items():
        announced[single_rule(rule)] += int(count)
    del announced["total"]
    return announced


def overlay(folder: Path, settings: dict) -> tuple[Path, Path]:
    """The tiny config with other settings laid over it."""
    path = folder / "overlay.yaml"
    path.write_text(yaml.safe_dump(settings))
    return TINY, path


# Comparing two runs -----------------------------------------------------------

SAME_BYTES = (".csv", ".csv.gz", ".npz", ".md", ".tex")
# How long something took is never the same twice; notebooks, pages and PDFs say when they were made.
CHANGING = re.compile(r"^(logs|benchmarks|notebooks|figures)/|^tables/cost|(timings|jobs)\.csv|(^|/)\.|^index\.html$")


def lasting_files(results: Path) -> dict[str, Path]:
    """Graphs, weights, scores, records and tables: what a second run must make again to the byte."""
    paths = {path.relative_to(results).as_posix(): path for path in sorted(results.rglob("*"))}
    return {name: path for name, path in paths.items() if name.endswith(SAME_BYTES) and not CHANGING.search(name)}


def changed(expected: Path, found: Path) -> list[str]:
    """One sentence for every file of both runs that differs, with the first line that does."""
    ours, theirs = lasting_files(expected), lasting_files(found)
    return [
        f"{name}: {_first_difference(ours[name], theirs[name])}"
        for name in ours
        if name in theirs and ours[name].read_bytes() != theirs[name].read_bytes()
    ]


def differences(expected: Path, found: Path) -> list[str]:
    """What `changed` says, and the files that only one of the runs has."""
    ours, theirs = lasting_files(expected), lasting_files(found)
    missing = [f"{name} is missing" for name in ours if name not in theirs]
    extra = [f"{name} is there only now" for name in theirs if name not in ours]
    return missing + extra + changed(expected, found)


def _first_difference(expected: Path, found: Path) -> str:
    lines, others = _lines(expected), _lines(found)
    for number, (line, other) in enumerate(zip(lines, others, strict=False), start=1):
        if line != other:
            return f"line {number} is {other!r} instead of {line!r}"
    return f"{len(others)} lines instead of {len(lines)}"


def _lines(path: Path) -> list[str]:
    """The lines of a table; of an archive, one for every array."""
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            return [f"{name} {arrays[name].tobytes().hex()[:80]}" for name in arrays.files]
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode(errors="replace").splitlines()
