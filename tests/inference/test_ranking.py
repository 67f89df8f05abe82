from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.stats import binom

from graphsieve.data.graph import Split
from graphsieve.data.splits import choose_split
from graphsieve.data.synthetic import generate
from graphsieve.errors import InputError
from graphsieve.inference.halves import cut_in_halves
from graphsieve.inference.ranking import rank_features
from graphsieve.inference.scored import score_sides
from graphsieve.inference.sides import train_sides
from graphsieve.options import RankingOptions, TrainingOptions
from graphsieve.selection.how_few import numbers_to_keep, smallest_without_loss, standard_error

CPU = torch.device("cpu")
QUICK = TrainingOptions(hidden=16, classifier="none", dropout=0.5, epochs=30)


def test_halves_share_nothing_and_hide_the_test_labels(small_graph, small_split):
    graph = replace(small_graph, feature_names=tuple("abcdefgh"))
    # every node can be told by its first column
    graph = replace(graph, x=np.c_[np.arange(60), graph.x[:, 1:]].astype(np.float32))
    (first, seen_first), (second, seen_second) = cut_in_halves(graph, small_split, seed=0)
    nodes_first, nodes_second = first.x[:, 0].astype(int), second.x[:, 0].astype(int)
    assert sorted([*nodes_first, *nodes_second]) == list(range(60))
    known = np.concatenate([nodes_first[seen_first], nodes_second[seen_second]])
    assert sorted(known) == sorted([*small_split.train, *small_split.val])
    for half, nodes in ((first, nodes_first), (second, nodes_second)):
        inside = np.isin(graph.edge_index, nodes).all(axis=0)
        assert half.edge_index.shape[1] == inside.sum()
        np.testing.assert_array_equal(half.y, graph.y[nodes])
    counts = [np.bincount(half.y[seen], minlength=3) for half, seen in ((first, seen_first), (second, seen_second))]
    assert np.abs(counts[0] - counts[1]).max() <= 1


def test_model_knows_nothing_of_the_half_it_is_scored_on(small_graph, small_split):
    """What makes the p-values exact: other features and labels in the scored half leave the model as it was."""
    options = RankingOptions(seeds=1, training=QUICK)
    (subgraph, _), (scored, _) = cut_in_halves(small_graph, small_split, seed=0)
    assert len(subgraph.x) + len(scored.x) == 60
    marked = replace(small_graph, x=np.c_[small_graph.x[:, :7], np.arange(60)].astype(np.float32))
    other_half = cut_in_halves(marked, small_split, 0)[1][0].x[:, 7].astype(int)
    x, y = small_graph.x.copy(), small_graph.y.copy()
    x[other_half], y[other_half] = x[other_half[::-1]], y[other_half]
    one = train_sides(small_graph, small_split, options, CPU)[0].models[0]
    same = train_sides(replace(small_graph, x=x), small_split, options, CPU)[0].models[0]
    for before, after in zip(one.parameters(), same.parameters(), strict=True):
        assert torch.equal(before, after)
    changed = train_sides(replace(small_graph, x=x), small_split, options, CPU)[1].models[0]
    other = train_sides(small_graph, small_split, options, CPU)[1].models[0]
    assert not torch.equal(next(changed.parameters()), next(other.parameters()))


def test_too_few_labels_are_refused(small_graph):
    y = np.full(60, -1)
    y[:6] = [0, 0, 0, 1, 1, 1]
    graph = replace(small_graph, y=y)
    with pytest.raises(InputError, match="has 2 labelled nodes outside the test set, too few"):
        cut_in_halves(graph, Split(np.array([0]), np.array([3]), np.array([1, 4])), seed=0)


def p_values_of(regime: str, seed: int, num_nodes: int, num_features: int = 20) -> np.ndarray:
    graph = generate(regime, seed, num_nodes=num_nodes, num_features=num_features)
    # 0.05 is twice 1 / 40, the smallest p-value of each half
    options = RankingOptions(seeds=1, seed=seed, n_repeats=39, permutations=39, training=QUICK)
    sides = train_sides(graph, choose_split(graph, "random", seed), options, CPU)
    return score_sides(sides, num_features).p_values


@pytest.mark.parametrize("regime", ["a", "c", "e", "g"])
def test_share_of_false_alarms_is_within_its_interval(regime):
    """No feature is relevant. Where features follow the graph (c, g) the null hypothesis of the test does not quite
    hold, and the share may also be smaller. The features of one graph are nearly independent: over 150 graphs of each
    regime the share varies among graphs as the binomial distribution says.
    """
    p_values = np.stack([p_values_of(regime, seed, num_nodes=150) for seed in range(1000, 1012)])
    alarms = (p_values <= 0.05).sum()
    low, high = binom.interval(0.999, p_values.size, 0.05)
    assert alarms <= high
    if regime in "ae":
        assert alarms >= low


def test_naive_permutation_of_training_nodes_would_raise_false_alarms():
    """Why the halves are needed: a column that is chance looks relevant where the model has learnt from it."""
    alarms = []
    for seed in range(4):
        graph = generate("e", seed, num_nodes=150, num_features=10)
        options = RankingOptions(
            seeds=1, seed=seed, n_repeats=39, permutations=39, training=replace(QUICK, dropout=0.0, epochs=100)
        )
        sides = train_sides(graph, choose_split(graph, "random", seed), options, CPU)
        halves = cut_in_halves(graph, choose_split(graph, "random", seed), seed)
        naive = replace(sides[0], graph=halves[0][0], nodes=halves[0][1])
        alarms.append(score_sides([naive], 10).p_values <= 0.05)
    assert np.mean(alarms) > 0.5


