"""A script as a job: its log, its mistakes, what it used."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from graphsieve.jobs.running import repeat_command, results_of, run_columns, write_run_config
from graphsieve.jobs.usage import read_usage
from job_cases import make_job, one_result

TESTS = Path(__file__).parents[1]
PROGRAM = """
import sys
from pathlib import Path
from graphsieve.errors import InputError
from graphsieve.jobs.running import run_job
from job_cases import make_job

def main(job):
    print("from Python")
    import os; os.system("echo from a process")
    if job.params.fails:
        raise InputError("the graph is empty: give it nodes")

run_job(make_job(Path(sys.argv[1]), output={"record": "r.csv"}, params={"fails": len(sys.argv) > 2}), main)
"""


def run(folder: Path, *more: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    command = [sys.executable, "-c", PROGRAM, str(folder), *more]
    return subprocess.run(command, env=environment, text=True, capture_output=True, check=False, cwd=folder)


def test_everything_a_job_prints_is_in_its_log_between_how_to_repeat_it_and_what_it_used(tmp_path):
    result = run(tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    repeat, *said, used = (tmp_path / "test.log").read_text().splitlines()
    assert repeat == "To repeat this job: snakemake --cores 1 --force -- r.csv"
    assert sorted(said) == ["from Python", "from a process"]
    assert used.startswith("used {")
    assert read_usage(tmp_path)["rule"].tolist() == ["test"]


def test_a_mistake_ends_in_one_sentence_in_the_log(tmp_path):
    result = run(tmp_path, "fails")
    assert result.returncode == 1
    lines = (tmp_path / "test.log").read_text().splitlines()
    assert lines[-1] == "error: the graph is empty: give it nodes"
    assert "Traceback" not in "".join(lines)
    assert read_usage(tmp_path).empty


def test_the_command_names_the_config_of_the_run_where_it_was_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_run_config("run: test\n", Path("results/test"))
    job = make_job(tmp_path, output={"record": "results/test/a b.csv"}, threads=4)
    assert shlex.split(repeat_command(job)) == [
        *("snakemake", "--cores", "4", "--force", "--configfile", "results/test/config.yaml"),
        *("--", "results/test/a b.csv"),
    ]


def test_a_run_is_told_by_dataset_model_split_and_seed(tmp_path):
    wildcards = {"dataset": "cora", "model": "gcn", "split": "random", "seed": "3", "scorer": "npt"}
    columns = run_columns(make_job(tmp_path, wildcards=wildcards))
    assert columns == {"dataset": "cora", "model": "gcn", "split": "random", "seed": 3}
    with pytest.raises(KeyError):
        run_columns(make_job(tmp_path, wildcards={"dataset": "cora"}))


def test_a_job_of_several_results_gives_each_its_wildcards_files_and_settings(tmp_path):
    run = {"dataset": "cora", "seed": "0"}
    results = [({**run, "scorer": "npt"}, {"n_repeats": 10}), ({**run, "scorer": "mi"}, {})]
    params = {"results": results, "device": "cpu", "code": "c", "strict": False}
    output = {"record": ["npt.csv", "mi.csv"], "selection": ["npt.k", "mi.k"]}
    job = make_job(tmp_path, output=output, params=params, wildcards=run)
    first, second = results_of(job, lambda wildcards: ["graph", f"scores of {wildcards['scorer']}"])
    assert first.wildcards == {**run, "scorer": "npt"}
    assert first.settings == {"n_repeats": 10, "device": "cpu", "code": "c"}
    assert second.outputs == ("mi.csv", "mi.k")
    assert second.inputs == ("graph", "scores of mi")
    assert not second.strict


def test_a_single_result_has_one_file_of_each_name(tmp_path):
    job = make_job(tmp_path, output={"record": "npt.csv"}, params=one_result({"scorer": "npt"}))
    (only,) = results_of(job, lambda wildcards: [tmp_path / "graph"])
    assert only.outputs == ("npt.csv",)
    assert only.inputs == (str(tmp_path / "graph"),)
