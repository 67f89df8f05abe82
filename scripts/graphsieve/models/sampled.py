"""Training on sampled neighbourhoods, where a pass over all nodes for every step would take long.

A step is for a batch of nodes and reads some of their neighbours, and of theirs. That is right for layers that take a
mean over neighbours, of however many: a mean over some of them, drawn at random, is right on average.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn

from graphsieve.data.graph import Graph, Split
from graphsieve.models.classifier import NodeClassifier, model_factory
from graphsieve.models.training import Training, adam, build_module, edge_tensors, step
from graphsieve.options import TrainingOptions
from graphsieve.randomness import child, child_integer

SAMPLED_MODELS = ("graphsage", "graphconv", "gated", "gat")
BATCH = 128  # nodes a step
STEPS = 6  # an epoch
MOST_NEIGHBOURS = 20  # drawn of each node
PART_BYTES = 2**27  # what enters a layer at once, where all neighbours are read
_building = threading.Lock()  # initial weights come from torch's one generator, and trainings run beside each other


@dataclass(frozen=True)
class Block:
    """What a layer reads: rows for `nodes`, the first `num_targets` of which get an output."""

    nodes: np.ndarray
    num_targets: int
    edge_index: np.ndarray  # by places in `nodes`
    edges: np.ndarray  # their numbers in the graph


class Neighbours:
    """The edges of a graph by the node they lead to."""

    def __init__(self, edge_index: np.ndarray, num_nodes: int):
        source, target = edge_index
        self.edges = np.argsort(target, kind="stable")
        self.sources = source[self.edges]
        self.degrees = np.bincount(target, minlength=num_nodes)
        self.starts = self.degrees.cumsum() - self.degrees

    def block(self, targets: np.ndarray, most: int | None, rng: np.random.Generator | None = None) -> Block:
        """All neighbours of each node, or where they are more than `most` so many of them."""
        degrees = self.degrees[targets]
        counts = degrees if most is None else np.minimum(degrees, most)
        owner = np.repeat(np.arange(len(targets)), counts)
        place = np.arange(len(owner)) - (counts.cumsum() - counts)[owner]
        if most is not None:
            # Every so many-th from a random start: all are equally likely, and none is drawn twice.
            drawn = (place + rng.random(len(targets))[owner]) * (degrees / np.maximum(counts, 1))[owner]
            place = np.where(degrees[owner] > most, np.minimum(drawn.astype(np.int64), degrees[owner] - 1), place)
        found = self.starts[targets][owner] + place
        local = np.stack([len(targets) + np.arange(len(owner)), owner])
        return Block(np.concatenate([targets, self.sources[found]]), len(targets), local, self.edges[found])

    def blocks(self, targets: np.ndarray, layers: int, rng: np.random.Generator) -> list[Block]:
        """One for each layer, in the order of the layers."""
        found: list[Block] = []
        for _ in range(layers):
            found.append(self.block(found[-1].nodes if found else targets, MOST_NEIGHBOURS, rng))
        return found[::-1]


class BlockPasses:
    """A model's passes over blocks of one graph."""

    def __init__(self, model: NodeClassifier, graph: Graph, neighbours: Neighbours, device: torch.device):
        self.model, self.neighbours, self.device = model, neighbours, device
        self.x, self.values = torch.from_numpy(graph.x).to(device), edge_tensors(graph, device)

    def logits(self, blocks: list[Block], chance: torch.Generator) -> Tensor:
        """Of the last block's targets; dropout draws from `chance`."""
        hidden = self.x[self._tensor(blocks[0].nodes)]
        for number, block in enumerate(blocks):
            hidden = self._behind(number, self._layer(number, hidden, block), chance)
        return self.model.classifier(hidden)

    @torch.no_grad()
    def exact(self, nodes: np.ndarray) -> Tensor:
        """The logits of these nodes from all their neighbours, a layer after the other and part by part."""
        self.model.eval()
        needed = [nodes]
        for _ in self.model.layers:
            needed.append(np.union1d(needed[-1], self.neighbours.block(needed[-1], None).nodes))
        needed.reverse()
        hidden = self.x[self._tensor(needed[0])]
        for number, (read, wanted) in enumerate(zip(needed, needed[1:], strict=False)):
            parts = [self._read_all(number, hidden, read, part) for part in self._parts(wanted, hidden)]
            hidden = self._behind(number, torch.cat(parts), None)
        return self.model.classifier(hidden)

    def _read_all(self, number: int, hidden: Tensor, read: np.ndarray, targets: np.ndarray) -> Tensor:
        block = self.neighbours.block(targets, None)
        return self._layer(number, hidden[self._tensor(np.searchsorted(read, block.nodes))], block)

    def _parts(self, targets: np.ndarray, hidden: Tensor) -> list[np.ndarray]:
        rows = (1 + self.neighbours.degrees[targets]).cumsum()
        most = max(1, PART_BYTES // (hidden.shape[1] * hidden.element_size()))
        return np.split(targets, np.flatnonzero(np.diff(rows // most)) + 1)

    def _layer(self, number: int, hidden: Tensor, block: Block) -> Tensor:
        edges = self._tensor(block.edges)
        values = {name: self.values[name][edges] for name in self.model.takes[number] if name in self.values}
        pair = (hidden, hidden[: block.num_targets])
        return self.model.layers[number](pair, self._tensor(block.edge_index), **values)

    def _behind(self, number: int, hidden: Tensor, chance: torch.Generator | None) -> Tensor:
        """Norm, ReLU and dropout, as `NodeClassifier` has them."""
        if number >= len(self.model.norms):
            return hidden
        hidden, share = self.model.norms[number](hidden).relu(), 1 - self.model.dropout.p
        if not self.model.training or share == 1:
            return hidden
        return hidden * torch.empty_like(hidden).bernoulli_(share, generator=chance).div_(share)

    def _tensor(self, numbers: np.ndarray) -> Tensor:
        return torch.from_numpy(numbers).to(self.device)


def train_sampled(
    name: str,
    graph: Graph,
    split: Split,
    neighbours: Neighbours,
    *,
    options: TrainingOptions,
    seed: int,
    device: torch.device,
    stop: Callable[[int], bool] | None = None,
) -> Training:
    """As `train_model`, by batches of training nodes; an epoch is a few steps, whatever the size of the graph.

    The weights are means over the later half of the epochs, and no epoch is chosen. stop: asked after every epoch.
    """
    with _building:
        model = build_module(model_factory(name, graph, options, seed), graph.num_features, seed, device)
    rng = np.random.default_rng(child(seed, "neighbours"))
    chance = torch.Generator(device).manual_seed(child_integer(seed, "dropout"))
    passes, optimiser = BlockPasses(model, graph, neighbours, device), adam(model, options)
    y, layers = torch.from_numpy(graph.y).to(device), len(model.layers)
    history, mean = [], RunningMean(model)
    for epoch in range(1, options.epochs + 1):
        model.train()
        for _ in range(STEPS):
            batch = rng.choice(split.train, min(BATCH, len(split.train)), replace=False)
            logits = passes.logits(neighbours.blocks(batch, layers, rng), chance)
            loss = step(optimiser, logits, y[torch.from_numpy(batch)], graph.name, epoch)
        history.append({"epoch": epoch, "train_loss": loss})
        mean.add(epoch)
        if stop is not None and stop(epoch):
            break
    model.load_state_dict(mean.state)
    return Training(model.eval(), pd.DataFrame(history).assign(metric=options.metric), epoch, mean.state, {})


class RunningMean:
    """The mean of a model's weights over the later half of the epochs so far: steps of small batches go to and fro."""

    def __init__(self, model: nn.Module):
        self.model, self.states = model, []

    def add(self, epoch: int) -> None:
        self.states.append({key: one.detach().clone() for key, one in self.model.state_dict().items()})
        del self.states[: len(self.states) - max(1, epoch // 2)]

    @property
    def state(self) -> dict[str, Tensor]:
        """Weights are averaged; counters, as a norm may have, are the last ones."""
        return {
            key: torch.stack([state[key] for state in self.states]).mean(0) if last.is_floating_point() else last
            for key, last in self.states[-1].items()
        }
