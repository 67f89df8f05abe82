"""A module with fewer input features that goes on where a larger one stopped: weights and optimiser state sliced."""

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from graphsieve.errors import InputError


def input_dimensions(large: nn.Module, small: nn.Module, num_features: int, num_kept: int) -> dict[str, int]:
    """Which dimension of which weight runs over the features, found by comparing the shapes of two modules.

    Only what is certain is taken: one dimension of a weight, as long as there are features.
    """
    larger, smaller = _tensors(large), _tensors(small)
    if larger.keys() != smaller.keys():
        odd = sorted(larger.keys() ^ smaller.keys())
        raise InputError(
            f"the factory's modules for {num_features} and {num_kept} features differ in their weights ('{odd[0]}'): "
            "build the same layers for every number of features"
        )
    dimensions = {}
    for name, tensor in larger.items():
        sizes = list(zip(tensor.shape, smaller[name].shape, strict=False))
        changed = [dimension for dimension, (before, after) in enumerate(sizes) if before != after]
        if tensor.dim() != smaller[name].dim() or len(changed) > 1:
            raise _unclear(name, tensor, smaller[name], num_features, num_kept)
        if changed and sizes[changed[0]] != (num_features, num_kept):
            raise _unclear(name, tensor, smaller[name], num_features, num_kept)
        if changed:
            dimensions[name] = changed[0]
    if not dimensions:
        raise InputError(
            f"no weight of the factory's module changes with the number of features ({num_features} or {num_kept}): "
            "use the number that the factory is given as the module's input width"
        )
    return dimensions


def _tensors(module: nn.Module) -> dict[str, Tensor]:
    tensors = {name: value for name, value in module.state_dict().items() if isinstance(value, Tensor)}
    lazy = [name for name, value in tensors.items() if is_lazy(value)]
    if lazy:
        raise InputError(f"weight '{lazy[0]}' has no shape yet: give the first layer its number of inputs")
    return tensors


def _unclear(name: str, large: Tensor, small: Tensor, num_features: int, num_kept: int) -> InputError:
    return InputError(
        f"cannot tell which entries of weight '{name}' belong to which feature: its shape is {tuple(large.shape)} with "
        f"{num_features} features and {tuple(small.shape)} with {num_kept}: exactly one dimension may follow the "
        "number of features, and must equal it"
    )


def copy_kept(large: nn.Module, small: nn.Module, dimensions: dict[str, int], kept: np.ndarray) -> None:
    """Load the larger module's weights of the kept features into the smaller one."""
    small.load_state_dict(kept_weights(large, dimensions, kept))


def kept_weights(large: nn.Module, dimensions: dict[str, int], kept: np.ndarray) -> dict[str, Tensor]:
    """The module's weights without those of the features that are not kept."""
    return {
        name: _take(value, dimensions[name], kept) if name in dimensions else value
        for name, value in large.state_dict().items()
    }


def copy_optimiser(
    before: tuple[nn.Module, torch.optim.Optimizer],
    after: tuple[nn.Module, torch.optim.Optimizer],
    dimensions: dict[str, int],
    kept: np.ndarray,
) -> None:
    """Hand on the optimiser's moments of every weight, those of the kept features only."""
    smaller = dict(after[0].named_parameters())
    for name, weight in before[0].named_parameters():
        state = before[1].state.get(weight, {})
        after[1].state[smaller[name]] = {
            key: _take(value, dimensions[name], kept) if name in dimensions and value.shape == weight.shape else value
            for key, value in state.items()
        }


def _take(tensor: Tensor, dimension: int, kept: np.ndarray) -> Tensor:
    index = torch.tensor(kept, device=tensor.device)
    return tensor.detach().index_select(dimension, index)
