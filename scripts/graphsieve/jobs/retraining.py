"""The retraining on some features alone that several scripts have in common."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from graphsieve.data.graph import Graph
from graphsieve.data.splits import choose_split
from graphsieve.device import prepare_device
from graphsieve.files.checks import damaged
from graphsieve.files.reading import read_csv
from graphsieve.jobs.receipts import Result
from graphsieve.jobs.running import run_columns
from graphsieve.models.classifier import load_model
from graphsieve.options import SelectionOptions, TrainingOptions
from graphsieve.selection.random_draws import further_draws, mean_summary
from graphsieve.selection.retraining import retrain_model


def read_scores(path: str, num_features: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray | None]:
    """A table of scores, the scores and, where the scorer has them, the losses that break ties."""
    table = read_csv(path, ["feature", "score", "loss"])
    if len(table) != num_features:
        raise damaged(path, f"it has {len(table)} rows for {num_features} features")
    losses = None if table["loss"].isna().all() else table["loss"].to_numpy()
    return table, table["score"].to_numpy(), losses


def retrainer(result: Result, graph: Graph, threads: int) -> Callable[[np.ndarray], dict]:
    """A function that trains the result's model on the features it is given, and says what a record says of it.

    The result's third input, where it has one, is the trained model that goes on. Of the scorer `random` the function
    averages as many draws as the settings ask for.
    """
    run, settings = run_columns(result), result.settings
    split = choose_split(graph, run["split"], run["seed"])
    options, device = SelectionOptions(**settings["selection"]), prepare_device(settings["device"], threads)
    trained = load_model(result.inputs[2], settings["scored_model"]).to(device) if len(result.inputs) > 2 else None
    how = {"training": TrainingOptions(**settings["training"]), "selection": options, "trained": trained}

    def train(kept: np.ndarray) -> dict:
        training = retrain_model(
            run["model"], graph, split, kept, **how, seed=run["seed"], device=device, progress=True
        )
        return training.summary()

    def retrain(kept: np.ndarray) -> dict:
        draws = [kept]
        if result.wildcards["scorer"] == "random":
            draws += further_draws(graph.num_features, len(kept), run["seed"], options.random_draws)
        return mean_summary([train(one) for one in draws])

    return retrain
