"""Stability indices by brute force, and what a selection costs."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from graphsieve.study.selectors import cost, stability


def test_both_indices_are_means_over_all_pairs_of_sets():
    rng, total, size = np.random.default_rng(0), 12, 4
    sets = [set(rng.choice(total, size, replace=False).tolist()) for _ in range(5)]
    jaccard, kuncheva = [], []
    for one, other in combinations(sets, 2):
        common = len(one & other)
        jaccard.append(common / len(one | other))
        kuncheva.append((common * total - size**2) / (size * (total - size)))  # Kuncheva's own formula
    found = stability.agreement(np.array([[feature in one for feature in range(total)] for one in sets]))
    assert found == {
        "jaccard": pytest.approx(np.mean(jaccard)),
        "kuncheva": pytest.approx(np.mean(kuncheva)),
        "runs": 5,
    }


def test_random_sets_have_an_index_of_zero_and_equal_ones_of_one():
    rng = np.random.default_rng(0)
    chosen = np.stack([rng.permutation(50) < 10 for _ in range(200)])
    assert stability.agreement(chosen)["kuncheva"] == pytest.approx(0, abs=0.01)
    assert stability.agreement(np.repeat(chosen[:1], 3, axis=0))["kuncheva"] == 1
    assert np.isnan(stability.agreement(np.ones((2, 4)))["kuncheva"])
    assert np.isnan(stability.agreement(chosen[:1])["jaccard"])


def test_tops_are_cut_at_every_share_that_they_hold():
    orders = {0: [3, 1, 4, 0], 1: [3, 4, 1, 9]}  # the best four of twenty
    tops = pd.DataFrame(
        {"dataset": "cora", "model": "gcn", "scorer": "npt", "seed": seed, "place": place, "feature": feature}
        for seed, order in orders.items()
        for place, feature in enumerate(order, 1)
    )
    features = pd.Series({"cora": 20})
    found = stability.stability(tops, features, [0.05, 0.1, 0.2, 0.5]).set_index("kept")
    assert found.index.tolist() == [1, 2, 4]
    assert found["jaccard"].tolist() == pytest.approx([1, 1 / 3, 3 / 5])
    assert stability.at_share(found.reset_index(), features, 0.1)["kept"].tolist() == [2]


def job(rule: str, cpu: float, start: float = 0.0, **wildcards) -> dict:
    run = {"dataset": "cora", "model": "gcn", "split": "random", "seed": 0, "scorer": ""}
    return {"rule": rule, **run, "cpu_seconds": cpu, "start_seconds": start, **wildcards}


def test_a_selection_costs_its_scoring_and_the_training_of_the_model_that_it_asks():
    jobs = pd.DataFrame(
        [
            job("train", 25, start=5),
            job("train", 15, start=0, model="mlp"),
            job("train", 40, start=0, seed=1),
            job("score", 12, start=2, scorer="npt"),
            job("score", 20, scorer="npt", seed=1),
            job("score", 3, scorer="pt"),
            job("score", 4, scorer="mi"),
            job("score", 99, scorer="npt", model="gin"),
            job("retrain_shares", 500, scorer="npt"),
        ]
    )
    found = cost.selection_seconds(jobs, {"cora": "gcn"}).set_index("scorer")["seconds"]
    assert found.to_dict() == {"npt": (10 + 20 + 20 + 40) / 2, "pt": 3 + 15, "mi": 4}
    assert cost.training_seconds(jobs, {"cora": "gcn"}).to_dict() == {"cora": 30}


def test_a_training_of_which_no_log_is_left_makes_the_cost_unknown():
    found = cost.selection_seconds(pd.DataFrame([job("score", 12, scorer="npt")]), {"cora": "gcn"})
    assert found["seconds"].isna().all()


def test_unbeaten_scorers_are_cheapest_for_their_worth():
    table = pd.DataFrame(
        [("a", 1, 5.0), ("b", 10, 6.0), ("c", 10, 2.0), ("d", 100, 2.0), ("e", 200, 0.0)],
        columns=["scorer", "seconds", "mean_regret"],
    )
    assert cost.unbeaten(table) == ["a", "c", "e"]


def test_cost_and_quality_are_of_scorers_that_all_graphs_have():
    standing = pd.DataFrame({"scorer": ["npt", "mi", "loco"], "mean_rank": [1, 2, np.nan], "mean_regret": [0, 1, 2]})
    seconds = pd.DataFrame(
        [
            ("cora", "npt", 1.0),
            ("texas", "npt", 100.0),
            ("cora", "mi", 2.0),
            ("texas", "mi", np.nan),
            ("cora", "loco", 1),
        ],
        columns=["dataset", "scorer", "seconds"],
    )
    found = cost.cost_and_quality(standing, seconds)
    assert found[["scorer", "seconds"]].to_numpy().tolist() == [["npt", pytest.approx(10)]]
