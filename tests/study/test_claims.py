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
    assert (row["low"], row["high"]) == pytest.approx(tuple(expected))
    assert row["rival"] == "mi"


@pytest.mark.parametrize(
    ("shift", "noise", "verdict"), [(0.05, 0.001, "best"), (-0.05, 0.001, "behind"), (-0.005, 0.05, "near best")]
)
def test_npt_is_judged_against_the_strongest_rival(shift, noise, verdict):
    rival = np.full(5, 0.7)
    npt = rival + shift + noise * np.array([-1, 1, 0, 0.5, -0.5])
    judged = claims.judge_best(
        claims.compare_with_npt(one_shot({"npt": npt, "mi": rival, "tfi": rival - 0.2}), ("tfi", "mi"))
    )
    assert judged[["rival", "verdict"]].values.tolist() == [["mi", verdict]]


def test_adaptive_runs_are_judged_at_every_share_and_may_have_none():
    near, far = one_shot({"npt": [0.9, 0.91], "mi": [0.8, 0.8]}), one_shot({"npt": [0.5, 0.51], "mi": [0.8, 0.8]})
    full = one_shot({"full": [0.95, 0.95]}).assign(retained_percent=100.0)
    chosen = pd.concat([near.assign(retained_percent=6.25), far.assign(retained_percent=1.56), full])
    judged = claims.judge_best(claims.compare_adaptive(chosen, ("mi",)))
    assert judged.set_index("retained_percent")["verdict"].to_dict() == {6.25: "best", 1.56: "behind"}
    assert claims.judge_best(claims.compare_adaptive(full, ("mi",))).empty


def watched(last, first, features=100, seeds=4):
    """Scores at two checkpoints; the top two features of each are given by number."""
    rows = []
    for seed in range(seeds):
        for checkpoint, top in ((1, first), (2, last)):
            values = np.where(np.isin(np.arange(features), top), 1.0, 0.0) + 1e-3 * RNG.random(features)
            frame = pd.DataFrame({"feature": np.arange(features), "score": values, "loss": values})
            rows.append(frame.assign(dataset="cora", seed=seed, checkpoint=checkpoint))
    return pd.concat(rows)


def test_early_scores_are_judged_against_chance():
    known = claims.judge_early(watched(last=[3, 7], first=[3, 7])).set_index("moment")
    assert known.loc["first", ["mean", "chance", "verdict"]].tolist() == [1.0, 0.02, "holds"]
    unknown = claims.judge_early(watched(last=[3, 7], first=[1, 2])).set_index("moment")
    assert unknown.loc["first", ["mean", "verdict"]].tolist() == [0.0, "not shown"]


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


@pytest.mark.parametrize(("best", "verdict"), [("mi", "holds"), ("tfi", "does not hold")])
def test_the_closest_baseline_is_compared_with_the_best(best, verdict):
    accuracies = {"mi": np.full(5, 0.6), "tfi": np.full(5, 0.5)} | {best: np.full(5, 0.9)}
    judged = claims.judge_correlation(correlated({"mi": 0.9, "tfi": 0.1}), one_shot(accuracies))
    (row,) = judged.to_dict("records")
    assert (row["closest"], row["best"], row["verdict"]) == ("mi", best, verdict)
    assert row["agreement"] == (verdict == "holds")


def test_runs_in_which_npt_tells_no_feature_from_another_agree_with_nothing():
    scores = correlated({"mi": 0.9, "tfi": 0.1})
    scores.loc[scores["scorer"] == "npt", "score"] = 0.0
    (row,) = claims.judge_correlation(scores, one_shot({"mi": np.full(5, 0.9), "tfi": np.full(5, 0.5)})).to_dict(
        "records"
    )
    assert (row["closest"], row["verdict"], row["agreement"]) == ("none", "does not hold", 0)


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


def test_agreement_with_the_published_is_welchs_test():
    ours, theirs = RNG.normal(80, 1, 8), RNG.normal(81, 2, 5)
    mine = pd.DataFrame([{"scorer": "npt", "dataset": "cora", "accuracy_mean": ours.mean()}])
    mine = mine.assign(accuracy_std=ours.std(ddof=1), runs=8)
    published = pd.DataFrame([{"scorer": "npt", "dataset": "cora", "accuracy_mean": theirs.mean()}])
    published = published.assign(accuracy_std=theirs.std(ddof=0))
    (row,) = claims.agreement(mine, published, ["scorer", "dataset"]).to_dict("records")
    expected = stats.ttest_ind(ours, theirs, equal_var=False).confidence_interval(0.95)
    assert (row["low"], row["high"]) == pytest.approx(tuple(expected))
    far = claims.agreement(mine.assign(accuracy_mean=95.0), published, ["scorer", "dataset"])
    assert far["verdict"].tolist() == ["higher"]


