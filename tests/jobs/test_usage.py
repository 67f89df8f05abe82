"""What jobs say they used, and the table that is read from their logs."""

import json
import os
import subprocess
import sys
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


def test_a_job_of_several_results_has_a_row_for_each_and_only_the_newest_counts(tmp_path):
    scores = [{"rule": "score", "dataset": "cora", "scorer": name, "seed": "0"} for name in ("npt", "mi", "tfi")]
    write_log(tmp_path, "score/mi", **scores[1], seconds=9.0, cpu_seconds=9.0, start_seconds=3.0, max_rss_mb=1)
    os.utime(tmp_path / "score/mi.log", (1, 1))
    rows = [{**row, "seconds": 1.0, "cpu_seconds": 2.0, "max_rss_mb": 5, "start_seconds": 0.0} for row in scores]
    (tmp_path / "bundle.log").write_text("said\n" + "\n".join(map(usage_line, rows)) + "\n")
    jobs = read_usage(tmp_path)
    assert jobs["scorer"].tolist() == ["npt", "mi", "tfi"]
    assert jobs["cpu_seconds"].tolist() == [2.0, 2.0, 2.0]


def test_what_a_program_used_is_what_the_system_counts():
    """Starting is in the first row alone, and the rows together are the whole; this test's own memory is not in it."""
    held_by_the_starter = b"x" * (1000 * 2**20)
    code = """
import time
from graphsieve.jobs.usage import Meter, usage_line
sum(range(10**7))
meter = Meter(); started = time.process_time()
x = bytearray(300 * 2**20); sum(range(10**7))
worked = time.process_time() - started
print(usage_line(meter.read('train', {'seed': '1'})))
sum(range(10**7))
print(usage_line(meter.read('train', {'seed': '2'})))
print(time.process_time())
print(worked)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()
    del held_by_the_starter
    first, second = (json.loads(line.removeprefix(MARK)) for line in said[:2])
    assert (first["rule"], first["seed"], second["seed"]) == ("train", "1", "2")
    assert 0 < first["start_seconds"] < first["cpu_seconds"]
    assert second["start_seconds"] == 0 < second["cpu_seconds"]
    assert first["cpu_seconds"] + second["cpu_seconds"] <= float(said[2]) + 0.02
    assert first["cpu_seconds"] - first["start_seconds"] >= float(said[3]) - 0.02
    assert 300 < first["max_rss_mb"] < 900


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
