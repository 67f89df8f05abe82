"""What a model is called with, and the matrix in it whose columns are perturbed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from graphsieve.errors import InputError


@dataclass(frozen=True)
class Inputs:
    """The call `model(x, edge_index, **model_kwargs)`.

    The features are the columns of x or of an argument given by name (`features_of`), one row per node or edge. Where
    that is a dict by node or edge type, `of_type` says whose.
    """

    x: object
    edge_index: object
    model_kwargs: dict[str, object]
    features_of: str = "x"
    of_type: object = None

    @property
    def argument(self) -> object:
        """The whole argument that holds the features, a tensor or a dict by type."""
        return self.x if self.features_of == "x" else self.model_kwargs[self.features_of]

    @property
    def values(self) -> Tensor:
        return self.argument if self.of_type is None else self.argument[self.of_type]

    @property
    def matrix(self) -> Tensor:
        """(rows, features); edge weights without columns are one feature."""
        return self.values[:, None] if self.values.dim() == 1 else self.values

    @property
    def name(self) -> str:
        return self.features_of if self.of_type is None else f"{self.features_of} of {_type_name(self.of_type)}"

    @property
    def is_x(self) -> bool:
        """Whether the features are those of nodes that are all of one type."""
        return self.features_of == "x" and self.of_type is None

    @property
    def has_types(self) -> bool:
        return isinstance(self.argument, Mapping)

    @property
    def device(self) -> torch.device:
        return (next(iter(self.argument.values())) if self.has_types else self.argument).device

    def by_type(self) -> dict[object, "Inputs"]:
        return {one: replace(self, of_type=one) for one in self.argument}

    def arguments(self, matrix: Tensor) -> tuple[object, object, dict[str, object]]:
        """x, edge_index and the arguments by name, with other values of the features."""
        new = matrix[:, 0] if self.values.dim() == 1 else matrix
        if self.of_type is not None:
            new = {**self.argument, self.of_type: new}
        if self.features_of == "x":
            return new, self.edge_index, self.model_kwargs
        return self.x, self.edge_index, {**self.model_kwargs, self.features_of: new}


def read_inputs(x: object, edge_index: object, model_kwargs: dict[str, object], features_of: str) -> Inputs:
    """Checked: what holds the features must be there, and be numbers without gaps."""
    x = {kind: as_tensor(one, f"x of {kind}") for kind, one in x.items()} if isinstance(x, Mapping) else as_tensor(x)
    if features_of != "x" and model_kwargs.get(features_of) is None:
        raise InputError(f"features_of is {features_of!r}, but no {features_of} is given: pass it by name")
    inputs = Inputs(x, edge_index, model_kwargs, features_of)
    parts = inputs.by_type().values() if inputs.has_types else [inputs]
    if not parts:
        raise InputError(f"{features_of} is an empty dict: give the features of at least one type")
    for part in parts:
        _check_values(part)
    _check_edges(edge_index, model_kwargs)
    return inputs


def as_tensor(value: object, name: str = "x") -> Tensor:
    try:
        return torch.as_tensor(value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(f"{name} must be a tensor or an array, not {type(value).__name__}: {error}") from None


def _check_values(part: Inputs) -> None:
    values, rows = part.values, "nodes" if part.features_of == "x" else "rows"
    if not isinstance(values, Tensor):
        raise InputError(f"{part.name} must be a tensor, not {type(values).__name__}, to have its columns perturbed")
    shapes = (2,) if part.features_of == "x" else (1, 2)
    if values.dim() not in shapes or values.dtype not in (torch.float32, torch.float64):
        raise InputError(
            f"{part.name} must be ({rows}, features) of float32 or float64, but has shape {tuple(values.shape)} "
            f"and type {values.dtype}"
        )
    if values.shape[0] == 0:
        raise InputError(f"{part.name} has no rows: there is nothing to permute")
    stored = values if values.layout == torch.strided else _stored(values)
    broken = (~stored.isfinite()).nonzero()
    if len(broken):
        where = f" at row {broken[0, 0]}" if values.layout == torch.strided else ""
        raise InputError(f"{part.name} holds NaN or infinity{where}: fill in the values that are missing")


def _check_edges(edge_index: object, model_kwargs: dict[str, object]) -> None:
    """What PyG calls weights and attributes of edges has a row for each."""
    for name in ("edge_attr", "edge_weight"):
        values = model_kwargs.get(name)
        both = isinstance(values, Tensor) and isinstance(edge_index, Tensor) and edge_index.layout == torch.strided
        if both and edge_index.dim() == 2 and values.dim() and len(values) != edge_index.shape[1]:
            raise InputError(
                f"{name} has {len(values)} rows, but edge_index has {edge_index.shape[1]} edges: give one row per edge"
            )


def _stored(values: Tensor) -> Tensor:
    return values.coalesce().values() if values.layout == torch.sparse_coo else values.values()


def _type_name(of_type: object) -> str:
    return f"'{of_type}'" if isinstance(of_type, str) else f"{of_type}"
