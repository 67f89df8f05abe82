"""Scorers that try a model with and without columns, so often that only small graphs can afford it."""

from dataclasses import replace

import numpy as np

from graphsieve.data.graph import keep_columns
from graphsieve.errors import InputError
from graphsieve.randomness import child
from graphsieve.scoring.own_models import trained_on
from graphsieve.scoring.task import Scores, ScoringTask

MOST_COLUMNS = 100  # of which loco trains a model without each
MOST_VALUES = 1e9  # that go through the model for one order of the columns: what sage does n_repeats times


def loco(task: ScoringTask) -> Scores:
    """Leave one covariate out (Lei et al. 2018): the rise of the validation loss when a model is trained without it."""
    count = task.graph.num_features
    if count > MOST_COLUMNS:
        raise InputError(
            f"scorer 'loco' trains a model without each column, and '{task.graph.name}' has {count}: take another "
            f"scorer, or a graph of at most {MOST_COLUMNS} columns"
        )
    if count == 1:
        raise InputError(
            f"scorer 'loco' leaves a column out, and '{task.graph.name}' has only one: take another scorer"
        )
    learnt, asked = task.split.train, task.split.val

    def loss_with(columns: np.ndarray) -> float:
        reduced = replace(task, graph=keep_columns(task.graph, columns))
        return _loss(reduced, trained_on(reduced, learnt, asked), reduced.graph.x)

    everything = loss_with(np.arange(count))
    rises = np.array([loss_with(np.delete(np.arange(count), column)) - everything for column in range(count)])
    return Scores(rises, losses=rises)


def sage(task: ScoringTask) -> Scores:
    """Shapley additive global importance (Covert et al. 2020): a column's share in lowering the validation loss.

    A model that lacks a column sees in it what other nodes have there. In `n_repeats` random orders the columns come
    back one after the other; the score is by how much the loss falls when a column comes, on average.
    """
    count, values = task.graph.num_features, task.graph.num_features * task.graph.x.size
    if values > MOST_VALUES:
        raise InputError(
            f"scorer 'sage' calls the model once for each column and repeat, which takes too long for the {count} "
            f"columns and {task.graph.num_nodes} nodes of '{task.graph.name}': take another scorer, or a smaller graph"
        )
    rng = np.random.default_rng(child(task.seed, "scoring", *task.occasion))
    falls = np.stack([_falls_in_one_order(task, rng) for _ in range(task.options.n_repeats)])
    means = falls.mean(axis=0)
    return Scores(means, falls.std(axis=0), means)


def _falls_in_one_order(task: ScoringTask, rng: np.random.Generator) -> np.ndarray:
    """By how much the loss falls when each column comes back, all being absent at first."""
    x = task.graph.x[rng.permutation(task.graph.num_nodes)]
    falls, before = np.empty(task.graph.num_features), _loss(task, task.model, x)
    for column in rng.permutation(task.graph.num_features):
        x[:, column] = task.graph.x[:, column]
        after = _loss(task, task.model, x)
        falls[column], before = before - after, after
    return falls


def _loss(task: ScoringTask, model: object, x: np.ndarray) -> float:
    """At the validation nodes, of a model that sees these features."""
    import torch
    from torch.nn.functional import cross_entropy

    from graphsieve.models.training import edge_tensors

    device, nodes = next(model.parameters()).device, task.split.val
    x, edge_index, y = (torch.from_numpy(array).to(device) for array in (x, task.graph.edge_index, task.graph.y[nodes]))
    with torch.no_grad():
        return cross_entropy(model(x, edge_index, **edge_tensors(task.graph, device))[nodes].double(), y).item()
