"""How the models of a ranking are trained: those of the study by name, or a module of one's own."""

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from graphsieve.data.graph import Graph, Split
from graphsieve.importance.engines.parallel import ordered_map
from graphsieve.inference.budget import Budget
from graphsieve.models.sampled import SAMPLED_MODELS, BlockPasses, Neighbours, train_sampled
from graphsieve.models.training import Training, predict, train_model, train_module
from graphsieve.options import RankingOptions

LARGE = 50_000  # nodes above which models are trained on sampled neighbours
FEWEST_EPOCHS = 10  # of a training that time cuts short

MakeModel = Callable[[int], nn.Module]
Result = TypeVar("Result")
Job = tuple[Graph, Split, int]  # what a model is trained on, and its seed


@dataclass(frozen=True)
class Trainings:
    """Trains models on a graph and on parts of it.

    samples: whether on some of the neighbours of each node, and not on all.
    """

    options: RankingOptions
    device: torch.device
    make_model: MakeModel | None = None
    samples: bool = False
    budget: Budget = field(default_factory=Budget)
    _neighbours: dict[int, tuple[np.ndarray, Neighbours]] = field(default_factory=dict)  # by the id of the edges
    _looking: threading.Lock = field(default_factory=threading.Lock)

    def each(self, jobs: Iterable[Job], stage: str, use: Callable[[Training, Job], Result]) -> Iterator[Result]:
        """What `use` makes of each training, in order. The time of `stage`, one of the budget, may end them early."""
        # Sampled trainings have their own source of chance, and so can run beside each other.
        workers = torch.get_num_threads() if self.samples and self.device.type == "cpu" else 1
        return ordered_map(lambda job: use(self._train(*job, stage), job), jobs, workers)

    def _train(self, graph: Graph, split: Split, seed: int, stage: str) -> Training:
        settings = {"options": self.options.training, "seed": seed, "device": self.device, "stop": self._stop(stage)}
        if self.samples:
            return train_sampled(self.options.model, graph, split, self._neighbours_in(graph), **settings)
        if self.make_model is None:
            return train_model(self.options.model, graph, split, **settings)
        return train_module(self.make_model, graph, split, **settings)

    def outputs(self, model: nn.Module, graph: Graph, nodes: np.ndarray) -> Tensor:
        """What a model says of these nodes, by all of their neighbours."""
        if self.samples:
            return BlockPasses(model, graph, self._neighbours_in(graph), self.device).exact(nodes)
        return predict(model, graph)[torch.from_numpy(nodes).to(self.device)]

    def _neighbours_in(self, graph: Graph) -> Neighbours:
        edges = graph.edge_index
        with self._looking:
            if id(edges) not in self._neighbours:
                self._neighbours[id(edges)] = edges, Neighbours(edges, graph.num_nodes)
            return self._neighbours[id(edges)][1]

    def _stop(self, stage: str) -> Callable[[int], bool] | None:
        if not self.budget.is_limited:
            return None
        return lambda epochs: epochs >= FEWEST_EPOCHS and not self.budget.allows(stage)


def trainings_for(
    graph: Graph,
    options: RankingOptions,
    device: torch.device,
    make_model: MakeModel | None = None,
    budget: Budget | None = None,
) -> Trainings:
    """Those that suit the size of the graph."""
    samples = graph.num_nodes > LARGE and make_model is None and options.model in SAMPLED_MODELS
    return Trainings(options, device, make_model, samples, budget or Budget())
