"""Curves of accuracy against features kept, and the areas under them, on a few runs written by hand."""

import numpy as np
import pandas as pd
import pytest

from graphsieve.study.runs import models_apart
from graphsieve.study.selectors import curves

SHARES = [0.01, 0.02, 0.1]


def record(dataset="cora", scorer="npt", seed=0, share=0.1, kept=10, accuracy=0.7, **more) -> dict:
    run = {"dataset": dataset, "model": "gcn", "split": "random", "seed": seed, "scorer": scorer, "asked": "gcn"}
    return {
        **run,
        "share": share,
        "features": 100,
        "kept": kept,
        "metric": "accuracy",
        "test_accuracy": accuracy,
        **more,
    }


def records() -> pd.DataFrame:
    rows = [record(scorer="all", share=1.0, kept=100, accuracy=0.8 + 0.1 * seed, seed=seed) for seed in (0, 1)]
    for seed in (0, 1):
        rows += [record(seed=seed, share=0.01, kept=1, accuracy=0.5), record(seed=seed, share=0.1, accuracy=0.7)]
        rows += [record(scorer="mi", seed=seed, share=0.01, kept=1, accuracy=0.6)]
    return pd.DataFrame(rows)


def test_every_curve_ends_with_the_model_of_all_features_of_its_seed():
    runs = curves.points(records(), SHARES)
    ends = runs[runs["kept"] == 100].set_index(["scorer", "seed"])["accuracy"]
    assert ends.round(6).to_dict() == {("npt", 0): 80, ("npt", 1): 90, ("mi", 0): 80, ("mi", 1): 90}
    assert "all" not in set(runs["scorer"])
    assert runs.loc[runs["scorer"] == "npt", "percent"].tolist() == [1, 10, 100] * 2


def test_other_shares_and_shares_that_keep_as_many_are_left_out():
    more = pd.DataFrame([record(share=0.05, kept=5), record(share=0.02, kept=1, accuracy=0.5)])
    runs = curves.points(pd.concat([records(), more]), SHARES)
    assert runs.query("scorer == 'npt' and seed == 0")["kept"].tolist() == [1, 10, 100]


def test_the_area_is_the_integral_over_the_logarithm():
    runs = curves.points(records(), SHARES)
    found = curves.areas(runs).set_index(["scorer", "seed"])["area"]
    assert found["npt", 0] == pytest.approx((60 + 75) / 2)  # two decades
    assert found["mi", 1] == pytest.approx((60 + 90) / 2)  # a straight line over both
    fine = np.geomspace(1, 100, 10_001)
    line = np.interp(np.log(fine), np.log([1, 10, 100]), [50, 70, 90])
    assert found["npt", 1] == pytest.approx(line.mean(), abs=0.01)


def test_means_allow_for_splits_that_overlap_and_stay_within_bounds():
    means = curves.mean_curves(curves.points(records(), SHARES))
    end = means.query("scorer == 'npt' and kept == 100").iloc[0]
    error = np.std([80, 90], ddof=1) * np.sqrt(1 / 2 + 0.25)
    assert end["mean"] == pytest.approx(85)
    assert end["low"] == pytest.approx(max(0, 85 - 12.7062 * error), abs=1e-3)
    assert end["high"] == 100


def test_models_and_metrics_stand_apart():
    table = pd.concat([records(), records().assign(model="gin", metric="roc_auc")])
    assert set(curves.points(table, SHARES)["dataset"]) == {"cora (gcn)", "cora (gin) (ROC AUC)"}
    assert set(models_apart(records())["dataset"]) == {"cora"}


def test_where_a_scorer_was_tuned_is_marked_and_counts_as_touched():
    tuned_on = {"npt": ["cora"]}
    cells = curves.area_cells(curves.mean_areas(curves.areas(curves.points(records(), SHARES))), tuned_on)
    assert cells.loc["npt", "cora"].endswith("†")
    assert "†" not in cells.loc["mi", "cora"]
    assert curves.untouched(["cora (gin)", "texas"], tuned_on) == ["texas"]
