"""Random cases and the search for violations, how many repeats are needed, and the bounds on whole graphs."""

import itertools
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import papermill
import pytest
import scipy.sparse
from scipy import stats

import apply_bounds
import check_bounds
from graphsieve.data.graph import Graph, save_graph
from graphsieve.data.synthetic import generate
from graphsieve.errors import InputError
from graphsieve.theory import checks, features, repeats, report
from graphsieve.theory.bounds import permuted_theorem, t_for, theorem, tightest_squared_distance
from graphsieve.theory.networks import (
    ARCHITECTURES,
    adjacency_of,
    case_from_graph,
    gcn,
    gcn_no_loops,
    gin,
    modified_tagcn,
    tagcn,
)
from graphsieve.theory.repeats import proposition_probability, proposition_threshold, repeats_needed
from job_cases import make_job


@pytest.fixture(scope="module")
def random_cases():
    return checks.check_theorems(60, np.random.default_rng(0))


def test_repaired_bounds_hold_for_every_random_case(random_cases):
    assert len(random_cases) == 60 * len(ARCHITECTURES)
    assert random_cases["repaired_holds"].all()
    assert set(random_cases["layers"]) == {1, 2, 3, 4}
    assert set(random_cases["kind"]) == set(checks.KINDS)


def test_stated_bounds_of_one_layer_hold_where_one_hop_is_all(random_cases):
    one_hop = random_cases["architecture"].isin(["gcn", "gin", "gcn_no_loops"])
    assert random_cases[one_hop & (random_cases["layers"] == 1)]["stated_holds"].all()


def test_random_cases_with_signed_hop_weights_break_the_modified_tagcn(random_cases):
    assert not random_cases[random_cases["signed_hops"]]["stated_holds"].all()


def test_permuted_bounds_hold_for_every_permutation():
    table = checks.check_permutations(20, np.random.default_rng(1), permutations=10)
    assert len(table) == 20 * 3
    assert (table["repaired_held"] == 1).all()
    assert table["certain"].all()
    assert (table["stated_held"] >= table["probability"]).all()


def test_the_tightened_bound_can_fail_and_one_pair_does_not_speak_for_all():
    """The printed one is certain; with the least gamma that is true of one pair, chance plays its part."""
    table = checks.check_permutations(40, np.random.default_rng(1), permutations=20)
    assert (table["tightened"] <= table["consistent"]).all()
    assert (table["pairs_held"] < table["probability"]).any()  # the step that the proof takes does not hold
    assert not (table["tightened_held"] == 1).all()


def test_the_tightest_distance_is_true_of_one_pair_and_no_less_is():
    rng = np.random.default_rng(0)
    case = checks.sample_case("gcn", 1, "blocks", "simple", rng)
    orders = [rng.permutation(case.num_nodes)[:2] for _ in range(4000)]
    squared = np.array([((case.x[i] - case.x[j]) ** 2).sum() for i, j in orders])
    for probability in (0.5, 0.9):
        least = tightest_squared_distance(case, probability)
        assert np.mean(squared <= least * (1 + 1e-9)) >= probability - 0.03
        assert np.mean(squared < least * (1 - 1e-9)) <= probability + 0.03


@pytest.mark.parametrize(
    ("architecture", "layers", "kind"),
    [
        (gcn(), 2, "weighted"),
        (gcn(), 2, "directed"),
        (tagcn(2), 2, "directed"),
        (modified_tagcn((0.0, 1.0)), 1, "simple"),
    ]
    + [(gcn_no_loops(), 2, "simple"), (gin(0.1), 3, "directed")],
)
def test_search_finds_a_small_violation(architecture, layers, kind):
    found = checks.search_violation(architecture, layers, kind, np.random.default_rng(0), steps=50)
    assert found.violates
    assert found.case.error() > theorem(found.case).total
    assert found.case.error() <= theorem(found.case, "repaired").total
    assert found.case.num_nodes < 80
    adjacency = found.case.adjacency.toarray()
    assert kind == "directed" or np.array_equal(adjacency, adjacency.T)
    assert kind != "simple" or set(np.unique(adjacency)) <= {0, 1}
    assert found.tried > 100


