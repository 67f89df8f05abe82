"""The training that several scripts have in common."""

from types import SimpleNamespace

from graphsieve.data.graph import Graph, Split
from graphsieve.device import prepare_device
from graphsieve.models.training import Training, train_model
from graphsieve.options import TrainingOptions


def train_model_of(job: SimpleNamespace, graph: Graph, split: Split) -> Training:
    """Train the job's model on this graph, as its wildcards and params say."""
    return train_model(
        job.wildcards.model,
        graph,
        split,
        options=TrainingOptions(**job.params.training),
        seed=int(job.wildcards.seed),
        device=prepare_device(job.params.device, job.threads),
        progress=True,
    )
