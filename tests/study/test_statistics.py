"""Intervals and correlations, against SciPy's own tests."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from graphsieve.study import statistics
from graphsieve.study.families import as_family, merged_p
from graphsieve.study.statistics import CONFIDENCE, LEVEL, mean_interval, mean_test, pearson, spearman

RNG = np.random.default_rng(0)


def test_the_interval_is_the_one_of_a_t_test():
    values = RNG.normal(size=7)
    expected = stats.ttest_1samp(values, 0).confidence_interval(CONFIDENCE)
    found = mean_interval(values)
    assert (found["low"], found["high"]) == pytest.approx(tuple(expected))
    assert (found["mean"], found["runs"]) == (pytest.approx(values.mean()), 7)


def test_equal_runs_have_an_interval_of_no_width_and_a_single_one_has_none():
    assert mean_interval([2.0, 2.0]) == {"mean": 2, "low": 2, "high": 2, "runs": 2}
    single = mean_interval([3.0])
    assert (single["mean"], single["runs"]) == (3, 1)
    assert np.isnan([single["low"], single["high"]]).all()


def test_the_interval_covers_the_true_mean_as_often_as_it_says():
    found = [mean_interval(RNG.normal(0.5, 0.1, 20)) for _ in range(1000)]
    covered = sum(interval["low"] <= 0.5 <= interval["high"] for interval in found)
    assert stats.binomtest(covered, 1000, CONFIDENCE).pvalue > 0.001


def test_the_difference_of_two_means_is_welchs():
    ours, theirs = RNG.normal(80, 1, 8), RNG.normal(81, 2, 5)
    deviations = [pd.Series([values.std(ddof=1)]) for values in (ours, theirs)]
    error, freedom = statistics.welch(deviations[0], pd.Series([8]), deviations[1], 5)
    expected = stats.ttest_ind(ours, theirs, equal_var=False)
    interval = expected.confidence_interval(CONFIDENCE)
    assert statistics.half_width(error, freedom)[0] == pytest.approx((interval.high - interval.low) / 2)
    difference = ours.mean() - theirs.mean()
    assert statistics.two_sided_p(difference, error, freedom)[0] == pytest.approx(expected.pvalue)


def test_independent_runs_have_the_p_value_of_a_t_test_and_equal_ones_that_of_their_mean():
    values = RNG.normal(0.5, 1, 6)
    assert mean_test(values)["p_value"] == pytest.approx(stats.ttest_1samp(values, 0).pvalue)
    assert mean_test([1.0, 1.0])["p_value"] == 0
    assert mean_test([0.0, 0.0])["p_value"] == 1
    assert np.isnan(mean_test([1.0])["p_value"])


@pytest.mark.parametrize("runs", [5, 20])
def test_overlapping_splits_are_allowed_for(runs):
    """Differences on splits with a fifth of the nodes as test nodes correlate at 0.2: Nadeau and Bengio's model.

    The corrected test then has its level; the plain one is wrong several times too often.
    """
    common = np.sqrt(0.2) * RNG.normal(size=(4000, 1))
    values = common + np.sqrt(0.8) * RNG.normal(size=(4000, runs))
    corrected, plain = (
        np.mean([mean_test(row, overlap)["p_value"] < LEVEL for row in values])
        for overlap in (statistics.TEST_PER_LEARNING, 0.0)
    )
    assert stats.binomtest(round(4000 * corrected), 4000, LEVEL).pvalue > 0.001
    assert plain > 2 * LEVEL


@pytest.mark.parametrize(("freedom", "level"), [(4, 0.05), (19, 0.05), (19, 0.01)])
def test_what_could_be_seen_is_seen_with_a_power_of_eighty_percent(freedom, level):
    shift = statistics.detectable(1.0, freedom, level=level)
    limit = stats.t.ppf(1 - level / 2, freedom)
    power = stats.nct.sf(limit, freedom, shift) + stats.nct.cdf(-limit, freedom, shift)
    assert power == pytest.approx(0.8, abs=0.002)
    assert np.isnan(statistics.detectable(1.0, 0))
    assert np.isnan(statistics.detectable(0.0, 4))
    assert statistics.detectable(1.0, 4, level=1e-5) > 10  # SciPy's noncentral t gives no number here


def test_equivalence_is_two_one_sided_tests_and_has_its_power():
    values = RNG.normal(0.2, 1, 9)
    found = mean_test(values)
    sides = [
        stats.ttest_1samp(values, bound, alternative=side).pvalue for bound, side in ((-1, "greater"), (1, "less"))
    ]
    spread = found["standard_error"], found["runs"] - 1
    assert statistics.equivalence_p(found["mean"], *spread, 1.0) == pytest.approx(max(sides))
    assert (statistics.equivalence_p(0.5, 0.0, 4, 1.0), statistics.equivalence_p(1.5, 0.0, 4, 1.0)) == (0, 1)
    margin = statistics.provable_margin(1 / 3, 8)
    draws = RNG.normal(0, 1, (3000, 9))
    errors, means = draws.std(axis=1, ddof=1) / 3, draws.mean(axis=1)
    shown = np.mean([statistics.equivalence_p(m, e, 8, margin) < LEVEL for m, e in zip(means, errors, strict=True)])
    assert shown == pytest.approx(0.8, abs=0.03)


def test_the_law_of_an_overlap_is_hypergeometric_within_strata():
    assert statistics.overlap_law([4], [6], [20]) == pytest.approx(stats.hypergeom.pmf(np.arange(5), 20, 4, 6))
    law = statistics.overlap_law([2, 3], [4, 1], [6, 5])
    counted = np.zeros(4)
    for _ in range(20000):
        first = len(set(RNG.permutation(6)[:2]) & {0, 1, 2, 3})
        second = len(set(RNG.permutation(5)[:3]) & {0})
        counted[first + second] += 1
    assert law == pytest.approx(counted / counted.sum(), abs=0.015)


def test_a_family_is_adjusted_by_holm_and_asks_more_of_each():
    table = pd.DataFrame({"p_value": [0.01, 0.04, np.nan, 0.03], "standard_error": [1.0, 1, np.nan, 2], "runs": 5})
    table.loc[2, "runs"] = 1
    family = as_family(table)
    assert family["p_holm"].tolist() == pytest.approx([0.03, 0.06, np.nan, 0.06], nan_ok=True)
    alone = statistics.detectable(1.0, 4, level=LEVEL / 3)
    assert family["detectable"].tolist() == pytest.approx([alone, alone, np.nan, 2 * alone], nan_ok=True)
    assert as_family(table.head(0)).empty


def test_merged_p_values_keep_their_level_however_they_depend():
    same = np.repeat(RNG.random((4000, 1)), 5, axis=1)
    for p_values in (same, RNG.random((4000, 5)), np.hstack([same[:, :3], 1 - same[:, :2]])):
        false = sum(merged_p(row) <= LEVEL for row in p_values)
        assert stats.binomtest(false, 4000, LEVEL, alternative="greater").pvalue > 0.001


def test_correlations_are_scipys_and_a_constant_has_none():
    one, other = RNG.normal(size=(2, 30)).round(1)  # with ties
    assert pearson(one, other) == pytest.approx(stats.pearsonr(one, other).statistic)
    assert spearman(one, other) == pytest.approx(stats.spearmanr(one, other).statistic)
    assert pearson([1, 2, 4], [2, 4, 8]) == pytest.approx(1)
    assert np.isnan(spearman([1, 1, 1], [1, 2, 3]))
