"""Repeats sampled round by round: what is sampled is what all repeats at once give; and when it stops."""

import itertools
import os

import numpy as np
import pytest
import torch
from importance_cases import CLASSES, FEATURES, Attention, make_graph, scored_nodes

from graphsieve import permutation_importance
from graphsieve.errors import InputError
from graphsieve.importance.rounds import Clock
from graphsieve.models.classifier import build_model
from graphsieve.selection.top import keep_top

CASES = {
    "known layers": ("gcn", {"engine": "lowrank"}),
    "copies": ("gat", {"engine": "restricted"}),
    "every pass": ("gcn", {"engine": "full"}),
    "whatever suits attention": ("gat", {}),
    "groups": ("gcn", {"groups": {"big": [0, 1, 2], "small": [4], "other": [3, 5]}}),
    "noise": ("gcn", {"perturbation": "gaussian"}),
    "slopes": ("gcn", {"control_variate": True}),
}


def score(model: str = "gcn", **options):
    x, edges, y = make_graph()
    torch.manual_seed(0)
    network = Attention() if model == "gat" else build_model(model, FEATURES, CLASSES, hidden=8, seed=3)
    options = {"metric": "cross_entropy", "n_repeats": 20} | options
    return permutation_importance(network, x, edges, y, scored_nodes(), **options)


@pytest.fixture
def slow_clock(monkeypatch):
    """A clock on which every look takes a second."""
    looks = itertools.count()
    monkeypatch.setattr(Clock, "now", lambda self: float(next(looks)))


def agree(part, whole) -> None:
    """Where something was sampled, it is what the run with all repeats has."""
    assert (np.isnan(part.importances) == ~part.sampled).all()
    np.testing.assert_allclose(part.importances[part.sampled], whole.importances[part.sampled], atol=1e-6)


@pytest.mark.usefixtures("slow_clock")
@pytest.mark.parametrize(("model", "options"), CASES.values(), ids=CASES.keys())
def test_time_stops_after_whole_rounds(model, options):
    part, whole = score(model, time_budget=6, **options), score(model, **options)
    agree(part, whole)
    assert len(set(part.n_repeats_used)) == 1
    assert 1 < part.n_repeats_used[0] < 20
    assert (part.sampled == (np.arange(20) < part.n_repeats_used[:, None])).all()


@pytest.mark.usefixtures("slow_clock")
def test_the_first_repeat_is_sampled_however_little_time_there_is():
    with pytest.warns(UserWarning, match="more than the time_budget of 0.5 s: there are no intervals"):
        hurried = score(time_budget=0.5)
    assert (hurried.n_repeats_used == 1).all()
    assert np.isnan(hurried.interval()).all()
    assert sorted(hurried.to_frame()["rank"].unique())[0] == 1
    agree(hurried, score())


def test_with_time_enough_nothing_is_missing():
    patient, whole = score(time_budget=1e6), score()
    assert patient.sampled is None
    np.testing.assert_allclose(patient.importances, whole.importances, atol=1e-6)


def test_rows_that_are_narrow_enough_get_no_more():
    whole = score(n_repeats=40)
    low, high = whole.interval().T
    wanted = float(np.median(high - low)) * 1.5
    part = score(n_repeats=40, until_width=wanted)
    agree(part, whole)
    low, high = part.interval().T
    assert ((high - low <= wanted) | (part.n_repeats_used == 40)).all()
    assert part.n_repeats_used.min() < part.n_repeats_used.max()
    assert part.n_repeats_used.min() >= 5


@pytest.mark.parametrize("keep", [1, 3, FEATURES])
@pytest.mark.parametrize("options", [{}, {"control_variate": True}, {"perturbation": "gaussian"}])
def test_a_race_keeps_what_all_repeats_keep(keep, options):
    raced, whole = score(n_repeats=60, keep=keep, **options), score(n_repeats=60, **options)
    best = np.argsort(-whole.importances_mean, kind="stable")[:keep]
    assert sorted(np.flatnonzero(raced.kept)) == sorted(best)
    assert raced.n_repeats_used.sum() < whole.importances.size
    agree(raced, whole)


def test_the_next_metric_breaks_ties_in_a_race():
    metrics = ["accuracy", "cross_entropy"]
    raced, whole = score(metric=metrics, keep=3), score(metric=metrics)
    falls, losses = whole["accuracy"].importances_mean, whole["cross_entropy"].importances_mean
    expected = keep_top(falls, 3, losses=losses)
    assert expected.ties > 0  # otherwise there is nothing to break
    assert np.flatnonzero(raced["accuracy"].kept).tolist() == expected.kept.tolist()
    assert (raced["accuracy"].kept == raced["cross_entropy"].kept).all()


def test_groups_race_in_their_own_order():
    groups = CASES["groups"][1]["groups"]
    raced, whole = score(keep=1, groups=groups), score(groups=groups)
    assert raced.kept.tolist() == [place == whole.importances_mean.argmax() for place in range(3)]


def test_a_race_of_masks_is_over_at_once():
    raced, whole = score(keep=2, perturbation="mask"), score(perturbation="mask")
    assert np.flatnonzero(raced.kept).tolist() == sorted(np.argsort(-whole.importances_mean)[:2])
    np.testing.assert_allclose(raced.importances, whole.importances)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"keep": 0}, "keep is 0: it must be a positive whole number"),
        ({"keep": 1.5}, "keep is 1.5: it must be a positive whole number, or None"),
        ({"keep": FEATURES + 1}, "keep is 7, but there are 6 features or groups"),
        ({"until_width": -0.1}, "until_width is -0.1"),
        ({"time_budget": 0}, "time_budget is 0"),
        ({"time_budget": "3"}, "time_budget is '3': it must be a positive number, or None"),
        ({"n_jobs": 0}, "n_jobs is 0: give a number of threads"),
        ({"n_jobs": -2}, "n_jobs is -2"),
        ({"n_jobs": "all"}, "n_jobs is 'all': give a number of threads"),
    ],
)
def test_bad_input_is_named(options, message):
    with pytest.raises(InputError, match=message):
        score(**options)


class Watching(torch.nn.Module):
    """Notes how many threads torch may use when it is called, and fails if told to."""

    def __init__(self, fails: bool):
        super().__init__()
        self.fails, self.seen = fails, set()

    def forward(self, x, edge_index):
        self.seen.add(torch.get_num_threads())
        if self.fails:
            raise RuntimeError("as told")
        return x[:, :CLASSES]


@pytest.mark.parametrize(("n_jobs", "expected"), [(None, 1), (2, 2), (-1, len(os.sched_getaffinity(0)))])
@pytest.mark.parametrize("fails", [False, True])
def test_the_callers_threads_come_back(n_jobs, expected, fails):
    x, edges, y = make_graph()
    before, model = torch.get_num_threads(), Watching(fails)
    torch.set_num_threads(1)
    try:
        if fails:
            with pytest.raises(InputError, match="as told"):
                permutation_importance(model, x, edges, y, scored_nodes(), n_jobs=n_jobs)
        else:
            permutation_importance(model, x, edges, y, scored_nodes(), n_jobs=n_jobs)
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)
    assert model.seen == {expected}
