"""A run that starts from another's records, on tables written by hand; tests/workflow does it with Snakemake."""

import json

import pandas as pd
import pytest

from graphsieve.errors import InputError
from graphsieve.files.start_from import EarlierRun, settings_of, with_earlier

CONFIG = {
    "training": {"hidden": 512},
    "scoring": {"n_repeats": 10},
    "selection": {"retrain": "scratch"},
    "pruning": {"rule": "fraction"},
    "datasets": {"cora": {"model": "gcn", "path": None, "seeds": None}},
    "one_shot": {"seeds": 5},
    "perturbations": {"seeds": 5, "random_graph": "exact"},
    "suspects": {"hypotheses": {"best": {"says": "Best.", "scoring": {"scored_model": "best"}}}},
}


@pytest.fixture
def folder(tmp_path):
    records = tmp_path / "paper/records"
    records.mkdir(parents=True)
    (records / "settings.json").write_text(json.dumps(settings_of(CONFIG, {"cora": "1234"})))
    columns = ["dataset", "model", "split", "seed", "scorer", "best_epoch", "val_accuracy", "test_accuracy"]
    rows = [["cora", "gcn", "random", seed, "npt", 7, 0.5, 0.5] for seed in (0, 1)]
    pd.DataFrame(rows, columns=columns).to_csv(records / "one_shot.csv", index=False)
    return tmp_path / "paper"


def test_it_knows_its_runs_whatever_else_tells_them_apart_elsewhere(folder):
    earlier = EarlierRun(folder, "results/new")
    run = {"dataset": "cora", "model": "gcn", "split": "random", "seed": 1, "scorer": "npt", "prune": 0.5}
    assert earlier.has_run("one_shot.csv", run)
    assert not earlier.has_run("one_shot.csv", run | {"seed": 2})
    assert not earlier.has_run("one_shot.csv", run | {"scorer": "mi"})
    assert not earlier.has_run("perturbations.csv", run)
    assert not earlier.has_run(None, run)


def test_without_a_folder_nothing_is_known():
    earlier = EarlierRun(None, "results/new")
    earlier.check_settings(CONFIG)
    assert earlier.records("one_shot.csv") == []
    assert not earlier.has_run("one_shot.csv", {"dataset": "cora"})


def test_new_rows_count_where_both_have_a_run(folder):
    path = folder / "records/one_shot.csv"
    new = pd.read_csv(path).iloc[1:].assign(test_accuracy=0.9)
    joined = with_earlier(new, [path])
    assert joined[["seed", "test_accuracy"]].to_numpy().tolist() == [[1, 0.9], [0, 0.5]]
    pd.testing.assert_frame_equal(with_earlier(pd.DataFrame(), [path]), pd.read_csv(path))
    pd.testing.assert_frame_equal(with_earlier(new, []), new)


def test_other_settings_are_refused(folder):
    earlier = EarlierRun(folder, "results/new")
    earlier.check_settings(CONFIG | {"one_shot": {"seeds": 20}})
    earlier.check_settings(CONFIG | {"datasets": CONFIG["datasets"] | {"mine": {"model": "gin"}}})
    with pytest.raises(
        InputError, match=r"config key training.hidden is 16, but .*paper \(start_from\) was made with 512"
    ):
        earlier.check_settings(CONFIG | {"training": {"hidden": 16}})
    with pytest.raises(InputError, match=r"config key datasets.cora.model is 'gin'"):
        earlier.check_settings(CONFIG | {"datasets": {"cora": {"model": "gin"}}})
    with pytest.raises(InputError, match=r"config key perturbations.random_graph is 'gnp'"):
        earlier.check_settings(CONFIG | {"perturbations": {"random_graph": "gnp"}})


def test_a_hypothesis_must_mean_what_it_meant(folder):
    earlier = EarlierRun(folder, "results/new")
    other = {"says": "Other words.", "datasets": ["cora"], "scoring": {"scored_model": "best"}}
    earlier.check_settings(CONFIG | {"suspects": {"hypotheses": {"best": other, "new": {"says": "New."}}}})
    changed = {"says": "Best.", "scoring": {"scored_model": "last"}}
    with pytest.raises(InputError, match=r"config key hypotheses.best.scoring is {'scored_model': 'last'}, but "):
        earlier.check_settings(CONFIG | {"suspects": {"hypotheses": {"best": changed}}})


