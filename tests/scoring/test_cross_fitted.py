"""Cross-fitted permutation against a loop that is written out, and what rounds of elimination make of copies."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from graphsieve import adaptive_selection
from graphsieve.models.classifier import model_factory
from graphsieve.options import PruningOptions, ScoringOptions, TrainingOptions
from graphsieve.scoring import cross_fitted
from graphsieve.scoring.own_models import cut_in_folds, options_of, trained_on
from graphsieve.scoring.permutation import perturbed
from graphsieve.scoring.scorers import ScoringTask, score_features

TRAINING = TrainingOptions(hidden=8, epochs=60, metric="roc_auc")


@pytest.fixture
def task(small_graph, small_split):
    options = ScoringOptions(n_repeats=60, folds=3, scorer_epochs=30)
    make_model = model_factory("gcn", small_graph, TRAINING, 0)
    return ScoringTask(small_graph, small_split, 0, options, make_model=make_model, training=TRAINING)


def test_folds_are_disjoint_and_have_their_share_of_every_class():
    y, nodes = np.arange(100) % 3, np.arange(5, 95)
    folds = cut_in_folds(y, nodes, 4, np.random.default_rng(0))
    assert np.array_equal(np.sort(np.concatenate(folds)), nodes)
    assert max(map(len, folds)) - min(map(len, folds)) <= 1
    for label in range(3):
        counts = [np.sum(y[fold] == label) for fold in folds]
        assert max(counts) - min(counts) <= 1
    assert len(cut_in_folds(y, nodes[:2], 5, np.random.default_rng(0))) == 2


def test_models_learn_the_scorers_number_of_epochs_or_the_tasks(task):
    assert options_of(task).epochs == 30
    assert options_of(replace(task, options=replace(task.options, scorer_epochs=None))).epochs == 60
    assert options_of(task).metric == "accuracy"


def test_every_labelled_node_is_asked_once_by_a_model_that_did_not_learn_it(task, monkeypatch):
    asked = []

    def watch_training(task, learnt, watched):
        asked.append([set(learnt), set(watched)])
        return trained_on(task, learnt, watched)

    def watch_asking(task, model, nodes, *others, **further):
        asked[-1].append(set(nodes))
        return perturbed(task, model, nodes, *others, **further)

    monkeypatch.setattr(cross_fitted, "trained_on", watch_training)
    monkeypatch.setattr(cross_fitted, "perturbed", watch_asking)
    score_features("npt_cross", replace(task, options=replace(task.options, n_repeats=1)))
    known = np.union1d(task.split.train, task.split.val).tolist()
    assert sorted(node for _, _, nodes in asked for node in nodes) == known
    for learnt, watched, nodes in asked:
        assert sorted([*learnt, *watched, *nodes]) == known  # each node has one of the three roles
        assert min(map(len, (learnt, watched, nodes))) > 0


def test_it_estimates_the_rise_of_the_loss_over_all_labelled_nodes(task):
    """Against permutations drawn here, fold by fold, each column within 5 standard errors."""
    known, repeats = task.known_nodes, 60
    rng, edge_index = np.random.default_rng(1), torch.from_numpy(task.graph.edge_index)
    rises = np.zeros((task.graph.num_features, repeats))
    folds = cut_in_folds(
        task.graph.y, known, 3, np.random.default_rng(np.random.SeedSequence(0, spawn_key=(7,)))
    )  # "folds" is the eighth consumer of randomness
    for fold, watched, learnt in zip(folds, folds[-1:] + folds, folds[1:] + folds, strict=False):
        model = trained_on(task, learnt, watched)  # of three folds each has one role

        def loss_sum(x, model=model, fold=fold):
            with torch.no_grad():
                logits = model(torch.from_numpy(x), edge_index)[fold]
            return cross_entropy(logits, torch.from_numpy(task.graph.y[fold]), reduction="sum").item()

        for column in range(task.graph.num_features):
            for repeat in range(repeats):
                x = task.graph.x.copy()
                x[:, column] = rng.permutation(x[:, column])
                rises[column, repeat] += loss_sum(x) - loss_sum(task.graph.x)
    rises /= len(known)
    scores = score_features("npt_cross", task)
    error = rises.std(axis=1) * np.sqrt(2 / repeats) + 1e-6
    assert (np.abs(scores.values - rises.mean(axis=1)) < 5 * error).all()
    np.testing.assert_allclose(scores.std, rises.std(axis=1), rtol=0.5, atol=1e-5)
    assert np.array_equal(scores.losses, scores.values)


def rounds(monkeypatch, task, importance_of):
    """Names of the columns that each round of npt_backward asks about, with importances made up here."""
    asked = []

    def cross_fitted_importance(task):
        names = task.graph.names()
        asked.append(names)
        return np.array([[importance_of(name, names)] for name in names])

    monkeypatch.setattr(cross_fitted, "cross_fitted", cross_fitted_importance)
    return asked, score_features("npt_backward", task).values


def test_half_of_the_columns_go_in_a_round_the_weakest_first(monkeypatch, task):
    names = tuple("abcdefgh")
    task = replace(task, graph=replace(task.graph, feature_names=names))
    asked, places = rounds(monkeypatch, task, lambda name, left: ord("z") - ord(name))
    assert asked == [list("abcdefgh"), list("abcd"), list("ab"), ["a"]]
    assert places.tolist() == [1, 7 / 8, 6 / 8, 5 / 8, 4 / 8, 3 / 8, 2 / 8, 1 / 8]


def test_a_column_whose_copy_has_gone_rises(monkeypatch, task):
    """Four copies share one importance that is the largest; new models give it to those that are left."""
    names = ("copy1", "copy2", "copy3", "copy4", "b", "c", "d", "e")
    worth = {"b": 3.0, "c": 2.0, "d": 0.1, "e": 0.1}
    task = replace(task, graph=replace(task.graph, feature_names=names))

    def importance_of(name, left):
        return worth.get(name, 8 / sum(other.startswith("copy") for other in left) - 1e-3 * names.index(name))

    asked, places = rounds(monkeypatch, task, importance_of)
    assert asked[1] == ["copy1", "copy2", "b", "c"]
    assert asked[2] == ["copy1", "copy2"]
    assert np.argsort(-places)[:4].tolist() == [0, 1, 4, 5]


def test_algorithm_1_asks_cross_fitted_models_of_the_columns_that_are_left(task):
    """The scores of its second checkpoint are those of the columns that the first one left."""
    run = adaptive_selection(
        task.make_model,
        task.graph,
        task.split,
        scorer="npt_cross",
        pruning=PruningOptions(prune=0.5, interval=5),
        training=replace(TRAINING, epochs=10, metric="accuracy"),
        scoring=replace(task.options, n_repeats=5),
    )
    assert run.checkpoints["features"].tolist() == [8, 4]
    assert set(run.kept) >= {0, 1, 2}
    last = run.scores[run.scores["checkpoint"] == 2].sort_values("feature")
    reduced = replace(
        task,
        graph=replace(task.graph, x=np.ascontiguousarray(task.graph.x[:, run.kept])),
        options=replace(task.options, n_repeats=5),
        occasion=(2,),
    )
    np.testing.assert_allclose(last["score"], score_features("npt_cross", reduced).values)
