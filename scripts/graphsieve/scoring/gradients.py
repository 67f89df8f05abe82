"""Scorers that follow a trained model's gradients back to the columns, by Captum."""

import numpy as np

from graphsieve.errors import InputError
from graphsieve.scoring.task import Scores, ScoringTask

STEPS = 32  # of the integral


def gradient_input(task: ScoringTask) -> Scores:
    """Gradient times input of the true classes' log-probabilities at the validation nodes: mean size by column."""
    return Scores(_attribution("InputXGradient", task))


def integrated_gradients(task: ScoringTask) -> Scores:
    """The same with gradients averaged on the way from a graph without features (Sundararajan et al. 2017)."""
    return Scores(_attribution("IntegratedGradients", task, n_steps=STEPS, internal_batch_size=1))


def _attribution(method: str, task: ScoringTask, **options: int) -> np.ndarray:
    import torch

    from graphsieve.models.training import edge_tensors

    device, graph, nodes = next(task.model.parameters()).device, task.graph, task.split.val
    x, edge_index, y = (torch.from_numpy(array).to(device) for array in (graph.x, graph.edge_index, graph.y[nodes]))
    edges = edge_tensors(graph, device)

    def log_probability(batch):
        """Captum stacks inputs along a first dimension: here it has one graph."""
        found = task.model(batch[0], edge_index, **edges)[nodes].log_softmax(dim=1)
        return found.gather(1, y[:, None]).sum()[None]

    explainer = getattr(_captum(), method)(log_probability)
    attributed = explainer.attribute(x[None].requires_grad_(), **options)
    return attributed[0].detach().abs().double().mean(dim=0).cpu().numpy()


def _captum():
    try:
        import captum.attr
    except ImportError:
        raise InputError(
            "scorers 'gradient_input' and 'integrated_gradients' need the package captum: pip install captum, or "
            "choose another scorer"
        ) from None
    return captum.attr
