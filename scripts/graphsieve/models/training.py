"""Full-batch training by the paper's protocol, with a history of every epoch."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, mse_loss
from tqdm import tqdm

from graphsieve.data.graph import Graph, Split
from graphsieve.errors import InputError
from graphsieve.models.classifier import NodeClassifier, model_factory
from graphsieve.models.evaluation import check_two_classes, evaluate
from graphsieve.models.fast.forward import fast_forward
from graphsieve.options import TrainingOptions
from graphsieve.randomness import child_integer

DEGREE_LAYERS = ("gcn", "tagcn")  # which divide by roots of degrees
PRECISIONS = {"float32": None, "bfloat16": torch.bfloat16}  # None: as the weights are


@dataclass(frozen=True)
class Training:
    """A trained model with its past: `history` has one row per epoch, states are copies of the weights.

    What is called accuracy in `history` and `summary` is the metric that they name, if the options ask for another one.
    early_state: after `TrainingOptions.early_epoch`; empty where that was before or after these epochs.
    """

    model: NodeClassifier
    history: pd.DataFrame
    best_epoch: int
    best_state: dict[str, Tensor]
    early_state: dict[str, Tensor]

    def summary(self) -> dict[str, float | str]:
        """Metric and accuracies at the epoch of highest validation accuracy (which of several, `best_epoch` says)."""
        best = self.history.loc[self.history["epoch"] == self.best_epoch].iloc[0]
        return {
            "best_epoch": self.best_epoch,
            "metric": best["metric"],
            "val_accuracy": best["val_accuracy"],
            "test_accuracy": best["test_accuracy"],
        }


def train_model(
    name: str,
    graph: Graph,
    split: Split,
    *,
    options: TrainingOptions | None = None,
    seed: int = 0,
    weights: dict[str, Tensor] | None = None,
    device: str | torch.device = "cpu",
    progress: bool = False,
    stop: Callable[[int], bool] | None = None,
) -> Training:
    """Build a model of this name for this graph and train it by full-batch Adam.

    Parameters
    ----------
    name : str
        One of `graphsieve.models.layers.LAYERS`.
    graph : Graph
        Its features are taken as they are, so scale them first.
    split : Split
        The nodes to learn from, and those on which every epoch is evaluated.
    options : TrainingOptions, optional
        Layers, epochs, learning rate and so on; the paper's by default.
    seed : int
        Of the initial weights and of dropout.
    weights : dict of str to Tensor, optional
        The state of a model to go on with, instead of initial weights.
    device : str or torch.device
        Where to train.
    progress : bool
        Whether to show a progress bar.
    stop : callable, optional
        Asked after every epoch, with the number of epochs done, whether to end there.

    Returns
    -------
    Training
        The model after the last epoch, the history of all epochs, and the weights of the best one.

    Examples
    --------
    >>> from graphsieve.data.splits import random_split
    >>> from graphsieve.data.synthetic import generate
    >>> from graphsieve.models.training import train_model
    >>> from graphsieve.options import TrainingOptions
    >>> graph = generate("d", 0, num_nodes=100, num_features=5)
    >>> options = TrainingOptions(hidden=8, epochs=20)
    >>> training = train_model("gcn", graph, random_split(100, seed=0), options=options)
    >>> list(training.history)
    ['epoch', 'train_loss', 'train_accuracy', 'val_accuracy', 'test_accuracy', 'metric']
    >>> len(training.history), sorted(training.summary())
    (20, ['best_epoch', 'metric', 'test_accuracy', 'val_accuracy'])
    """
    options, device = options or TrainingOptions(), torch.device(device)
    _check_weights(name, graph)

    make_fresh = model_factory(name, graph, options, seed)

    def make_model(num_features: int) -> NodeClassifier:
        model = make_fresh(num_features)
        if weights is not None:
            model.load_state_dict(weights)
        return model

    how = {"options": options, "seed": seed, "device": device, "progress": progress, "stop": stop}
    return train_module(make_model, graph, split, **how)


def _check_weights(name: str, graph: Graph) -> None:
    if name in DEGREE_LAYERS and graph.edge_weight is not None and (graph.edge_weight < 0).any():
        raise InputError(
            f"'{graph.name}' has edge weights below 0, and model '{name}' divides by roots of their sums: "
            "choose another model"
        )


def fit(
    model: nn.Module,
    graph: Graph,
    split: Split,
    *,
    options: TrainingOptions,
    device: torch.device,
    progress: bool = False,
    stop: Callable[[int], bool] | None = None,
) -> Training:
    """Train a module of any kind on this graph."""
    with epoch_bar(options.epochs, progress) as bar:
        return Trainer(model, graph, split, options, device).run(options.epochs, bar, stop)


def train_module(
    make_model: Callable[[int], nn.Module],
    graph: Graph,
    split: Split,
    *,
    options: TrainingOptions,
    seed: int,
    device: torch.device,
    progress: bool = False,
    stop: Callable[[int], bool] | None = None,
) -> Training:
    """As `train_model`, with a module of the caller's own."""
    model = build_module(make_model, graph.num_features, seed, device)
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(child_integer(seed, "dropout"))
        return fit(model, graph, split, options=options, device=device, progress=progress, stop=stop)


def build_module(
    make_model: Callable[[int], nn.Module], num_features: int, seed: int, device: torch.device
) -> nn.Module:
    """Initial weights depend on the seed alone, and building a module disturbs no other stream of chance."""
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(child_integer(seed, "initialisation"))
        model = make_model(num_features)
    if not isinstance(model, nn.Module):
        raise InputError(f"make_model returned {model!r} for {num_features} features: it must return a torch module")
    return model.to(device)


