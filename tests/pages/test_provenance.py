"""Where a run comes from: the commit of its code, and how long its jobs took."""

import os
import subprocess
import time
from pathlib import Path

from graphsieve.pages import provenance


def git(folder: Path, *words: str) -> str:
    name = ("-c", "user.name=a", "-c", "user.email=a@b")
    result = subprocess.run(["git", "-C", folder, *name, *words], capture_output=True, text=True, check=True)
    return result.stdout.strip()


def test_the_commit_says_whether_the_code_was_modified(tmp_path):
    assert provenance.commit(tmp_path) == ""
    git(tmp_path, "init")
    (tmp_path / "code").write_text("1")
    git(tmp_path, "add", "code")
    git(tmp_path, "commit", "-m", "first")
    head = git(tmp_path, "rev-parse", "HEAD")
    assert provenance.commit(tmp_path) == head
    (tmp_path / "code").write_text("2")
    assert provenance.commit(tmp_path) == f"{head}, modified"


def test_without_git_there_is_no_commit(monkeypatch):
    monkeypatch.setattr(provenance.shutil, "which", lambda name: None)
    assert provenance.commit() == ""
    assert provenance.gpus() == "no GPU"


def test_versions_are_those_in_use():
    assert "graphsieve 0.1.0, Python 3." in provenance.versions()
    assert ", torch " in provenance.versions()
    assert "snakemake 9." in provenance.versions()


def test_duration_is_summed_over_jobs_and_counted_from_the_first(tmp_path):
    header = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"
    for name, seconds, age in (("train/cora/a", 600, 3600), ("score/cora/a", 1200, 60)):
        file = tmp_path / f"{name}.tsv"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{header}{seconds}\t-\t500\t-\t-\t-\t-\t-\t-\t10\n")
        os.utime(file, (time.time() - age, time.time() - age))
    (tmp_path / "score/cora/killed.tsv").touch()
    text = provenance.durations(tmp_path)
    assert text.startswith("2 measured jobs took 30 min together")
    assert "it was 70 min" in text  # the first of them began ten minutes before its file was written
    assert provenance.durations(tmp_path / "nowhere") == ""


def test_the_machine_has_cores_and_memory():
    assert provenance.machine().split()[1].startswith("core")
    assert "GiB" in provenance.machine()
