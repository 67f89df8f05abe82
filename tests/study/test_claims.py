import numpy as np
import pandas as pd
import pytest
from scipy import stats

from graphsieve.study import claim_tables, claims

RNG = np.random.default_rng(0)


def one_shot(accuracies):
    """Records of one dataset: a list of accuracies, by seed, for every scorer."""
    return pd.DataFrame(
        {"dataset": "cora", "scorer": scorer, "seed": seed, "test_accuracy": value}
        for scorer, values in accuracies.items()
        for seed, value in enumerate(values)
    )


def test_methods_are_compared_on_the_same_seeds():
    npt, mi = RNG.random(5), RNG.random(5)
    records = one_shot({"npt": npt, "mi": mi}).sample(frac=1, random_state=0)
    (row,) = claims.compare_with_npt(records, ("mi", "tfi")).to_dict("records")
    expected = stats.ttest_rel(100 * npt, 100 * mi).confidence_interval(0.95)
    mean, wider = 100 * np.mean(npt - mi), np.sqrt((1 / 5 + 1 / 4) / (1 / 5))  # for splits that overlap
    assert (row["high"] - mean) == pytest.approx(wider * (expected.high - mean))
    assert row["rival"] == "mi"
    public = claims.compare_with_npt(records.assign(split="public"), ("mi",)).loc[0]
    assert (public["low"], public["high"]) == pytest.approx(tuple(expected))


@pytest.mark.parametrize(
    ("shift", "noise", "verdict"),
    [
        (0.05, 0.001, "best"),
        (-0.05, 0.001, "behind"),
        (-0.005, 0.05, "behind, not shown"),
        (0.005, 0.05, "ahead, not shown"),
    ],
)
def test_npt_is_judged_against_the_strongest_rival(shift, noise, verdict):
    rival = np.full(5, 0.7)
    npt = rival + shift + noise * np.array([-1, 1, 0, 0.5, -0.5])
    judged = claims.judge_best(
        claims.compare_with_npt(one_shot({"npt": npt, "mi": rival, "tfi": rival - 0.2}), ("tfi", "mi"))
    )
    assert judged[["rival", "verdict"]].values.tolist() == [["mi", verdict]]


def test_one_family_has_all_rivals_of_all_datasets():
    """A difference that would be shown by itself is not among enough others; and best asks for all rivals."""
    npt = 0.7 + 0.01 * np.array([0.9, 1.1, 0.5, 1.5, 1.0])
    rivals = {name: np.full(5, 0.7) for name in claims.BASELINES}
    alone = claims.compare_with_npt(one_shot({"npt": npt, "mi": rivals["mi"]}), claims.BASELINES)
    many = claims.compare_with_npt(one_shot({"npt": npt, **rivals}), claims.BASELINES)
    assert many["p_value"].tolist() == pytest.approx([alone.loc[0, "p_value"]] * 6)
    assert many["p_holm"].tolist() == pytest.approx([6 * alone.loc[0, "p_value"]] * 6)
    assert alone.loc[0, "p_holm"] < 0.05 < many.loc[0, "p_holm"]
    assert claims.judge_best(alone)["verdict"].tolist() == ["best"]
    assert claims.judge_best(many)["verdict"].tolist() == ["ahead, not shown"]
    assert many["detectable"].min() > alone["detectable"].max()


def test_adaptive_runs_are_judged_at_every_share_and_may_have_none():
    near = one_shot({"npt": [0.9, 0.901, 0.9], "mi": [0.8, 0.8, 0.8]})
    far = one_shot({"npt": [0.5, 0.501, 0.5], "mi": [0.8, 0.8, 0.8]})
    full = one_shot({"full": [0.95, 0.95]}).assign(retained_percent=100.0)
    chosen = pd.concat([near.assign(retained_percent=6.25), far.assign(retained_percent=1.56), full])
    judged = claims.judge_best(claims.compare_adaptive(chosen, ("mi",)))
    assert judged.set_index("retained_percent")["verdict"].to_dict() == {6.25: "best", 1.56: "behind"}
    assert claims.judge_best(claims.compare_adaptive(full, ("mi",))).empty


def correlated(weights, seeds=5, features=60):
    """Scores of npt, and of others that share this much of it."""
    rows = []
    for seed in range(seeds):
        npt = np.arange(features) + RNG.normal(size=features)
        for scorer, weight in {"npt": 1.0, **weights}.items():
            score = weight * npt + (1 - weight) * features * RNG.random(features)
            rows.append(
                pd.DataFrame({"feature": np.arange(features), "score": score}).assign(
                    dataset="cora", seed=seed, scorer=scorer
                )
            )
    return pd.concat(rows)


@pytest.mark.parametrize(
    ("best", "noise", "verdict"), [("mi", 0, "holds"), ("tfi", 0.001, "does not hold"), ("tfi", 0.3, "not shown")]
)
def test_the_closest_baseline_is_compared_with_the_best(best, noise, verdict):
    spread = noise * np.array([1, -1, 0.5, -0.5, 0])
    accuracies = {"mi": np.full(5, 0.6), "tfi": np.full(5, 0.5)} | {best: 0.9 + spread}
    judged = claims.judge_correlation(correlated({"mi": 0.9, "tfi": 0.1}), one_shot(accuracies))
    (row,) = judged.to_dict("records")
    assert (row["closest"], row["best"], row["verdict"]) == ("mi", best, verdict)
    assert row["agreement"] == (verdict == "holds")
    assert row["mean"] == pytest.approx(np.nan if best == "mi" else 30.0, nan_ok=True)


