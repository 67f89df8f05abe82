"""What the project publishes under results/paper/: the tables follow from the records, the text from the tables."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from document_reproduction import with_results
from publish import LARGEST_MIB

from graphsieve.study import claims
from graphsieve.study.adaptive_accuracy import choose_intervals
from workflow_runs import jobs, make_project, snakemake

PROJECT = Path(__file__).parents[1]
PAPER = PROJECT / "results/paper"
pytestmark = pytest.mark.skipif(not PAPER.exists(), reason="no published results in this checkout")


def read(name):
    return pd.read_csv(PAPER / name)


def means_and_deviations(records, by):
    """By hand, not by the code that made the tables."""
    groups = {}
    for row in records.to_dict("records"):
        groups.setdefault(tuple(row[name] for name in by), []).append(100 * row["test_accuracy"])
    return {
        key: (np.mean(values), np.std(values, ddof=1) if len(values) > 1 else np.nan) for key, values in groups.items()
    }


def assert_follows(table, records, by):
    expected = means_and_deviations(records, by)
    assert len(table) == len(expected)
    for row in table.to_dict("records"):
        found = (row["accuracy_mean"], row["accuracy_std"])
        np.testing.assert_allclose(found, expected[tuple(row[name] for name in by)], atol=6e-5)


@pytest.mark.parametrize(
    ("table", "records", "row"),
    [("table1_perturbations", "perturbations", "setting"), ("table2_feature_selection", "one_shot", "scorer")],
)
def test_accuracy_tables_follow_from_the_records(table, records, row):
    assert_follows(read(f"tables/{table}.csv"), read(f"records/{records}.csv"), [row, "dataset"])


def test_table_3_follows_from_the_records():
    published = pd.read_csv(PROJECT / "config/published/table3_adaptive_selection.csv")
    percents = sorted(published["retained_percent"].unique(), reverse=True)
    chosen = choose_intervals(read("records/adaptive_checkpoints.csv.gz"), percents)
    assert_follows(read("tables/table3_adaptive_selection.csv"), chosen, ["retained_percent", "scorer", "dataset"])


def test_table_4_follows_from_the_records():
    scores = read("records/correlated_scores.csv.gz")
    means = scores.pivot_table(index=["dataset", "feature"], columns="scorer", values="score")
    for row in read("tables/table4_score_correlation.csv").to_dict("records"):
        columns = means.loc[row["dataset"], ["npt", row["scorer"]]].to_numpy().T
        assert row["pearson_r"] == pytest.approx(np.corrcoef(*columns)[0, 1], abs=6e-5)


def test_table_5_follows_from_the_records():
    columns = ["dataset", "nodes", "edges", "features", "classes"]
    records = read("records/datasets.csv").set_index("dataset")[columns[1:]]
    table = read("tables/table5_datasets.csv").set_index("dataset")[columns[1:]]
    pd.testing.assert_frame_equal(table.sort_index(), records.loc[table.index].sort_index())


def test_claims_follow_from_the_records():
    judged = claims.judge_best(claims.compare_with_npt(read("records/one_shot.csv"), claims.BASELINES))
    pd.testing.assert_frame_equal(read("tables/claims_best_one_shot.csv"), judged.round(4), check_dtype=False)


def test_a_run_that_starts_from_the_records_has_nothing_to_train_or_score(tmp_path):
    """So the records are complete, and whoever adds a scorer, as README shows, computes that scorer alone."""
    project = make_project(tmp_path)
    (beside,) = re.findall(r"^```yaml\n(# beside.yaml\n.*?)^```$", (PROJECT / "README.md").read_text(), re.M | re.S)
    settings = {**yaml.safe_load(beside), "start_from": str(PAPER)}
    del settings["one_shot"]  # its new scorer is not one of ours
    (tmp_path / "beside.yaml").write_text(yaml.safe_dump(settings))
    configs = [PROJECT / "config/paper.yaml", PROJECT / "config/published_run.yaml", tmp_path / "beside.yaml"]
    result = snakemake(project, "--dry-run", configs=tuple(configs))
    said = result.stdout + result.stderr
    assert result.returncode == 0, said
    # Of arxiv, which those records lack, some checksums were not known then.
    assert "has arxiv, cornell from other raw files than there are today" in said
    computing = r"^(?:local)?rule (prepare_graph|train|score|retrain|perturb|adaptive|apply_bounds):.*?dataset=(\w+)"
    made = re.findall(computing, said, re.M | re.S)
    assert {dataset for _, dataset in made} == {"cornell"}  # all others are carried on
    new = jobs(project, configs=tuple(configs))
    assert {"tabulate_selection", "tabulate_adaptive", "judge_claims", "build_index"} <= set(new)


def test_the_text_says_what_the_tables_say():
    page = (PROJECT / "REPRODUCTION.md").read_text()
    written = with_results(page, PAPER / "tables", PROJECT / "config/published")
    assert written == page, "run: python scripts/maintain/document_reproduction.py"


def test_the_text_is_short():
    """As `wc -w` counts, tables included."""
    assert len((PROJECT / "REPRODUCTION.md").read_text().split()) <= 2500


def test_what_is_published_is_complete_and_small():
    tracked = subprocess.run(["git", "ls-files", "results"], cwd=PROJECT, capture_output=True, text=True).stdout
    files = [PROJECT / name for name in tracked.splitlines()] or [path for path in PAPER.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files if path.exists()) < LARGEST_MIB * 2**20
    for name in ("index.html", "notebooks/claims.html", "notebooks/cost.html", "figures/fig02_training_curves.png"):
        assert (PAPER / name).exists()
    assert len(list(PAPER.glob("notebooks/*.html"))) >= 17
