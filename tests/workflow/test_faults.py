"""Faults on purpose: whatever happens, a run goes on or says what to do, and never takes a damaged file for whole."""

import importlib
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from graphsieve.errors import InputError
from job_cases import make_job, one_result
from small_disk import files_below, mounted
from workflow_runs import differences, kill_group, make_project, overlay, snakemake, start_snakemake

SCORES = "results/tiny/scores/digits/gcn/random/seed0/random.csv"
SELECTION = "results/tiny/selection/digits/gcn/random/seed0/random.csv"
RECORD = "results/tiny/retrain/digits/gcn/random/seed0/random.csv"
WEIGHTS = "results/tiny/train/digits/gcn/random/seed0/weights.npz"
GRAPH = "results/tiny/graphs/digits.npz"
RECORDS = "results/tiny/records/one_shot.csv"
RUN = {"dataset": "digits", "model": "gcn", "split": "random", "seed": "0"}
# One scorer without a model and one with it: the shortest way through every stage up to the records.
STUDY = {"one_shot": {"datasets": ["digits"], "scorers": ["random", "pt"]}}


@pytest.fixture(scope="module")
def configs(tmp_path_factory) -> tuple[Path, Path]:
    return overlay(tmp_path_factory.mktemp("configs"), STUDY)


@pytest.fixture(scope="module")
def finished(tmp_path_factory, configs) -> Path:
    """A project in which the study has run undisturbed."""
    project = make_project(tmp_path_factory.mktemp("undisturbed"))
    result = snakemake(project, RECORDS, configs=configs)
    assert result.returncode == 0, result.stdout + result.stderr
    return project


@pytest.fixture
def project(finished, tmp_path) -> Path:
    """A copy of the finished one, to be damaged."""
    shutil.copytree(finished / "results", tmp_path / "results")
    return make_project(tmp_path)


def refusal(name: str, folder: Path, monkeypatch, **parts: dict) -> str:
    """The one sentence with which a script refuses to go on with these inputs and outputs."""
    monkeypatch.chdir(folder)
    script = importlib.import_module(name)
    with pytest.raises(InputError) as refused:
        script.main(make_job(folder, **parts))
    return str(refused.value)


def prepare(dataset: str, folder: Path, monkeypatch, graph: str) -> str:
    return refusal(
        "prepare_graph",
        folder,
        monkeypatch,
        output={"graph": graph, "description": "new.csv"},
        params={"path": None, "normalise": "none"},
        wildcards={"dataset": dataset},
    )


# kill -9 ------------------------------------------------------------------------


def wait_for(process: subprocess.Popen, path: Path) -> None:
    """Until Snakemake has made this file."""
    while not path.exists():
        assert process.poll() is None, "Snakemake has ended without it"
        time.sleep(0.1)


@pytest.mark.long
def test_after_kill_9_a_plain_restart_ends_as_if_nothing_had_happened(finished, configs, tmp_path):
    project, rng = make_project(tmp_path), random.Random(0)
    for _ in range(2):
        process = start_snakemake(project, RECORDS, configs=configs)
        wait_for(process, project / GRAPH)
        time.sleep(rng.uniform(0, 5))
        kill_group(process)
    result = snakemake(project, RECORDS, configs=configs)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "The last run was killed" in result.stderr
    assert not differences(finished / "results", project / "results")


@pytest.mark.long
def test_a_second_snakemake_is_refused_and_does_no_harm(finished, configs, tmp_path):
    project = make_project(tmp_path)
    first = start_snakemake(project, RECORDS, configs=configs)
    wait_for(first, project / GRAPH)
    first.send_signal(signal.SIGSTOP)  # or it may be done before a second one has started, where a machine is busy
    second = snakemake(project, RECORDS, configs=configs)
    first.send_signal(signal.SIGCONT)
    assert second.returncode != 0
    assert f"Process {first.pid} is making this run in this folder" in second.stderr
    assert first.wait() == 0
    assert not differences(finished / "results", project / "results")


def test_a_lock_from_another_machine_is_left_alone_and_explained(configs, tmp_path):
    project = make_project(tmp_path)
    for name, text in {"locks/0.output.lock": f"{RECORDS}\n", "runners/tiny": "elsewhere 4711"}.items():
        path = project / ".snakemake" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    result = snakemake(project, RECORDS, configs=configs)
    assert result.returncode != 0
    assert "Process 4711 on elsewhere started this run" in result.stderr
    assert "snakemake --unlock" in result.stderr
    assert not (project / "results").exists()


# The disk -----------------------------------------------------------------------


