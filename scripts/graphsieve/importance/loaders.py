"""What a caller may give beside a loader of mini-batches, and the problem that they pose."""

from collections.abc import Iterable, Mapping
from functools import partial

import torch
from torch import nn
from torch_geometric.data.data import BaseData

from graphsieve.errors import InputError
from graphsieve.importance.batches import Batches, look_through
from graphsieve.importance.engines.batched import BatchedProblem
from graphsieve.importance.inputs import Inputs, as_tensor
from graphsieve.importance.request import Posed
from graphsieve.importance.sampling import Sampling
from graphsieve.importance.tasks import Target, check_level, read_weight


def read_loader(
    model: nn.Module,
    loader: Iterable,
    task_level: str,
    nodes: object,
    sample_weight: str | None,
    model_kwargs: Mapping[str, str],
) -> Posed:
    """Arguments of the model and weights are named by attributes of the batches."""
    check_level(task_level)
    if isinstance(loader, BaseData):
        raise InputError(
            f"x is a whole {type(loader).__name__}: give its x, edge_index and y (by type: x_dict, "
            "edge_index_dict, and y as a dict), or a loader"
        )
    if not isinstance(loader, Iterable):
        raise InputError(f"y is missing, and x is no loader of batches but {type(loader).__name__}: give labels")
    for name, value in {**model_kwargs, "sample_weight": sample_weight}.items():
        if not isinstance(value, str) and (value is not None or name != "sample_weight"):
            raise InputError(f"{name} must be the name of an attribute of the loader's batches, not a value of its own")
    device = _device(model)
    if nodes is not None:
        if task_level != "node":
            raise InputError(f"nodes is given, but task_level '{task_level}' scores every label: leave nodes out")
        nodes = as_tensor(nodes, "nodes").to(device)
    is_mask = nodes is not None and nodes.dtype == torch.bool
    scored = nodes.nonzero()[:, 0] if is_mask else nodes
    batches = Batches(loader, task_level, model_kwargs, sample_weight, scored, device)
    seen = look_through(batches)
    last = int(seen.numbers[-1])
    if is_mask and len(nodes) <= last:
        raise InputError(f"nodes is a mask of {len(nodes)} nodes, but the loader has node {last}: give a mask of all")
    rows = torch.arange(len(seen.y), device=device)
    target = Target(task_level, rows, len(rows), seen.y, read_weight(seen.weight, len(rows), rows))
    return Posed(Inputs(seen.x, None, {}), target, partial(BatchedProblem, batches=batches, seen=seen))


def refuse_what_needs_the_graph(
    features_of: str, given: tuple[str, ...], within: str | None, perturbed_rows: str, engine: str, sampling: Sampling
) -> None:
    asked = {
        f"features_of={features_of!r}": features_of != "x",
        f"given={given!r}": bool(given),
        f"within={within!r}": within is not None,
        f"perturbed_rows={perturbed_rows!r}": perturbed_rows != "all",
        f"engine={engine!r}": engine not in ("auto", "full"),
        "control_variate": sampling.control_variate,
        "keep": sampling.keep is not None,
    }
    for name, is_asked in asked.items():
        if is_asked:
            raise InputError(f"{name} needs the whole graph: leave it out, or give x and edge_index, and no loader")


def _device(model: nn.Module) -> torch.device:
    """Where batches are sent."""
    tensors = (*model.parameters(), *model.buffers())
    return tensors[0].device if tensors else torch.device("cpu")
