"""Faults of a cluster, one after another, on a real SLURM: does the run end right, or say what failed?

    python tests/slurm/drills.py --out drills.csv

A tiny study is run once undisturbed. Then each drill strikes the same study while its training runs on the cluster, and
compares what comes out byte by byte.
"""

import argparse
import csv
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from cluster import Cluster, missing_programs
from runs import RECORDS, finish, make_project, run, start

GRAPH = "results/tiny/graphs/digits.npz"
COLUMNS = ("drill", "outcome", "seconds", "passed", "details")


def wait_for(what: str, ready: Callable, seconds: float = 300) -> object:
    """What `ready` returns as soon as it is something."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := ready():
            return found
        time.sleep(0.3)
    raise TimeoutError(f"{what} did not happen within {seconds:.0f} s")


def training_job(cluster: Cluster) -> str:
    """The first job of this drill, once it runs."""
    return wait_for("a running job", lambda: [job["JobId"] for job in cluster.jobs() if job["JobState"] == "RUNNING"])[
        0
    ]


def is_training(words: list[bytes]) -> bool:
    """Snakemake starts a copy of the script whose name ends in the script's own."""
    return b"python" in words[0] and any(word.endswith(b".train.py") for word in words[1:])


def training_process(project: Path) -> int:
    """The training inside the job, found by its folder."""

    def find() -> int | None:
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
                if is_training(words) and (process / "cwd").resolve() == project:
                    return int(process.name)
            except OSError:  # gone meanwhile
                continue
        return None

    return wait_for("a training", find)


def cancel(cluster: Cluster, project: Path) -> None:
    cluster.run("scancel", training_job(cluster))


def hang(cluster: Cluster, project: Path) -> None:
    """A training that stands still until its time is over."""
    os.kill(training_process(project), signal.SIGSTOP)


def nothing(cluster: Cluster, project: Path) -> None:
    """What is asked for on the first attempt is the fault."""


def restart_node(cluster: Cluster, project: Path) -> None:
    training_process(project)
    cluster.kill("slurmd", signal.SIGKILL)
    time.sleep(5)
    cluster.start_slurmd()


def lose_node(cluster: Cluster, project: Path) -> None:
    """SLURM gives the node up, and starts its job again when the node is back."""
    training_process(project)
    cluster.lose_node()
    cluster.wait_for_node("down", seconds=120)
    cluster.start_slurmd()


def kill_member(cluster: Cluster, project: Path) -> None:
    """One training of the two that share a submission dies."""
    os.kill(training_process(project), signal.SIGKILL)


def restart_controller(cluster: Cluster, project: Path) -> None:
    training_process(project)
    cluster.kill("slurmctld")
    time.sleep(15)
    cluster.start_slurmctld(clean=False)


DRILLS = {
    "scancel of a running job": (cancel, []),
    "a job over its time limit": (hang, ["--set-resources", "train:runtime=1 if attempt == 1 else 10"]),
    "a job over its memory": (nothing, ["--set-resources", "train:mem_mb=250 if attempt == 1 else 2000"]),
    "slurmd killed and started again": (restart_node, []),
    "slurmctld restarted": (restart_controller, []),
    "a node lost under a running job": (lose_node, []),
    "one member of a group killed": (kill_member, []),
}


def drill(name: str, cluster: Cluster, project: Path, expected: bytes) -> dict[str, object]:
    """Strike, wait for the end, and judge it: the same bytes, or a failure that names the job and its log."""
    strike, arguments = DRILLS[name]
    begun = time.monotonic()
    known = len(cluster.jobs())
    process = start(project, cluster, RECORDS, *arguments)
    try:
        strike(cluster, project)
        code, output = finish(process, project, seconds=900)
    except (TimeoutError, subprocess.TimeoutExpired) as error:
        return row(name, f"stopped: {error}", begun, False, "")
    finally:
        process.kill()
    states = [job["JobState"] for job in cluster.jobs()[known:]]
    records = project / RECORDS
    if code == 0:
        same = records.read_bytes() == expected
        outcome = "completed, records identical" if same else "completed, records differ"
        return row(name, outcome, begun, same, "jobs: " + " ".join(states))
    named = "Failed: train" in output and "logs/train/digits/gcn/random/seed0.log" in output and "Run again" in output
    outcome = "failed, job and log named" if named else "failed without saying which job"
    return row(name, outcome, begun, named and not records.exists(), "jobs: " + " ".join(states))


def row(name: str, outcome: str, begun: float, passed: bool, details: str) -> dict[str, object]:
    values = (name, outcome, round(time.monotonic() - begun), passed, details)
    return dict(zip(COLUMNS, values, strict=True))


def append(path: Path, result: dict[str, object]) -> None:
    new = not path.exists()
    with open(path, "a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if new:
            writer.writeheader()
        writer.writerow(result)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="table to append the outcomes to")
    parser.add_argument("--only", help="drills whose name contains this")
    arguments = parser.parse_args()
    if missing := missing_programs():
        sys.exit(f"missing {', '.join(missing)}: apt-get install slurmctld slurmd slurm-client munge")
    passed = True
    with tempfile.TemporaryDirectory(prefix="graphsieve_drills_") as folder:
        place = Path(folder).resolve()
        place.chmod(0o755)
        undisturbed = make_project(place / "undisturbed")
        code, output = run(undisturbed, None, RECORDS)
        if code:
            sys.exit(f"the undisturbed run failed:\n{output}")
        for number, name in enumerate(name for name in DRILLS if (arguments.only or "") in name):
            project = make_project(place / f"drill{number}")
            (project / GRAPH).parent.mkdir(parents=True)
            shutil.copy2(undisturbed / GRAPH, project / GRAPH)
            with Cluster(place / f"cluster{number}") as cluster:
                result = drill(name, cluster, project, (undisturbed / RECORDS).read_bytes())
            append(arguments.out, result)
            print(f"{name}: {result['outcome']} ({result['seconds']} s; {result['details']})", flush=True)
            passed &= bool(result["passed"])
    sys.exit(not passed)


if __name__ == "__main__":
    main()
