"""What a caller may give to `permutation_importance`; anything else is named in an error."""

from collections.abc import Iterable, Sequence
from numbers import Integral

import numpy as np
from torch import nn

from graphsieve.errors import InputError
from graphsieve.importance.engines.choice import ENGINES
from graphsieve.options import PERTURBED_ROWS


def check_choices(model: nn.Module, n_repeats: int, engine: str, perturbed_rows: str) -> None:
    if not isinstance(model, nn.Module):
        raise InputError(f"model must be a torch module, not {type(model).__name__}")
    if not isinstance(n_repeats, Integral) or n_repeats < 1:
        raise InputError(f"n_repeats must be a whole number and at least 1, not {n_repeats!r}")
    if perturbed_rows not in PERTURBED_ROWS:
        raise InputError(f"perturbed_rows {perturbed_rows!r} is unknown: choose one of {', '.join(PERTURBED_ROWS)}")
    if engine not in ENGINES:
        raise InputError(f"engine {engine!r} is unknown: choose one of {', '.join(ENGINES)}")


def feature_index(features: Sequence[int] | None, num_features: int, of: str) -> np.ndarray:
    """The columns that are scored; `of` says whose they are."""
    if features is None:
        return np.arange(num_features)
    index = column_numbers(features)
    if index is None:
        raise InputError(f"features must be a list of column numbers of {of}, not {features!r}")
    if index.size and not (index.min() >= 0 and index.max() < num_features):
        raise InputError(
            f"features names column {index.max()} (lowest {index.min()}), but {of} has columns 0 to {num_features - 1}"
        )
    return index


def column_numbers(named: object) -> np.ndarray | None:
    """None where they are no list of whole numbers."""
    try:
        index = np.asarray(named)
    except ValueError:  # lists of several lengths
        return None
    if index.ndim != 1 or not (np.issubdtype(index.dtype, np.integer) or index.size == 0):
        return None
    return index.astype(int, copy=False)


def check_names(names: Sequence[str] | None, num_features: int, of: str) -> list[str] | None:
    if names is None:
        return None
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InputError(f"feature_names is {names!r}: give a list with a name for each column of {of}")
    names = [str(name) for name in names]
    if len(names) != num_features:
        raise InputError(
            f"feature_names has {len(names)} names, but {of} has {num_features} columns: name each column once"
        )
    return names
