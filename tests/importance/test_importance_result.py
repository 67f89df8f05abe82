"""Intervals, tables, pictures and names of a result."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from importance_cases import CLASSES, FEATURES, make_graph, scored_nodes
from scipy import stats
from torch import nn
from torch_geometric.nn import GCNConv

from graphsieve import permutation_importance
from graphsieve.errors import InputError
from graphsieve.importance import PermutationImportance
from graphsieve.models.classifier import build_model


def result(importances, **changed) -> PermutationImportance:
    importances = np.asarray(importances, dtype=float)
    fields = {"baseline": 0.8, "metric": "accuracy", "features": np.arange(len(importances)), "groups": None}
    return PermutationImportance(**(fields | {"importances": importances, "engine": "full"} | changed))


def ragged() -> PermutationImportance:
    """Five features; each has a repeat less than the one before, and what was not sampled is NaN."""
    values = np.random.default_rng(1).normal(size=(5, 6))
    sampled = np.arange(6) < np.array([6, 5, 4, 3, 2])[:, None]
    return result(np.where(sampled, values, np.nan), sampled=sampled)


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_interval_is_students(level):
    for row, (low, high) in zip(ragged().importances, ragged().interval(level), strict=True):
        expected = stats.ttest_1samp(row[~np.isnan(row)], 0).confidence_interval(level)
        assert (low, high) == pytest.approx((expected.low, expected.high))


def test_equal_values_of_a_metric_with_steps_leave_an_interval():
    """As wide as Clopper and Pearson's for something that none of ten draws showed."""
    values = np.zeros((2, 10))
    values[1, 0] = 0.02
    low, high = result(values).interval(0.95)[0]
    assert (low, high) == pytest.approx((-0.02 * stats.beta.ppf(0.95, 1, 10), 0.02 * stats.beta.ppf(0.95, 1, 10)))


def test_what_is_not_random_has_no_width():
    low, high = result([[0.1, 0.1], [0.3, 0.3]], perturbation="mask").interval().T
    assert low.tolist() == high.tolist() == [0.1, 0.3]


def test_one_repeat_has_no_interval():
    assert np.isnan(result([[0.1], [0.2]]).interval()).all()


def test_statistics_are_those_of_the_sampled_repeats():
    rows = [row[~np.isnan(row)] for row in ragged().importances]
    assert ragged().n_repeats_used.tolist() == [6, 5, 4, 3, 2]
    assert ragged().importances_mean == pytest.approx([row.mean() for row in rows])
    assert ragged().importances_std == pytest.approx([row.std() for row in rows])


def test_a_result_that_is_not_a_number_is_not_hidden():
    assert np.isnan(result([[0.1, np.nan, 0.2]]).importances_mean).all()


def test_several_models_are_the_sample():
    rng = np.random.default_rng(2)
    parts = [rng.normal(size=(3, 4)) for _ in range(5)]
    combined = PermutationImportance.combine([result(part, baseline=0.1 * n) for n, part in enumerate(parts)])
    means = np.stack([part.mean(axis=1) for part in parts], axis=1)
    for row, (low, high) in zip(means, combined.interval(0.9), strict=True):
        expected = stats.ttest_1samp(row, 0).confidence_interval(0.9)
        assert (low, high) == pytest.approx((expected.low, expected.high))
    assert combined.importances.shape == (3, 20)
    assert combined.importances_mean == pytest.approx(means.mean(axis=1))
    assert combined.baseline == pytest.approx(0.2)


def test_models_with_different_numbers_of_repeats_count_alike():
    combined = PermutationImportance.combine([result([[0.0, 0.0, 0.0, 0.0]]), result([[1.0, 1.0]]), ragged_row()])
    assert combined.importances_mean == pytest.approx([(0 + 1 + 5) / 3])


def ragged_row() -> PermutationImportance:
    return result([[5.0, np.nan]], sampled=np.array([[True, False]]))


def test_only_like_results_are_combined():
    with pytest.raises(InputError, match="no result to combine"):
        PermutationImportance.combine([])
    with pytest.raises(InputError, match="cannot be combined: score the same rows"):
        PermutationImportance.combine([result([[0.1]]), result([[0.1], [0.2]])])
    with pytest.raises(InputError, match="cannot be combined"):
        PermutationImportance.combine([result([[0.1]]), result([[0.1]], metric="macro_f1")])


@pytest.mark.parametrize("level", [0, 1, 95])
def test_levels_are_probabilities(level):
    with pytest.raises(InputError, match="must lie between 0 and 1"):
        result([[0.1, 0.2]]).interval(level)


