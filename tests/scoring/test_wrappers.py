"""LOCO and SAGE against their definitions, on graphs small enough to try every order of the columns."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from graphsieve.data.graph import Graph, keep_columns
from graphsieve.errors import InputError
from graphsieve.models.classifier import model_factory
from graphsieve.models.training import train_model
from graphsieve.options import ScoringOptions, TrainingOptions
from graphsieve.scoring import wrappers
from graphsieve.scoring.scorers import ScoringTask, score_features

TRAINING = TrainingOptions(hidden=8, epochs=30)


@pytest.fixture(scope="module")
def task(small_graph, small_split):
    """Three columns: two that tell a class and one of chance."""
    graph = keep_columns(small_graph, np.array([0, 1, 5]))
    model = train_model("gcn", graph, small_split, options=TRAINING).model.eval()
    make_model = model_factory("gcn", graph, TRAINING, 0)
    options = ScoringOptions(n_repeats=100, scorer_epochs=None)
    return ScoringTask(graph, small_split, 0, options, model, make_model=make_model, training=TRAINING)


def loss(task, model, x):
    with torch.no_grad():
        logits = model(torch.from_numpy(x), torch.from_numpy(task.graph.edge_index))[task.split.val]
    return cross_entropy(logits, torch.from_numpy(task.graph.y[task.split.val])).item()


def loss_of_best_model(task, columns):
    graph = keep_columns(task.graph, np.array(columns))
    training = train_model("gcn", graph, task.split, options=TRAINING)
    training.model.load_state_dict(training.best_state)
    return loss(task, training.model.eval(), graph.x)


def test_loco_is_the_rise_of_the_loss_in_a_model_without_the_column(task):
    scores, everything = score_features("loco", task), loss_of_best_model(task, [0, 1, 2])
    for column, others in enumerate([[1, 2], [0, 2], [0, 1]]):
        assert scores.values[column] == pytest.approx(loss_of_best_model(task, others) - everything, abs=1e-5)


def shapley_by_definition(task, draws):
    """The mean over all orders of the columns, and over draws of what stands in for those that are absent."""
    rng, x = np.random.default_rng(1), task.graph.x
    values, orders = np.zeros(3), list(itertools.permutations(range(3)))
    for _ in range(draws):
        others = x[rng.permutation(len(x))]
        losses = {}
        for present in itertools.product([False, True], repeat=3):
            losses[present] = loss(task, task.model, np.where(present, x, others))
        for order in orders:
            present = [False] * 3
            for column in order:
                before = losses[tuple(present)]
                present[column] = True
                values[column] += before - losses[tuple(present)]
    return values / draws / len(orders)


def test_sage_estimates_shapley_values(task):
    scores = score_features("sage", task)
    expected = shapley_by_definition(task, 100)
    error = scores.std / np.sqrt(100) * np.sqrt(2)
    assert (np.abs(scores.values - expected) < 5 * error + 1e-6).all()


def test_sage_shares_out_all_that_the_columns_lower_the_loss_by(task):
    rng, absent = np.random.default_rng(0), []
    for _ in range(3):
        absent.append(loss(task, task.model, task.graph.x[rng.permutation(task.graph.num_nodes)]))
        rng.permutation(3)
    falls_rng = np.random.default_rng(0)
    for before in absent:
        falls = wrappers._falls_in_one_order(task, falls_rng)
        assert falls.sum() == pytest.approx(before - loss(task, task.model, task.graph.x), abs=1e-5)


def test_graphs_that_are_too_large_are_refused(task):
    wide = Graph("wide", np.zeros((60, 101), np.float32), task.graph.edge_index, task.graph.y, 3)
    with pytest.raises(InputError, match="'loco' trains a model without each column, and 'wide' has 101: take another"):
        score_features("loco", replace(task, graph=wide))
    huge = Graph("huge", np.zeros((60, 5000), np.float32), task.graph.edge_index, task.graph.y, 3)
    with pytest.raises(InputError, match="'sage' calls the model once for each column .* 5000 columns and 60 nodes"):
        score_features("sage", replace(task, graph=huge))
    one = keep_columns(task.graph, np.array([0]))
    with pytest.raises(InputError, match="'loco' leaves a column out, and 'small' has only one"):
        score_features("loco", replace(task, graph=one))