def test_a_single_run_agrees_where_it_could_be_one_more_of_the_published():
    theirs = RNG.normal(81, 2, 5)
    published = pd.DataFrame([{"scorer": "npt", "dataset": "photo", "accuracy_mean": theirs.mean()}])
    published = published.assign(accuracy_std=theirs.std(ddof=0))
    mine = published.assign(accuracy_mean=80.0, accuracy_std=np.nan, runs=1)
    (row,) = claims.agreement(mine, published, ["scorer", "dataset"]).to_dict("records")
    margin = stats.t(4).ppf(0.975) * theirs.std(ddof=1) * np.sqrt(1 + 1 / 5)  # of a prediction interval
    assert (row["low"], row["high"]) == pytest.approx((80 - theirs.mean() - margin, 80 - theirs.mean() + margin))
    far = claims.agreement(mine.assign(accuracy_mean=60.0), published, ["scorer", "dataset"])
    assert far["verdict"].tolist() == ["lower"]


def test_a_single_run_shows_nothing():
    records = one_shot({"npt": [0.9], "mi": [0.8]})
    judged = claims.judge_best(claims.compare_with_npt(records, ("mi",)))
    early = claims.judge_early(watched(last=[3, 7], first=[3, 7], seeds=1))
    closest = claims.judge_correlation(correlated({"mi": 0.9}, seeds=1), records)
    for table in (judged, early, closest):
        assert set(table["verdict"]) == {claims.ONE_RUN}
    assert claim_tables.count_sentence(judged, ["best"], "Best") == "Best in 0 of 0 cases (one run only: Cora)."
    assert claim_tables.correlation_cells(closest).loc["Cora", "the same in resampled runs"] == "–"


def test_pages_say_what_was_found_and_survive_an_empty_study():
    comparison = claims.compare_with_npt(
        one_shot({"npt": [0.9, 0.91, 0.92], "mi": [0.8, 0.81, 0.82], "tfi": [0.9, 0.93, 0.9]}), ("mi", "tfi")
    )
    cells = claim_tables.difference_cells(comparison)
    assert cells.loc["MI", "Cora"] == "<b>+10.0 [+10.0, +10.0]</b>"
    assert "<b>" not in cells.loc["TFI", "Cora"]
    judged = claims.judge_best(comparison)
    assert claim_tables.count_sentence(judged, ["behind"], "Behind") == "Behind in 0 of 1 cases; not on Cora."
    empty = claims.judge_repeats(ablation([0.0]), 15)
    assert claim_tables.verdict_cells(empty, "repeats").empty
    assert claim_tables.difference_cells(comparison.head(0)).empty
    assert claim_tables.count_sentence(empty, ["little"], "It is") == "It is in 0 of 0 cases."


def test_tables_1_to_3_are_compared_by_their_own_keys():
    run = {"dataset": "cora", "model": "gcn", "split": "random"}
    seeds = [{**run, "seed": seed, "test_accuracy": 0.8 + 0.01 * seed} for seed in range(3)]
    perturbed = pd.DataFrame(seeds).assign(setting="mlp")
    selected = pd.DataFrame(seeds).assign(scorer="npt")
    chosen = selected.assign(retained_percent=6.25, real_percent=6.3, features=90)
    published = pd.DataFrame([{"dataset": "cora", "accuracy_mean": 81.0, "accuracy_std": 1.0}])
    tables = [published.assign(setting="mlp"), published.assign(scorer="mi")]
    tables.append(published.assign(scorer="npt", retained_percent=6.25, accuracy_mean=70.0))
    found = claims.agreements(perturbed, selected, chosen, tables)
    assert [table["verdict"].tolist() for table in found] == [["agrees"], [], ["higher"]]
    assert claim_tables.agreement_list(found) == (
        "- Table 1: 1 of 1 cells agree with the published; 0 are higher, 0 lower.\n"
        "- Table 3: 0 of 1 cells agree with the published; 1 are higher, 0 lower."
    )
    cells = claim_tables.agreement_tables(found)
    assert list(cells) == ["Table 1", "Table 3, 6.25 % of the features"]
    assert cells["Table 3, 6.25 % of the features"].loc["NPT", "Cora"].startswith("<b>+11.0 [")
