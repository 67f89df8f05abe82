"""The models of the study: layers of one kind (see `layers`) with an activation behind each, and a classifier.

The paper's network gives embeddings of `hidden` units, from which a classifier g predicts; g is a linear layer here.
Every model is called as `model(x, edge_index)`, with `edge_weight` and `edge_attr` where the edges have such, which the
layers that take them are given. It returns one row of logits, or one number, per node.
"""

import inspect
import json
from collections.abc import Callable, Collection
from itertools import zip_longest
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from graphsieve.data.graph import EDGE_VALUES, Graph
from graphsieve.files.checks import damaged
from graphsieve.files.reading import read_npz
from graphsieve.files.writing import write_npz
from graphsieve.models.layers import make_layer
from graphsieve.options import TrainingOptions
from graphsieve.randomness import child_integer

NORMS = {"none": lambda width: nn.Identity(), "batch": nn.BatchNorm1d, "layer": nn.LayerNorm}


def _arguments(layer: nn.Module) -> Collection[str]:
    return inspect.signature(layer.forward).parameters


class NodeClassifier(nn.Module):
    """Layers of one kind, and a classifier that turns the last one's embeddings into logits.

    norms: what stands before the ReLU and the dropout behind a layer. A last layer without one is followed by neither.
    layout: how to build it again.
    """

    def __init__(
        self,
        layers: list[nn.Module],
        dropout: float = 0.0,
        layout: dict | None = None,
        norms: list[nn.Module] | None = None,
        classifier: nn.Module | None = None,
    ):
        super().__init__()
        self.layout = layout
        self.layers = nn.ModuleList(layers)
        self.norms = nn.ModuleList([nn.Identity() for _ in layers[1:]] if norms is None else norms)
        self.dropout = nn.Dropout(dropout)
        self.classifier = nn.Identity() if classifier is None else classifier
        self.takes = [[name for name in EDGE_VALUES if name in _arguments(layer)] for layer in layers]

    @property
    def is_same_in_both_modes(self) -> bool:
        """Whether no part of it does anything else in training: no dropout, no statistics of a batch."""
        drops = (part.p > 0 for part in self.modules() if isinstance(part, nn.Dropout))
        return not any(drops) and not any(isinstance(part, nn.BatchNorm1d) for part in self.modules())

    def forward(
        self, x: Tensor, edge_index: Tensor, edge_weight: Tensor | None = None, edge_attr: Tensor | None = None
    ) -> Tensor:
        """Each layer is given what it takes of the edges' values."""
        values = {"edge_weight": edge_weight, "edge_attr": edge_attr}
        for layer, norm, taken in zip_longest(self.layers, self.norms, self.takes):
            x = layer(x, edge_index, **{name: values[name] for name in taken if values[name] is not None})
            if norm is not None:
                x = self.dropout(norm(x).relu())
        return self.classifier(x)


def build_model(
    name: str,
    num_features: int,
    num_classes: int,
    *,
    hidden: int = TrainingOptions.hidden,
    num_layers: int = TrainingOptions.num_layers,
    classifier: str = TrainingOptions.classifier,
    norm: str = TrainingOptions.norm,
    dropout: float = TrainingOptions.dropout,
    edge_dim: int = 0,
    seed: int = 0,
) -> NodeClassifier:
    """A freshly initialised model; its weights depend on `seed` alone, not on torch's global state.

    Parameters
    ----------
    name : str
        One of `graphsieve.models.layers.LAYERS`, or of `EDGE_LAYERS` where edges have attributes.
    num_features, num_classes : int
        Width of the input and of the output.
    hidden, num_layers, classifier, norm, dropout
        As in `TrainingOptions`.
    edge_dim : int
        How many attributes an edge has.
    seed : int
        Of the initial weights.

    Returns
    -------
    NodeClassifier
        A module called as `model(x, edge_index)`.

    Examples
    --------
    >>> import torch
    >>> from graphsieve.models.classifier import build_model
    >>> model = build_model("gcn", 5, 3, hidden=8)
    >>> model(torch.ones(4, 5), torch.tensor([[0, 1], [1, 2]])).shape
    torch.Size([4, 3])
    """
    embeds = classifier != "none"
    widths = [num_features] + [hidden] * (num_layers - 1) + [hidden if embeds else num_classes]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(child_integer(seed, "initialisation"))
        pairs = zip(widths, widths[1:], strict=False)
        layers = [make_layer(name, inputs, outputs, hidden, edge_dim) for inputs, outputs in pairs]
        last = nn.Linear(hidden, num_classes) if embeds else None
    layout = {"name": name, "num_features": num_features, "num_classes": num_classes}
    layout |= {"hidden": hidden, "num_layers": num_layers, "classifier": classifier, "norm": norm, "dropout": dropout}
    layout |= {"edge_dim": edge_dim} if edge_dim else {}
    activated = num_layers if classifier == "relu_linear" else num_layers - 1
    return NodeClassifier(layers, dropout, layout, [NORMS[norm](hidden) for _ in range(activated)], last)


def model_factory(name: str, graph: Graph, options: TrainingOptions, seed: int) -> Callable[[int], NodeClassifier]:
    """Makes models of this name for this graph with any number of features, as the options say."""

    def make_model(num_features: int) -> NodeClassifier:
        return build_model(name, num_features, graph.num_outputs, edge_dim=graph.edge_dim, seed=seed, **options.layout)

    return make_model


def save_weights(model: NodeClassifier, others: dict[str, dict[str, Tensor]], path: str | Path) -> None:
    """Write a model's present weights as `last`, those of other moments beside them, and how to rebuild it."""
    states = {"last": model.state_dict(), **others}
    weights = {
        f"{moment}/{key}": value.cpu().numpy() for moment, state in states.items() for key, value in state.items()
    }
    write_npz({"layout": np.array(json.dumps(model.layout)), **weights}, path)


def load_model(path: str | Path, moment: str) -> NodeClassifier:
    """Rebuild the model of `save_weights` as it was at that moment, ready to be evaluated."""
    arrays = read_npz(path, ["layout"])
    model = build_model(**json.loads(str(arrays["layout"])))
    prefix = f"{moment}/"
    weights = {key.removeprefix(prefix): arrays[key] for key in arrays if key.startswith(prefix)}
    try:
        model.load_state_dict({key: torch.from_numpy(array) for key, array in weights.items()})
    except RuntimeError:
        raise damaged(path, f"the weights {moment} do not fit the model") from None
    return model.eval()