def test_search_keeps_no_node_that_it_can_spare():
    found = checks.search_violation(
        modified_tagcn((0.0, 1.0)), 1, "simple", np.random.default_rng(0), steps=10, rounds=1
    )
    spared = [checks.tightness(checks.without_node(found.case, node)) for node in range(found.case.num_nodes)]
    assert max(spared) <= checks.SLACK


def test_search_finds_nothing_where_the_bound_holds():
    found = checks.search_violation(gcn(), 1, "directed", np.random.default_rng(0), steps=100)
    assert 0 < found.tightness <= 1


def test_search_ignores_nodes_without_ideal_neighbours_where_there_are_no_loops():
    """There D^-1 does not exist, so nothing is violated."""
    case = checks.start_of_search("two_stars", gcn_no_loops(), 2, "simple", 40)
    assert checks.tightness(case) > 1
    adjacency = case.adjacency.toarray()
    adjacency[5] = adjacency[:, 5] = 0
    assert checks.tightness(replace(case, adjacency=scipy.sparse.csr_array(adjacency))) == 0


@pytest.mark.parametrize("family", checks.FAMILIES)
@pytest.mark.parametrize("kind", checks.KINDS)
def test_sampled_graphs_are_of_their_kind(family, kind):
    y = np.arange(40) % 3
    adjacency = checks.sample_adjacency(family, kind, y, np.random.default_rng(0))
    assert (adjacency >= 0).all()
    assert not adjacency.diagonal().any()
    assert adjacency.any()
    assert np.array_equal(adjacency, adjacency.T) == (kind != "directed")
    assert (set(np.unique(adjacency)) <= {0, 1}) == (kind == "simple")


def all_squared_distances(column, count):
    """Every outcome of `count` independent permutations, each as likely."""
    permuted = [np.array(p) for p in itertools.permutations(column)]
    means = (np.mean(choice, axis=0) for choice in itertools.product(permuted, repeat=count))
    return np.array([((mean - np.mean(column)) ** 2).sum() for mean in means])


@pytest.mark.parametrize("count", [1, 2, 3])
def test_moments_are_those_of_all_outcomes(count):
    column = np.array([0.0, 1.0, 5.0])
    outcomes = all_squared_distances(column, count)
    mean, variance = repeats.squared_distance_moments(column, count)
    assert mean == pytest.approx(outcomes.mean())
    assert variance == pytest.approx(outcomes.var())


def test_squared_distance_draws_from_all_outcomes():
    column = np.array([0.0, 1.0, 5.0])
    rng = np.random.default_rng(0)
    draws = np.array([repeats.squared_distance(column, 2, rng) for _ in range(4000)])
    values, counts = np.unique(all_squared_distances(column, 2).round(9), return_counts=True)
    observed = [np.sum(np.isclose(draws, value)) for value in values]
    assert stats.chisquare(observed, counts / counts.sum() * len(draws)).pvalue > 1e-3


def test_proposition_fails_for_one_permutation():
    """Its threshold is 0 while the column is 2 away from its mean, always; yet it promises 99 %."""
    column = np.array([-1.0, 1.0])
    assert proposition_threshold(1, t=10) == 0
    assert proposition_probability(column, 1, t=10) > 0.99
    assert all_squared_distances(column, 1).min() == 2


def test_proposition_fails_for_two_permutations_as_well():
    column = np.array([-1.0, 1.0])
    t = 3.9
    held = np.mean(all_squared_distances(column, 2) <= proposition_threshold(2, t))
    assert held == 0.5
    assert proposition_probability(column, 2, t) > 0.7