def test_the_table_has_the_best_first_and_ties_share_a_rank():
    frame = result([[0.0], [0.2], [0.0], [0.1]], feature_names=["a", "b", "c", "d"]).to_frame()
    assert frame["feature"].tolist() == ["b", "d", "a", "c"]
    assert frame["rank"].tolist() == [1, 2, 3, 3]
    assert frame.index.tolist() == [1, 3, 0, 2]


def test_the_table_holds_mean_deviation_and_interval():
    frame = ragged().to_frame(level=0.8).sort_index()
    assert frame["mean"].to_numpy() == pytest.approx(ragged().importances_mean)
    assert frame["std"].to_numpy() == pytest.approx(ragged().importances_std)
    assert frame[["low", "high"]].to_numpy() == pytest.approx(ragged().interval(0.8))
    assert frame["n_repeats"].tolist() == [6, 5, 4, 3, 2]


def test_kept_rows_lead_the_table():
    frame = result([[0.3], [0.2], [0.1]], kept=np.array([True, False, True])).to_frame()
    assert frame.index.tolist() == [0, 2, 1]
    assert frame["rank"].tolist() == [1, 2, 3]
    assert frame["kept"].tolist() == [True, True, False]


def test_rows_are_named_after_groups_features_or_columns():
    groups = {"both": np.array([0, 1])}
    assert result([[0.1]], features=None, groups=groups).to_frame()["group"].tolist() == ["both"]
    assert result([[0.1]], features=np.array([2])).names == [2]
    assert result([[0.1]], features=np.array([2]), feature_names=["a", "b", "c"]).names == ["c"]


def test_the_picture_shows_the_best_with_their_intervals():
    shown = result(np.arange(30)[:, None] + np.array([0.0, 0.5]), feature_names=[f"word {n}" for n in range(30)])
    ax = shown.plot(top=3)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["word 27", "word 28", "word 29"]
    assert [bar.get_width() for bar in ax.patches] == [27.25, 28.25, 29.25]
    (low, _), (high, _) = ax.containers[0].lines[2][0].get_segments()[0]
    assert (low, high) == pytest.approx(tuple(shown.interval()[27]))
    given = plt.figure().add_subplot()
    assert result([[0.1]]).plot(ax=given) is given
    plt.close("all")


def test_the_repr_is_short():
    text = repr(result(np.random.default_rng(0).normal(size=(5000, 10)), feature_names=["x" * 9] * 5000))
    assert text.startswith("PermutationImportance(5000 features x 10 repeats, accuracy 0.8 before")
    assert len(text) < 200
    assert "2 models" in repr(PermutationImportance.combine([result([[0.1]]), result([[0.1]])]))


def test_names_are_carried_and_checked():
    x, edges, y = make_graph()
    model = build_model("gcn", FEATURES, CLASSES, hidden=8)
    names = [f"column {n}" for n in range(FEATURES)]
    scored = permutation_importance(model, x, edges, y, scored_nodes(), features=[4, 1], feature_names=names)
    assert scored.names == ["column 4", "column 1"]
    with pytest.raises(InputError, match="feature_names has 5 names, but x has 6 columns"):
        permutation_importance(model, x, edges, y, scored_nodes(), feature_names=names[:5])


def random_network(seed: int) -> tuple[nn.Module, tuple]:
    """30 nodes in two classes, four columns; two layers with weights large enough to matter."""
    generator = torch.Generator().manual_seed(seed)
    layers = GCNConv(4, 4), GCNConv(4, 2)
    for layer in layers:
        layer.lin.weight.data = torch.randn(layer.lin.weight.shape, generator=generator)
    x, edges = torch.randn(30, 4, generator=generator), torch.randint(0, 30, (2, 60), generator=generator)
    return TwoLayers(*layers), (x, edges, torch.randint(0, 2, (30,), generator=generator), torch.arange(30))


class TwoLayers(nn.Module):
    def __init__(self, first: nn.Module, last: nn.Module):
        super().__init__()
        self.first, self.last = first, last

    def forward(self, x, edge_index):
        return self.last(self.first(x, edge_index).relu(), edge_index)


def test_95_of_100_intervals_hold_the_mean_over_permutations():
    """Five runs of ten repeats on each of 200 graphs, against the mean over 600 others."""
    held = {"cross_entropy": [], "accuracy": []}
    for seed in range(200):
        model, graph = random_network(seed)
        results = permutation_importance(model, *graph, n_repeats=650, metric=list(held), engine="lowrank")
        for metric, scored in results.items():
            expected = scored.importances[:, 50:].mean(axis=1)
            for start in range(0, 50, 10):
                low, high = result(scored.importances[:, start : start + 10]).interval().T
                held[metric].append((low <= expected) & (expected <= high))
    for metric, hits in held.items():
        assert 0.93 <= np.mean(hits) <= 0.97, (metric, np.mean(hits))