@pytest.mark.parametrize("regime", ["b", "d", "f", "h"])
def test_planted_features_are_found(regime):
    p_values = np.stack([p_values_of(regime, seed, num_nodes=300, num_features=10) for seed in range(4)])
    assert np.mean(p_values[:, :5] <= 0.05) > 0.6
    assert np.mean(p_values[:, 5:] <= 0.05) < 0.25


def test_smallest_set_is_the_first_from_which_on_nothing_is_lost():
    curve = pd.DataFrame({"kept": [1, 2, 4, 8], "loss": [0.3, 0.01, 0.05, 0.0], "loss_standard_error": [0.02] * 4})
    assert smallest_without_loss(curve) == 8
    assert smallest_without_loss(curve.assign(loss=[0.3, 0.01, 0.02, 0])) == 2
    assert smallest_without_loss(curve.assign(loss=0.0)) == 1
    assert smallest_without_loss(curve.assign(loss_standard_error=np.nan)) == 8
    assert (numbers_to_keep(1), numbers_to_keep(3)) == ([1], [1, 2, 3])
    assert numbers_to_keep(1000)[-1] == 1000
    assert standard_error(np.array([1.0, 3.0])) == 1
    assert np.isnan(standard_error(np.array([1.0])))


@pytest.fixture(scope="module")
def ranking(small_graph):
    """Column 3 repeats column 2, and the first two were made of one text column."""
    x = small_graph.x.copy()
    x[:, 3] = x[:, 2]
    graph = replace(
        small_graph,
        x=x,
        feature_names=("kind=a", "kind=b", "c", "copy of c", "e", "f", "g", "h"),
        column_groups=("kind", "kind", "c", "copy of c", "e", "f", "g", "h"),
    )
    return rank_features(graph, options=RankingOptions(seeds=2, n_repeats=10, permutations=99, training=QUICK))


def test_ranking_table(ranking):
    table = ranking.table
    assert list(table["rank"]) == list(range(1, 9))
    assert sorted(table["feature"]) == sorted(ranking.graph.feature_names)
    assert (np.diff(table["importance"]) <= 1e-12).all()
    assert table[["p_alone", "p_value"]].gt(0).all(axis=None)
    assert (table["p_holm"] >= table["p_adjusted"]).all()
    assert (table["p_adjusted"] >= table["p_value"]).all()
    assert (table["starred"] == (table["p_adjusted"] <= 0.05)).all()
    assert (table[["standard_error_repeats", "standard_error_seeds"]] >= 0).all(axis=None)
    assert ((table["low"] <= table["importance"]) & (table["importance"] <= table["high"])).all()
    named = table.set_index("feature")
    assert named.loc["copy of c", "judged_with"] == "c"
    assert named.loc["kind=a", "judged_with"] == "kind=b"
    assert named.loc["c", "p_value"] == named.loc["copy of c", "p_value"]
    assert list(named.loc[["kind=a", "kind=b", "e"], "group"]) == ["kind", "kind", ""]
    groups = ranking.groups.set_index("group")
    assert set(groups.index) == {"kind", "c + copy of c"}
    assert groups.loc["kind", "importance"] > named.loc[["kind=a", "kind=b"], "importance"].max()
    assert groups.loc["c + copy of c", "importance"] > named.loc[["c", "copy of c"], "importance"].max()
    assert groups.loc["c + copy of c", "p_value"] == named.loc["c", "p_value"]


def test_ranking_is_the_same_again_and_accuracies_are_those_of_the_test_nodes(ranking, small_graph):
    again = rank_features(ranking.graph, options=ranking.options)
    pd.testing.assert_frame_equal(again.table, ranking.table)
    pd.testing.assert_frame_equal(again.curve, ranking.curve)
    assert ranking.test_nodes == 12
    hits = ranking.curve["accuracy"] * 12 * ranking.options.seeds
    np.testing.assert_allclose(hits, hits.round(), atol=1e-9)
    assert ranking.curve["kept"].iloc[-1] == 8
    assert ranking.curve["loss"].iloc[-1] == 0
    assert ranking.curve["accuracy"].iloc[-1] > 0.8 > ranking.majority


def test_test_labels_do_not_touch_the_ranking(ranking):
    """Given as masks, so that the split stays; the curve is what changes."""
    split = choose_split(ranking.graph, "random", 0)
    y = ranking.graph.y.copy()
    y[split.test] = (y[split.test] + 1) % 3
    quick = replace(ranking.options, seeds=1)
    honest = rank_features(replace(ranking.graph, public_split=split), options=quick)
    lied_to = rank_features(replace(ranking.graph, y=y, public_split=split), options=quick)
    pd.testing.assert_frame_equal(honest.table, lied_to.table)
    assert honest.curve["accuracy"].iloc[-1] > lied_to.curve["accuracy"].iloc[-1]


@pytest.mark.parametrize("name", ["seeds", "n_repeats", "permutations"])
def test_counts_below_one_are_refused(name):
    with pytest.raises(InputError, match=f"{name} is 0"):
        RankingOptions(**{name: 0})
