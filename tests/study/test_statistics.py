"""Intervals and correlations, against SciPy's own tests."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from graphsieve.study.statistics import CONFIDENCE, mean_interval, pearson, spearman, welch_half_width

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
    (found,) = welch_half_width(deviations[0], pd.Series([8]), deviations[1], 5)
    expected = stats.ttest_ind(ours, theirs, equal_var=False).confidence_interval(CONFIDENCE)
    assert found == pytest.approx((expected.high - expected.low) / 2)


def test_correlations_are_scipys_and_a_constant_has_none():
    one, other = RNG.normal(size=(2, 30)).round(1)  # with ties
    assert pearson(one, other) == pytest.approx(stats.pearsonr(one, other).statistic)
    assert spearman(one, other) == pytest.approx(stats.spearmanr(one, other).statistic)
    assert pearson([1, 2, 4], [2, 4, 8]) == pytest.approx(1)
    assert np.isnan(spearman([1, 1, 1], [1, 2, 3]))
