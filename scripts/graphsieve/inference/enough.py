"""In which order columns are kept, and how many of them are enough.

A test of single columns, with all nodes whose labels may be seen, finds weaker columns than a comparison of accuracies
does. So whatever is starred is kept, one column of every unit, and accuracy decides how many more. A column that
matters and is narrowly not starred is mostly the most important of the rest, and leaving it out costs more than keeping
one too many: so the first of the rest lead as well, if the model is shown to use them.
"""

import numpy as np
import pandas as pd

from graphsieve.selection.how_few import numbers_to_keep

MOST_NOT_STARRED = 2  # columns that lead without a star
MEASURABLE = 2.0  # standard errors: a larger loss would be significant at a level of 5 %


def leading_columns(order: np.ndarray, unit: np.ndarray, starred: np.ndarray, used: np.ndarray) -> np.ndarray:
    """The best column of every starred unit, the best first, then those of the first others, if these are used.

    order: all columns, best first. unit, starred, used: by column.
    """
    others = _best_of_units(order[~starred[order]], unit)[:MOST_NOT_STARRED]
    return np.concatenate([_best_of_units(order[starred[order]], unit), others[used[others]]])


def _best_of_units(ranked: np.ndarray, unit: np.ndarray) -> np.ndarray:
    first_of_unit = np.unique(unit[ranked], return_index=True)[1]
    return ranked[np.sort(first_of_unit)]


def keeping_order(order: np.ndarray, leading: np.ndarray) -> np.ndarray:
    """All columns: those that lead, then the others as they are ranked."""
    return np.concatenate([leading, order[~np.isin(order, leading)]])


def numbers_on_curve(num_features: int, leading: int) -> list[int]:
    return sorted({*numbers_to_keep(num_features), max(leading, 1)})


def smallest_enough(curve: pd.DataFrame, leading: int) -> int:
    """The smallest number that has all that lead and whose loss against all features cannot be measured."""
    measurable = curve["loss"] > MEASURABLE * curve["loss_standard_error"].fillna(0)
    return int(curve.loc[~measurable & (curve["kept"] >= leading), "kept"].min())
