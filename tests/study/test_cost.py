"""What a run cost: jobs by study, the plain way extrapolated, and requests beside use."""

import pandas as pd
import pytest

from graphsieve.study import cost

COLUMNS = ["rule", "dataset", "model", "split", "scorer", "setting", "prune", "repeats", "seed"]
COLUMNS += ["seconds", "cpu_seconds", "max_rss_mb"]
JOBS = [
    ("train", "cora", "gcn", "random", "", "", "", "", 0, 20, 24.5, 600),
    ("train", "cora", "gcn", "random", "", "", "", "", 1, 10, 14.5, 500),
    ("score", "cora", "gcn", "random", "npt", "", "", "", 0, 5, 6.5, 700),
    ("score", "cora", "gcn", "random", "mi", "", "", "", 0, 5, 6.5, 700),
    ("retrain", "cora", "gcn", "random", "npt", "", "", "", 0, 9, 9, ""),
    ("perturb", "cora", "gcn", "random", "", "mlp", "", "", 0, 9, 14.5, 500),
    ("adaptive", "cora", "gcn", "random", "npt", "", 0.5, 10, 0, 9, 14.5, 700),
    ("adaptive", "cora", "gcn", "random", "npt", "", 0.5, 20, 0, 9, 14.5, 700),
    ("adaptive", "cora", "gcn", "random", "mi", "", 0.5, 10, 0, 9, 14.5, 700),
    ("adaptive", "cora", "gcn", "public", "npt", "", 0.5, 10, 0, 9, 14.5, 700),
    ("check_bounds", "", "", "", "", "", "", "", "", 9, 36, 300),
    ("render_notebook", "", "", "", "", "", "", "", "", 4, 5, 300),
]


@pytest.fixture
def jobs(tmp_path) -> pd.DataFrame:
    pd.DataFrame(JOBS, columns=COLUMNS).to_csv(tmp_path / "jobs.csv", index=False)
    return cost.read_jobs(tmp_path / "jobs.csv")


def test_every_job_belongs_to_its_study(jobs):
    studies = cost.with_study(jobs)
    adaptive = studies[studies["rule"] == "adaptive"].set_index(["split", "scorer", "repeats"])["study"]
    assert adaptive["random", "npt", 20] == cost.ABLATION
    assert adaptive["public", "npt", 10] == cost.PUBLIC
    assert adaptive["random", "npt", 10] == adaptive["random", "mi", 10] == cost.STUDY_OF_RULE["adaptive"]
    assert studies.loc[studies["rule"] == "check_bounds", "study"].tolist() == ["Theory"]
    assert "render_notebook" not in set(studies["rule"])


def test_the_plain_way_is_extrapolated_by_the_measured_ratios(jobs):
    """Of an adaptive job 10 seconds are work; a quarter of them is scoring, says the record of times."""
    timings = pd.DataFrame({"dataset": ["cora"], "training_seconds": [3.0], "scoring_seconds": [1.0]})
    scoring = pd.DataFrame({"dataset": ["cora"], "model": ["gcn"], "ratio_full": [100.0]})
    training = pd.DataFrame({"dataset": ["texas", "photo"], "model": ["gcn", "gin"], "ratio": [8.0, 2.0]})
    plain = cost.with_plain_seconds(jobs, timings, scoring, training)["plain_seconds"]
    adaptive = 4.5 + 7.5 * 8
    assert plain.tolist() == pytest.approx(
        [4.5 + 20 * 8, 4.5 + 10 * 8, 4.5 + 2 * 100, 6.5, 9, 4.5 + 10 * 8]
        + [adaptive + 2.5 * 100, adaptive + 2.5 * 100, adaptive + 2.5, adaptive + 2.5 * 100]
        + [36, 5]
    )