def test_check_of_the_proposition_reports_both():
    columns = {"signs": np.array([-1.0, 1.0]), "rare": (np.arange(30) < 2).astype(float)}
    table = checks.check_proposition(columns, (1, 2, 10), np.random.default_rng(0), draws=200)
    failed = table["held"] < table["probability"] - 0.1
    assert failed[table["repeats"] == 1].all()
    assert not failed[(table["column"] == "rare") & (table["repeats"] > 1)].any()
    row = table.iloc[0]
    assert proposition_probability(columns["signs"], 1, row["t"]) == pytest.approx(row["probability"])


def test_repeats_by_moments_keep_their_promise_and_are_not_far_from_least():
    rng = np.random.default_rng(0)
    column = rng.standard_normal(30)
    tolerance = 0.1 * ((column - column.mean()) ** 2).sum()
    needed = repeats_needed(column, tolerance=tolerance, confidence=0.9, sense="moments")
    draws = [repeats.squared_distance(column, needed, rng) for _ in range(1000)]
    assert np.mean(np.array(draws) <= tolerance) > 0.9
    few = [repeats.squared_distance(column, needed // 2, rng) for _ in range(1000)]
    assert np.mean(np.array(few) <= tolerance) < 0.9


@pytest.mark.parametrize("tolerance", [0.5, 3.0, 200.0])
def test_repeats_by_the_proposition_are_the_first_that_it_calls_enough(tolerance):
    column = np.arange(6.0)
    needed = repeats_needed(column, tolerance=tolerance, confidence=0.9, sense="proposition")

    def promised(count):
        t = 2 * count * tolerance / math.sqrt(count - 1)
        assert proposition_threshold(count, t) == pytest.approx(tolerance)
        return proposition_probability(column, count, t)

    assert needed == next(count for count in range(2, 10**4) if promised(count) >= 0.9)


def test_repeats_for_a_score_give_intervals_of_the_width_asked_for_that_cover():
    rng = np.random.default_rng(0)
    pilot = rng.normal(0.02, 0.01, size=10)
    needed = repeats_needed(pilot, tolerance=0.004, confidence=0.95)
    widths = [stats.t.ppf(0.975, count - 1) * pilot.std(ddof=1) / math.sqrt(count) for count in range(2, needed + 1)]
    assert widths[-1] <= 0.004 < widths[-2]
    means = rng.normal(0.02, pilot.std(ddof=1), size=(4000, needed)).mean(axis=1)
    assert np.mean(np.abs(means - 0.02) <= 0.004) > 0.95


def test_a_constant_column_needs_one_permutation_and_constant_scores_two():
    assert repeats_needed(np.ones(5), tolerance=0.1, sense="moments") == 1
    assert repeats_needed(np.ones(5), tolerance=0.1, sense="proposition") == 2
    assert repeats_needed(np.zeros(5), tolerance=0.1) == 2


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"tolerance": 0}, "tolerance"),
        ({"tolerance": 1, "confidence": 1}, "confidence"),
        ({"tolerance": 1e-9}, "more than"),
    ]
    + [({"tolerance": 1, "sense": "common"}, "sense")],
)
def test_wrong_questions_about_repeats_are_refused(wrong, word):
    with pytest.raises(InputError, match=word):
        repeats_needed(np.array([0.0, 1.0]), **wrong)


def test_one_pilot_score_is_too_few():
    with pytest.raises(InputError, match="pilot"):
        repeats_needed(np.array([0.1]), tolerance=0.1)


@pytest.fixture(scope="module")
def small_graph():
    return generate("h", 0, num_nodes=40, num_features=6, num_classes=3, num_relevant=2, p_within=0.3)


