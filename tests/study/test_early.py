"""What is known early, beyond the frequency of words: exact in small cases, and of the right level where nothing is."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from graphsieve.study import claims, early

RNG = np.random.default_rng(0)


def test_without_differences_of_frequency_it_is_the_plain_hypergeometric_test():
    known = early.compare_tops(np.array([0, 1, 2, 3]), np.array([1, 2, 3, 9]), np.ones(50))
    assert known.overlap == 0.75
    assert known.p_value == pytest.approx(stats.hypergeom.sf(2, 50, 4, 4))
    assert known.expected == pytest.approx(4 / 50)


def test_what_frequency_explains_is_not_known_early():
    """Both tops are chance among the frequent words: far above chance, and yet nothing that a model learnt."""
    frequencies = np.where(np.arange(200) < 20, 0.5, 0.01)
    p_values, naive = [], []
    for _ in range(400):
        tops = [RNG.permutation(20)[:10] for _ in range(2)]
        known = early.compare_tops(*tops, frequencies)
        p_values.append(known.p_value)
        naive.append(stats.hypergeom.sf(round(10 * known.overlap) - 1, 200, 10, 10))
    false = sum(p <= 0.05 for p in p_values)
    assert stats.binomtest(false, 400, 0.05, alternative="greater").pvalue > 0.001
    assert np.mean(np.array(naive) <= 0.05) > 0.9


def test_what_could_be_seen_is_seen_with_a_power_of_eighty_percent():
    count, features = 20, 400
    known = early.compare_tops(np.arange(count), np.arange(count), np.ones(features))
    law = stats.hypergeom(features, count, count)
    draws = RNG.binomial(count, known.detectable, 4000)
    assert np.mean(law.sf(draws - 1) <= 0.05) == pytest.approx(0.8, abs=0.03)


def watched(last, first, features=100, seeds=4):
    """Scores at two checkpoints; the top two features of each are given by number."""
    rows = []
    for seed in range(seeds):
        for checkpoint, top in ((1, first), (2, last)):
            values = np.where(np.isin(np.arange(features), top), 1.0, 0.0) + 1e-3 * RNG.random(features)
            frame = pd.DataFrame({"feature": np.arange(features), "score": values, "loss": values})
            rows.append(frame.assign(dataset="cora", seed=seed, checkpoint=checkpoint))
    return pd.concat(rows)


def frequencies(values):
    return pd.DataFrame({"feature": np.arange(len(values)), "frequency": values}).assign(dataset="cora")


def test_early_scores_are_judged_within_strata_of_frequency():
    rare = frequencies(np.linspace(0.5, 0.01, 100))
    judged = claims.judge_early(watched([3, 7], [3, 7]), frequencies(np.ones(100))).set_index("moment")
    assert judged.loc["first", ["mean", "chance", "verdict", "shown"]].tolist() == [1.0, 0.02, "holds", 4]
    unknown = claims.judge_early(watched([3, 7], [50, 60]), rare).set_index("moment")
    assert unknown.loc["first", ["mean", "verdict"]].tolist() == [0.0, "not shown"]
    explained = claims.judge_early(watched([0, 1], [0, 1]), rare).set_index("moment")
    # the two most frequent words are a stratum of their own: that both tops have them says nothing
    assert explained.loc["first", ["mean", "expected", "frequent", "verdict"]].tolist() == [1.0, 1.0, 1.0, "not shown"]
