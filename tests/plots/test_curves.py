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
    assert figure.axes[0].get_title(loc="left") == "Cora"
    assert [axis.get_ylabel() for axis in figure.axes[:3]] == [
        "Validation accuracy (%)", "Test accuracy (%)", "Difference to full (points)"
    ]  # fmt: skip
    assert [text.get_text() for text in figure.legends[0].texts] == ["Full", "NPT", "MI"]
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
    assert lines[0].get_xdata().tolist() == [5, 10, 15, 20]
    assert lines[0].get_ydata().tolist() == pytest.approx([-10] * 4)


def test_a_missing_dataset_leaves_a_gap_with_a_note():
    figure = curves.training_curves(history(), ["cora", "pubmed"])
    assert texts(figure.axes[3]) == ["not in this run"]
    assert figure.axes[3].get_title(loc="left") == "PubMed"
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
    figure = score_panels.importance_heatmaps(scores, history(["digits"]), ["digits"])
    image = figure.axes[0].images[0]
    assert image.get_array()[:, 1].tolist() == [3, 2, 1, 0, -1, -2]
    red, _, blue, _ = image.cmap(image.norm(3.0))
    assert red > blue
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["5", "10"]


def test_scatter_scales_every_score_from_zero_to_one():
    means = pd.DataFrame(
        [{"dataset": "digits", "scorer": scorer, "feature": f, "mean": factor * f, "runs": 1}
         for scorer, factor in (("npt", 3.0), ("mi", -10.0)) for f in range(5)]
    )  # fmt: skip
    figure = score_panels.score_scatter(means, ["digits"])
    dots = np.asarray(figure.axes[0].collections[0].get_offsets())
    assert dots.tolist() == [[f / 4, 1 - f / 4] for f in range(5)]