def predict(model: nn.Module, graph: Graph) -> Tensor:
    """The logits of all nodes, without training behaviour."""
    device = next(model.parameters()).device
    x, edge_index = (torch.from_numpy(array).to(device) for array in (graph.x, graph.edge_index))
    with torch.no_grad():
        return model.eval()(x, edge_index, **edge_tensors(graph, device))


def edge_tensors(graph: Graph, device: torch.device) -> dict[str, Tensor]:
    """What a model is given of the edges by name."""
    return {name: torch.from_numpy(values).to(device) for name, values in graph.edge_values().items()}


def epoch_bar(epochs: int, progress: bool) -> tqdm:
    return tqdm(total=epochs, desc="epochs", disable=not progress, mininterval=2)


class Trainer:
    """Full-batch Adam on one graph, which can be stopped and run on. An epoch is a step and an evaluation after it."""

    def __init__(
        self,
        model: nn.Module,
        graph: Graph,
        split: Split,
        options: TrainingOptions,
        device: torch.device,
        epochs_done: int = 0,
    ):
        x, edge_index, y = (torch.from_numpy(array).to(device) for array in (graph.x, graph.edge_index, graph.y))
        self.model, self.y, self.epochs_done, self.metric = model, y, epochs_done, options.metric
        self.early_epoch, self.best_epoch = min(options.early_epoch, options.epochs), options.best_epoch
        self.graph_name, self.num_features = graph.name, graph.num_features
        self.parts = {name: torch.from_numpy(getattr(split, name)).to(device) for name in ("train", "val", "test")}
        for name, nodes in self.parts.items():
            check_two_classes(self.metric, y[nodes], f"{name} nodes")
        precision, edge_values = PRECISIONS[options.precision], edge_tensors(graph, device)
        fast = fast_forward(model, x, edge_index, precision, edge_values)
        self.forward = fast or (lambda model: _plain_forward(model, x, edge_index, precision, edge_values))
        self.optimiser = adam(model, options)
        # Where a model does the same in both modes, the evaluation of an epoch is the training pass of the next one.
        # Only known layers (those with a fast pass) are sure to have no dropout of their own.
        self.reuse = fast is not None and model.is_same_in_both_modes
        self.logits = None

    def run(self, epochs: int, bar: tqdm, stop: Callable[[int], bool] | None = None) -> Training:
        """Train on for so many epochs; history and best epoch are of these alone. stop: asked after every epoch."""
        history, best_accuracy, best_epoch, best_state, early_state = [], -np.inf, 0, {}, {}
        for _ in range(epochs):
            history.append(self.run_epoch())
            accuracy = history[-1]["val_accuracy"]
            if accuracy > best_accuracy or (accuracy == best_accuracy and self.best_epoch == "last"):
                best_accuracy, best_epoch = accuracy, self.epochs_done
                best_state = self._copy_state()
            if self.epochs_done == self.early_epoch:
                early_state = self._copy_state()
            bar.update()
            if stop is not None and stop(self.epochs_done):
                break
        table = pd.DataFrame(history).assign(metric=self.metric)
        return Training(self.model, table, best_epoch, best_state, early_state)

    def _copy_state(self) -> dict[str, Tensor]:
        return {key: value.detach().clone() for key, value in self.model.state_dict().items()}

    def run_epoch(self) -> dict[str, float]:
        self.epochs_done += 1
        if self.logits is None or not self.reuse:
            self.logits = self.forward(self.model.train())
        nodes = self.parts["train"]
        loss = step(self.optimiser, self.logits[nodes], self.y[nodes], self.graph_name, self.epochs_done)
        with torch.set_grad_enabled(self.reuse):
            self.logits = self.forward(self.model.eval())
        reached = evaluate(self.metric, self.logits, self.y, self.parts)
        accuracies = {f"{part}_accuracy": value for part, value in reached.items()}
        return {"epoch": self.epochs_done, "train_loss": loss, **accuracies}


def _plain_forward(
    model: nn.Module, x: Tensor, edge_index: Tensor, precision: torch.dtype | None, edge_values: dict[str, Tensor]
) -> Tensor:
    with torch.autocast(x.device.type, dtype=precision, enabled=precision is not None):
        return model(x, edge_index, **edge_values).to(x.dtype)


def _decayed(model: nn.Module, options: TrainingOptions) -> list[dict]:
    """The model's weights as groups with their weight decay."""
    if options.weight_decay_on == "all":
        return [{"params": list(model.parameters()), "weight_decay": options.weight_decay}]
    if not isinstance(model, NodeClassifier):
        raise InputError(
            f"weight_decay_on is '{options.weight_decay_on}', but a {type(model).__name__} has no list of layers: "
            "give 'all', or a model of build_model"
        )
    first = list(model.layers[0].parameters())
    others = [weight for weight in model.parameters() if not any(weight is one for one in first)]
    return [{"params": first, "weight_decay": options.weight_decay}, {"params": others, "weight_decay": 0.0}]


def adam(model: nn.Module, options: TrainingOptions) -> torch.optim.Optimizer:
    return torch.optim.Adam(_decayed(model, options), lr=options.learning_rate, fused=True)


def step(optimiser: torch.optim.Optimizer, logits: Tensor, y: Tensor, graph_name: str, epoch: int) -> float:
    """One step down the loss at these nodes, which is returned."""
    loss = mse_loss(logits[:, 0], y) if y.is_floating_point() else cross_entropy(logits, y)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    if not np.isfinite(value := loss.item()):
        raise InputError(
            f"training on '{graph_name}' diverged at epoch {epoch} (loss {value}): lower training.learning_rate or set "
            "normalise: row for this dataset"
        )
    return value