@pytest.mark.parametrize(("key", "then", "now"), [("dropout", 0.0, 0.5), ("classifier", "none", "relu_linear")])
def test_an_option_that_did_not_exist_then_had_no_effect(folder, key, then, now):
    earlier = EarlierRun(folder, "results/new")
    earlier.check_settings(CONFIG | {"training": CONFIG["training"] | {key: then}})
    with pytest.raises(InputError, match=f"config key training.{key} is {now!r}, but .* was made with {then!r}"):
        earlier.check_settings(CONFIG | {"training": CONFIG["training"] | {key: now}})


def test_metrics_are_compared_as_they_take_effect(folder):
    """Nothing was said of them, so models were reported, and features scored, by accuracy."""
    earlier = EarlierRun(folder, "results/new")
    cora = CONFIG["datasets"]["cora"]
    for scoring in (None, "accuracy"):
        earlier.check_settings(CONFIG | {"scoring": {"n_repeats": 10, "metric": scoring}})
    with pytest.raises(InputError, match="config key scoring.metric is 'roc_auc', but .* was made with 'accuracy'"):
        earlier.check_settings(CONFIG | {"scoring": {"n_repeats": 10, "metric": "roc_auc"}})
    other = CONFIG | {"datasets": {"cora": cora | {"metric": "roc_auc"}}}
    with pytest.raises(InputError, match="config key datasets.cora.metric is 'roc_auc', but .* was made with 'accur"):
        earlier.check_settings(other)
    (folder / "records/settings.json").write_text(json.dumps(settings_of(other, {})))
    earlier.check_settings(other | {"scoring": {"n_repeats": 10, "metric": "roc_auc"}})
    with pytest.raises(InputError, match="config key scoring.metric is 'accuracy', but .* was made with 'roc_auc'"):
        earlier.check_settings(other | {"scoring": {"n_repeats": 10, "metric": "accuracy"}})


def test_records_without_a_metric_were_reported_by_accuracy(folder):
    path = folder / "records/one_shot.csv"
    new = pd.read_csv(path).assign(dataset="tolokers", metric="roc_auc")
    joined = with_earlier(new, [path]).groupby("dataset")["metric"].unique()
    assert joined.map(list).to_dict() == {"tolokers": ["roc_auc"], "cora": ["accuracy"]}


def test_records_from_other_raw_files_are_known_and_left_out(folder):
    earlier = EarlierRun(folder, "results/new")
    assert earlier.outdated_datasets({"cora": "1234", "texas": "99"}) == []  # texas is not in its records
    assert earlier.outdated_datasets({"cora": "5678"}) == ["cora"]
    assert earlier.outdated_datasets({}) == []  # a graph without raw files
    (folder / "records/settings.json").write_text(json.dumps({"datasets": {"cora": {}}}))
    assert earlier.outdated_datasets({"cora": "1234"}) == ["cora"]  # records that do not say what they came from
    path = folder / "records/one_shot.csv"
    new = pd.read_csv(path).assign(dataset="texas")
    assert set(with_earlier(new, [path], without=["cora"])["dataset"]) == {"texas"}


def test_a_folder_without_records_and_the_runs_own_are_refused(folder, tmp_path):
    with pytest.raises(InputError, match=r"start_from: .* has no records/settings.json"):
        EarlierRun(tmp_path, "results/new")
    with pytest.raises(InputError, match="is this run's own folder"):
        EarlierRun(folder, folder)


def test_jobs_without_a_dataset_are_not_counted_twice(tmp_path):
    jobs = pd.DataFrame({"rule": ["check_bounds"], "dataset": [""], "seconds": [9.0]})
    jobs.to_csv(tmp_path / "jobs.csv", index=False)
    assert len(with_earlier(jobs, [tmp_path / "jobs.csv"])) == 1


def test_settings_that_were_cut_short_are_told(folder):
    (folder / "records/settings.json").write_text('{"training": {')
    with pytest.raises(InputError, match=r"settings.json is not as it was written"):
        EarlierRun(folder, "results/new").check_settings(CONFIG)


def test_no_records_at_all_make_no_table():
    with pytest.raises(InputError, match="nothing to collect"):
        with_earlier(pd.DataFrame(), [])