def test_core_hours_add_up(jobs):
    costs = cost.summarise(cost.with_study(jobs))
    assert costs.loc["All", "core_hours"] == pytest.approx((jobs["cpu_seconds"].sum() - 5) / 3600)
    assert costs.loc["Theory"].tolist() == [1, pytest.approx(0.01), pytest.approx(0.6), pytest.approx(0.01)]
    assert cost.cells(costs).loc["Theory"].tolist() == ["1", "0.01", "0.60", "0.01"]
    assert "has not been run here" in cost.plain_sentence(costs)
    assert "taken 4.0 times as long" in cost.plain_sentence(costs.assign(plain_core_hours=4 * costs["core_hours"]))


def test_twenty_seeds_cost_twenty_times_as_much_as_one_and_what_has_none_stays(jobs):
    costs = cost.summarise(cost.with_study(jobs).assign(plain_seconds=jobs["cpu_seconds"] * 3))
    trained = 10 * (24.5 + 14.5)  # two seeds
    seconds = trained + 20 * (6.5 + 6.5 + 9 + 14.5 + 4 * 14.5) + 36
    assert costs.loc["All", "seeds_core_hours"] == pytest.approx(seconds / 3600)
    assert costs.loc["All", "plain_seeds_core_hours"] == pytest.approx(3 * seconds / 3600)
    many = costs * 1000
    hours = f"{1000 * seconds / 3600 / 32:,.1f} hours on a node whose 32 cores are all busy (the plain way: "
    assert hours in cost.seeds_sentence(many)
    assert "the plain way" not in cost.seeds_sentence(many.drop(columns="plain_seeds_core_hours"))


def test_starting_is_a_share_of_what_was_measured_and_a_process_is_one_job(jobs):
    """Of three results one process made two; nobody measured how the adaptive jobs started."""
    known = jobs["rule"].isin(["score", "retrain"])
    jobs.loc[known, "start_seconds"] = [3.0, 0.0, 4.0]  # of 6.5, 6.5 and 9 seconds
    costs = cost.summarise(cost.with_study(jobs))
    study = cost.STUDY_OF_RULE["score"]
    assert costs.loc[study, "jobs"] == 2 + 2  # trainings, and the two processes
    assert costs.loc[study, "start_percent"] == pytest.approx(100 * 7 / 22)
    assert costs.loc["All", "start_percent"] == pytest.approx(100 * 7 / 22)
    cells = cost.cells(costs)["Starting, %"]
    assert (cells[study], cells["Theory"]) == ("31.8", "–")
    assert "took 31.8 % of the CPU time" in cost.start_sentence(costs)
    assert "was not measured" in cost.start_sentence(cost.summarise(cost.with_study(jobs.assign(start_seconds=None))))


def test_requests_stand_beside_what_was_used(jobs):
    measured = pd.DataFrame(
        {"rule": ["train"], "dataset": ["cora"], "cpu_seconds": [60.0], "max_rss_mb": [400.0], "epochs": [100]}
    )
    sizes = pd.DataFrame({"dataset": ["cora"], "nodes": [2708], "edges": [10556], "features": [1433]})
    requests = cost.requested_and_used(jobs, measured, sizes, {"cora": 200}).set_index("rule")
    assert set(requests.index) == {"train", "score", "retrain", "perturb", "adaptive"}  # what has a dataset
    train = requests.loc["train"]
    assert (train["requested_mb"], train["used_mb"]) == (500 + 1.5 * 400, 600)
    assert (train["requested_minutes"], train["runs"]) == (2 + 3 * 2, 2)  # twice the epochs that were measured
    assert train["cpu_minutes"] == pytest.approx(24.5 / 60)
    cells = cost.request_cells(requests.reset_index())
    assert cells.iloc[-1].tolist() == ["train", "1,100", "600", "8", "0.4", "2", "yes"]
    assert cost.request_sentence(requests.reset_index()) == "0 of 5 took more than was asked for."
    assert cost.request_sentence(requests.assign(requested_mb=650)) == "2 of 5 took more than was asked for."
