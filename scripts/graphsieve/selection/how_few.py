"""How few of the best features are enough: the smallest number that loses nothing measurable."""

from collections.abc import Callable

import numpy as np
import pandas as pd

MOST_POINTS = 12


def numbers_to_keep(num_features: int) -> list[int]:
    """1 to all, evenly spread by factors."""
    return np.unique(np.geomspace(1, num_features, MOST_POINTS).round().astype(int)).tolist()


def curve_of_numbers(ranking: np.ndarray, measure: Callable[[np.ndarray], np.ndarray]) -> pd.DataFrame:
    """What the best 1, 2, 3, ... features of a ranking reach, and their loss against all features.

    Parameters
    ----------
    ranking : ndarray
        All features, best first.
    measure : callable
        Gives, for the columns that are kept, one value per unit, higher is better: say, per node whether a model
        trained on these columns is right, or per seed how good it is. Units stand in the same order each time.

    Returns
    -------
    DataFrame
        `kept`, the mean `value`, the mean `loss` against all features, and the standard error of each.

    Examples
    --------
    Only the first feature of this ranking is worth anything:

    >>> import numpy as np
    >>> from graphsieve.selection.how_few import curve_of_numbers, smallest_without_loss
    >>> curve = curve_of_numbers(np.array([2, 0, 1]), lambda columns: np.array([0.5, 0.7]) * (2 in columns))
    >>> curve["kept"].tolist(), curve["loss"].tolist(), smallest_without_loss(curve)
    ([1, 2, 3], [0.0, 0.0, 0.0], 1)
    """
    return curve_of_values({kept: measure(np.sort(ranking[:kept])) for kept in numbers_to_keep(len(ranking))})


def curve_of_values(values: dict[int, np.ndarray]) -> pd.DataFrame:
    """The same from values by the number of features kept, the last of which is that of all."""
    *_, everything = values.values()
    return pd.DataFrame([_point(kept, of_units, everything) for kept, of_units in values.items()])


def _point(kept: int, values: np.ndarray, everything: np.ndarray) -> dict:
    """The loss is compared unit by unit, which cancels how hard the units are."""
    loss = everything - values
    return {
        "kept": kept,
        "value": values.mean(),
        "standard_error": standard_error(values),
        "loss": loss.mean(),
        "loss_standard_error": standard_error(loss),
    }


def standard_error(values: np.ndarray, axis: int = 0) -> np.ndarray:
    """NaN where there is one value only."""
    count = values.shape[axis]
    if count < 2:
        return np.full(np.delete(values.shape, axis), np.nan)[()]
    return values.std(axis=axis, ddof=1) / np.sqrt(count)


def smallest_without_loss(curve: pd.DataFrame) -> int:
    """The smallest number from which on no loss exceeds its standard error."""
    measurable = curve["loss"] > curve["loss_standard_error"].fillna(0)
    last = curve.loc[measurable, "kept"].max()
    return int(curve["kept"].min() if np.isnan(last) else curve.loc[curve["kept"] > last, "kept"].min())
