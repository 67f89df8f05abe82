"""Whole runs of a tiny study, on the test cluster and on this machine."""

import os
import subprocess
import sys
from pathlib import Path

from cluster import Cluster

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from workflow_runs import PROJECT, make_project  # noqa: E402, F401 (drills.py is also run by itself)

CONFIG = HERE / "one_shot.yaml"
RECORDS = "results/tiny/records/one_shot.csv"
TABLE = "results/tiny/tables/table2_feature_selection.csv"
TRAINED = "results/tiny/train/digits/gcn/random/seed0/record.csv"
ON_SLURM = ["--profile", "profiles/slurm", "--slurm-partition-config", HERE / "partitions.yaml"]
ON_SLURM += ["--slurm-init-seconds-before-status-checks", 4, "--latency-wait", 10]


def start(project: Path, cluster: Cluster | None, *arguments: object, config: Path = CONFIG) -> subprocess.Popen:
    """Snakemake, submitting to the cluster or, without one, running here; what it says goes to run.log."""
    environment = cluster.environment if cluster else dict(os.environ)
    environment = {**environment, "PATH": f"{Path(sys.executable).parent}:{environment['PATH']}"}
    where = ON_SLURM if cluster else ["--cores", 2]
    command = [sys.executable, "-m", "snakemake", *where, *arguments, "--configfile", config]
    with open(project / "run.log", "w") as log:
        return subprocess.Popen(
            [str(word) for word in command], cwd=project, env=environment, stdout=log, stderr=subprocess.STDOUT
        )


def finish(process: subprocess.Popen, project: Path, seconds: float = 600) -> tuple[int, str]:
    """Exit code and output; a run that hangs is interrupted, which also cancels its jobs."""
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.wait(timeout=60)
        raise
    return process.returncode, (project / "run.log").read_text()


def run(project: Path, cluster: Cluster | None, *arguments: object, config: Path = CONFIG) -> tuple[int, str]:
    return finish(start(project, cluster, *arguments, config=config), project)
