"""How test accuracy, or r2 where labels are quantities, depends on the number of features kept."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from graphsieve.data.graph import Graph, Split, keep_columns
from graphsieve.inference.tasks import measure_of, worth_by_node
from graphsieve.inference.trainings import Train
from graphsieve.models.training import predict
from graphsieve.selection.how_few import curve_of_numbers


def accuracy_curve(
    graph: Graph,
    split: Split,
    ranking: np.ndarray,
    train: Train,
    seeds: range,
    step: Callable[[], None],
) -> pd.DataFrame:
    """Accuracy, or r2, at the test nodes of models trained anew on the best 1, 2, 3, ... features, and its loss.

    `ranking` must not have seen the test labels. `step` is called after every training.
    """

    def worth(columns: np.ndarray) -> np.ndarray:
        """Of the seeds' models at their best epochs on the validation nodes, by test node."""
        reduced, of_seeds = keep_columns(graph, columns), []
        for seed in seeds:
            training = train(reduced, split, seed)
            training.model.load_state_dict(training.best_state)
            outputs = predict(training.model, reduced).cpu().numpy()
            of_seeds.append(worth_by_node(outputs[split.test], graph.y[split.test]))
            step()
        return np.mean(of_seeds, axis=0)

    return curve_of_numbers(ranking, worth).rename(columns={"value": measure_of(graph)})
