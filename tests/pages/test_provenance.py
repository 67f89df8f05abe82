"""Where a run comes from: the commit of its code, and how long its jobs took."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pandas as pd

from graphsieve.pages import provenance

PROJECT = Path(__file__).parents[2]


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


def test_code_that_git_does_not_track_has_no_commit(tmp_path):
    """Such as a package installed into an environment inside somebody's project."""
    git(tmp_path, "init")
    (tmp_path / "theirs").touch()
    git(tmp_path, "add", "theirs")
    git(tmp_path, "commit", "-m", "first")
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages/ours").touch()
    assert provenance.commit(tmp_path / "packages") == ""


def test_versions_are_those_in_use():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    own, python, *others = provenance.versions().split(", ")
    assert own == f"graphsieve {project['version']}"
    assert python == f"Python {sys.version.split()[0]}"
    assert [text.split()[0] for text in others] == ["torch", "torch_geometric", "snakemake"]


def test_duration_is_summed_over_jobs():
    jobs = pd.DataFrame({"rule": ["train", "score"], "dataset": "cora", "seconds": [600.0, 1200.0]})
    assert provenance.durations(jobs) == "2 measured jobs took 30 min together"
    assert provenance.durations(jobs[:1]) == "1 measured job took 10 min together"
    assert provenance.durations(jobs[:0]) == ""


def test_the_machine_has_cores_and_memory():
    assert provenance.machine().split()[1].startswith("core")
    assert "GiB" in provenance.machine()
