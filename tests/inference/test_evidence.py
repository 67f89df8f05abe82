"""What is left unexplained, against what is computed by hand; who is starred, and why, on graphs where it is known."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.stats import binom

from graphsieve.data.graph import Graph
from graphsieve.data.splits import choose_split
from graphsieve.data.stand_ins import generate, kinds_of
from graphsieve.inference import evidence, unexplained
from graphsieve.inference.evidence import ColumnTests, unit_p_values
from graphsieve.inference.halves import share_out
from graphsieve.inference.ranking import judge_columns
from graphsieve.inference.sides import train_sides
from graphsieve.inference.smoothness import smooth_columns
from graphsieve.inference.stopping import HITS, sequential_p_value
from graphsieve.inference.tables import importance_interval
from graphsieve.inference.unexplained import MOST_NODES, Unexplained, rest_of_classes, rest_of_quantities
from graphsieve.inference.verdicts import (
    FOLLOWS_GRAPH,
    NOTHING,
    OWN,
    STAND_IN,
    TOGETHER,
    reason_in_ranking,
    sentence_of,
)
from graphsieve.models.training import predict
from graphsieve.options import RankingOptions, TrainingOptions

CPU = torch.device("cpu")
QUICK = TrainingOptions(hidden=16, classifier="none", dropout=0.5, epochs=40)


def judged(graph: Graph, seed: int = 0, **options: object):
    split = choose_split(graph, "random", seed)
    asked = RankingOptions(seeds=1, seed=seed, permutations=399, training=QUICK, **options)
    return split, train_sides(graph, split, asked, CPU)


@pytest.fixture(scope="module")
def strong() -> Graph:
    """Two columns that tell the class, each with a copy; one that is smooth; noise."""
    return generate(1, num_nodes=400, relevant=2, copies=1, smooth=2, white=4, signal=2.0)


def test_sequential_p_value_is_the_share_of_draws_as_good():
    rng = np.random.default_rng(0)
    for level in (-1.5, 0.0, 2.0):
        worse = rng.normal(size=99) + level
        asked = []

        def draw(number: int, count: int, worse: np.ndarray = worse, asked: list = asked) -> np.ndarray:
            asked.append(count)
            return worse[sum(asked) - count : sum(asked)]

        p_value, hits = sequential_p_value(draw, 10, 99), np.flatnonzero(worse <= 0)
        if len(hits) >= HITS:
            assert p_value == HITS / (hits[HITS - 1] + 1)
        else:
            assert (p_value, asked) == ((len(hits) + 1) / 100, [10, 10, 20, 40, 19])
    assert sequential_p_value(lambda _, count: np.zeros(count), 20, 199) == 1


def test_what_is_left_is_labels_less_predictions_with_the_columns_at_their_means(strong):
    split, sides = judged(strong)
    test, columns = Unexplained(strong, split, sides), np.array([0, 2])
    x = strong.x.copy()
    x[:, columns] = x[:, columns].mean(axis=0)
    known = np.union1d(split.train, split.val)
    rest = test.without(columns)
    for side, half in zip(sides, share_out(strong, split, 0)[::-1], strict=True):
        asked = np.intersect1d(half, known)
        rows = np.isin(test.labelled, asked)
        np.testing.assert_array_equal(np.sort(test.labelled[rows]), asked)
        logits = predict(side.models[0], replace(strong, x=x)).double().numpy()[test.labelled[rows]]
        expected = rest_of_classes(logits[None], strong.y[test.labelled[rows]])
        np.testing.assert_allclose(rest[rows], expected - expected.mean(axis=0), atol=1e-6)
    np.testing.assert_array_equal(test.x.numpy(), strong.x)


def test_logits_are_scaled_to_fit():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(4000, 3))
    y = (truth + rng.gumbel(size=truth.shape)).argmax(axis=1)
    honest = np.eye(3)[y] - np.exp(truth) / np.exp(truth).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(rest_of_classes(5 * truth[None], y), honest, atol=0.05)


def test_quantities_are_scaled_to_fit():
    predicted = np.array([1.0, 2.0, 3.0, 4.0])
    rest = rest_of_quantities(predicted[None, :, None], 3 * predicted + 1)
    np.testing.assert_allclose(rest, np.ones((4, 1)), atol=1e-9)
    assert rest_of_quantities(predicted[None, :, None], -predicted)[:, 0].tolist() == [-1, -2, -3, -4]


def test_statistic_by_a_naive_loop(strong):
    split, sides = judged(strong)
    test = Unexplained(strong, split, sides)
    values, rest = np.random.default_rng(0).normal(size=(2, 3, 400)), test.without(np.array([1]))
    source, target = strong.edge_index
    expected = np.zeros(2)
    for draw in range(2):
        for column in values[draw]:
            means = np.array(
                [column[source[target == node]].mean() if (target == node).any() else 0 for node in range(400)]
            )
            for weight, signal in ((1, column), (0.5, means)):
                seen = signal[test.labelled] - signal[test.labelled].mean()
                for left in rest.T:
                    expected[draw] += weight * (seen @ left) ** 2 / (seen**2 @ left**2)
    np.testing.assert_allclose(test.statistic(values, rest), expected)


def test_smooth_columns_are_told_from_those_that_follow_the_labels():
    graph = generate(0, num_nodes=500, relevant=6, copies=0, smooth=6, white=30, signal=2.0)
    smooth, kinds = smooth_columns(graph, np.arange(400)), kinds_of(graph)
    assert smooth[kinds == "smooth"].all()
    assert smooth[kinds == "relevant"].sum() <= binom.ppf(0.999, 6, 0.05)
    assert smooth[kinds == "white"].sum() <= binom.ppf(0.999, 30, 0.05)


def test_a_part_of_a_large_graph_keeps_neighbours():
    rng, nodes = np.random.default_rng(0), 2 * MOST_NODES
    ring = np.stack([np.arange(nodes), (np.arange(nodes) + 1) % nodes])
    edges = np.concatenate([ring, ring[::-1]], axis=1)
    graph = Graph("ring", np.zeros((nodes, 1), np.float32), edges, np.zeros(nodes, int), 2)
    part = unexplained.tested_part(graph, rng.permutation(nodes)[:500], 0)
    assert len(np.unique(part)) == MOST_NODES
    inside = np.isin(edges, part).all(axis=0).sum() / 2
    assert inside > 0.95 * MOST_NODES  # of a random half, a quarter of the edges would be inside


def test_what_matters_is_starred_and_the_rest_is_not(strong):
    split, sides = judged(strong)
    table = judge_columns(strong, split, sides).table
    kinds = table["feature"].str.split().str[0]
    assert table.loc[kinds == "relevant", "starred"].all()
    assert not table.loc[kinds.isin(["white", "smooth"]), "starred"].any()
    assert set(table.loc[table["starred"], "reason"]) <= {OWN, TOGETHER}
    assert table.loc[kinds == "copy", "judged_with"].str.startswith("relevant").all()
    assert table.loc[table["p_alone"] <= 0.05, "importance_beside"].notna().all()


def test_members_of_a_unit_that_say_the_same_cannot_be_told_apart(strong):
    x = strong.x.copy()
    x[:, 2] = x[:, 0]
    split, sides = judged(replace(strong, x=x))
    table = judge_columns(replace(strong, x=x), split, sides).table.set_index("feature")
    assert table.loc["relevant 1", "reason"] == TOGETHER
    assert table.loc["relevant 1", "p_own"] == 1
    assert table.loc["relevant 1", "sentence"].startswith("Matters only together with copy of 1:")


def test_false_alarms_of_columns_that_say_nothing():
    """At level 5 %, of white and of smooth columns; scripts/bench/stars.py measures it on many graphs."""
    found = {"white": [], "smooth": []}
    for seed in range(6000, 6006):
        graph = generate(seed, num_nodes=300, relevant=2, copies=0, smooth=8, white=8)
        split, sides = judged(graph, seed)
        tests = ColumnTests(graph, split, sides)
        p_values = unit_p_values(tests, [np.array([column]) for column in range(2, 18)], np.full(16, 0.1))
        for kind in found:
            found[kind] += list(p_values[kinds_of(graph)[2:] == kind] <= 0.05)
    for alarms in found.values():
        assert sum(alarms) <= binom.ppf(0.999, len(alarms), 0.05)


def test_a_smooth_column_is_tested_without_any_smooth_one_and_by_both_kinds_of_draws(strong, monkeypatch):
    tests = ColumnTests(strong, *judged(strong))
    column = np.array([list(strong.names()).index("smooth 1")])
    others = np.flatnonzero(tests.smooth)
    assert column[0] in others
    asked, answers = [], iter([0.01, 0.03, 0.2])

    def p_value(columns, draws, occasion, limit, held):
        asked.append((draws, held.tolist()))
        return next(answers)

    monkeypatch.setattr(tests.unexplained, "p_value", p_value)
    assert tests.p_beside(column, 0, 99) == 0.03  # the larger one
    assert tests.p_beside(column, 0, 99) == 0.2  # no need to ask further
    assert [draws for draws, _ in asked] == [tests.given_graph, tests.beside_and_graph, tests.given_graph]
    assert all(held == others.tolist() for _, held in asked)


def test_smooth_columns_raise_few_alarms_where_labels_follow_the_graph():
    """Nothing is relevant. A plain permutation has p at most 0.05 for a quarter of these columns and more."""
    p_values, plain = [], []
    for seed in range(4):
        graph = generate(seed, num_nodes=300, relevant=0, copies=0, smooth=10, white=0)
        tests = ColumnTests(graph, *judged(graph, seed))
        p_values += [tests.p_beside(np.array([column]), 0, 99) for column in range(10)]
        plain += [tests.p_alone(np.array([column]), 99) for column in range(10)]
    assert np.mean(np.array(p_values) <= 0.05) <= binom.ppf(0.999, 40, 0.05) / 40
    assert np.mean(np.array(plain) <= 0.05) > 0.2


def test_test_labels_do_not_touch_the_evidence(strong):
    split = choose_split(strong, "random", 0)
    y = strong.y.copy()
    y[split.test] = (y[split.test] + 1) % 3
    tables = []
    for labels in (strong.y, y):
        graph = replace(strong, y=labels)
        sides = train_sides(graph, split, RankingOptions(seeds=1, permutations=99, training=QUICK), CPU)
        tables.append(judge_columns(graph, split, sides).table)
    pd.testing.assert_frame_equal(*tables)


def test_a_column_that_matters_only_in_combination_is_found_by_the_loss(strong):
    """The test of what is left unexplained is made blind; the loss still shows a column that the model needs."""
    split, sides = judged(strong)
    tests = ColumnTests(strong, split, sides)
    tests.p_alone = lambda *_: 0.8
    units = [np.array([0, 2]), np.array([6])]
    p_values = unit_p_values(tests, units, np.array([0.001, 0.04]))
    assert p_values[0] <= 2 / 400 / 0.2
    assert p_values[1] > 0.05


def test_intervals_by_hand():
    falls = np.array([[[0.1, 0.2, 0.3], [0.2, 0.3, 0.4]]])  # two seeds, three repeats
    over_repeats = 4.302653 * 0.1 / np.sqrt(3)
    over_seeds = 12.706205 * np.std([0.2, 0.3], ddof=1) / np.sqrt(2)
    half = np.hypot(over_repeats, over_seeds)
    np.testing.assert_allclose(importance_interval(falls), [[0.25 - half, 0.25 + half]], rtol=1e-5)
    np.testing.assert_allclose(importance_interval(falls[:, :1]), [[0.2 - over_repeats, 0.2 + over_repeats]], rtol=1e-5)
    assert np.isnan(importance_interval(falls[:, :1, :1])).all()


ROW = {"starred": True, "p_own": 0.01, "p_alone": 0.01, "is_smooth": False, "correlation": -0.9, "closest": "a"}
ROW |= {"judged_with": [], "importance": 0.2, "importance_beside": 0.15}


@pytest.mark.parametrize(
    ("change", "reason", "beginning"),
    [
        ({}, OWN, "Matters by itself: it says what nothing else says. 75% of its importance remains"),
        ({"judged_with": ["b"]}, OWN, "Matters by itself, though it goes with b: it says"),
        ({"p_own": 0.2, "judged_with": ["b", "c"]}, TOGETHER, "Matters only together with b and c: which"),
        (
            {"p_own": 1, "judged_with": list("bcdefg"), "p_alone": 1},
            TOGETHER,
            "Matters only together with b, c and 4 more",
        ),
        ({"starred": False}, STAND_IN, "A stand-in for a (correlation -0.90)"),
        ({"starred": False, "is_smooth": True}, FOLLOWS_GRAPH, "Follows the graph"),
        ({"starred": False, "correlation": 0.1}, NOTHING, "Not shown to matter: the model uses it"),
        ({"starred": False, "p_alone": 0.3}, NOTHING, "No sign that it matters: shuffled"),
    ],
)
def test_reason_and_sentence(change, reason, beginning):
    row = pd.Series({**ROW, **change})
    assert reason_in_ranking(row, 0.05) == reason
    assert sentence_of(pd.Series({**row, "reason": reason}), 0.05).startswith(beginning)


def test_losses_are_tested_only_where_draws_can_tell(strong, monkeypatch):
    split, sides = judged(strong)
    tests = ColumnTests(strong, split, sides)
    units = [np.array([column]) for column in range(strong.num_features)]
    asked = []
    monkeypatch.setattr(tests, "p_loss", lambda columns: asked.append(int(columns[0])) or 1.0)
    monkeypatch.setattr(tests, "p_alone", lambda columns, limit: 1.0)  # so that nothing but losses is left to test
    used = np.zeros(len(units))
    unit_p_values(tests, units, used)
    assert asked == list(range(strong.num_features))
    asked.clear()
    monkeypatch.setattr(evidence, "EXACT_NODES", strong.num_nodes - 1)
    unit_p_values(tests, units, used)
    smooth = np.flatnonzero(tests.smooth)
    assert len(smooth)
    assert asked == [column for column in range(strong.num_features) if column not in smooth]
    assert tests.untested_losses == len(smooth)
    asked.clear()
    monkeypatch.setattr(evidence, "EXACT_NODES", strong.num_nodes)
    monkeypatch.setattr(evidence, "VALUES_OF_LOSS", 198 * strong.num_nodes)  # 2 / (198 + 1) / 0.2 is above 0.05
    unit_p_values(tests, units, used)
    assert not asked
    monkeypatch.setattr(evidence, "VALUES_OF_LOSS", 199 * strong.num_nodes)
    unit_p_values(tests, units, used)
    assert asked


def test_of_a_large_graph_one_model_of_each_side_tells_what_remains_beside_the_others(strong, monkeypatch):
    split = choose_split(strong, "random", 0)
    both = train_sides(strong, split, RankingOptions(seeds=2, n_repeats=3, training=QUICK), CPU)
    first = [replace(side, models=side.models[:1], options=replace(side.options, seeds=1)) for side in both]
    columns = np.arange(strong.num_features)
    of_both, of_first = (ColumnTests(strong, split, sides).importance_beside(columns) for sides in (both, first))
    assert not np.allclose(of_both, of_first)
    monkeypatch.setattr(evidence, "LARGE", strong.num_nodes - 1)
    np.testing.assert_allclose(ColumnTests(strong, split, both).importance_beside(columns), of_first)
