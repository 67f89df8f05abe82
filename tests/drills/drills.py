"""Faults on purpose: the drills that are too slow for every test run, and the fault tests, in one table.

    PYTHONPATH=scripts:tests python tests/drills/drills.py --out results/drills

kills Snakemake and its jobs again and again, kills and resumes each way of deploying, runs the fault tests and, where
SLURM is installed, its drills.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from deployments import WAYS, Deployment
from graphsieve.files.reading import read_csv
from graphsieve.files.writing import write_csv, write_text
from workflow_runs import (
    changed,
    differences,
    kill_group,
    lasting_files,
    leave_running,
    make_project,
    run_snakemake,
    snakemake,
    snakemake_command,
    start_snakemake,
)

TESTS = Path(__file__).parents[1]
FAULT_TESTS = ("test_faults.py", "test_determinism.py", "test_broken_configs.py")
SLURM_DRILLS = TESTS / "slurm" / "drills.py"
RESULTS = "results/tiny"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=Path, default=Path("results/drills"), help="folder of the table")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0, help="decides the moments of the kills")
    arguments = parser.parse_args()

    rows = []
    for row in all_drills(arguments):
        print(f"{'passed' if row['passed'] else 'FAILED'}: {row['drill']}: {row['outcome']}", flush=True)
        rows.append(row)
        table = pd.DataFrame(rows)
        write_csv(table, arguments.out / "drills.csv")
        write_text(as_markdown(table), arguments.out / "drills.md")
    sys.exit(not table["passed"].all())


def all_drills(arguments: argparse.Namespace) -> Iterator[dict]:
    with tempfile.TemporaryDirectory() as folder:
        yield from kill_drill(Path(folder), arguments.kills, random.Random(arguments.seed))
    yield from deployment_drills(random.Random(arguments.seed))
    yield from fault_tests()
    yield from slurm_drills()


def result(drill: str, outcome: str, seconds: float, passed: bool, details: str = "") -> dict:
    columns = {"drill": drill, "outcome": outcome, "seconds": round(seconds, 1), "passed": passed}
    return {**columns, "details": " ".join(details.split())}


def as_markdown(table: pd.DataFrame) -> str:
    lines = [table.columns, ["---"] * table.shape[1], *table.astype(str).to_numpy()]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |\n" for line in lines)


# kill -9 ------------------------------------------------------------------------


def kill_drill(folder: Path, kills: int, rng: random.Random) -> Iterator[dict]:
    """Kill a whole run at random moments; what was finished must be whole, and the end the same as undisturbed."""
    whole = make_project(folder / "undisturbed")
    start = time.monotonic()
    done = snakemake(whole)
    duration = time.monotonic() - start
    count = len(lasting_files(whole / RESULTS))
    trouble = done.stderr[-500:] if done.returncode else ""
    yield result("undisturbed run", f"made {count} files", duration, not trouble, trouble)

    project = make_project(folder / "killed")
    start, unlocks, released, killed = time.monotonic(), 0, 0, 0
    while killed < kills:
        seconds = rng.uniform(2, 2.5 * duration / kills)
        begun = time.monotonic()
        process = start_snakemake(project)
        ended = ends_within(process, seconds)
        printed = (project / "snakemake.log").read_text()
        released += "its lock is removed" in printed
        if not ended:
            kill_group(process)
            killed += 1
            yield after_kill(f"kill {killed} of {kills}", whole, project, time.monotonic() - begun)
        elif "--unlock" in printed:
            unlocks += 1
            snakemake(project, "--unlock")
        elif process.returncode == 0:
            yield the_end("finished between kills", whole, project, time.monotonic() - begun, "")
            shutil.rmtree(project / "results")
        else:
            yield result("restart", f"exit code {process.returncode}", time.monotonic() - begun, False, printed[-500:])
            return
    last = snakemake(project)
    if "--unlock" in last.stdout + last.stderr and last.returncode:
        unlocks += 1
        snakemake(project, "--unlock")
        last = snakemake(project)
    released += "its lock is removed" in last.stderr
    details = f"dead locks removed by the restart: {released}; unlocked by hand, as Snakemake asked: {unlocks}"
    yield the_end(f"restart after {kills} kills", whole, project, time.monotonic() - start, details)


def ends_within(process: subprocess.Popen, seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def after_kill(drill: str, whole: Path, project: Path, seconds: float) -> dict:
    damaged = changed(whole / RESULTS, project / RESULTS)
    found, count = len(lasting_files(project / RESULTS)), len(lasting_files(whole / RESULTS))
    outcome = f"{seconds:.0f} s after the start {found} of {count} files were there, {len(damaged)} of them damaged"
    return result(drill, outcome, seconds, not damaged, "; ".join(damaged))


def the_end(drill: str, whole: Path, project: Path, seconds: float, details: str) -> dict:
    found = differences(whole / RESULTS, project / RESULTS)
    page = (project / RESULTS / "index.html").exists()
    outcome = f"{len(found)} of {len(lasting_files(whole / RESULTS))} files differ from the undisturbed run"
    return result(drill, outcome, seconds, page and not found, "; ".join([details, *found]))


# Ways of deploying --------------------------------------------------------------


def deployment_drills(rng: random.Random) -> Iterator[dict]:
    """Kill each way of running in the midst of its jobs and start it again: the tables of an undisturbed clone."""
    with tempfile.TemporaryDirectory() as folder:
        undisturbed = WAYS["a clone"](Path(folder))
        begun = time.monotonic()
        done = run_deployed(undisturbed)
        duration = time.monotonic() - begun
        if done.returncode:
            yield result("undisturbed clone", f"exit code {done.returncode}", duration, False, done.stderr[-500:])
            return
        expected = undisturbed.tables()
    for name, way in WAYS.items():
        with tempfile.TemporaryDirectory() as folder:
            seconds = rng.uniform(0.4, 0.7) * duration
            yield kill_deployed(f"{name} killed and resumed", way(Path(folder)), seconds, expected)


def run_deployed(deployment: Deployment) -> subprocess.CompletedProcess:
    return run_snakemake(deployment.folder, "--cores", "2", *deployment.arguments, **deployment.variables)


def kill_deployed(name: str, deployment: Deployment, seconds: float, expected: dict[str, bytes]) -> dict:
    begun = time.monotonic()
    command = snakemake_command("--cores", "2", *deployment.arguments)
    process = leave_running(deployment.folder, command, **deployment.variables)
    in_time = not ends_within(process, seconds)
    if in_time:
        kill_group(process)
    there = len(lasting_files(deployment.results))
    done = run_deployed(deployment)
    same = not done.returncode and deployment.tables() == expected
    outcome = f"{there} files were there; {'the same tables' if same else 'other tables'} after the restart"
    trouble = done.stderr[-500:] if done.returncode else "" if in_time else "it had ended before the kill"
    return result(name, outcome, time.monotonic() - begun, same and in_time and there > 0, trouble)


# Other drills -------------------------------------------------------------------


def fault_tests() -> Iterator[dict]:
    """The tests of faults, a row each."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        files = [str(TESTS / "workflow" / name) for name in FAULT_TESTS]
        subprocess.run([sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", *files], cwd=TESTS.parent)
        for case in ElementTree.parse(report).iter("testcase"):
            trouble = next((child for child in case if child.tag in ("failure", "error", "skipped")), None)
            outcome = "as it should" if trouble is None else trouble.tag
            passed = trouble is None or trouble.tag == "skipped"
            name = case.get("name").removeprefix("test_").replace("_", " ")
            details = "" if trouble is None else trouble.get("message", "")[:500]
            yield result(name, outcome, float(case.get("time")), passed, details)


def slurm_drills() -> Iterator[dict]:
    if not shutil.which("slurmctld", path=f"{os.environ['PATH']}:/usr/sbin:/sbin"):
        yield result("SLURM", "skipped", 0, True, "slurmctld is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "slurm.csv"
        done = subprocess.run([sys.executable, str(SLURM_DRILLS), "--out", str(table)], cwd=TESTS.parent)
        if table.exists():
            yield from read_csv(table).fillna("").to_dict("records")
        if done.returncode:
            yield result("SLURM", f"exit code {done.returncode}", 0, False, "what it printed is above")


if __name__ == "__main__":
    main()