@pytest.mark.parametrize("count_every_class", [True, False])
def test_difference_of_bounds_is_the_difference_feature_by_feature(small_graph, count_every_class):
    table = features.difference_of_bounds(small_graph, 0.9, count_every_class)
    adjacency = adjacency_of(small_graph).toarray()
    y, size = small_graph.y, small_graph.num_nodes
    for feature in range(6):
        x = small_graph.x[:, feature].astype(float)
        gamma = 2 * x.var(ddof=1) + np.ptp(x) ** 2 * math.sqrt(2 * math.log(10)) * math.sqrt(size)
        expected = 0.0
        for i, j in itertools.product(range(size), repeat=2):
            for label in range(3) if count_every_class else [y[i]]:
                together = (y[i] == label) * (y[j] == label) / np.sum(y == label)
                weight = abs(together - adjacency[i, j] / (adjacency[i].sum() + 1))
                expected += weight * (math.sqrt(gamma) - abs(x[i] - x[j]))
        assert table["gamma"][feature] == pytest.approx(gamma)
        assert table["difference"][feature] == pytest.approx(expected)


def test_difference_of_bounds_is_theorem_two_less_theorem_one(small_graph):
    table = features.difference_of_bounds(small_graph, 0.9, count_every_class=False)
    column = Graph("one", small_graph.x[:, :1], small_graph.edge_index, small_graph.y, 3)
    case = case_from_graph(column, gcn(), (np.ones((1, 1)),))
    permuted = permuted_theorem(case, t_for(0.9, 1)).features
    assert table["difference"][0] == pytest.approx(permuted - theorem(case, "repaired").features)


def test_blocks_of_edges_do_not_change_the_difference(small_graph, monkeypatch):
    whole = features.difference_of_bounds(small_graph)
    monkeypatch.setattr(features, "ENTRIES_PER_BLOCK", 20)
    assert np.allclose(features.difference_of_bounds(small_graph)["difference"], whole["difference"])


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_trained_weights_belong_to_the_theorems_network(small_graph, name):
    architecture = ARCHITECTURES[name]()
    nodes = np.arange(30)
    weights = features.train_weights(small_graph, architecture, nodes, hidden=8, epochs=60)
    case = features.graph_case(small_graph, architecture, weights)
    assert [weight.shape for weight in case.weights] == [(6, 8), (8, 3)]
    majority = np.bincount(small_graph.y[nodes]).max() / 30
    assert np.mean(case.forward().argmax(axis=1)[nodes] == small_graph.y[nodes]) > majority + 0.1
    again = features.train_weights(small_graph, architecture, nodes, hidden=8, epochs=60)
    assert all(np.array_equal(a, b) for a, b in zip(weights, again, strict=True))


def test_bound_terms_add_up(small_graph):
    weights = features.train_weights(small_graph, gcn(), np.arange(30), hidden=4, epochs=5)
    table = features.bound_terms(features.graph_case(small_graph, gcn(), weights), np.random.default_rng(0))
    assert len(table) == 5
    assert np.allclose(table["network"] * (table["graph"] + table["feature"]), table["bound"])
    assert np.allclose(table["graph"] / (table["graph"] + table["feature"]), table["graph_share"])
    assert (table["error"] <= table["bound"]).all()
    assert table["error"].nunique() == 2


def test_summaries_count_what_the_checks_found(random_cases):
    table = report.summarise_cases(random_cases, ("architecture", "layers"))
    covered = random_cases[random_cases["covered"]]
    assert table["cases"].sum() == len(covered)
    assert table["stated_violations"].sum() == (~covered["stated_holds"]).sum() > 0
    assert table["repaired_violations"].sum() == 0
    one = covered[(covered["architecture"] == "gin") & (covered["layers"] == 2)]
    row = table[(table["architecture"] == "gin") & (table["layers"] == 2)]
    ratios = (one["error"] / one["stated"])[one["stated"] > 0]
    assert row["stated_tightness"].item() == pytest.approx(ratios.median())


