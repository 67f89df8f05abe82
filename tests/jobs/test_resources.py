import os
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from graphsieve.jobs.resources import memory_mb, minutes, read_measured, size_of
from graphsieve.jobs.usage import USAGE, read_benchmarks, summarise_benchmarks
from graphsieve.study.cost import STUDY_OF_RULE
from measure_resources import updated

ROOT = Path(__file__).parents[2]
TABLE = pd.read_csv(ROOT / "workflow/measured.csv", keep_default_na=False)
SIZES = pd.read_csv(ROOT / "config/published/table5_datasets.csv")
COMPUTING = list(TABLE[TABLE["rule"].isin(STUDY_OF_RULE) & (TABLE["dataset"] != "")].itertuples())
HEADER = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"


def write_benchmark(path, seconds, rss, cpu):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{HEADER}{seconds}\t0:00:00\t{rss}\t-\t-\t-\t-\t-\t-\t{cpu}\n")


@pytest.fixture
def jobs(tmp_path):
    write_benchmark(tmp_path / "train/cora/gcn/random/seed0.tsv", 20, 600, 24.5)
    write_benchmark(tmp_path / "train/cora/gcn/random/seed1.tsv", 10, 500, 14.5)
    write_benchmark(tmp_path / "score/cora/gcn/random/seed0/npt.tsv", 5, 700, 6.5)
    write_benchmark(tmp_path / "score/cora/gcn/random/seed0/mi.tsv", 5, 700, 6.5)
    write_benchmark(tmp_path / "retrain/cora/gcn/random/seed0/npt.tsv", 9, "-", 9)
    for settings in ("prune0.5_repeats10", "prune0.5_repeats20"):
        write_benchmark(tmp_path / f"adaptive/cora/gcn/random/npt/{settings}/seed0.tsv", 9, 700, 14.5)
    write_benchmark(tmp_path / "adaptive/cora/gcn/random/mi/prune0.5_repeats10/seed0.tsv", 9, 700, 14.5)
    write_benchmark(tmp_path / "adaptive/cora/gcn/public/npt/prune0.5_repeats10/seed0.tsv", 9, 700, 14.5)
    write_benchmark(tmp_path / "check_bounds.tsv", 9, 300, 36)
    write_benchmark(tmp_path / "render_notebook/claims.tsv", 4, 300, 5)
    return read_benchmarks(tmp_path)


def test_a_program_says_more_than_snakemake_saw(tmp_path):
    """Of a job of 45 seconds Snakemake last looks after 15; one that does not say counts as busy all the time."""
    for name in ("said", "silent", "other"):
        write_benchmark(tmp_path / f"benchmarks/train/cora/{name}.tsv", 45, 300, 14.5)
    (tmp_path / "logs/train/cora").mkdir(parents=True)
    (tmp_path / "logs/train/cora/said.log").write_text("epochs: 100%\nused 43.2 s of CPU and 612 MiB of memory\n")
    (tmp_path / "logs/train/cora/other.log").write_text("Executing notebook\n")
    jobs = read_benchmarks(tmp_path / "benchmarks").set_index("job")
    assert jobs.loc["said", ["seconds", "cpu_seconds", "max_rss_mb"]].tolist() == [45, 43.2, 612]
    assert jobs.loc["silent", "cpu_seconds"] == jobs.loc["other", "cpu_seconds"] == 45


def test_what_a_program_used_is_what_the_system_counts():
    work = "x = bytearray(300 * 2**20); sum(range(10**7))"
    code = f"{work}; from graphsieve.jobs.usage import usage_sentence; print(usage_sentence())"
    folder = {"PYTHONPATH": str(ROOT / "scripts"), "PATH": os.environ["PATH"]}
    said = subprocess.run([sys.executable, "-c", code], env=folder, capture_output=True, text=True, check=True).stdout
    used = USAGE.match(said.strip())
    before = time.process_time()
    sum(range(10**7))
    assert float(used["cpu_seconds"]) > 0.5 * (time.process_time() - before)
    assert 300 < float(used["max_rss_mb"]) < 700


def test_the_usual_time_and_the_most_memory_of_every_rule_and_dataset_are_kept(jobs):
    table = summarise_benchmarks(jobs).set_index(["rule", "dataset"])
    assert table.loc[("train", "cora")].tolist() == [15, 24.5, 600, 2]
    assert table.loc[("check_bounds", "")].tolist() == [9, 36, 300, 1]
    assert pd.isna(table.loc[("retrain", "cora"), "max_rss_mb"])


def test_the_table_of_measurements_keeps_what_these_runs_did_not_have(tmp_path):
    before = pd.DataFrame({"rule": ["train", "score"], "dataset": ["cora", ""], "seconds": [1.0, 2.0]})
    before.to_csv(tmp_path / "measured.csv", index=False)
    new = pd.DataFrame({"rule": ["train", "train"], "dataset": ["cora", "texas"], "seconds": [3.0, 4.0]})
    table = updated(tmp_path / "measured.csv", new)
    assert table.to_numpy().tolist() == [["score", "", 2.0], ["train", "cora", 3.0], ["train", "texas", 4.0]]
    assert len(updated(tmp_path / "none.csv", new)) == 2


@pytest.mark.parametrize("row", COMPUTING, ids=lambda row: f"{row.rule}-{row.dataset}")
def test_requests_cover_what_was_measured_and_waste_little(row):
    known, size = read_measured(TABLE)[row.rule, row.dataset], size_of(row.dataset, SIZES)
    asked = memory_mb(known, size, 1), minutes(known, size, row.epochs, 1)
    assert 1.4 * row.max_rss_mb < asked[0] < 3 * row.max_rss_mb + 500
    assert 2 * row.cpu_seconds / 60 < asked[1] < 4 * row.cpu_seconds / 60 + 6


@pytest.mark.parametrize("row", COMPUTING, ids=lambda row: f"{row.rule}-{row.dataset}")
def test_a_guess_from_the_size_would_have_been_enough_too(row):
    size = size_of(row.dataset, SIZES)
    assert memory_mb(None, size, 1) > row.max_rss_mb
    assert minutes(None, size, row.epochs, 1) > row.cpu_seconds / 60


def test_a_second_attempt_and_more_epochs_ask_for_more():
    known, size = read_measured(TABLE)["train", "digits"], size_of("digits", SIZES)
    assert memory_mb(known, size, 2) == 2 * memory_mb(known, size, 1)
    assert minutes(known, size, 150, 2) == 2 * minutes(known, size, 150, 1)
    assert minutes(known, size, 15_000, 1) > 5 * minutes(known, size, 150, 1)
    assert minutes(known, size, 15, 1) == minutes(known, size, 150, 1)
