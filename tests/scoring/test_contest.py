"""Candidates are judged by models that are trained here on their best columns, one by one."""

from dataclasses import replace

import numpy as np
import pytest

from graphsieve.data.graph import Split
from graphsieve.data.splits import random_split
from graphsieve.data.synthetic import generate
from graphsieve.models.classifier import model_factory
from graphsieve.options import ScoringOptions, SelectionOptions, TrainingOptions
from graphsieve.scoring import contest
from graphsieve.scoring.scorers import Scores, ScoringTask, score_features
from graphsieve.selection.retraining import retrain_model
from graphsieve.selection.top import keep_top

TRAINING = TrainingOptions(hidden=8, epochs=15)


@pytest.fixture(scope="module", params=["d", "f"])
def task(request):
    graph = generate(request.param, 0, num_nodes=150, num_features=20)
    options = ScoringOptions(n_repeats=2, folds=3, scorer_epochs=10)
    means = {"make_model": model_factory("gcn", graph, TRAINING, 3), "training": TRAINING}
    return ScoringTask(graph, random_split(150, seed=3), 3, options, **means)


def retrained(task, scores: Scores) -> float:
    """Validation accuracy by the way of one-shot selection."""
    kept = keep_top(scores.values, contest.FEWEST, losses=scores.losses, seed=task.seed).kept
    how = {"training": TRAINING, "selection": SelectionOptions(), "seed": task.seed}
    return retrain_model("gcn", task.graph, task.split, kept, **how).summary()["val_accuracy"]


def test_the_candidate_wins_whose_columns_do_best_at_the_validation_nodes(task):
    candidates = [score_features(name, task) for name in contest.CANDIDATES]
    winner = candidates[int(np.argmax([retrained(task, scores) for scores in candidates]))]
    assert np.array_equal(score_features("best_of", task).values, winner.values)


def test_whichever_candidate_knows_the_relevant_columns_wins(task, monkeypatch):
    truth, opposite = np.arange(20) < 5, np.arange(20) >= 15
    for right in ("first", "second"):
        first, second = (truth, opposite) if right == "first" else (opposite, truth)
        made_up = {"first": lambda _, one=first: Scores(one * 1.0), "second": lambda _, one=second: Scores(one * 1.0)}
        monkeypatch.setattr(contest, "CANDIDATES", made_up)
        assert np.array_equal(score_features("best_of", task).values, truth)


def test_no_model_of_a_contest_sees_a_test_node_label(task, monkeypatch):
    monkeypatch.setattr(contest, "CANDIDATES", {"only": lambda _: Scores(np.arange(20.0))})
    without = replace(task, split=Split(task.split.train, task.split.val, np.empty(0, dtype=int)))
    assert contest._worth(task, Scores(np.arange(20.0))) == contest._worth(without, Scores(np.arange(20.0)))


def test_as_many_columns_are_tried_as_there_are():
    assert [contest.number_tried(number) for number in (3, 50, 1433)] == [3, 5, 29]
