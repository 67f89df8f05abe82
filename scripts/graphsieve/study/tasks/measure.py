"""Train for a task, score its columns on the validation part, and retrain on fewer and fewer of them."""

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.nn import GCNConv, SAGEConv, global_mean_pool

from graphsieve.importance import permutation_importance
from graphsieve.importance.metrics import METRICS, Judge
from graphsieve.options import TaskOptions
from graphsieve.randomness import child, child_integer, generator
from graphsieve.study.tasks.examples import EXAMPLES, Part
from graphsieve.study.tasks.names import DESCRIPTIONS, Description

SHARES = (1.0, 0.75, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05, 0.02, 0.01)  # of the columns, retrained with
LEARNING_RATE, WEIGHT_DECAY, DROPOUT = 0.01, 5e-4, 0.3


class Network(nn.Module):
    """Two convolutions; then a row per node, per graph, or a number per pair of nodes."""

    def __init__(self, level: str, num_features: int, hidden: int, outputs: int):
        super().__init__()
        convolution = GCNConv if level == "edge" else SAGEConv
        self.level = level
        self.first, self.second = convolution(num_features, hidden), convolution(hidden, hidden)
        self.last = None if level == "edge" else nn.Linear(hidden, outputs)

    def forward(
        self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None, edge_label_index: Tensor | None = None
    ) -> Tensor:
        hidden = F.dropout(self.first(x, edge_index).relu(), DROPOUT, self.training)
        hidden = self.second(hidden, edge_index)
        if self.level == "edge":
            one, other = hidden[edge_label_index]
            return (one * other).sum(1)
        return self.last(global_mean_pool(hidden, batch) if self.level == "graph" else hidden.relu())


def measure(
    name: str, seed: int, options: TaskOptions, device: torch.device, root: str | Path
) -> tuple[list[dict], list[dict]]:
    """Records of every retrained model, and the score of every column.

    Columns are scored on the validation part by a model of the training part; test labels serve the last number only.
    """
    task, example = DESCRIPTIONS[name], EXAMPLES[name](seed, root)
    parts = {part: one.to(device) for part, one in example.parts.items()}
    num_columns = len(example.features)

    def train_on(columns: np.ndarray) -> nn.Module:
        network = {"level": task.level, "hidden": options.hidden, "outputs": example.outputs}
        return train(parts["train"].with_columns(columns), task, network, options.epochs, seed)

    everything = train_on(np.arange(num_columns))
    scores = score_columns(everything, parts["val"], task, options.n_repeats, seed)
    orders = {
        "importance": np.argsort(-scores, kind="stable"),
        "random": generator(seed, "ties").permutation(num_columns),
    }
    run = {"task": name, "seed": seed}
    records = []
    for ranking, order in orders.items():
        for kept in numbers_kept(num_columns):
            columns = np.sort(order[:kept])
            model = everything if kept == num_columns else train_on(columns)
            value = value_at(model, parts["test"].with_columns(columns), task)
            records.append({**run, "ranking": ranking, "kept": kept, "metric": task.metric, "test": value})
    named = zip(example.features, scores.tolist(), strict=True)
    return records, [{**run, "column": column, "score": score} for column, score in named]


def numbers_kept(num_columns: int) -> list[int]:
    return sorted({max(1, round(share * num_columns)) for share in SHARES}, reverse=True)


def train(part: Part, task: Description, network: dict, epochs: int, seed: int) -> nn.Module:
    """Full batches, and the model after the last epoch, so that no label chooses one."""
    device = part.x.device
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(child_integer(seed, "initialisation"))
        model = Network(num_features=part.x.shape[1], **network).to(device)
        optimiser = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
        for _ in range(epochs):
            optimiser.zero_grad()
            loss_of(outputs_of(model, part), part.labels, task).backward()
            optimiser.step()
    return model.eval()


def outputs_of(model: nn.Module, part: Part) -> Tensor:
    output = model(part.x, part.edge_index, **part.model_kwargs)
    return output if part.rows is None else output[part.rows]


def loss_of(outputs: Tensor, y: Tensor, task: Description) -> Tensor:
    if task.level == "edge":
        return F.binary_cross_entropy_with_logits(outputs, y.to(outputs.dtype))
    return F.cross_entropy(outputs, y) if task.loss == "cross_entropy" else F.mse_loss(outputs[:, 0], y)


def score_columns(model: nn.Module, part: Part, task: Description, n_repeats: int, seed: int) -> np.ndarray:
    """How much the loss rises when a column is permuted."""
    result = permutation_importance(
        *(model, part.x, part.edge_index, part.y, part.rows),
        task_level=task.level,
        metric=task.loss,
        n_repeats=n_repeats,
        random_state=child(seed, "scoring"),
        **part.model_kwargs,
    )
    return result.importances_mean


@torch.no_grad()
def value_at(model: nn.Module, part: Part, task: Description) -> float:
    outputs = outputs_of(model, part)
    table = outputs[:, None] if outputs.dim() == 1 else outputs
    return Judge([METRICS[task.metric]], table, part.labels, None).baselines[0]