def test_a_full_disk_ends_in_a_sentence_and_leaves_nothing(project, monkeypatch):
    with mounted(project / "small", "size=16k"):
        message = prepare("digits", project, monkeypatch, "small/graphs/digits.npz")
        assert "cannot write small/graphs/digits.npz (No space left on device): free some space" in message
        assert not files_below(project / "small")


def test_a_read_only_folder_ends_in_a_sentence(project, monkeypatch):
    with mounted(project / "fixed", "size=16k,ro"):
        message = collect(project, monkeypatch, RECORD, table="fixed/records.csv")
        assert "cannot write fixed/records.csv (Read-only file system): make the folder writable" in message


@pytest.mark.long
def test_a_run_on_a_full_disk_goes_on_when_there_is_room(finished, configs, tmp_path):
    project = make_project(tmp_path)
    with mounted(project / "results", "size=64k"):
        result = snakemake(project, RECORDS, configs=configs)
        assert result.returncode != 0
        assert "free some space and run again" in result.stdout + result.stderr
        assert not (project / GRAPH).exists()
        subprocess.run(["mount", "-o", "remount,size=64m", str(project / "results")], check=True)
        again = snakemake(project, RECORDS, configs=configs)
        assert again.returncode == 0, again.stdout + again.stderr
        assert not differences(finished / "results", project / "results")


def test_a_run_with_read_only_results_stops_at_once(configs, tmp_path):
    project = make_project(tmp_path)
    with mounted(project / "results", "size=64k,ro"):
        result = snakemake(project, RECORDS, configs=configs)
        assert result.returncode != 0
        assert "Read-only file system" in result.stdout + result.stderr


# Files that somebody changed ------------------------------------------------------


def change(path: Path, line: int, new: str | None) -> None:
    """Replace a line (the header is line 0), or drop it."""
    lines = path.read_text().splitlines(keepends=True)
    lines[line : line + 1] = [] if new is None else [new]
    path.write_bytes("".join(lines).encode(errors="surrogateescape"))


FIRST = "0,r0c0,0.5,,,digits,gcn,random,0,random\n"

SCORE_FAULTS = {
    "row 3 has no score": (3, "2,r0c2,,,,digits,gcn,random,0,random\n"),
    "row 3 has the score 'n.a.?'": (3, "2,r0c2,n.a.?,,,digits,gcn,random,0,random\n"),
    "row 3 has feature 3 instead of 2": (3, None),
    "row 2 has feature 0 instead of 1": (1, 2 * FIRST),
    "it has no column score": (0, "feature,name,points,std,loss,dataset,model,split,seed,scorer\n"),
    "row 64 has no": (64, "63,r7c7,0.25\n"),
    "Expected 10 fields": (3, "2,r0c2,0.5,,,digits,gcn,random,0,random,and,more\n"),
    "can't decode": (3, "2,r0c2,0.5,,,dig\udcffits,gcn,random,0,random\n"),
}


@pytest.mark.parametrize(("fault", "edit"), SCORE_FAULTS.items(), ids=list(SCORE_FAULTS))
def test_a_changed_score_file_is_refused(project, monkeypatch, fault, edit):
    change(project / SCORES, *edit)
    message = retrain(project, monkeypatch)
    assert fault in message
    assert f"{SCORES} is not as it was written" in message
    assert "delete it and run again" in message
    assert not (project / "new.csv").exists()


RECORD_FAULTS = {
    "row 1 has the test_accuracy '7.5'": ("test_accuracy", "7.5"),
    "row 1 has the best_epoch 'soon'": ("best_epoch", "soon"),
}


@pytest.mark.parametrize(("fault", "edit"), RECORD_FAULTS.items(), ids=list(RECORD_FAULTS))
def test_a_changed_record_is_refused(project, monkeypatch, fault, edit):
    column, value = edit
    header, row = (line.split(",") for line in (project / RECORD).read_text().splitlines())
    row[header.index(column)] = value
    change(project / RECORD, 1, ",".join(row) + "\n")
    message = collect(project, monkeypatch)
    assert fault in message
    assert RECORD in message


def collect(project: Path, monkeypatch, *paths: str, table: str = "new.csv") -> str:
    """What is said to records of which one is damaged."""
    others = (str(Path(RECORD).with_name("pt.csv")), "results/tiny/train/digits/gcn/random/seed0/record.csv")
    records = paths or (*others, RECORD)
    params = {"sizes": [len(records)], "assign": [{}], "columns": None, "without": []}
    inputs = {"records": records, "earlier": []}
    return refusal("collect", project, monkeypatch, input=inputs, output={"table": table}, params=params)


