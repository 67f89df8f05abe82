"""In which order columns are kept, and how many of them are enough.

A test of single columns, with all nodes whose labels may be seen, finds weaker columns than a comparison of accuracies
does. So whatever is starred is kept, one column of every unit, and accuracy decides how many more.
"""

import numpy as np
import pandas as pd

from graphsieve.selection.how_few import numbers_to_keep

MEASURABLE = 2.0  # standard errors: a larger loss would be significant at a level of 5 %


def leading_columns(order: np.ndarray, unit: np.ndarray, starred: np.ndarray) -> np.ndarray:
    """The best column of every starred unit, the best first; `order` has all columns, best first."""
    ranked = order[starred[order]]
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
