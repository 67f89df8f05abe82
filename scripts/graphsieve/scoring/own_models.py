"""Models that a scorer trains itself, on labelled nodes of its own choice."""

from dataclasses import replace

import numpy as np

from graphsieve.data.graph import Split
from graphsieve.options import TrainingOptions
from graphsieve.scoring.task import ScoringTask


def options_of(task: ScoringTask) -> TrainingOptions:
    """As the task's models are trained, for as many epochs as its scorer asks for."""
    # Accuracy can be reported of any nodes; a fold may lack a class that other metrics need.
    return replace(task.training, epochs=task.options.scorer_epochs or task.training.epochs, metric="accuracy")


def trained_on(task: ScoringTask, learnt: np.ndarray, watched: np.ndarray):
    """A model that has learnt the labels of some nodes, in the epoch in which it is best at those that are watched."""
    import torch

    from graphsieve.models.training import train_module

    # A training reports on test nodes as well; this one has none.
    split, device = Split(learnt, watched, watched), torch.device(task.device)
    how = {"options": options_of(task), "seed": task.seed, "device": device}
    training = train_module(task.make_model, task.graph, split, **how)
    training.model.load_state_dict(training.best_state)
    return training.model.eval()


def cut_in_folds(y: np.ndarray, nodes: np.ndarray, number: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Disjoint parts of nearly equal size, each with its share of every class; as many as there are nodes, at most."""
    dealt = rng.permutation(nodes)
    dealt = dealt[np.argsort(y[dealt], kind="stable")]
    return [np.sort(dealt[first::number]) for first in range(min(number, len(nodes)))]
