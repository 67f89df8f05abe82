"""False discoveries among selected features, counted by hand."""

import numpy as np
import pandas as pd
import pytest

from graphsieve.study import false_discoveries


def trial(p_values: list[float], dataset: str = "synthetic_d", seed: int = 0) -> pd.DataFrame:
    columns = {"dataset": dataset, "scorer": "boruta", "seed": seed}
    return pd.DataFrame({"feature": range(len(p_values)), "p_value": p_values}).assign(**columns)


def test_false_ones_are_a_share_of_those_selected():
    relevant = len(false_discoveries.RELEVANT["synthetic_d"])
    p_values = [0.001] * 3 + [0.9] * (relevant - 3) + [0.001] + [0.9] * 10
    found = false_discoveries.judge_trials(trial(p_values), rate=0.1).iloc[0]
    assert found["selected"] == 4
    assert found["false"] == pytest.approx(1 / 4)
    assert found["found"] == pytest.approx(3 / relevant)


def test_the_rule_is_benjamini_and_hochbergs():
    """The largest k with the k-th p-value at most rate k / n, by definition."""
    rng = np.random.default_rng(0)
    p_values = np.concatenate([rng.uniform(0, 0.02, 6), rng.uniform(size=14)])
    ordered = np.sort(p_values)
    count = max((k for k in range(1, 21) if ordered[k - 1] <= 0.1 * k / 20), default=0)
    assert false_discoveries.judge_trials(trial(p_values.tolist()), 0.1)["selected"].tolist() == [count]


def test_where_nothing_is_relevant_anything_selected_is_false():
    none = false_discoveries.judge_trials(trial([0.9, 0.8], "synthetic_a"), 0.1).iloc[0]
    some = false_discoveries.judge_trials(trial([0.001, 0.8], "synthetic_a"), 0.1).iloc[0]
    assert (none["false"], some["false"]) == (0, 1)
    assert np.isnan(some["found"])


def test_a_rate_that_is_exceeded_is_said_so():
    bad = pd.concat([trial([0.9] * 10 + [0.001] * 2, seed=seed) for seed in range(5)])
    summary = false_discoveries.summarise(false_discoveries.judge_trials(bad, 0.1))
    assert summary.set_index("measure")["mean"].to_dict() == {"false": 1, "found": 0}
    assert "**Boruta** is shown to exceed it in (d)" in false_discoveries.verdict_sentences(summary, 0.1)
    assert false_discoveries.cells(summary, 0.1).loc["boruta", "synthetic_d"].startswith("<b>1.00</b>")
    assert "nowhere" in false_discoveries.verdict_sentences(summary, 1.0)
