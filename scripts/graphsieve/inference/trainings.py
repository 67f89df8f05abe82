"""How the models of a ranking are trained: those of the study by name, or a module of one's own."""

from collections.abc import Callable

import torch
from torch import nn

from graphsieve.data.graph import Graph, Split
from graphsieve.models.training import Training, train_model, train_module
from graphsieve.options import RankingOptions

MakeModel = Callable[[int], nn.Module]
Train = Callable[[Graph, Split, int], Training]


def trainer(options: RankingOptions, device: torch.device, make_model: MakeModel | None = None) -> Train:
    """A function that trains one model on a graph, from a seed."""

    def train(graph: Graph, split: Split, seed: int) -> Training:
        settings = {"options": options.training, "seed": seed, "device": device}
        if make_model is None:
            return train_model(options.model, graph, split, **settings)
        return train_module(make_model, graph, split, **settings)

    return train