def test_runs_in_which_npt_tells_no_feature_from_another_agree_with_nothing():
    scores = correlated({"mi": 0.9, "tfi": 0.1})
    scores.loc[scores["scorer"] == "npt", "score"] = 0.0
    (row,) = claims.judge_correlation(scores, one_shot({"mi": np.full(5, 0.9), "tfi": np.full(5, 0.5)})).to_dict(
        "records"
    )
    assert (row["closest"], row["verdict"], row["agreement"]) == ("none", "not shown", 0)


def ablation(differences):
    """Two intervals of two epochs each, at K = 10 and K = 20; by seed, how much better K = 20 is."""
    run = {"dataset": "cora", "model": "gcn", "split": "random", "scorer": "npt", "prune": 0.5}
    return pd.DataFrame(
        run
        | {"repeats": repeats, "seed": seed, "checkpoint": checkpoint, "epoch": 2 * checkpoint + epoch}
        | {"val_accuracy": 0.5 + 0.1 * epoch, "test_accuracy": 0.1 * checkpoint + 0.3 * epoch + shift}
        for seed, difference in enumerate(differences)
        for repeats, shift in ((10, 0.0), (20, difference))
        for checkpoint in (1, 2)
        for epoch in (0, 1)
    )


def test_more_permutations_are_compared_within_a_run():
    differences = np.array([0.001, 0.004, -0.002, 0.003])
    (row,) = claims.judge_repeats(ablation(differences), 10).to_dict("records")
    assert row["mean"] == pytest.approx(100 * differences.mean())
    assert (row["repeats"], row["verdict"]) == (20, "little")
    assert claims.judge_repeats(ablation(differences + 0.03), 10)["verdict"].tolist() == ["not shown to be little"]
    assert claims.judge_repeats(ablation(differences), 15).empty


def test_a_single_run_shows_nothing():
    records = one_shot({"npt": [0.9], "mi": [0.8]})
    judged = claims.judge_best(claims.compare_with_npt(records, ("mi",)))
    closest = claims.judge_correlation(correlated({"mi": 0.9}, seeds=1), records)
    for table in (judged, closest):
        assert set(table["verdict"]) == {claims.ONE_RUN}
    assert claim_tables.count_sentence(judged, ["best"], "Best") == "Best in 0 of 0 cases (one run only: Cora)."
    assert claim_tables.correlation_cells(closest).loc["Cora", "the same in resampled runs"] == "–"


def test_what_is_known_early_is_shown_in_percent_beside_chance_and_frequency():
    row = {"dataset": "cora", "moment": "first", "mean": 0.5, "low": -0.1, "high": 1.1, "runs": 5, "chance": 0.02}
    row |= {"expected": 0.031, "shown": 4, "p_holm": 0.01, "detectable": 0.2, "verdict": "holds"}
    shown = claim_tables.early_cells(pd.DataFrame([row]))
    assert shown.iloc[0].tolist() == ["first", "50.0 [0, 100.0]", "2.0", "3.1", "4 of 5", "0.01", "20.0", "holds"]


def test_pages_say_what_was_found_and_survive_an_empty_study():
    comparison = claims.compare_with_npt(
        one_shot({"npt": [0.9, 0.91, 0.92], "mi": [0.8, 0.81, 0.82], "tfi": [0.9, 0.93, 0.9]}), ("mi", "tfi")
    )
    cells = claim_tables.difference_cells(comparison)
    assert cells.loc["MI", "Cora"] == "<b>+10.0 [+10.0, +10.0]</b>"
    assert "shown to be ahead of every rival in 0 of 1 case, and behind one in 0" in claim_tables.best_sentence(
        claims.judge_best(comparison)
    )
    assert claim_tables.rival_sentences(comparison) == (
        "MI selects better than NPT on 0 of 1 datasets, shown on none; NPT is shown to select better on Cora. "
        "TFI selects better than NPT on 0 of 1 datasets, shown on none. "
        f"Where nothing is shown, a difference of {comparison['detectable'].iloc[1]:.1f} points could have been seen."
    )
    assert claim_tables.power_sentence(comparison.head(1)) == ""  # shown
    assert "<b>" not in cells.loc["TFI", "Cora"]
    judged = claims.judge_best(comparison)
    assert claim_tables.count_sentence(judged, ["behind"], "Behind") == "Behind in 0 of 1 cases; not on Cora."
    empty = claims.judge_repeats(ablation([0.0]), 15)
    assert claim_tables.verdict_cells(empty, "repeats").empty
    assert claim_tables.difference_cells(comparison.head(0)).empty
    assert claim_tables.count_sentence(empty, ["little"], "It is") == "It is in 0 of 0 cases."
