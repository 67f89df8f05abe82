"""The workflow on a real SLURM of one node, and what a whole run would ask of a cluster."""

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml
from runs import CONFIG, HERE, PROJECT, RECORDS, TABLE, TRAINED, finish, make_project, run, start

# What a partition of 2 hours, 32 GiB and one GPU cannot give, because the graph is large; config/README.md says so.
BEYOND_THE_PARTITION = {"arxiv"}
PARTITION = {"minutes": 120, "mem_mb": 32 * 1024, "gpus": 1}
SUBMITTED = {"train", "score", "retrain", "perturb", "adaptive"}
SUBMITTED |= {"score_regime", "measure_motivation", "check_bounds", "apply_bounds"}


def results(project: Path) -> dict[str, bytes]:
    """Every table of a run, but for logs and times."""
    folder = project / "results/tiny"
    skipped = ("logs", "benchmarks")
    paths = [path for path in folder.rglob("*.csv") if path.relative_to(folder).parts[0] not in skipped]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@pytest.mark.long
def test_a_study_on_the_cluster_gives_the_bytes_of_a_local_run(cluster, tmp_path):
    local, remote = make_project(tmp_path / "local"), make_project(tmp_path / "remote")
    known = len(cluster.jobs())
    runs = [start(local, None, TABLE, RECORDS), start(remote, cluster, TABLE, RECORDS)]
    for process, project in zip(runs, (local, remote), strict=True):
        code, output = finish(process, project)
        assert code == 0, output
    expected, found = results(local), results(remote)
    assert {RECORDS, TABLE} <= {f"results/tiny/{name}" for name in found}
    assert set(found) == set(expected)
    assert [name for name in expected if found[name] != expected[name]] == []
    submitted = cluster.jobs()[known:]
    assert [job["JobState"] for job in submitted] == ["COMPLETED"] * 2  # the training; scores, selections, retrainings
    assert {job["Partition"] for job in submitted} == {"cpu"}


@pytest.mark.long
def test_a_job_with_a_gpu_is_scheduled_against_it_and_fails_clearly_when_it_is_not_there(cluster, tmp_path):
    project = make_project(tmp_path / "project")
    config = tmp_path / "cuda.yaml"
    config.write_text(yaml.safe_dump({**yaml.safe_load(CONFIG.read_text()), "device": "cuda"}))
    known = len(cluster.jobs())
    code, output = run(project, cluster, TRAINED, "--retries", 0, config=config)
    assert code != 0
    log = project / "results/tiny/logs/train/digits/gcn/random/seed0.log"
    assert "device 'cuda' was asked for but torch finds no GPU" in log.read_text()
    assert str(log.relative_to(project)) in output
    assert "Failed: train" in output
    assert "Run again to go on" in output
    assert not (project / TRAINED).exists()
    (job,) = cluster.jobs()[known:]
    assert (job["JobState"], job["Partition"]) == ("FAILED", "gpu")
    assert job["TresPerJob"] == "gres:gpu:1"
    asked = re.search(r"mem_mb=(\d+),.* runtime=(\d+), gpu=1", output)
    assert (job["NumCPUs"], job["MinMemoryNode"]) == ("1", f"{asked[1]}M")
    assert job["TimeLimit"] == f"00:{int(asked[2]):02d}:00"


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_the_paper_asks_for_nothing_that_a_modest_partition_cannot_give(device, tmp_path):
    """With fewer seeds, for speed: a submission takes so many jobs and no more, however many there are."""
    project = make_project(tmp_path / "project")
    (project / "fewer.yaml").write_text(yaml.safe_dump({"adaptive": {"seeds": 5}, "public_splits": {"seeds": 5}}))
    command = [sys.executable, HERE / "count_submissions.py", "config/paper.yaml", "fewer.yaml", "--device", device]
    result = subprocess.run(
        [*command, "--out", "submissions.csv"], cwd=project, text=True, capture_output=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    table = pd.read_csv(project / "submissions.csv", keep_default_na=False)
    assert {rule for rules in table["rules"] for rule in rules.split()} == SUBMITTED
    too_large = table[(table[list(PARTITION)] > pd.Series(PARTITION)).any(axis=1)]
    assert {name for names in too_large["datasets"] for name in names.split()} <= BEYOND_THE_PARTITION
    assert set(table["gpus"]) == ({0} if device == "cpu" else {0, 1})
    shared = table[table["name"].str.contains("_small|_medium")]
    assert len(shared) < shared["jobs"].sum() / 2
    assert table["work_seconds"].median() > 60


def test_the_readme_names_what_a_modest_partition_cannot_give():
    section = (PROJECT / "config/README.md").read_text().split("## On a cluster")[1]
    assert all(f"`{dataset}`" in section for dataset in BEYOND_THE_PARTITION)
