"""What to ask of a cluster, from what was measured or else from the size of the graph."""

from pathlib import Path

import pandas as pd
import pytest
from measure_resources import updated

from graphsieve.jobs.resources import memory_mb, minutes, read_measured, size_of
from graphsieve.study import cost

ROOT = Path(__file__).parents[2]
TABLE = pd.read_csv(ROOT / "workflow/measured.csv", keep_default_na=False)
SIZES = pd.read_csv(ROOT / "config/published/table5_datasets.csv")
COMPUTING = list(TABLE[TABLE["rule"].isin(cost.STUDY_OF_RULE) & (TABLE["dataset"] != "")].itertuples())


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
