"""What the figures of the adaptive study draw, against values worked out by hand or by scipy."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from graphsieve.study import analysis

RUN = {"dataset": "cora", "model": "gcn", "split": "random", "scorer": "npt", "prune": 0.5, "repeats": 10, "seed": 0}


def epochs(val: list[float], test: list[float], interval: int = 2, features: int = 8, **run) -> pd.DataFrame:
    """A history whose features are halved after every interval."""
    numbers = np.arange(1, len(val) + 1)
    checkpoint = -(-numbers // interval)
    return pd.DataFrame(
        {"epoch": numbers, "val_accuracy": val, "test_accuracy": test, "checkpoint": checkpoint,
         "features": features // 2 ** (checkpoint - 1)}
    ).assign(**RUN | run)  # fmt: skip


def test_panels_are_the_papers_with_gaps_then_the_runs_own():
    available = pd.Series(["synthetic_h", "digits", "pubmed"])
    assert analysis.panel_datasets(available, ["cora", "pubmed"]) == ["cora", "pubmed", "digits", "synthetic_h"]
    assert analysis.panel_datasets(available, ["cora", "pubmed"], extras=False) == ["cora", "pubmed"]
    assert analysis.panel_datasets(available, ["texas"]) == ["digits", "synthetic_h"]
    assert analysis.panel_datasets(pd.Series(["texas", "texas"]), ["cora", "photo"]) == ["texas"]
    assert analysis.missing_sentence(available, ["cora", "pubmed", "texas"]) == (
        "The paper also shows Cora and Texas, which this run does not have."
    )
    assert analysis.missing_sentence(available, ["pubmed"]) == ""


def test_curves_are_means_and_sample_deviations_in_percent():
    history = pd.concat([epochs([0.5, 0.6], [0, 0]), epochs([0.7, 0.6], [0, 0], seed=1)])
    curves = analysis.mean_curves(history, "val_accuracy", ["scorer"])
    assert curves["mean"].tolist() == pytest.approx([60, 60])
    assert curves["spread"].tolist() == pytest.approx([np.std([50, 70], ddof=1), 0])
    assert curves["runs"].tolist() == [2, 2]


def test_the_difference_to_full_is_taken_at_the_best_epoch_of_each_interval_and_seed():
    history = pd.concat(
        [
            epochs([0.5, 0.6, 0.9, 0.8], [0.5, 0.6, 0.7, 0.1], scorer="full"),
            epochs([0.5, 0.6, 0.7, 0.7], [0.5, 0.6, 0.5, 0.1]),
            epochs([0.5, 0.6, 0.9, 0.8], [0.5, 0.4, 0.6, 0.1], scorer="full", seed=1),
            epochs([0.5, 0.6, 0.6, 0.7], [0.5, 0.5, 0.1, 0.8], seed=1),
        ]
    )
    table = analysis.differences_to_full(history)
    assert table["end"].tolist() == [2, 4]
    assert table["mean"].tolist() == pytest.approx([(0 + 10) / 2, (-20 + 20) / 2])
    deviations = np.array([np.std([0, 10], ddof=1), np.std([-20, 20], ddof=1)])
    quantile, overlapping = stats.t(1).ppf(0.975), np.sqrt(1 / 2 + 1 / 4)
    assert table["margin"].tolist() == pytest.approx(quantile * overlapping * deviations)
    validation = analysis.differences_to_full(history, "val_accuracy")
    assert validation["mean"].tolist() == pytest.approx([0, -20])


def test_prunings_carry_the_percentage_that_remains():
    history = pd.concat([epochs([0] * 6, [0] * 6), epochs([0] * 6, [0] * 6, scorer="full", interval=6)])
    marks = analysis.prunings(history)
    assert marks["epoch"].tolist() == [1, 3, 5]
    assert marks["percent"].tolist() == [100, 50, 25]


def last(*runs: list[float]) -> pd.DataFrame:
    rows = [
        {**RUN, "seed": seed, "feature": feature, "dropped_at": dropped}
        for seed, run in enumerate(runs)
        for feature, dropped in enumerate(run)
    ]
    return analysis.last_checkpoints(pd.DataFrame(rows))


def test_the_last_checkpoint_is_the_one_before_the_drop():
    assert last([1, 2, np.nan, 1])["last"].tolist() == [0, 1, 2, 0]


def test_last_checkpoints_by_feature_and_by_ranking():
    table = last([1, 2, np.nan], [1, np.nan, 2], [1, 2, np.nan])
    by_feature = analysis.last_by_feature(table)
    assert by_feature["feature"].tolist() == [2, 1, 0]
    assert by_feature["mean"].tolist() == pytest.approx([5 / 3, 4 / 3, 0])
    assert by_feature["place"].tolist() == [1, 2, 3]
    ranking = analysis.last_by_ranking(table).pivot(index="ranking", columns="seed", values="mean")
    assert ranking.loc[2].tolist() == [2, 1, 2]  # feature 2, kept to the end in two runs of three
    assert ranking.loc[1].tolist() == [1, 2, 1]
    assert ranking.loc[0].tolist() == [0, 0, 0]


def test_the_spread_of_features_with_one_mean_is_that_of_their_neighbours():
    """Sorted by their own spread they would draw teeth; fifty features that share a mean have one band."""
    steady, jumping = [1.0] * 25, [0.0, 2.0] * 13
    table = pd.DataFrame(
        [{"dataset": "cora", "feature": feature, "last": value, "seed": seed}
         for feature in range(50) for seed, value in enumerate((steady if feature % 2 else jumping)[:2])]
    )  # fmt: skip
    spread = analysis.last_by_feature(table)["spread"]
    assert spread.iloc[1:-1].tolist() == pytest.approx([1.0] * 48)  # of 0 and sqrt(2) in turn


def watched(*checkpoints: list[float], seed: int = 0) -> pd.DataFrame:
    rows = [
        {
            **RUN,
            "seed": seed,
            "checkpoint": number,
            "feature": feature,
            "score": score,
            "loss": 2.0 * score + feature / 1e6,
        }
        for number, scores in enumerate(checkpoints, 1)
        for feature, score in enumerate(scores)
    ]
    return pd.DataFrame(rows)


def test_bins_follow_the_order_of_the_last_checkpoint():
    scores = pd.concat([watched([1, 2, 3, 4], [9, 0, 4, 5]), watched([3, 2, 3, 4], [9, 0, 6, 5], seed=1)])
    binned = analysis.binned_scores(scores, bins=2)
    assert binned[2].tolist() == [7, 2.5]  # features 0 (9) and 2 or 3 (5, 5): the first of equals stays first
    assert binned[1].tolist() == [2.5, 3]


def test_timings_in_words():
    times = pd.DataFrame(
        [{**RUN, "seed": seed, "checkpoint": checkpoint, "scoring_seconds": seconds, "training_seconds": 10.0}
         for seed in (0, 1) for checkpoint, seconds in ((1, 4.0), (2, 2.0))]
    )  # fmt: skip
    assert analysis.timings_sentence(times) == (
        "Cora 4 s at the first checkpoint, 6 s at all, beside 20 s of training."
    )
