"""Ranks over graphs and tests within them, against SciPy and by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from graphsieve.study.selectors import ranks

RNG = np.random.default_rng(0)
NAMES = ["npt", "mi", "mrmr", "random"]
GRAPHS = ["cora", "citeseer", "texas", "actor", "photo"]


def areas(values: np.ndarray, seeds: int = 1, noise: float = 0.0) -> pd.DataFrame:
    """One row per graph, scorer and seed, around these means (graphs by scorers)."""
    return pd.DataFrame(
        {"dataset": graph, "scorer": name, "seed": seed, "split": "random", "area": mean + noise * RNG.normal()}
        for graph, row in zip(GRAPHS, values, strict=False)
        for name, mean in zip(NAMES, row, strict=True)
        for seed in range(seeds)
    )


@pytest.mark.parametrize("decimals", [6, 0])  # 0: with ties
def test_friedmans_statistic_is_scipys(decimals):
    values = np.round(RNG.normal(size=(5, 4)) * 2, decimals)
    found = ranks.friedman(ranks.rank_graphs(ranks.by_graph(areas(values))))
    expected = stats.friedmanchisquare(*values.T)
    assert (found["statistic"], found["p_friedman"]) == pytest.approx((expected.statistic, expected.pvalue))
    ratio = 4 * expected.statistic / (5 * 3 - expected.statistic)
    assert found["p_value"] == pytest.approx(stats.f.sf(ratio, 3, 12))


def test_the_best_on_every_graph_has_rank_one_and_equal_areas_share_a_rank():
    means = ranks.rank_graphs(ranks.by_graph(areas(np.array([[9, 5, 5, 1]] * 3)))).mean()
    assert means.to_dict() == {"npt": 1, "mi": 2.5, "mrmr": 2.5, "random": 4}


def test_a_scorer_that_a_graph_lacks_is_not_ranked():
    table = areas(RNG.normal(size=(3, 4)))
    table = table[(table["scorer"] != "mrmr") | (table["dataset"] != "texas")]
    assert "mrmr" not in ranks.by_graph(table)
    standing = ranks.standing(table, ranks.compare_within(table)).set_index("scorer")
    assert np.isnan(standing.loc["mrmr", "mean_rank"])
    assert standing.loc["mrmr", "graphs"] == 2


def test_pairs_of_mean_ranks_are_compared_by_demsars_z_with_holm():
    table = pd.DataFrame(np.array([[1, 2, 3, 4]] * 10), columns=NAMES)
    found = ranks.compare_ranks(table).set_index(["scorer", "other"])
    z = 3 / np.sqrt(4 * 5 / (6 * 10))
    assert found.loc[("npt", "random"), "p_value"] == pytest.approx(2 * stats.norm.sf(z))
    assert found.loc[("npt", "random"), "p_holm"] == pytest.approx(6 * 2 * stats.norm.sf(z))
    # differences of 2 are the next two of six, differences of 1 the last three
    two = 2 * stats.norm.sf(2 / np.sqrt(1 / 3))
    assert found.loc[("npt", "mrmr"), "p_holm"] == pytest.approx(5 * two)
    assert (found["p_holm"] < 0.05).sum() == 3
    assert ranks.groups(table) == [["npt", "mi"], ["mi", "mrmr"], ["mrmr", "random"]]


def test_groups_are_the_largest_ones():
    table = pd.DataFrame(np.array([[1, 2, 3, 4], [4, 3, 2, 1]]), columns=NAMES)
    assert ranks.groups(table) == [NAMES]


def test_differences_within_a_graph_have_nadeau_and_bengios_variance():
    table = areas(np.array([[80, 70, 75, 50]]), seeds=6, noise=1.0)
    pairs = ranks.compare_within(table)
    one = pairs.query("scorer == 'npt' and other == 'random'").iloc[0]
    runs = table.pivot(index="seed", columns="scorer", values="area")
    difference = runs["npt"] - runs["random"]
    error = np.sqrt((1 / 6 + 0.25) * difference.var(ddof=1))
    assert one["p_value"] == pytest.approx(2 * stats.t.sf(difference.mean() / error, 5))
    turned = pairs.query("scorer == 'random' and other == 'npt'").iloc[0]
    assert (turned["mean"], turned["low"]) == pytest.approx((-one["mean"], -one["high"]))
    assert turned["p_holm"] == one["p_holm"]
    ahead = ranks.shown_ahead(pairs)
    assert ahead.loc["npt", "random"] == 1
    assert ahead.loc["random", "npt"] == 0


def test_standing_counts_for_and_against_alike():
    table = areas(np.array([[80, 70, 60, 50], [50, 60, 70, 80]]), seeds=6, noise=0.1)
    standing = ranks.standing(table, ranks.compare_within(table)).set_index("scorer")
    assert standing.loc["npt", ["best_on", "behind_on", "behind"]].tolist() == [1, 1, "citeseer"]
    assert standing.loc["random", ["best_on", "behind_on", "behind"]].tolist() == [1, 1, "cora"]
    assert standing.loc["mi", "ahead_of_npt_on"] == standing.loc["random", "ahead_of_npt_on"] == 1
    assert standing.loc["npt", "mean_regret"] == pytest.approx(15, abs=0.2)


def test_graphs_that_are_too_few_are_not_tested():
    table = areas(RNG.normal(size=(1, 4)))
    found = ranks.rank_test(table, ["cora"])
    assert found.friedman is None
    assert ranks.all_pairs({"all": found}).empty
    two = areas(RNG.normal(size=(2, 4)))
    assert ranks.rank_test(two, ["cora", "citeseer"]).friedman["graphs"] == 2


def test_the_pooled_difference_of_one_graph_is_that_graphs_own_and_of_two_their_mean():
    runs = pd.DataFrame({"one": RNG.normal(1, 1, 8), "two": RNG.normal(3, 1, 8)})
    alone = ranks.pooled_test(runs[["one"]], overlap=0.0)
    assert alone["p_value"] == pytest.approx(stats.ttest_1samp(runs["one"], 0).pvalue)
    both = ranks.pooled_test(runs, overlap=0.0)
    # (x + y) / 2 of independent samples: twice Welch's difference of x and -y
    expected = stats.ttest_ind(runs["one"], -runs["two"], equal_var=False)
    assert both["mean"] == pytest.approx(runs.mean().mean())
    assert both["p_value"] == pytest.approx(expected.pvalue)
