"""Transfer between models: what is lost, and whose a ranking is."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from graphsieve.study.selectors import transfer

MODELS = ("gcn", "gin")


def records() -> pd.DataFrame:
    accuracies = {("gcn", "gcn"): 0.80, ("gcn", "gin"): 0.70, ("gin", "gcn"): 0.74, ("gin", "gin"): 0.78}
    rows = [
        {"dataset": "cora", "scorer": "npt_loss", "asked": asked, "model": model, "share": 0.1, "accuracy": value}
        for (asked, model), value in accuracies.items()
    ]
    rows += [{**rows[0], "scorer": "mi_train", "asked": "data", "model": model, "accuracy": 0.79} for model in MODELS]
    rows += [{**rows[0], "share": 0.5, "accuracy": 0.1}]
    return pd.DataFrame(
        {**row, "seed": seed, "split": "random", "test_accuracy": row["accuracy"] + 0.01 * seed}
        for row in rows
        for seed in (0, 1, 2)
    )


def test_what_is_lost_is_against_a_models_own_selection():
    runs = transfer.accuracies(records(), share=0.1)
    table = transfer.matrix(runs, "cora", "npt_loss")
    assert table.loc["gin", "gcn"] == pytest.approx(75)
    lost = transfer.losses(runs).set_index("scorer")
    assert lost.loc["npt_loss", "mean"] == pytest.approx((80 - 74 + 78 - 70) / 2)
    assert lost.loc["mi_train", "mean"] == pytest.approx((80 - 79 + 78 - 79) / 2)
    assert lost.loc["mi_train", "against"] == "npt_loss"


def drawn(rng, features: int, models: int, splits: int, **deviations: float) -> np.ndarray:
    shapes = {"data": (features, 1, 1), "model": (features, models, 1), "split": (features, 1, splits)}
    shapes["noise"] = (features, models, splits)
    return sum(deviations[name] * rng.normal(size=shape) for name, shape in shapes.items())


def test_the_parts_of_the_variance_are_found_again():
    rng = np.random.default_rng(0)
    values = drawn(rng, 4000, 6, 5, data=2.0, model=1.0, split=0.5, noise=1.0)
    expected = np.array([4, 1, 0.25, 1])
    found = transfer.variance_parts(values)
    assert list(found) == ["data", "model", "split", "noise"]
    assert list(found.values()) == pytest.approx(expected / expected.sum(), abs=0.02)


def test_they_are_those_of_an_analysis_of_variance_by_regression():
    """Residual sums of squares of nested linear models, with indicator columns."""
    rng = np.random.default_rng(1)
    ranks = np.stack([[stats.rankdata(rng.normal(size=5) + np.arange(5)) for _ in range(3)] for _ in range(2)])
    ranks = np.moveaxis(ranks, 2, 0)  # features, models, splits
    feature, model, split = (axis.ravel() for axis in np.indices(ranks.shape))

    def residual(*groups) -> float:
        columns = np.concatenate([np.eye(group.max() + 1)[group] for group in groups], axis=1)
        return float(((ranks.ravel() - columns @ np.linalg.lstsq(columns, ranks.ravel(), rcond=None)[0]) ** 2).sum())

    by_model, by_split = feature * 2 + model, feature * 3 + split
    alone = residual(feature)
    squares = {"noise": residual(by_model, by_split) / (4 * 1 * 2)}
    squares["model"] = (alone - residual(by_model)) / 4
    squares["split"] = (alone - residual(by_split)) / (4 * 2)
    squares["data"] = (residual(np.zeros_like(feature)) - alone) / 4
    parts = {
        "data": (squares["data"] - squares["model"] - squares["split"] + squares["noise"]) / 6,
        "model": (squares["model"] - squares["noise"]) / 3,
        "split": (squares["split"] - squares["noise"]) / 2,
        "noise": squares["noise"],
    }
    kept = {name: max(0.0, value) for name, value in parts.items()}
    assert transfer.variance_parts(ranks) == pytest.approx({name: kept[name] / sum(kept.values()) for name in kept})


def scores(values: dict) -> pd.DataFrame:
    return pd.DataFrame(
        {"dataset": "cora", "scorer": "npt_loss", "model": model, "seed": seed, "feature": feature, "score": score,
         "loss": np.nan}
        for (model, seed), row in values.items()
        for feature, score in enumerate(row)
    )  # fmt: skip


def test_rankings_that_belong_to_models_correlate_over_splits_only():
    rng = np.random.default_rng(0)
    own = {model: rng.normal(size=200) for model in MODELS}
    table = scores({(model, seed): own[model] for model in MODELS for seed in (0, 1)})
    table = pd.concat([table, table.assign(scorer="mi_train")])
    found = transfer.compare_rankings(table, share=0.1)
    assert found["scorer"].tolist() == ["npt_loss"]  # the other asks no model
    row = found.iloc[0]
    assert row["spearman_splits"] == row["kuncheva_splits"] == pytest.approx(1)
    assert row["spearman_models"] == pytest.approx(stats.spearmanr(*own.values()).statistic)
    assert row["model"] > 0.9