def test_a_record_without_its_row_or_with_two_is_refused(project, monkeypatch):
    row = (project / RECORD).read_text().splitlines(keepends=True)[1]
    change(project / RECORD, 1, 2 * row)
    assert "row 2 repeats a run" in collect(project, monkeypatch)
    change(project / RECORD, 1, None)
    change(project / RECORD, 1, None)
    assert "it has no rows" in collect(project, monkeypatch)


def test_a_record_without_a_column_is_refused(project, monkeypatch):
    lines = (project / RECORD).read_text().splitlines()
    (project / RECORD).write_text("".join(line.rpartition(",")[0] + "\n" for line in lines))
    assert f"{RECORD} is not as it was written (it has no column test_accuracy)" in collect(project, monkeypatch)


def test_score_files_of_different_lengths_are_refused(project, monkeypatch):
    change(project / SCORES, 64, None)
    other = str(Path(SCORES).with_name("pt.csv"))
    message = collect(project, monkeypatch, other, SCORES)
    assert f"{SCORES} is not as it was written (it has 63 rows where others of its dataset have 64)" in message


def retrain(project: Path, monkeypatch) -> str:
    settings = {"keeping": {"keep": 0.1, "ties": "loss"}, "training": {"epochs": 1, "hidden": 4}}
    return refusal(
        "retrain",
        project,
        monkeypatch,
        input={"graph": GRAPH, "scores_random": SCORES, "weights": []},
        output={"record": "new.csv", "selection": "chosen.csv"},
        params=one_result({**RUN, "scorer": "random"}, **settings, selection={}, scored_model="last"),
    )


def test_scores_that_do_not_fit_their_graph_are_refused(project, monkeypatch):
    change(project / SCORES, 64, None)
    assert f"{SCORES} is not as it was written (it has 63 rows for 64 features)" in retrain(project, monkeypatch)


def overwrite(path: Path, position: int) -> None:
    content = bytearray(path.read_bytes())
    content[position] ^= 255
    path.write_bytes(content)


def cut(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])


@pytest.mark.parametrize("damage", [overwrite, cut])
@pytest.mark.parametrize("name", [GRAPH, WEIGHTS])
def test_a_damaged_archive_is_refused(project, monkeypatch, name, damage):
    damage(project / name, (project / name).stat().st_size // 2)
    message = refusal(
        "score",
        project,
        monkeypatch,
        input={"graph": GRAPH, "mlp": WEIGHTS},
        output={"scores": "new.csv"},
        params=one_result({**RUN, "scorer": "pt"}, scoring={}),
    )
    assert f"{name} is not a readable .npz file" in message
    assert "delete it and run again" in message
    assert not (project / "new.csv").exists()


@pytest.mark.long
def test_a_changed_file_stops_the_run_until_it_is_deleted(project, finished, configs):
    change(project / SCORES, 3, None)
    stopped = snakemake(project, RECORDS, configs=configs)
    assert stopped.returncode != 0
    assert f"{SCORES} is not as it was written" in stopped.stdout + stopped.stderr
    (project / SCORES).unlink()
    again = snakemake(project, RECORDS, SELECTION, SCORES, configs=configs)
    assert again.returncode == 0, again.stdout + again.stderr
    assert not differences(finished / "results", project / "results")


# Raw files ------------------------------------------------------------------------


@pytest.mark.parametrize("damage", [overwrite, cut])
@pytest.mark.skipif("GRAPHSIEVE_MIRROR" not in os.environ, reason="needs the real graphs: set GRAPHSIEVE_MIRROR")
def test_a_damaged_raw_file_of_a_mirror_is_refused(damage, tmp_path, monkeypatch):
    found = next(Path(os.environ["GRAPHSIEVE_MIRROR"]).rglob("texas"))
    place = found.relative_to(os.environ["GRAPHSIEVE_MIRROR"])
    shutil.copytree(found, tmp_path / "mirror" / place)
    raw = next(path for path in sorted((tmp_path / "mirror").rglob("*")) if path.is_file() and path.stat().st_size > 99)
    raw.chmod(0o644)
    damage(raw, raw.stat().st_size // 2)
    monkeypatch.setenv("GRAPHSIEVE_MIRROR", str(tmp_path / "mirror"))
    project = make_project(tmp_path)
    message = prepare("texas", project, monkeypatch, "texas.npz")
    assert str(raw) in message
    assert "sha256 is" in message
    assert "was expected: replace it in the mirror by the original" in message
    assert not (project / "texas.npz").exists()
