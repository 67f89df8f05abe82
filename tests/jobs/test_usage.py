"""What jobs say they used, and the table that is read from their logs."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd

from graphsieve.jobs.usage import MARK, read_usage, summarise_usage, usage_line


def write_log(folder: Path, name: str, **said) -> None:
    path = folder / f"{name}.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"epochs: 100%\n{MARK}{json.dumps(said)}\n")


def test_one_row_per_finished_job_with_its_wildcards(tmp_path):
    train = {"rule": "train", "dataset": "cora", "model": "gcn", "split": "random", "seed": "0"}
    write_log(tmp_path, "train/a", **train, seconds=20.0, cpu_seconds=24.5, max_rss_mb=600)
    write_log(tmp_path, "check_bounds", rule="check_bounds", seconds=9.0, cpu_seconds=36.0, max_rss_mb=300)
    (tmp_path / "failed.log").write_text("error: no such file\n")
    (tmp_path / "empty.log").touch()
    (tmp_path / "cut.log").write_text('used {"rule": "tra')
    jobs = read_usage(tmp_path).set_index("rule")
    assert jobs.index.tolist() == ["check_bounds", "train"]
    assert jobs.loc["train", ["dataset", "model", "seed", "scorer", "seconds"]].tolist() == ["cora", "gcn", "0", "", 20]
    assert jobs.loc["check_bounds", "dataset"] == ""


def test_what_a_program_used_is_what_the_system_counts():
    work = "x = bytearray(300 * 2**20); sum(range(10**7))"
    code = f"{work}; from graphsieve.jobs.usage import usage_line; print(usage_line('train', {{'seed': '1'}}, 2.5))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    used = json.loads(said.removeprefix(MARK))
    assert (used["rule"], used["seed"], used["seconds"]) == ("train", "1", 2.5)
    before = time.process_time()
    sum(range(10**7))
    assert used["cpu_seconds"] > 0.5 * (time.process_time() - before)
    assert 300 < used["max_rss_mb"] < 900
    assert usage_line("train", {}, 0.0).startswith(MARK)


def test_the_usual_time_and_the_most_memory_of_every_rule_and_dataset_are_kept():
    jobs = pd.DataFrame(
        {
            "rule": "train",
            "dataset": ["cora"] * 2,
            "seconds": [20, 10],
            "cpu_seconds": [24.5, 14.5],
            "max_rss_mb": [600, 500],
        }
    )
    assert summarise_usage(jobs).to_numpy().tolist() == [["train", "cora", 15.0, 24.5, 600, 2]]
