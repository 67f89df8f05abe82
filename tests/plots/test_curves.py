"""Figures of the adaptive study: what is drawn in which panel, and what a missing dataset leaves."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from graphsieve.plots import curves, score_panels
from graphsieve.plots.style import METHOD_COLOURS


def history(datasets=("cora",), scorers=("full", "npt", "mi"), seeds=2) -> pd.DataFrame:
    rows = [
        {"dataset": dataset, "model": "gcn", "split": "random", "scorer": scorer, "prune": 0.5, "repeats": 10,
         "seed": seed, "epoch": epoch, "checkpoint": -(-epoch // 5),
         "features": 32 if scorer == "full" else 32 // 2 ** (-(-epoch // 5) - 1),
         "val_accuracy": 0.9, "test_accuracy": {"full": 0.9, "npt": 0.8}.get(scorer, 0.7) + 0.01 * seed}
        for dataset in datasets for scorer in scorers for seed in range(seeds) for epoch in range(1, 21)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def texts(axis) -> list[str]:
    return [text.get_text() for text in axis.texts]


def test_curves_have_one_row_per_dataset_and_three_panels():
    figure = curves.training_curves(history(["cora", "digits"]), ["cora", "digits"])
    assert len(figure.axes) == 6
    assert [axis.get_title(loc="left") for axis in figure.axes[:4]] == ["(a) Cora", "(b) ", "(c) ", "(d) Digits"]
    assert [axis.get_ylabel() for axis in figure.axes[:3]] == [
        "Validation accuracy (%)", "Test accuracy (%)", "Test accuracy\nless full (points)"
    ]  # fmt: skip
    legend = [text.get_text() for text in figure.legends[0].texts]
    assert legend == ["Full", "NPT", "MI", "above each panel: % of the features left"]
    assert texts(figure.axes[1]) == ["100", "50", "25", "12.5"]
    drawn = {to_hex(line.get_color()): line for line in figure.axes[1].lines if len(line.get_xdata()) == 20}
    npt = drawn[to_hex(METHOD_COLOURS["npt"])]
    assert npt.get_ydata().tolist() == pytest.approx([80.5] * 20)


def test_axes_name_the_metric_of_their_dataset():
    records = pd.concat([history().assign(metric="accuracy"), history(["tolokers"]).assign(metric="roc_auc")])
    axes = curves.training_curves(records, ["cora", "tolokers"]).axes
    assert [axes[place].get_ylabel() for place in (1, 3, 4)] == [
        "Test accuracy (%)", "Validation ROC AUC (%)", "Test ROC AUC (%)"
    ]  # fmt: skip
    ablation = curves.ablation(records[records["scorer"] == "npt"], ["tolokers"])
    assert ablation.axes[0].get_ylabel() == "Test ROC AUC (%)"


def test_differences_are_drawn_at_the_end_of_each_interval():
    figure = curves.training_curves(history(), ["cora"])
    lines = [line for line in figure.axes[2].lines if len(line.get_xdata()) == 4]
    dodge = curves.DODGE * 5 / 2  # two methods stand a little to the left and right of the interval's end
    assert lines[0].get_xdata().tolist() == pytest.approx(np.array([5, 10, 15, 20]) - dodge)
    assert lines[0].get_ydata().tolist() == pytest.approx([-10] * 4)


def test_where_bands_would_hide_everything_there_are_paired_differences():
    """Runs of one method that lie 40 points apart, and exactly 10 below the full model of the same run."""
    records = history()
    records["test_accuracy"] -= 0.4 * records["seed"]
    figure = curves.training_curves(records, ["cora"])
    assert [axis.get_ylabel() for axis in figure.axes] == [
        "Test accuracy (%)", "Validation accuracy\nless full (points)", "Test accuracy\nless full (points)"
    ]  # fmt: skip
    assert not figure.axes[0].collections  # no band
    lines = [line for line in figure.axes[2].lines if len(line.get_xdata()) == 4]
    assert lines[0].get_ydata().tolist() == pytest.approx([-10] * 4)
    ends = [segment for bars in figure.axes[2].collections for segment in bars.get_segments()]
    assert max(abs(segment[0][1] - segment[1][1]) for segment in ends) == pytest.approx(0, abs=1e-9)


def test_a_missing_dataset_leaves_a_gap_with_a_note():
    figure = curves.training_curves(history(), ["cora", "pubmed"])
    assert texts(figure.axes[3]) == ["not in this run"]
    assert figure.axes[3].get_title(loc="left") == "(d) PubMed"
    last = pd.DataFrame({"dataset": "cora", "seed": 0, "feature": range(5), "last": [0, 1, 2, 2, 0]})
    for draw in (score_panels.last_by_feature, score_panels.last_by_ranking):
        assert texts(draw(last, ["cora", "texas"]).axes[1]) == ["not in this run"]


def test_without_a_full_model_the_difference_says_so():
    figure = curves.training_curves(history(scorers=("npt",)), ["cora"])
    assert texts(figure.axes[2])[0] == "no full model in this run"


def test_a_single_run_has_no_band_and_draws():
    assert curves.training_curves(history(seeds=1), ["cora"])


def test_ablation_varies_one_value_and_keeps_the_other():
    runs = pd.concat(
        [history(scorers=("npt",)).assign(prune=r, repeats=k) for r, k in ((0.25, 10), (0.5, 10), (0.5, 5), (0.5, 20))]
    )
    figure = curves.ablation(runs, ["cora"])
    labels = [[text.get_text() for text in axis.get_legend().texts] for axis in figure.axes]
    assert labels == [["$r=0.25$", "$r=0.5$"], ["$K=5$", "$K=10$", "$K=20$"]]


def test_time_to_score_by_checkpoint():
    runs = pd.concat([history(scorers=("npt",)).assign(prune=r, repeats=k) for r, k in ((0.5, 10), (0.5, 5))])
    times = pd.DataFrame({"dataset": "cora", "checkpoint": [1, 2, 1, 2], "scoring_seconds": [4.0, 1.0, 6.0, 3.0]})
    axis = curves.performance(runs, times, "cora").axes[2]
    assert axis.lines[0].get_ydata().tolist() == [5, 2]
    assert axis.get_yscale() == "log"
    assert texts(curves.performance(runs, None, "cora").axes[2]) == ["not in this run"]


def test_heatmap_has_the_most_important_on_top_and_red_for_high():
    scores = pd.DataFrame(
        [{"dataset": "digits", "seed": 0, "checkpoint": checkpoint, "feature": feature, "score": feature - 2.0}
         for checkpoint in (1, 2) for feature in range(6)]
    )  # fmt: skip
    figure = score_panels.importance_panels(scores, history(["digits"]), ["digits"])
    image = figure.axes[0].images[0]
    assert image.get_array()[:, 1].tolist() == [3, 2, 1, 0, -1, -2]
    red, _, blue, _ = image.cmap(image.norm(3.0))
    assert red > blue
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["5", "10"]


def test_figure_3_says_which_dataset_takes_the_place_of_the_papers():
    scores = pd.DataFrame(
        [{"dataset": "cora", "seed": 0, "checkpoint": checkpoint, "feature": feature, "score": feature - 2.0}
         for checkpoint in (1, 2) for feature in range(6)]
    )  # fmt: skip
    last = pd.DataFrame({"dataset": "cora", "seed": 0, "feature": range(5), "last": [0, 1, 2, 2, 0]})
    means = pd.DataFrame(
        [{"dataset": name, "scorer": scorer, "feature": f, "mean": f, "runs": 1}
         for name in ("cora", "wisconsin") for scorer in ("npt", "mi") for f in range(5)]
    )  # fmt: skip
    figure = score_panels.importance_panels(scores, history(), ["cora"], last, means)
    titles = [axis.get_title(loc="left") for axis in figure.axes]
    assert titles[:3] == ["(a) Cora", "(b) Cora, in place of ArXiv", "(c) Wisconsin"]


def test_scatter_scales_every_score_from_zero_to_one():
    means = pd.DataFrame(
        [{"dataset": "digits", "scorer": scorer, "feature": f, "mean": factor * f, "runs": 1}
         for scorer, factor in (("npt", 3.0), ("mi", -10.0)) for f in range(5)]
    )  # fmt: skip
    figure = score_panels.score_scatter(means, ["digits"])
    dots = np.asarray(figure.axes[0].collections[0].get_offsets())
    assert dots.tolist() == [[f / 4, 1 - f / 4] for f in range(5)]


def test_one_score_far_above_all_others_stands_at_the_edge_and_squeezes_none():
    scores = pd.DataFrame({"npt": [*np.linspace(0, 1, 399), 50.0], "mi": np.zeros(400)})
    scaled = score_panels.scaled_scores(scores)
    assert scaled["npt"].iloc[-1] == score_panels.EDGE
    assert scaled["npt"].iloc[200] == pytest.approx(0.5, abs=0.01)
    assert scaled["mi"].eq(0).all()  # nothing to scale
    few = score_panels.scaled_scores(pd.DataFrame({"npt": [0.0, 1.0, 10.0]}))
    assert few["npt"].tolist() == [0, 0.1, 1]  # of few features none is put at the edge
