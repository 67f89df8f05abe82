"""The one definition of agreement: Welch's test, the published deviations as population ones, every cell once."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from graphsieve.study import agreement as module
from graphsieve.study import claim_tables
from graphsieve.study.agreement import agreement, agreement_of_tables, counts, distinct

RNG = np.random.default_rng(0)
KEYS = ["scorer", "dataset"]


def published(theirs, **names):
    """A published cell, whose deviation divides by n."""
    return pd.DataFrame([{**names, "accuracy_mean": theirs.mean(), "accuracy_std": theirs.std(ddof=0)}])


def summary(ours, **names):
    spread = ours.std(ddof=1) if len(ours) > 1 else np.nan
    return pd.DataFrame([{**names, "accuracy_mean": ours.mean(), "accuracy_std": spread, "runs": len(ours)}])


@pytest.mark.parametrize(("scorer", "runs"), [("npt", 5), ("random", 25)])
def test_agreement_is_welchs_test(scorer, runs):
    ours, theirs = RNG.normal(80, 1, 8), RNG.normal(81, 2, runs)
    cell = {"scorer": scorer, "dataset": "cora"}
    (row,) = agreement(summary(ours, **cell), published(theirs, **cell), KEYS).to_dict("records")
    test = stats.ttest_ind(ours, theirs, equal_var=False)
    assert (row["low"], row["high"]) == pytest.approx(tuple(test.confidence_interval(0.95)))
    assert row["p_value"] == pytest.approx(test.pvalue)
    far = agreement(summary(ours + 15, **cell), published(theirs, **cell), KEYS)
    assert far["verdict"].tolist() == ["higher"]


def test_a_single_run_agrees_where_it_could_be_one_more_of_the_published():
    theirs, cell = RNG.normal(81, 2, 5), {"scorer": "npt", "dataset": "photo"}
    (row,) = agreement(summary(np.array([80.0]), **cell), published(theirs, **cell), KEYS).to_dict("records")
    margin = stats.t(4).ppf(0.975) * theirs.std(ddof=1) * np.sqrt(1 + 1 / 5)  # of a prediction interval
    assert (row["low"], row["high"]) == pytest.approx((80 - theirs.mean() - margin, 80 - theirs.mean() + margin))
    far = agreement(summary(np.array([60.0]), **cell), published(theirs, **cell), KEYS)
    assert far["verdict"].tolist() == ["lower"]


def test_variants_of_a_dataset_are_compared_and_other_metrics_are_not():
    theirs = published(RNG.normal(80, 1, 5), scorer="npt", dataset="cora")
    ours = pd.concat(
        summary(RNG.normal(80, 1, 5), scorer="npt", dataset=name) for name in ("cora (gin)", "cora (ROC AUC)", "digits")
    )
    assert agreement(ours, theirs, KEYS)["dataset"].tolist() == ["cora (gin)"]


@pytest.fixture
def cells():
    """Table 1's first row is Table 2's too; of Table 3 two shares; one cell is far off."""
    theirs, ours = RNG.normal(80, 1, 5), RNG.normal(80, 1, 5)
    tables = {
        "table1_perturbations": ("setting", ["original", "mlp"], [np.nan]),
        "table2_feature_selection": ("scorer", ["all", "npt"], [np.nan]),
        "table3_adaptive_selection": ("scorer", ["npt"], [6.25, 1.56]),
    }
    mine, paper = {}, {}
    for name, (row, rows, shares) in tables.items():
        keys = [{row: value, "dataset": "cora", "retained_percent": share} for share in shares for value in rows]
        drop = ["retained_percent"] * (len(shares) == 1)
        mine[name] = pd.concat(summary(ours - 20 * (key[row] == "mlp"), **key) for key in keys).drop(columns=drop)
        paper[name] = pd.concat(published(theirs, **key) for key in keys).drop(columns=drop)
    return agreement_of_tables(mine, paper)


def test_every_published_number_counts_once(cells):
    assert cells["repeats"].tolist() == [False, False, True, False, False, False]
    assert len(distinct(cells)) == 5
    assert counts(cells) == {"cells": 5, "agrees": 4, "higher": 0, "lower": 1, "surely": 1}
    once = distinct(cells)
    assert once["p_holm"].min() == pytest.approx(5 * once["p_value"].min())  # Holm's first step
    assert module.all_counts_sentence(cells).startswith("Of 5 distinct published accuracies 4 agree with ours")
    without = cells[cells["table"] != "Table 1"].assign(repeats=False)
    assert counts(without)["cells"] == 4  # Table 2's row counts where Table 1 was not run


def test_pages_show_the_cells_table_by_table(cells):
    assert claim_tables.agreement_list(cells).splitlines()[:2] == [
        "- Table 1: 1 of 2 cells agree with the published; 0 are higher, 1 lower.",
        "- Table 2: 2 of 2 cells agree with the published; 0 are higher, 0 lower.",
    ]
    tables = claim_tables.agreement_tables(cells)
    names = ["Table 1", "Table 2", "Table 3, 6.25 % of the features", "Table 3, 1.56 % of the features"]
    assert list(tables) == names
    assert tables["Table 1"].loc["MLP(X), no graph", "Cora"].startswith("<b>−")
    assert not tables["Table 2"].loc["NPT", "Cora"].startswith("<b>")


def test_a_run_without_published_cells_compares_nothing():
    assert agreement_of_tables({}, {}).empty
    assert counts(agreement_of_tables({}, {}))["cells"] == 0