def test_searches_are_tabulated_and_the_smallest_violation_told_in_words():
    rng = np.random.default_rng(0)
    searches = report.search_all(rng, 5, [1], [gcn(), modified_tagcn((1.0, -1.0))])
    table = report.tabulate_searches(searches)
    assert len(table) == 2 * len(checks.KINDS)
    assert table["violated"].tolist() == [False] * 3 + [True] * 3
    (smallest,) = report.smallest_violations(searches)
    assert smallest.case.num_nodes == 2
    words = report.case_in_words(smallest.case)
    assert f"error {smallest.case.error():.4g}" in words
    assert "0–1" in words
    assert [example for example in table["example"] if example] == [words]


def test_rank_agreement_is_one_with_scores_that_are_the_difference(small_graph):
    differences = features.difference_of_bounds(small_graph)["difference"]
    rows = [{"scorer": "same", "feature": m, "score": value} for m, value in enumerate(differences)]
    rows += [{"scorer": "opposite", "feature": m, "score": -value} for m, value in enumerate(differences)]
    table = report.rank_agreement(small_graph, pd.DataFrame(rows)).set_index("scorer")
    assert table["difference"].to_dict() == pytest.approx({"same": 1, "opposite": -1})


def test_graph_terms_have_every_network(small_graph):
    table = report.graph_terms(small_graph, np.random.default_rng(0))
    assert set(table["architecture"]) == set(ARCHITECTURES)
    assert set(table["dataset"]) == {"synthetic_h"}


@pytest.fixture
def checked(small_graph, tmp_path):
    """The files that the two programs write, as parameters of the notebook."""
    save_graph(small_graph, tmp_path / "graph.npz")
    rows = [{"scorer": "npt", "feature": feature, "score": feature % 4} for feature in range(6)]
    pd.DataFrame(rows).to_csv(tmp_path / "scores.csv", index=False)
    names = ("cases", "permutations", "searches", "proposition", "terms", "ranks")
    files = {name: str(tmp_path / f"{name}.csv") for name in names}
    bounds = {"cases": 4, "permuted_cases": 5, "search_steps": 1}
    made = {name: files[name] for name in names[:4]}
    check_bounds.main(make_job(tmp_path, output=made, params={"bounds": bounds}))
    inputs = {"graph": str(tmp_path / "graph.npz"), "scores": [str(tmp_path / "scores.csv")]}
    apply_bounds.main(make_job(tmp_path, input=inputs, output={name: files[name] for name in names[4:]}))
    return files


def test_programs_write_every_check_and_notebook_tells_of_it(checked, tmp_path, monkeypatch):
    cases, searches = pd.read_csv(checked["cases"]), pd.read_csv(checked["searches"])
    assert cases.groupby("architecture").size().to_dict() == dict.fromkeys(ARCHITECTURES, 4)
    assert len(searches) == len(report.SEARCHED) * len(checks.KINDS) * 3
    assert set(pd.read_csv(checked["terms"])["architecture"]) == set(ARCHITECTURES)
    assert pd.read_csv(checked["ranks"])["scorer"].tolist() == ["npt"]

    root = Path(__file__).parents[2]
    monkeypatch.setenv("PYTHONPATH", str(root / "scripts"))
    parts = ["cases", "permutations", "search", "proposition", "terms", "ranks"]
    stems = ["figure", "manifest", *(f"{part}_table" for part in parts)]
    parameters = checked | {name: str(tmp_path / name) for name in stems}
    template = root / "notebooks" / "theory_bounds.ipynb"
    notebook = papermill.execute_notebook(template, tmp_path / "out.ipynb", parameters, progress_bar=False, cwd=root)
    written = [table["name"] for table in json.loads((tmp_path / "manifest").read_text())["tables"]]
    assert written == [f"{part}_table" for part in parts]
    assert all((tmp_path / f"{name}.csv").exists() for name in written)
    assert (tmp_path / "figure.png").exists()
    shown = str([cell.get("outputs") for cell in notebook.cells])
    assert f"{searches['tried'].sum():,} cases tried" in shown
    assert "modified_tagcn, layers: 1, all weights 1" in shown
