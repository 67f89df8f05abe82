"""The rule by which the default selector is chosen, on records made up here, and a run that is stopped and goes on."""

import sys
from dataclasses import replace

import compare_selectors
import numpy as np
import pandas as pd
import pytest
from compare_selectors import GENERATED, choose, differences, read_records, regrets, with_chosen
from scipy import stats

from graphsieve.options import TrainingOptions


def records(**accuracies):
    """Two seeds a point above and below; one accuracy for cora, citeseer, texas and all generated graphs together."""
    rows = []
    for selector, values in accuracies.items():
        graphs = dict(zip(("cora", "citeseer", "texas"), values[:3], strict=True)) | dict.fromkeys(GENERATED, values[3])
        for dataset, accuracy in graphs.items():
            for seed, change in enumerate((-1, 1)):
                rows.append((dataset, seed, selector, (accuracy + change) / 100))
    return pd.DataFrame(rows, columns=["dataset", "seed", "selector", "test_accuracy"])


def test_regret_is_the_distance_to_the_best_on_each_graph_and_generated_graphs_count_once():
    table = regrets(records(all=[99, 99, 99, 99], a=[80, 70, 60, 90], b=[82, 69, 60, 80]))
    np.testing.assert_allclose(table.loc["a"], [2, 0, 0, 0, 0.5], atol=1e-9)
    np.testing.assert_allclose(table.loc["b"], [0, 1, 0, 10, 2.75], atol=1e-9)
    assert list(table.index) == ["a", "b"]


def test_of_nearly_equal_ones_the_fastest_is_taken():
    seconds = pd.Series({"best": 100.0, "near": 5.0, "far": 1.0})
    table = regrets(records(best=[80, 70, 60, 90], near=[79.4, 70, 60, 90], far=[78, 70, 60, 90]))
    assert choose(table, seconds) == "near"


def test_a_selector_that_lacks_a_graph_has_no_total_and_is_not_taken():
    table = records(a=[80, 70, 60, 90], b=[90, 80, 70, 99])
    lacking = regrets(table[~((table["selector"] == "b") & (table["dataset"] == "texas"))])
    assert np.isnan(lacking.loc["b", "total"])
    assert choose(lacking, pd.Series({"a": 1.0, "b": 1.0})) == "a"
    shorter = regrets(table[~((table["selector"] == "b") & (table["dataset"] == "texas") & (table["seed"] == 1))])
    assert np.isnan(shorter.loc["b", "total"])
    assert shorter.loc["a", "texas"] == 0


def test_the_chosen_one_has_the_row_of_its_candidate_that_is_best_by_validation():
    rows = [
        ("cora", 0, "group_lasso", 0.8, 0.7, 1.0),
        ("cora", 0, "npt_cross", 0.9, 0.6, 2.0),
        ("cora", 0, "mrmr", 0.9, 0.99, 4.0),
        ("cora", 1, "mrmr", 0.9, 0.99, 4.0),
        ("cora", 0, "npt", 0.95, 0.95, 4.0),
    ]
    made = pd.DataFrame(rows, columns=["dataset", "seed", "selector", "val_accuracy", "test_accuracy", "seconds"])
    added = with_chosen(made).iloc[len(rows) :]
    assert added.values.tolist() == [["cora", 0, "best_of", 0.9, 0.6, 7.0]]


def test_the_chosen_one_is_tested_against_each_other_seed_by_seed():
    values = {"best_of": [0.8, 0.9, 0.7], "npt": [0.7, 0.7, 0.7]}
    rows = [("cora", seed, name, value) for name, of in values.items() for seed, value in enumerate(of)]
    (row,) = differences(pd.DataFrame(rows, columns=["dataset", "seed", "selector", "test_accuracy"])).to_dict(
        "records"
    )
    error = np.std([10, 20, 0], ddof=1) * np.sqrt(1 / 3 + 0.25)
    assert (row["selector"], row["runs"]) == ("npt", 3)
    assert row["mean"] == pytest.approx(10)
    assert row["p_value"] == pytest.approx(2 * stats.t.sf(10 / error, 2))


def test_a_run_writes_a_row_a_selector_and_computes_none_twice(tmp_path, monkeypatch, capsys):
    tiny = replace(compare_selectors.SETTINGS["synthetic_copies"], training=TrainingOptions(epochs=2))
    monkeypatch.setitem(compare_selectors.SETTINGS, "synthetic_copies", tiny)
    out = tmp_path / "records.csv"
    command = ["compare_selectors", "run", "--datasets", "synthetic_copies", "--seeds", "1", "--out", str(out)]
    command += ["--hidden", "4"]
    monkeypatch.setattr(sys, "argv", [*command, "--selectors", "all", "mrmr"])
    compare_selectors.main()
    assert read_records(out)["selector"].tolist() == ["all", "mrmr"]
    assert read_records(out)["kept"].tolist() == [50, 5]
    assert read_records(out)["hidden"].tolist() == [4, 4]
    before = out.read_text()
    capsys.readouterr()
    monkeypatch.setattr(sys, "argv", [*command, "--selectors", "all", "mrmr", "npt_loss", "npt_cross_pruned"])
    compare_selectors.main()
    assert out.read_text().startswith(before)
    assert capsys.readouterr().out.count("selector=") == 2
    monkeypatch.setattr(sys, "argv", ["compare_selectors", "table", "--out", str(out)])
    compare_selectors.main()
    shown = capsys.readouterr().out
    assert "npt_cross_pruned" in shown
    assert "The rule takes" not in shown


@pytest.mark.parametrize(("flag", "value"), [("--datasets", "wisconsin"), ("--selectors", "magic")])
def test_graphs_to_judge_by_and_unknown_selectors_are_refused(flag, value, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["compare_selectors", "run", flag, value, "--out", str(tmp_path / "r.csv")])
    with pytest.raises(compare_selectors.InputError, match=value):
        compare_selectors.main()
