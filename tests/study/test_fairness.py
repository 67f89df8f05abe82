"""Pruning by a metric of the user's own: the metrics by hand, the records, and what is said of them."""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import torch

from graphsieve.data.splits import random_split
from graphsieve.data.two_groups import NUM_NODES, generate_two_groups
from graphsieve.options import TrainingOptions
from graphsieve.plots import trade_off
from graphsieve.selection import selector
from graphsieve.study import fairness

GROUP = np.array([0, 0, 0, 0, 1, 1])
# Right at three of four nodes of the majority, at one of two of the minority.
LOGITS = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
Y = torch.tensor([0, 0, 1, 0, 0, 0])


def test_metrics_by_hand():
    assert fairness.accuracy_gap(LOGITS, Y, GROUP) == 3 / 4 - 1 / 2
    assert fairness.accuracy_gap(LOGITS, Y, 1 - GROUP) == 1 / 2 - 3 / 4
    metrics = fairness.metrics_at(GROUP)
    assert metrics["accuracy"] == "accuracy"
    assert metrics["gap"](LOGITS, Y) == fairness.metrics_at(1 - GROUP)["gap"](LOGITS, Y) == -1 / 4
    assert metrics["both"](LOGITS, Y) == pytest.approx(4 / 6 - 1 / 4)


FEW = (24, 18, 13)  # numbers of features, for speed


@pytest.fixture(scope="module")
def measured() -> pd.DataFrame:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fairness, "NUMBERS", FEW)
        return pd.DataFrame(fairness.measure(2, TrainingOptions(hidden=8, epochs=20), torch.device("cpu")))


def test_features_are_pruned_step_by_step(measured):
    for method in fairness.METHODS:
        rows = measured[measured["method"] == method]
        assert tuple(rows["features"]) == FEW
        assert (rows[["honest", "proxy", "noise"]].sum(axis=1) == rows["features"]).all()
        assert (rows[["honest", "proxy", "noise"]].diff().dropna() <= 0).all(axis=None)
    whole = measured[measured["features"] == 24]
    assert len(whole[["accuracy", "gap"]].drop_duplicates()) == 1
    assert whole["gap"].iloc[0] > 0.1  # proxies mislead the minority


def test_a_metric_that_watches_the_gap_drops_proxies_sooner(measured):
    left = measured.pivot(index="features", columns="method", values="proxy")
    assert (left[["gap", "both"]].loc[13].to_numpy() < left["accuracy"].loc[13]).all()


def test_labels_and_groups_of_test_nodes_choose_nothing(monkeypatch):
    """Every selection is made without a test label, and its metric knows the groups of validation nodes alone."""
    split, fitted = random_split(NUM_NODES, 0, train=0.4, val=0.3), []
    original = selector.FeatureSelector.fit

    def fit(self, data, given):
        y = data.y.copy()
        y[split.test] = 1 - y[split.test]
        kept = original(self, data, given).support_.copy()
        assert np.array_equal(original(self, replace(data, y=y), given).support_, kept)
        assert np.array_equal(given.val, split.val)
        if callable(self.metric):
            assert np.array_equal(self.metric.keywords["group"], generate_two_groups(0)[1][split.val])
        fitted.append(self)
        return self

    monkeypatch.setattr(selector.FeatureSelector, "fit", fit)
    monkeypatch.setattr(fairness, "NUMBERS", (24, 6))
    fairness.measure(0, TrainingOptions(hidden=4, epochs=2), torch.device("cpu"))
    assert len(fitted) == len(fairness.METHODS)


def records_of(values: dict[str, list[tuple[float, float]]]) -> pd.DataFrame:
    """Accuracy and gap at the judged number of features, for each method and graph; the rest is alike."""
    rows = []
    for method, graphs in values.items():
        for seed, judged in enumerate(graphs):
            for features in fairness.NUMBERS:
                accuracy, gap = judged if features == fairness.JUDGED else (0.9, 0.2)
                reached = {"accuracy": accuracy, "gap": gap, "honest": 3, "proxy": 2, "noise": 1}
                rows.append({"seed": seed, "method": method, "features": features, **reached})
    return pd.DataFrame(rows)


RECORDS = records_of(
    {
        "accuracy": [(0.90, 0.20), (0.88, 0.18), (0.86, 0.16)],
        "gap": [(0.70, 0.20), (0.90, 0.18), (0.80, 0.16)],
        "both": [(0.91, 0.10), (0.88, 0.09), (0.85, 0.05)],
    }
)


def test_findings_pair_the_graphs_and_call_chance_chance():
    said = fairness.findings(RECORDS).splitlines()
    assert said[0] == "- All 24 features: accuracy 90.0 %, gap 20.0 points."
    assert said[1] == "- Pruned to 6 by accuracy: accuracy 88.0 %, gap 18.0 points, 2.0 proxies among them."
    chance = "changes by nothing that the graphs can tell from chance"
    assert said[2].endswith(f"against accuracy alone the gap {chance}, accuracy {chance}.")
    assert said[3].endswith(f"against accuracy alone the gap falls by 10.0 points, accuracy {chance}.")


def test_one_graph_proves_nothing():
    said = fairness.findings(RECORDS[RECORDS["seed"] == 0])
    assert said.count("from chance") == 4
    assert " ± " not in " ".join(fairness.cells(fairness.summarise(RECORDS[RECORDS["seed"] == 0]))["Gap (points)"])


def test_the_table_has_means_and_deviations_in_percent():
    summary = fairness.summarise(RECORDS)
    assert summary["method"].drop_duplicates().tolist() == list(fairness.METHODS)
    assert tuple(summary["features"][:7]) == fairness.NUMBERS
    row = summary[(summary["method"] == "both") & (summary["features"] == fairness.JUDGED)].iloc[0]
    assert (row["accuracy_mean"], row["accuracy_std"], row["gap_mean"]) == pytest.approx((88, 3, 8))
    assert (row["proxy"], row["runs"]) == (2, 3)
    printed = fairness.printed_table(summary.assign(gap_mean=-0.01))
    assert set(printed["cells"]["html"]["Gap (points)"]) >= {"0.0 ± 0.0"}
    assert "over 3 graphs of 1000 nodes" in printed["notes"]


def test_the_figure_draws_every_number_of_features():
    figure = trade_off.trade_off(fairness.summarise(RECORDS))
    path, proxies = figure.axes
    both = path.lines[list(fairness.METHODS).index("both")]
    assert both.get_xydata()[4] == pytest.approx([8, 88])
    assert [len(line.get_xdata()) for line in proxies.lines] == [7, 7, 7]
    words = [text.get_text() for text in path.texts]
    assert words.count("6") == 3
    assert "all features" in words
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [f"pruned {name}" for name in fairness.METHODS.values()]
    plt.close(figure)
