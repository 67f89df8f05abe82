"""How fast training is, against the loop that PyG's tutorials show, on the same graph and from the same weights."""

import numpy as np
import torch
from timing import summary, take_turns
from torch.nn.functional import cross_entropy

from graphsieve.data.graph import Graph, Split
from graphsieve.device import tune_memory
from graphsieve.models.classifier import build_model
from graphsieve.models.training import Trainer, epoch_bar
from graphsieve.options import TrainingOptions

EPOCHS = 10  # in a round; the next round goes on where it stopped


def compare_training(name: str, graph: Graph, split: Split) -> dict[str, float]:
    """Seconds per epoch of both, their ratio, and how far the two histories of the loss lie apart."""
    tune_memory()  # as our commands do; its large pages come too late here, after the first tensor
    options = TrainingOptions()
    plain = PlainTraining(name, graph, split, options)
    trainer = Trainer(_model(name, graph, options), graph, split, options, torch.device("cpu"))
    losses = []

    def ours() -> None:
        with epoch_bar(EPOCHS, progress=False) as bar:
            losses.extend(trainer.run(EPOCHS, bar).history["train_loss"])

    ours()
    plain.run()
    seconds = take_turns(f"training on {graph.name}", {"ours": ours, "plain": plain.run})
    apart = np.abs(np.array(losses) / np.array(plain.losses) - 1)
    return {
        **summary(seconds["plain"], "plain", 1 / EPOCHS),
        **summary(seconds["ours"], "ours", 1 / EPOCHS),
        "ratio": np.median(seconds["plain"]) / np.median(seconds["ours"]),
        "ratio_low": (seconds["plain"] / seconds["ours"]).min(),
        "ratio_high": (seconds["plain"] / seconds["ours"]).max(),
        "loss_difference": apart[:EPOCHS].max(),
    }


def _model(name: str, graph: Graph, options: TrainingOptions) -> torch.nn.Module:
    return build_model(name, graph.num_features, graph.num_classes, seed=0, **options.layout)


class PlainTraining:
    """Forward, backward, step, then a second forward to evaluate, with dense features."""

    def __init__(self, name: str, graph: Graph, split: Split, options: TrainingOptions):
        self.model, self.split, self.losses = _model(name, graph, options), split, []
        self.x, self.edge_index, self.y = (torch.from_numpy(part) for part in (graph.x, graph.edge_index, graph.y))
        settings = {"lr": options.learning_rate, "weight_decay": options.weight_decay}
        self.optimiser = torch.optim.Adam(self.model.parameters(), **settings)

    def run(self) -> None:
        train, y = self.split.train, self.y
        for _ in range(EPOCHS):
            self.model.train()
            self.optimiser.zero_grad()
            loss = cross_entropy(self.model(self.x, self.edge_index)[train], y[train])
            loss.backward()
            self.optimiser.step()
            self.losses.append(loss.item())
            self.model.eval()
            with torch.no_grad():
                correct = self.model(self.x, self.edge_index).argmax(dim=1) == y
                for part in (train, self.split.val, self.split.test):
                    correct[part].double().mean().item()
