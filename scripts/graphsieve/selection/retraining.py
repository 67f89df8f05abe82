"""What one-shot selection does with the features it keeps: a new model of them, or the trained one that goes on."""

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from graphsieve.data.graph import Graph, Split, keep_columns, zero_other_columns
from graphsieve.errors import InputError
from graphsieve.models.classifier import NodeClassifier, build_model
from graphsieve.models.training import Training, train_model
from graphsieve.options import SelectionOptions, TrainingOptions
from graphsieve.selection.shrinking import input_dimensions, kept_weights


def retrain_model(
    name: str,
    graph: Graph,
    split: Split,
    kept: np.ndarray,
    *,
    training: TrainingOptions,
    selection: SelectionOptions,
    trained: NodeClassifier | None = None,
    seed: int = 0,
    device: str | torch.device = "cpu",
    progress: bool = False,
) -> Training:
    """Train a model on the kept features alone.

    Parameters
    ----------
    name : str
        One of `graphsieve.models.layers.LAYERS`.
    graph : Graph
        With all features.
    split : Split
        The nodes to learn from, and those on which every epoch is evaluated.
    kept : ndarray
        The columns to keep, in ascending order.
    training : TrainingOptions
        How the model with all features was trained.
    selection : SelectionOptions
        Whether to begin anew, for how many epochs, and what becomes of the other columns.
    trained : NodeClassifier, optional
        The model with all features, to go on with where `selection.retrain` is "continue".
    seed, device, progress
        As in `train_model`.

    Returns
    -------
    Training
        The model, its history since the selection, and the weights of the best epoch.

    Examples
    --------
    >>> import numpy as np
    >>> from graphsieve.data.splits import random_split
    >>> from graphsieve.data.synthetic import generate
    >>> from graphsieve.options import SelectionOptions, TrainingOptions
    >>> from graphsieve.selection.retraining import retrain_model
    >>> graph, split = generate("d", 0, num_nodes=100, num_features=8), random_split(100, seed=0)
    >>> options = TrainingOptions(hidden=8, epochs=5)
    >>> run = retrain_model("gcn", graph, split, np.array([1, 4]), training=options, selection=SelectionOptions())
    >>> run.model.layout["num_features"], len(run.history)
    (2, 5)
    """
    reduced = keep_columns(graph, kept) if selection.pruned == "removed" else zero_other_columns(graph, kept)
    weights = None
    if selection.retrain == "continue":
        weights = _weights_for(reduced.num_features, kept, trained)
    return train_model(
        name,
        reduced,
        split,
        options=replace(training, epochs=selection.retrain_epochs or training.epochs),
        seed=seed,
        weights=weights,
        device=device,
        progress=progress,
    )


def _weights_for(num_features: int, kept: np.ndarray, trained: NodeClassifier | None) -> dict[str, Tensor]:
    """The trained model's weights for a model of so many features: the kept ones, or all."""
    if trained is None:
        raise InputError("selection.retrain is 'continue', and no trained model was given: give one, or say 'scratch'")
    before = trained.layout["num_features"]
    if num_features == before:
        return trained.state_dict()
    smaller = build_model(**{**trained.layout, "num_features": num_features})
    return kept_weights(trained, input_dimensions(trained, smaller, before, num_features), kept)
