"""Models in states that training may bring about."""

import torch
from torch import nn


@torch.no_grad()
def silence(model: nn.Module, hidden: int, alive: int) -> None:
    """Keep so many units of every hidden layer awake; the others never get past a ReLU."""
    for name, parameter in model.named_parameters():
        if name.endswith("bias") and len(parameter) == hidden:
            parameter[:alive], parameter[alive:] = 1.0, -1000.0
