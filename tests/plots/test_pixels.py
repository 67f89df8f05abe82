"""Importance as images: what is drawn where."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd
import pytest

from graphsieve.plots.pixels import pixel_images


def means(scorers: list[str], features: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = [
        {"dataset": "digits", "scorer": scorer, "feature": feature, "mean": rng.normal(), "spread": 0.1, "runs": 2}
        for scorer in scorers
        for feature in range(features)
    ]
    return pd.DataFrame(rows)


def titles(figure) -> list[str]:
    return [axis.get_title() for axis in figure.axes if axis.get_title()]


def test_pixels_are_where_they_are_in_the_image():
    table = means(["random", "h_ge", "npt"], 64).sample(frac=1, random_state=0)
    figure = pixel_images(table)
    assert titles(figure) == ["NPT", r"$h_{\mathrm{GE}}$", "Rnd."]
    drawn = figure.axes[0].images[0].get_array()
    expected = table[(table["scorer"] == "npt") & (table["feature"] == 3 * 8 + 5)]["mean"].item()
    assert drawn[3, 5] == pytest.approx(expected)


def test_missing_pixels_stay_blank():
    figure = pixel_images(means(["npt"], 60))
    assert np.isnan(np.ma.filled(figure.axes[0].images[0].get_array()[7, 4:], np.nan)).all()


def test_unknown_scorer_is_drawn_by_its_name():
    assert titles(pixel_images(means(["my_scorer"], 64))) == ["my_scorer"]
