"""What a caller may give to `permutation_importance`; anything else is named in an error."""

from collections.abc import Sequence

import numpy as np
from torch import nn

from graphsieve.errors import InputError
from graphsieve.importance.engines.choice import ENGINES
from graphsieve.options import PERTURBED_ROWS


def check_choices(model: nn.Module, n_repeats: int, engine: str, perturbed_rows: str) -> None:
    if not isinstance(model, nn.Module):
        raise InputError(f"model must be a torch module, not {type(model).__name__}")
    if n_repeats < 1:
        raise InputError(f"n_repeats must be at least 1, not {n_repeats}")
    if perturbed_rows not in PERTURBED_ROWS:
        raise InputError(f"perturbed_rows {perturbed_rows!r} is unknown: choose one of {', '.join(PERTURBED_ROWS)}")
    if engine not in ENGINES:
        raise InputError(f"engine {engine!r} is unknown: choose one of {', '.join(ENGINES)}")


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


def check_names(names: Sequence[str] | None, num_features: int) -> list[str] | None:
    if names is None:
        return None
    names = [str(name) for name in names]
    if len(names) != num_features:
        raise InputError(
            f"feature_names has {len(names)} names, but x has {num_features} columns: name each column once"
        )
    return names
