"""Measures of recovery against values counted by hand, their intervals, and the tables and picture made of them."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import torch
from scipy import stats

import score_regime
from graphsieve.data.splits import choose_split
from graphsieve.data.synthetic import generate
from graphsieve.options import ScoringOptions
from graphsieve.plots import recovery_heatmap
from graphsieve.scoring.scorers import SCORERS, ScoringTask, score_features
from graphsieve.study import recovery
from job_cases import make_job

FOUND = [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def trials(dataset: str, scorer: str, *seeds: list[float]) -> pd.DataFrame:
    return pd.DataFrame(
        {"dataset": dataset, "model": "gcn", "scorer": scorer, "seed": seed, "feature": feature, "score": score}
        for seed, scores in enumerate(seeds)
        for feature, score in enumerate(scores)
    )


def test_a_perfect_ranking_scores_one_and_the_reverse_nothing():
    truth = np.arange(10) < 5
    assert recovery.measure(truth, np.array(FOUND)) == {"auroc": 1, "average_precision": 1, "recall": 1}
    worst = recovery.measure(truth, -np.array(FOUND))
    assert (worst["auroc"], worst["recall"]) == (0, 0)


def test_measures_of_a_ranking_counted_by_hand():
    # ranked: relevant, other, relevant, other
    values = recovery.measure(np.array([True, True, False, False]), np.array([4.0, 2.0, 3.0, 1.0]))
    assert values["auroc"] == pytest.approx(3 / 4)  # of four pairs one is in the wrong order
    assert values["average_precision"] == pytest.approx((1 / 1 + 2 / 3) / 2)
    assert values["recall"] == 1 / 2


def test_ties_count_as_chance():
    values = recovery.measure(np.arange(10) < 5, np.zeros(10))
    assert values == pytest.approx({"auroc": 0.5, "average_precision": 0.5, "recall": 0.5})
    # one relevant feature stands out, the other shares the second place with one that is not
    assert recovery.top_recall(np.array([True, True, False]), np.array([2.0, 1.0, 1.0])) == pytest.approx(0.75)


def test_only_regimes_with_relevant_features_are_measured():
    scores = pd.concat([trials(f"synthetic_{regime}", "npt", FOUND) for regime in "abcdefgh"])
    assert set(recovery.measure_trials(scores)["dataset"]) == {f"synthetic_{regime}" for regime in "bdfh"}


def test_interval_is_students_and_stays_between_zero_and_one():
    values = pd.Series([0.2, 0.4, 0.6, 0.5])
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    found = recovery.share_interval(values)
    assert (found["low"], found["high"]) == pytest.approx((expected.low, expected.high))
    assert recovery.share_interval(pd.Series([0.9, 1.0]))["high"] == 1
    single = recovery.share_interval(pd.Series([0.7]))
    assert single["mean"] == 0.7
    assert np.isnan(single["low"])


@pytest.fixture
def summary():
    rng = np.random.default_rng(1)
    good = [np.array(FOUND) + 0.1 * rng.random(10) for _ in range(3)]
    chance = [rng.random(10) for _ in range(3)]
    parts = [trials(f"synthetic_{r}", "npt", *good) for r in "bh"] + [trials("synthetic_h", "random", *chance)]
    return recovery.summarise(recovery.measure_trials(pd.concat(parts)))


def test_the_table_holds_means_intervals_and_marks(summary):
    assert list(summary.columns) == ["scorer", "dataset", "measure", "mean", "low", "high", "runs"]
    assert len(summary) == 3 * 3
    assert (summary["runs"] == 3).all()
    printed = recovery.printed_table(summary)
    markdown = printed["cells"]["markdown"].reset_index()
    assert markdown.columns.tolist() == ["Measure", "Method", "Synthetic (b)", "Synthetic (h)"]
    assert markdown["Measure"].tolist() == ["AUROC", "", "Average precision", "", "Top-5 recall", ""]
    assert markdown["Method"].tolist() == ["NPT", "Rnd."] * 3
    assert markdown.loc[0, "Synthetic (b)"] == "**1.00** (1.00 – 1.00)"
    assert printed["cells"]["latex"].iloc[0, 1] == r"\textbf{1.00} {\tiny (1.00--1.00)}"
    assert (printed["rules"], printed["breaks"]) == ([2, 4], [1])
    assert printed["notes"] == "Mean over 3 trials and its 95% interval."


def test_text_names_the_best_and_those_whose_intervals_overlap(summary):
    text = recovery.text(summary, features=10)
    assert "choosing at random finds 50%" in text
    assert "Highest average precision: NPT in (b); NPT in (h)" in text
    close = summary.assign(low=0.0)
    assert "NPT in (h) (intervals of Rnd. overlap)" in recovery.best_sentence(close)


def test_without_relevant_features_tables_and_picture_say_so():
    empty = recovery.summarise(recovery.measure_trials(trials("synthetic_a", "npt", FOUND)))
    assert "no relevant features" in recovery.text(empty, 10)
    printed = recovery.printed_table(empty)
    assert [len(cells) for cells in printed["cells"].values()] == [0, 0, 0]
    assert (printed["rules"], printed["notes"]) == ([], "")
    (axis,) = recovery_heatmap.recovery_heatmap(empty).axes
    assert "No regime" in axis.texts[0].get_text()


def test_heatmap_has_one_panel_per_measure_with_a_number_in_every_cell(summary):
    figure = recovery_heatmap.recovery_heatmap(summary)
    panels = figure.axes[: len(recovery.MEASURES)]
    titles = ["(a) AUROC", "(b) Average precision", "(c) Top-5 recall"]
    assert [axis.get_title(loc="left") for axis in panels] == titles
    for axis, measure in zip(panels, recovery.MEASURES, strict=True):
        means = summary[summary["measure"] == measure]["mean"]
        assert sorted(text.get_text() for text in axis.texts) == sorted(f"{mean:.2f}" for mean in means)


def trial_job(folder, scorers=tuple(SCORERS), scored_model="last", epochs=3):
    return make_job(
        folder,
        wildcards={"dataset": "synthetic_h", "model": "gcn", "split": "random"},
        params={
            "scorers": list(scorers),
            "normalise": "none",
            "training": {"hidden": 8, "weight_decay": 0.0, "epochs": epochs},
            "scoring": {"n_repeats": 2, "scored_model": scored_model, "folds": 3, "scorer_epochs": 2},
        },
    )


def test_a_trial_has_the_scores_of_every_scorer(tmp_path):
    table = score_regime.score_trial(trial_job(tmp_path), 4, torch.device("cpu"))
    assert set(table.columns) == {
        "dataset", "model", "split", "seed", "scorer", "feature", "name", "score", "std", "loss"
    }  # fmt: skip
    assert table.groupby("scorer").size().to_dict() == dict.fromkeys(SCORERS, 50)
    assert set(table["seed"]) == {4}
    graph = generate("h", 4)
    split = choose_split(graph, "random", 4)
    alone = score_features("mi", ScoringTask(graph, split, 4, ScoringOptions()))
    np.testing.assert_array_equal(table[table["scorer"] == "mi"]["score"], alone.values)


def test_a_trial_scores_the_weights_that_were_asked_for(tmp_path):
    last, best = (
        score_regime.score_trial(trial_job(tmp_path, ["npt_loss"], weights, epochs=60), 0, torch.device("cpu"))
        for weights in ("last", "best")
    )
    assert not np.array_equal(last["score"], best["score"])
