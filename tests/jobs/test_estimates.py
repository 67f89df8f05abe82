"""How long jobs will take: the mean of their like, and no guess where there is none."""

import pandas as pd
import pytest

from graphsieve.jobs.estimates import Job, duration_text, estimate, time_sentence, wall_seconds


def measured(*rows: tuple) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["rule", "dataset", "model", "scorer", "seconds"])


OWN = measured(
    ("score", "cora", "gcn", "npt", 10.0),
    ("score", "cora", "gcn", "npt", 20.0),
    ("score", "cora", "gcn", "mi", 2.0),
    ("check_bounds", "", "", "", 60.0),
)
OTHER = measured(("score", "cora", "gcn", "npt", 1000.0), ("score", "texas", "tagcn", "mi", 4.0))
ELSEWHERE = measured(("train", "cora", "", "", 30.0))[["rule", "dataset", "seconds"]]


def test_a_job_takes_the_mean_of_its_like_in_the_nearest_table():
    jobs = [
        Job("score", "cora", ("npt",)),  # both seeds
        Job("score", "cora", ("tfi",)),  # no such scorer: all scores of the dataset
        Job("score", "texas", ("mi",)),  # another run
        Job("check_bounds"),
        Job("train", "cora", ("gcn",)),  # another machine
        Job("train", "texas", ("gcn",)),  # another dataset says nothing
        Job("score", "pubmed", ("npt",)),
        Job("score", "cora", ("npt", "mi")),  # two results
        Job("score", "texas", ("mi", "npt", "tfi")),
    ]
    found = estimate(jobs, [OWN, OTHER], ELSEWHERE)
    assert found.seconds == (15.0, pytest.approx(32 / 3), 4.0, 60.0, 30.0, None, None, 17.0, 12.0)
    assert (found.here, found.elsewhere, found.unknown) == (6, 1, 2)


def test_work_is_shared_by_cores_but_the_longest_job_is_not():
    jobs = [Job("score", "cora", ("npt",), threads=4)] * 8 + [Job("check_bounds")]
    found = estimate(jobs, [OWN], ELSEWHERE)
    assert wall_seconds(jobs, found, cores=2) == (8 * 15 * 2 + 60) / 2
    assert wall_seconds(jobs, found, cores=100) == 60


def test_the_sentence_says_what_it_rests_on():
    jobs = [Job("check_bounds")] * 4 + [Job("train", "cora"), Job("train", "shop")]
    found = estimate(jobs, [OWN], ELSEWHERE)
    assert time_sentence(jobs, found, 2, "on 2 cores") == (
        "about 2 min on 2 cores (jobs: 4 as measured on this machine, 1 as measured on the developers', "
        "1 never measured and not counted)"
    )


def test_without_measurements_there_is_no_number():
    jobs = [Job("train", "shop")]
    found = estimate(jobs, [], ELSEWHERE)
    assert time_sentence(jobs, found, 2, "on 2 cores") == "not known, there are no measurements of such jobs yet"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (89, "89 s"), (90, "2 min"), (5399, "90 min"), (7260, "2 h 1 min"), (2e5, "2.3 days")],
)
def test_durations_are_readable(seconds, text):
    assert duration_text(seconds) == text
