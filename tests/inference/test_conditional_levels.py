"""False alarms of conditional tests, on few graphs; `scripts/bench/levels.py` measures them on many."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from levels import CASES, p_values, rates
from scipy.stats import binom

from graphsieve.data.splits import choose_split
from graphsieve.data.stand_ins import generate
from graphsieve.errors import InputError
from graphsieve.importance import Conditional
from graphsieve.inference.halves import cut_in_halves, share_out
from graphsieve.inference.reasons import feature_reasons
from graphsieve.inference.scored import score_sides
from graphsieve.inference.sides import perturbed_by, train_sides
from graphsieve.options import RankingOptions, TrainingOptions

CASE = {case.name: case for case in CASES}
GRAPHS, PERMUTATIONS = 8, 39


def rejected(name: str, tests: tuple[str, ...]) -> pd.DataFrame:
    """Rejections at 5 % by test and kind of column, and how many there could be."""
    case = replace(CASE[name], tests=tests)
    table = pd.concat(p_values(case, seed, PERMUTATIONS) for seed in range(GRAPHS))
    return (table["p_value"] <= 0.05).groupby([table["test"], table["column"]]).agg(["sum", "count"])


@pytest.mark.parametrize("name", ["copies at 0.8, numbers", "copies at 0.95, numbers", "copies at 0.8, zeros and ones"])
def test_copies_are_no_false_alarms_given_the_others(name):
    found = rejected(name, ("permute", "conditional"))
    for kind in ("copy", "white"):
        count, number = found.loc[("conditional", kind)]
        assert count <= binom.ppf(0.999, number, 0.05)
    copies, number = found.loc[("permute", "copy")]
    assert copies > 0.2 * number
    assert found.loc[("conditional", "relevant"), "sum"] >= 1


def test_smooth_columns_are_no_false_alarms_given_the_graph():
    found = rejected("smooth, 8 neighbours", ("permute", "permute, graph"))
    for kind in ("smooth", "white"):
        count, number = found.loc[("permute, graph", kind)]
        assert count <= binom.ppf(0.999, number, 0.05)
    smooth, number = found.loc[("permute", "smooth")]
    assert smooth > 0.2 * number
    relevant, number = found.loc[("permute, graph", "relevant")]
    assert relevant > 0.25 * number


def test_rates_by_hand():
    table = pd.DataFrame(
        {"graphs": "g", "test": "t", "column": "white", "seed": [0, 0, 1, 1], "p_value": [0.05, 0.06, 0.01, 0.02]}
    )
    (row,) = rates([table[:2], table[2:]]).to_dict("records")
    assert (row["rejected"], row["number"]) == (0.75, 4)
    assert row["standard_error"] == pytest.approx(np.std([0.5, 1], ddof=1) / np.sqrt(2))


@pytest.fixture(scope="module")
def graph():
    return generate(0, num_nodes=120, relevant=1, copies=1, smooth=1, white=1)


OPTIONS = RankingOptions(seeds=1, n_repeats=10, permutations=19, training=TrainingOptions(hidden=8, epochs=10))


def test_the_half_that_is_scored_is_drawn_and_the_other_is_known(graph):
    split = choose_split(graph, "random", 0)
    sides = train_sides(graph, split, OPTIONS, "cpu")
    assert [side.perturbation for side in sides] == ["permute", "permute"]
    again = perturbed_by(replace(OPTIONS, perturbation="conditional", given=("graph",)), sides, graph, split)
    halves = share_out(graph, split, OPTIONS.seed)
    for side, number in zip(again, (1, 0), strict=True):
        assert isinstance(side.perturbation, Conditional)
        assert side.models == sides[side.number].models
        for column in range(graph.num_features):  # in the order of the nodes of the half that the side scores
            expected = cut_in_halves(graph, split, OPTIONS.seed)[number][0].x[:, column]
            np.testing.assert_array_equal(side.perturbation.columns.dense(column), expected)
            np.testing.assert_array_equal(graph.x[halves[number], column], expected)


def test_reasons_are_the_same_again(graph):
    table = feature_reasons(graph, options=OPTIONS)
    pd.testing.assert_frame_equal(feature_reasons(graph, options=OPTIONS), table)
    assert list(table["feature"]) == graph.names()
    assert table.loc[0, "correlation"] == pytest.approx(np.corrcoef(graph.x[:, 0], graph.x[:, 1])[0, 1])


def test_test_labels_do_not_touch_the_p_values(graph):
    split = choose_split(graph, "random", 0)
    y = graph.y.copy()
    y[split.test] = (y[split.test] + 1) % 3
    asked, found = replace(OPTIONS, perturbation="conditional", given=("class", "graph")), []
    for labels in (graph.y, y):
        told = replace(graph, y=labels)
        sides = train_sides(told, split, asked, "cpu")
        found.append(score_sides(sides, graph.num_features))
    np.testing.assert_array_equal(found[0].losses, found[1].losses)
    np.testing.assert_array_equal(found[0].p_values, found[1].p_values)


@pytest.mark.parametrize("options", [{"perturbation": "mask"}, {"given": ("planet",)}])
def test_what_no_p_value_can_be_made_of_is_refused(options):
    with pytest.raises(InputError, match="is unknown: choose one of"):
        RankingOptions(**options)
