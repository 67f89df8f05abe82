"""What a caller may give to `permutation_importance`; anything else is named in an error."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from graphsieve.errors import InputError
from graphsieve.importance.engines.choice import ENGINES
from graphsieve.options import PERTURBED_ROWS


def as_tensor(value: Tensor | np.ndarray, name: str) -> Tensor:
    try:
        return torch.as_tensor(value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(f"{name} must be a tensor or an array, not {type(value).__name__}: {error}") from None


def check_shapes(model: nn.Module, x: Tensor, y: Tensor, n_repeats: int) -> None:
    if not isinstance(model, nn.Module):
        raise InputError(f"model must be a torch module, not {type(model).__name__}")
    if x.dim() != 2 or x.dtype not in (torch.float32, torch.float64):
        raise InputError(
            f"x must be (nodes, features) of float32 or float64, but has shape {tuple(x.shape)} and type {x.dtype}"
        )
    if y.dim() == 0 or y.shape[0] != x.shape[0]:
        raise InputError(f"y must hold one label per node: it has shape {tuple(y.shape)}, x has {x.shape[0]} rows")
    if n_repeats < 1:
        raise InputError(f"n_repeats must be at least 1, not {n_repeats}")


def check_choices(engine: str, perturbed_rows: str) -> None:
    if perturbed_rows not in PERTURBED_ROWS:
        raise InputError(f"perturbed_rows {perturbed_rows!r} is unknown: choose one of {', '.join(PERTURBED_ROWS)}")
    if engine not in ENGINES:
        raise InputError(f"engine {engine!r} is unknown: choose one of {', '.join(ENGINES)}")


def node_index(nodes: Tensor | np.ndarray | Sequence[int], x: Tensor) -> Tensor:
    nodes = torch.as_tensor(nodes).to(x.device)
    if nodes.dtype == torch.bool:
        if nodes.shape != (x.shape[0],):
            raise InputError(f"nodes is a mask of shape {tuple(nodes.shape)}, but x has {x.shape[0]} rows")
        nodes = nodes.nonzero()[:, 0]
    if nodes.numel() == 0:
        raise InputError("nodes is empty: name at least one node to score")
    if nodes.dim() != 1 or nodes.is_floating_point():
        raise InputError(f"nodes must be a mask or node indices, not {nodes.dtype} of shape {tuple(nodes.shape)}")
    if nodes.min() < 0 or nodes.max() >= x.shape[0]:
        raise InputError(
            f"nodes names node {int(nodes.max())} (lowest {int(nodes.min())}), but x has rows 0 to {x.shape[0] - 1}"
        )
    if len(nodes.unique()) < len(nodes):
        raise InputError("nodes names a node more than once: name each scored node once")
    return nodes.long()


def feature_index(features: Sequence[int] | None, num_features: int) -> np.ndarray:
    if features is None:
        return np.arange(num_features)
    index = np.asarray(features, dtype=None if len(features) else int)
    if index.ndim != 1 or not np.issubdtype(index.dtype, np.integer):
        raise InputError(f"features must be a list of column numbers of x, not {features!r}")
    if index.size and not (index.min() >= 0 and index.max() < num_features):
        raise InputError(
            f"features names column {index.max()} (lowest {index.min()}), but x has columns 0 to {num_features - 1}"
        )
    return index
