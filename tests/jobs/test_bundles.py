"""What one process makes: results of one run, up to a few minutes of work, each in exactly one bundle."""

import re

import pytest

from graphsieve.jobs.bundles import MOST_SECONDS, RUN, bundle, single_rule

PATTERN = "scores/{dataset}/{model}/{split}/seed{seed}/{scorer}.csv"
SCORERS = ["npt", "mi", "tfi"]


def results(dataset: str, seeds: range, scorers: list[str]) -> list[dict]:
    run = {"dataset": dataset, "model": "gcn", "split": "random", "unrelated": 7}
    return [{**run, "seed": seed, "scorer": scorer} for seed in seeds for scorer in scorers]


def bundled(wanted: list[dict], seconds: dict[str, float]) -> list:
    return bundle("score", wanted, ["scorer"], lambda result: seconds[result["dataset"]])


def makers(found: list, path: str) -> list[str]:
    """The bundles whose rule could make this file, with its wildcards constrained as Snakemake constrains them."""
    admitted = []
    for one in found[:-1]:
        for pattern in one.paths(PATTERN):
            parts = re.split(r"\{(\w+)\}", pattern)
            names = [f"(?P<{name}>{one.datasets if name == 'dataset' else '[^/]+'})" for name in parts[1::2]]
            texts = [re.escape(text) for text in parts[::2]]
            if re.fullmatch("".join(a + b for a, b in zip(texts, [*names, ""], strict=True)), path):
                admitted.append(one.name)
    return admitted


def test_runs_with_the_same_results_share_a_rule_and_every_result_is_in_one():
    wanted = results("texas", range(2), SCORERS) + results("cornell", range(1), SCORERS)
    wanted += results("texas", range(2, 3), ["npt", "mi"]) + results("texas", range(1), ["npt"])
    found = bundled(wanted, {"texas": 5, "cornell": 5})
    assert [one.name for one in found] == ["score_bundle_1", "score_bundle_2", "score"]
    assert [len(one.members) for one in found] == [3, 2, 0]
    for result in wanted:
        assert makers(found, PATTERN.format(**result)) == [f"score_bundle_{2 if result['seed'] == 2 else 1}"]
    others = [("cornell", 1, "npt"), ("texas", 2, "tfi"), ("texas", 10, "npt"), ("texas2", 0, "npt")]
    for dataset, seed, scorer in others:
        path = PATTERN.format(dataset=dataset, model="gcn", split="random", seed=seed, scorer=scorer)
        assert makers(found, path) == []
    assert found[-1].paths(PATTERN) == PATTERN
    assert found[-1].datasets == ""


def test_a_bundle_has_minutes_of_work_at_most_and_long_results_stay_alone():
    scorers = [f"s{number}" for number in range(7)]
    wanted = results("cora", range(1), scorers) + results("photo", range(1), scorers)
    found = bundled(wanted, {"cora": MOST_SECONDS / 3, "photo": 0.6 * MOST_SECONDS})
    assert [[value for ((_, value),) in one.members] for one in found] == [scorers[:3], scorers[3:6], []]
    assert {run[0] for one in found for run in one.runs} == {"cora"}


def test_results_may_be_told_apart_by_several_wildcards_or_by_one_of_the_run():
    run = {"dataset": "texas", "split": "random", "seed": 0}
    models = [{**run, "model": model} for model in ("gcn", "mlp")]
    together, _ = bundle("train", models, ["model"], lambda result: 1)
    assert together.name == "train_bundle"
    assert together.results({"dataset": "texas", "seed": "0"})[1] == {"dataset": "texas", "seed": "0", "model": "mlp"}
    assert re.match(together.datasets, "texas/mlp/random/seed0/weights.npz")
    assert not re.match(together.datasets, "texas/mlp/public/seed0/weights.npz")
    ways = [{**run, "model": "gcn", "scorer": "npt", "prune": 0.5, "repeats": k} for k in (5, 10)]
    together, single = bundle("adaptive", ways, ["scorer", "prune", "repeats"], lambda result: 1)
    assert together.paths("{dataset}/{scorer}/prune{prune}_repeats{repeats}/seed{seed}") == [
        "{dataset}/npt/prune0.5_repeats5/seed{seed}", "{dataset}/npt/prune0.5_repeats10/seed{seed}"
    ]  # fmt: skip
    assert single.results({"scorer": "mi"}) == [{"scorer": "mi"}]
    assert len(RUN) == 4


@pytest.mark.parametrize("name", ["score", "score_bundle", "score_bundle_12"])
def test_the_rule_of_single_results_is_known_by_name(name):
    assert single_rule(name) == "score"
    assert single_rule("score_regime") == "score_regime"
