"""p-values from permutations: one by one until enough is known, combined, and adjusted for their number."""

from collections.abc import Callable

import numpy as np
from scipy.stats import false_discovery_control

SIGNIFICANCE = 0.05
FEWEST_PERMUTATIONS = 199
# An item is done with once this many permutations did at least as well as the original.
ENOUGH = 10
# Losses that differ by less differ by rounding, and a tie counts against the item.
ROUNDING = 1e-6


def sequential_p_values(
    draw: Callable[[np.ndarray, int, int], np.ndarray], num_items: int, first: int, limit: int
) -> np.ndarray:
    """Besag and Clifford's sequential p-value (Biometrika, 1991) of each item; exact whatever the limit.

    `draw(items, occasion, count)` returns how much worse `count` new permutations of each item do than the original.
    Under the null hypothesis the original ranks anywhere among its permutations with equal chance. So the share of
    those that do at least as well, the original counted as one of them, is a p-value; and where ENOUGH of them have
    done so by the L-th, ENOUGH / L is one too. Items without effect stop early and leave the time to the others.
    """
    p_values, hits = np.empty(num_items), np.zeros(num_items, dtype=int)
    items, made = np.arange(num_items), 0
    for occasion, count in enumerate(round_sizes(first, limit)):
        as_good = draw(items, occasion, count) <= ROUNDING
        running = hits[items, None] + as_good.cumsum(axis=1)
        done = running[:, -1] >= ENOUGH
        p_values[items[done]] = ENOUGH / (made + 1 + (running[done] >= ENOUGH).argmax(axis=1))
        hits[items], made = running[:, -1], made + count
        items = items[~done]
        if not items.size:
            break
    p_values[items] = (hits[items] + 1) / (limit + 1)
    return p_values


def round_sizes(first: int, limit: int) -> list[int]:
    """The first round, and then rounds that double what has been drawn, up to the limit."""
    totals = [min(first, limit)]
    while totals[-1] < limit:
        totals.append(min(2 * totals[-1], limit))
    return np.diff(totals, prepend=0).tolist()


def most_permutations(num_items: int, allowed: int) -> int:
    """As many as allowed, but not more than it takes one item alone to stand out among so many."""
    return min(allowed, max(FEWEST_PERMUTATIONS, round(2 * num_items / SIGNIFICANCE) - 1))


def smaller_doubled(p_values: np.ndarray) -> np.ndarray:
    """One p-value from the two of a pair (rows), valid however they depend on each other."""
    return np.minimum(1, len(p_values) * p_values.min(axis=0))


def adjust_benjamini_hochberg(p_values: np.ndarray) -> np.ndarray:
    return false_discovery_control(p_values) if p_values.size else p_values


def adjust_holm(p_values: np.ndarray) -> np.ndarray:
    order = np.argsort(p_values)
    stepped = np.maximum.accumulate(p_values[order] * np.arange(len(p_values), 0, -1))
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(1, stepped)
    return adjusted
