"""A p-value from draws that stop once it is plain that nothing is there."""

from collections.abc import Callable

import numpy as np

# A test is done with once this many draws did at least as well as the original.
HITS = 10
# What differs by less differs by rounding, and a tie counts against the original.
ROUNDING = 1e-9


def sequential_p_value(draw: Callable[[int, int], np.ndarray], first: int, limit: int) -> float:
    """Besag and Clifford's sequential p-value (Biometrika, 1991); exact whatever the limit.

    `draw(number, count)` returns how much worse `count` new draws do than the original; rounds double what has been
    drawn. Under the null hypothesis the original ranks anywhere among its draws with equal chance. So the share of
    those that do at least as well, the original counted as one of them, is a p-value; and where HITS of them have done
    so by the L-th, HITS / L is one too.
    """
    worse = np.empty(0)
    number = 0
    while len(worse) < limit:
        count = min(max(first, len(worse)), limit - len(worse))
        worse = np.concatenate([worse, draw(number, count)])
        hits = np.flatnonzero(worse <= ROUNDING)
        if len(hits) >= HITS:
            return HITS / (hits[HITS - 1] + 1)
        number += 1
    return (len(hits) + 1) / (limit + 1)
