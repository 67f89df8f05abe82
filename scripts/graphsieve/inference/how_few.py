"""How accuracy depends on the number of features kept, and the smallest number that loses nothing measurable."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import torch

from graphsieve.data.graph import Graph, Split, keep_columns
from graphsieve.models.training import train_model
from graphsieve.options import TrainingOptions

MOST_POINTS = 12


def numbers_to_keep(num_features: int) -> list[int]:
    """1 to all, evenly spread by factors."""
    return np.unique(np.geomspace(1, num_features, MOST_POINTS).round().astype(int)).tolist()


def accuracy_curve(
    graph: Graph,
    split: Split,
    ranking: np.ndarray,
    model: str,
    options: TrainingOptions,
    seeds: range,
    device: torch.device,
    step: Callable[[], None],
) -> pd.DataFrame:
    """Test accuracy of models trained anew on the best 1, 2, 3, ... features, and its loss against all features.

    `ranking` must not have seen the test labels. `step` is called after every training.
    """
    hits = {}
    for kept in numbers_to_keep(graph.num_features):
        reduced = keep_columns(graph, np.sort(ranking[:kept]))
        hits[kept] = np.stack([_hits(reduced, split, model, options, seed, device, step) for seed in seeds])
    everything = hits[graph.num_features]
    return pd.DataFrame([_point(kept, of_seeds, everything) for kept, of_seeds in hits.items()])


def _hits(
    graph: Graph, split: Split, model: str, options: TrainingOptions, seed: int, device: torch.device, step: Callable
) -> np.ndarray:
    """Which test nodes a new model classifies rightly, at its best epoch on the validation nodes."""
    training = train_model(model, graph, split, options=options, seed=seed, device=device)
    training.model.load_state_dict(training.best_state)
    with torch.no_grad():
        x, edge_index = (torch.from_numpy(array).to(device) for array in (graph.x, graph.edge_index))
        predicted = training.model.eval()(x, edge_index).argmax(dim=1).cpu().numpy()
    step()
    return predicted[split.test] == graph.y[split.test]


def _point(kept: int, hits: np.ndarray, everything: np.ndarray) -> dict:
    """The loss is compared node by node, which cancels how hard the nodes are."""
    loss = everything.mean(axis=0) - hits.mean(axis=0)
    return {
        "kept": kept,
        "accuracy": hits.mean(),
        "standard_error": standard_error(hits.mean(axis=0)),
        "loss": loss.mean(),
        "loss_standard_error": standard_error(loss),
    }


def standard_error(values: np.ndarray, axis: int = 0) -> np.ndarray:
    """NaN where there is one value only."""
    count = values.shape[axis]
    if count < 2:
        return np.full(np.delete(values.shape, axis), np.nan)[()]
    return values.std(axis=axis, ddof=1) / np.sqrt(count)


def smallest_without_loss(curve: pd.DataFrame) -> int:
    """The smallest number from which on no loss exceeds its standard error."""
    measurable = curve["loss"] > curve["loss_standard_error"].fillna(0)
    last = curve.loc[measurable, "kept"].max()
    return int(curve["kept"].min() if np.isnan(last) else curve.loc[curve["kept"] > last, "kept"].min())
