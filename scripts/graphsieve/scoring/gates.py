"""Stochastic gates (Yamada et al. 2020): a gate before every column that learns, with the model, whether to be open.

A gate lets through min(1, max(0, mean + noise)) of its column, the noise Gaussian. What is minimised is the loss plus a
price for gates that are likely to be open; the authors' own price, spread and start are taken here.
"""

import math

from graphsieve.randomness import child_integer
from graphsieve.scoring.own_models import options_of
from graphsieve.scoring.task import Scores, ScoringTask

SPREAD = 0.5  # deviation of the noise
PRICE = 0.1  # of all gates being open
START = 0.5  # mean of a gate that has learnt nothing


def stochastic_gates(task: ScoringTask) -> Scores:
    """The mean of a column's gate at the end of a training on all nodes of training and validation."""
    import torch
    from torch.nn.functional import cross_entropy

    from graphsieve.models.training import build_module, edge_tensors

    options, device = options_of(task), torch.device(task.device)
    graph, nodes = task.graph, torch.from_numpy(task.known_nodes).to(device)
    x, edge_index, y = (torch.from_numpy(array).to(device) for array in (graph.x, graph.edge_index, graph.y))
    edges = edge_tensors(graph, device)
    model = build_module(task.make_model, graph.num_features, task.seed, device).train()
    means = torch.full((graph.num_features,), START, device=device, requires_grad=True)
    weights = [{"params": list(model.parameters()), "weight_decay": options.weight_decay}, {"params": [means]}]
    optimiser = torch.optim.Adam(weights, lr=options.learning_rate)
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(child_integer(task.seed, "dropout"))
        for _ in range(options.epochs):
            gates = (means + SPREAD * torch.randn_like(means)).clamp(0, 1)
            loss = cross_entropy(model(x * gates, edge_index, **edges)[nodes], y[nodes]) + PRICE * open_share(means)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return Scores(means.detach().cpu().double().numpy())


def open_share(means):
    """The expected share of gates that let anything through, from a tensor of their means."""
    import torch

    return 0.5 * (1 + torch.erf(means / (SPREAD * math.sqrt(2)))).mean()
