"""What is predicted: labels of nodes, pairs of nodes or graphs; and which rows of the output are scored."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from graphsieve.errors import InputError
from graphsieve.importance.inputs import Inputs, as_tensor

TASK_LEVELS = {"node": "node", "edge": "column of edge_label_index", "graph": "graph of batch"}


@dataclass(frozen=True)
class Target:
    """The scored rows of the model's output, and their labels."""

    level: str
    rows: Tensor
    num_rows: int  # that the model must return
    y: Tensor
    weight: Tensor | None = None
    of_type: object = None  # where the model returns a dict by node type: the scored one

    def scored(self, output: object, when: str) -> Tensor:
        """(scored rows, columns), and (scored rows,) where the model returns no columns."""
        if isinstance(output, Mapping):
            output = self._of_scored_type(output)
        if not isinstance(output, Tensor) or output.dim() not in (1, 2) or output.shape[0] != self.num_rows:
            found = f"shape {tuple(output.shape)}" if isinstance(output, Tensor) else type(output).__name__
            raise InputError(
                f"model returned {found} when called with {when}: it must return {self.num_rows} rows, "
                f"one per {TASK_LEVELS[self.level]}"
            )
        return output[self.rows]

    def _of_scored_type(self, output: Mapping) -> object:
        if self.of_type is None:
            raise InputError("model returned a dict by type: give y (and nodes) as a dict that names the scored type")
        if self.of_type not in output:
            known = ", ".join(map(str, output))
            raise InputError(f"y is given for {self.of_type!r}, but the model returned {known}")
        return output[self.of_type]


def read_target(task_level: str, inputs: Inputs, y: object, nodes: object, sample_weight: object) -> Target:
    """Labels, rows and weights, checked against the graph; dicts with one type name the type that is scored."""
    check_level(task_level)
    if y is None:
        raise InputError(f"y is missing: give one label per {TASK_LEVELS[task_level]}")
    device = inputs.device
    of_type, y = _only_type(y, "y")
    y = as_tensor(y, "y").to(device)
    count = _count_rows(task_level, inputs, of_type)
    if y.dim() == 0 or y.shape[0] != count:
        thing = TASK_LEVELS[task_level]
        raise InputError(f"y must hold one label per {thing}: it has shape {tuple(y.shape)}, and there are {count}")
    if task_level == "node":
        rows = _scored_nodes(nodes, of_type, count, device)
    elif nodes is None:
        rows = torch.arange(count, device=device)
    else:
        raise InputError(f"nodes is given, but task_level '{task_level}' scores every label in y: leave nodes out")
    weight = read_weight(_of_type(sample_weight, "sample_weight", of_type), count, rows)
    return Target(task_level, rows, count, y[rows], weight, of_type)


def check_level(task_level: str) -> None:
    if task_level not in TASK_LEVELS:
        raise InputError(f"task_level {task_level!r} is unknown: choose one of {', '.join(TASK_LEVELS)}")


def _only_type(value: object, name: str) -> tuple[object, object]:
    """The type that a dict names, and its entry; None where it is no dict."""
    if not isinstance(value, Mapping):
        return None, value
    if len(value) != 1:
        raise InputError(f"{name} must name one type, the one that is scored, but names {len(value)}")
    return next(iter(value.items()))


def _count_rows(task_level: str, inputs: Inputs, of_type: object) -> int:
    if task_level == "edge":
        return _count_label_edges(inputs.model_kwargs.get("edge_label_index"))
    if task_level == "graph":
        return _count_graphs(inputs)
    if not isinstance(inputs.x, Mapping):
        return inputs.x.shape[0]
    if of_type not in inputs.x:
        raise InputError(f"y must be a dict with the scored node type: one of {', '.join(map(str, inputs.x))}")
    return inputs.x[of_type].shape[0]


def _count_label_edges(edges: object) -> int:
    edges = _only_type(edges, "edge_label_index")[1]
    if not isinstance(edges, Tensor) or edges.dim() != 2 or edges.shape[0] != 2:
        raise InputError("task_level 'edge' needs edge_label_index=, a (2, pairs) tensor of the pairs that y labels")
    if edges.shape[1] == 0:
        raise InputError("edge_label_index is empty: name at least one pair of nodes to score")
    return edges.shape[1]


def _count_graphs(inputs: Inputs) -> int:
    batch = inputs.model_kwargs.get("batch")
    parts = batch if isinstance(batch, Mapping) else {None: batch}
    graphs = 0
    for kind, part in parts.items():
        x = inputs.x if kind is None else inputs.x.get(kind)
        if not isinstance(part, Tensor) or part.dim() != 1 or part.is_floating_point():
            raise InputError("task_level 'graph' needs batch=, the number of the graph that each node belongs to")
        if not isinstance(x, Tensor) or len(part) != x.shape[0]:
            raise InputError(f"batch has {len(part)} entries, and must have one per row of x")
        if part.min() < 0:
            raise InputError(f"batch holds {int(part.min())}: number the graphs from 0")
        graphs = max(graphs, int(part.max()) + 1)
    return graphs


def _scored_nodes(nodes: object, of_type: object, count: int, device: torch.device) -> Tensor:
    if nodes is None:
        raise InputError("nodes is missing: name the scored nodes, as a mask or as indices")
    return _node_index(_of_type(nodes, "nodes", of_type), count, device)


def _of_type(value: object, name: str, of_type: object) -> object:
    """What belongs to the scored type, which a dict names as y does."""
    named, value = _only_type(value, name)
    if named is not None and named != of_type:
        raise InputError(f"{name} is given for {named!r}, but y for {of_type!r}: both must name the scored type")
    return value


def _node_index(nodes: object, num_nodes: int, device: torch.device) -> Tensor:
    nodes = as_tensor(nodes, "nodes").to(device)
    if nodes.dtype == torch.bool:
        if nodes.shape != (num_nodes,):
            raise InputError(f"nodes is a mask of shape {tuple(nodes.shape)}, but x has {num_nodes} rows")
        nodes = nodes.nonzero()[:, 0]
    if nodes.numel() == 0:
        raise InputError("nodes is empty: name at least one node to score")
    if nodes.dim() != 1 or nodes.is_floating_point():
        raise InputError(f"nodes must be a mask or node indices, not {nodes.dtype} of shape {tuple(nodes.shape)}")
    if nodes.min() < 0 or nodes.max() >= num_nodes:
        raise InputError(
            f"nodes names node {int(nodes.max())} (lowest {int(nodes.min())}), but x has rows 0 to {num_nodes - 1}"
        )
    if len(nodes.unique()) < len(nodes):
        raise InputError("nodes names a node more than once: name each scored node once")
    return nodes.long()


def read_weight(sample_weight: object, count: int, rows: Tensor) -> Tensor | None:
    if sample_weight is None:
        return None
    weight = as_tensor(sample_weight, "sample_weight").to(rows.device)
    if weight.shape != (count,):
        raise InputError(f"sample_weight must hold one weight per label: {count}, not shape {tuple(weight.shape)}")
    weight = weight[rows].double()
    if not (weight.isfinite().all() and (weight >= 0).all() and weight.sum() > 0):
        raise InputError("sample_weight must hold finite weights, none negative and some positive where it is scored")
    return weight
