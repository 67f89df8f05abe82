"""The training that several scripts have in common."""

from graphsieve.data.graph import Graph, Split
from graphsieve.device import prepare_device
from graphsieve.jobs.receipts import Result
from graphsieve.models.training import Training, train_model
from graphsieve.options import TrainingOptions


def train_model_of(result: Result, graph: Graph, split: Split, threads: int) -> Training:
    """Train the result's model on this graph, as its wildcards and settings say."""
    return train_model(
        result.wildcards["model"],
        graph,
        split,
        options=TrainingOptions(**result.settings["training"]),
        seed=int(result.wildcards["seed"]),
        device=prepare_device(result.settings["device"], threads),
        progress=True,
    )
