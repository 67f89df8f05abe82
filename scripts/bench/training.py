"""How fast training is, against the loop that PyG's tutorials show, on the same graph and from the same weights."""

import time

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from graphsieve.data.graph import Graph, Split
from graphsieve.device import tune_memory
from graphsieve.models.classifier import build_model
from graphsieve.models.training import train_model
from graphsieve.options import TrainingOptions

EPOCHS = 50


def compare_training(name: str, graph: Graph, split: Split) -> dict[str, float]:
    """Seconds an epoch of both, their ratio, and how far the two histories of the loss lie apart."""
    device = torch.device("cpu")
    plain_losses, plain = plain_training(name, graph, split)
    tune_memory()  # as our commands do; its large pages come too late here, after the first tensor
    start = time.perf_counter()
    # Includes what is prepared once before the first epoch.
    training = train_model(name, graph, split, options=TrainingOptions(epochs=EPOCHS), seed=0, device=device)
    ours = (time.perf_counter() - start) / EPOCHS
    differences = np.abs(training.history["train_loss"] / plain_losses - 1)
    return {
        "plain_seconds_an_epoch": plain,
        "seconds_an_epoch": ours,
        "ratio": plain / ours,
        "largest_loss_difference": differences.max(),
    }


def plain_training(name: str, graph: Graph, split: Split) -> tuple[np.ndarray, float]:
    """Forward, backward, step, then a second forward to evaluate, with dense features."""
    options = TrainingOptions()
    model = build_model(name, graph.num_features, graph.num_classes, seed=0, **options.layout)
    x, edge_index, y = (torch.from_numpy(array) for array in (graph.x, graph.edge_index, graph.y))
    optimiser = torch.optim.Adam(model.parameters(), lr=options.learning_rate, weight_decay=options.weight_decay)
    losses = []
    start = time.perf_counter()
    for _ in range(EPOCHS):
        model.train()
        optimiser.zero_grad()
        loss = cross_entropy(model(x, edge_index)[split.train], y[split.train])
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            correct = model(x, edge_index).argmax(dim=1) == y
            for part in (split.train, split.val, split.test):
                correct[part].double().mean().item()
    return np.array(losses), (time.perf_counter() - start) / EPOCHS
