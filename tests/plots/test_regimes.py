"""Scores in the synthetic regimes: what is drawn in which panel."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from graphsieve.plots.regimes import regime_scores
from graphsieve.plots.style import VERMILION


def means(datasets: list[str], scorers: list[str], features: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = [
        {"dataset": dataset, "scorer": scorer, "feature": feature, "mean": rng.normal(), "spread": 0.1, "runs": 2}
        for dataset in datasets
        for scorer in scorers
        for feature in range(features)
    ]
    return pd.DataFrame(rows)


def test_regimes_are_rows_scorers_columns_on_one_scale():
    table = means(["synthetic_b", "synthetic_a"], ["mi", "tfi", "pt", "npt"], 50)
    table.loc[table["dataset"] == "synthetic_b", "mean"] *= 10
    figure = regime_scores(table, relevant=5)
    grid = np.array(figure.axes).reshape(2, 5)
    assert [axis.get_title() for axis in grid[0, 1:]] == ["NPT", "PT", "TFI", "MI"]
    assert [axis.get_title(loc="left") for axis in grid[:, 0]] == ["(a)", "(b)"]
    for column in range(1, 5):
        assert grid[0, column].get_ylim() == grid[1, column].get_ylim()


def test_only_relevant_features_are_marked():
    figure = regime_scores(means(["synthetic_a", "synthetic_h"], ["npt"], 50), relevant=5)
    independent, dependent = figure.axes[1], figure.axes[3]
    assert not independent.patches
    assert len(dependent.patches) == 1
    red = [line for line in dependent.lines if to_hex(line.get_color()) == VERMILION and len(line.get_xdata())]
    assert red[0].get_xdata().tolist() == [1, 2, 3, 4, 5]
    assert not any(len(line.get_xdata()) for line in independent.lines if to_hex(line.get_color()) == VERMILION)


@pytest.mark.parametrize(("regime", "lines"), [("a", 0), ("b", 1), ("g", 2), ("h", 3)])
def test_triangle_joins_what_depends_on_each_other(regime, lines):
    figure = regime_scores(means([f"synthetic_{regime}"], ["npt"], 50), relevant=5)
    assert len(figure.axes[0].lines) == lines


def test_a_single_trial_has_no_spread_and_draws():
    figure = regime_scores(means(["synthetic_h"], ["npt"], 50).assign(spread=np.nan), relevant=5)
    assert np.isfinite(figure.axes[1].get_ylim()).all()
