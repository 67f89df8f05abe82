"""p-values of several sides combined, and adjusted for the number of items; how many permutations they need."""

import numpy as np
from scipy.stats import false_discovery_control

SIGNIFICANCE = 0.05
FEWEST_PERMUTATIONS = 199


def most_permutations(num_items: int, allowed: int) -> int:
    """As many as allowed, but not more than it takes one item alone to stand out among so many."""
    return min(allowed, max(FEWEST_PERMUTATIONS, round(2 * num_items / SIGNIFICANCE) - 1))


def smaller_multiplied(p_values: np.ndarray) -> np.ndarray:
    """One p-value from those of several sides (rows), the smallest times their number: however these depend."""
    return np.minimum(1, len(p_values) * p_values.min(axis=0))


def adjust_benjamini_hochberg(p_values: np.ndarray) -> np.ndarray:
    return false_discovery_control(p_values) if p_values.size else p_values


def adjust_holm(p_values: np.ndarray) -> np.ndarray:
    order = np.argsort(p_values)
    stepped = np.maximum.accumulate(p_values[order] * np.arange(len(p_values), 0, -1))
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(1, stepped)
    return adjusted
