"""Models in states that training may bring about."""

import torch
from torch import nn

from graphsieve.models.layers import LAYERS

FILTERS = [name for name in LAYERS if name != "gat"]  # attention is no filter: the fast pass and lowrank leave it alone


@torch.no_grad()
def silence(model: nn.Module, hidden: int, alive: int) -> None:
    """Keep so many units of every hidden layer awake; the others never get past a ReLU."""
    for name, parameter in model.named_parameters():
        if name.endswith("bias") and len(parameter) == hidden:
            parameter[:alive], parameter[alive:] = 1.0, -1000.0
