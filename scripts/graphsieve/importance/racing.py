"""Which features are among the best, with permutations spent only on those for which that is open.

The question is which `keep` rows have the largest means over all repeats, a fixed set of permutations. After some of
them, the mean of a row is foretold with an error; rows whose foretold mean is further from the cut are decided.

Where the metric has a slope, the linear part of every repeat is known beforehand, and only what is left over is
estimated, from the repeats that were sampled. Its size goes with the size of the linear part, and it has heavy tails: a
rare word that lands on the right node. So the error of a repeat that was not sampled is taken in proportion to the
deviation of its linear part, with a factor that no row may have much smaller than most.
"""

from dataclasses import dataclass

import numpy as np

from graphsieve.importance.intervals import DECIMALS, smallest_step, unseen_share
from graphsieve.importance.linear import LinearPart

# Chosen on 130 checkpoints of adaptive selection (Cora, CiteSeer, PubMed, WebKB). On 60 others of Cora and WebKB, with
# 40 repeats of the loss, the kept half was that of all repeats in 95 % with 26 % of the permutations, the best tenth in
# 98 % with 15 %; with 10 repeats in 88 % with 42 %, and 93 % with 25 %. scripts/bench/estimators.py measures it again.
MARGIN = 8.0  # errors between a decided row and the cut
LEAST_SHARE = 0.05  # of the mean squared deviation of a row's linear parts, to the size of each
PRIOR_WEIGHT = 2.0  # repeats that the factor of other rows counts for
PRIOR_QUANTILE = 0.9  # of the factors of all rows
UNSEEN_LEVEL = 0.95  # at which a metric that moves in steps may move where it has not yet


def first_repeats(repeats: int) -> int:
    """Two or a tenth, before anything is decided."""
    return min(repeats, max(2, repeats // 10))


@dataclass(frozen=True)
class Forecast:
    """Of the means over all repeats, from those that were sampled; both (rows,)."""

    mean: np.ndarray
    error: np.ndarray


def forecast(
    importances: np.ndarray, sampled: np.ndarray, linear: LinearPart | None, control_variate: bool = False
) -> Forecast:
    """From `importances` (rows, repeats), with control variate or without; `linear` is None if there is no slope."""
    count, repeats = sampled.sum(axis=1), sampled.shape[1]
    if linear is None:
        sizes, step = np.ones(sampled.shape), smallest_step(importances)
        explained = np.zeros(sampled.shape)
    else:
        squared = linear.surplus**2
        sizes, step = squared + LEAST_SHARE * squared.mean(axis=1, keepdims=True), 0.0
        explained = linear.sampled - linear.surplus if control_variate else linear.sampled
    left, known = importances - explained, explained.mean(axis=1)
    left = np.where(sampled, left, 0.0)
    weights = sampled / np.where(sizes > 0, sizes, 1.0)
    typical = (left * weights).sum(axis=1) / weights.sum(axis=1)
    squares = (np.where(sampled, left - typical[:, None], 0.0) ** 2 * weights).sum(axis=1)
    factor = np.where(count < repeats, _moderated(squares, count - 1, sizes.any(axis=1)), 0.0)
    missing = np.where(sampled, 0.0, sizes).sum(axis=1) + (repeats - count) ** 2 / weights.sum(axis=1)
    mean = (left.sum(axis=1) + (repeats - count) * typical) / repeats + known
    error = MARGIN * np.sqrt(factor * missing) + step * unseen_share(count, UNSEEN_LEVEL) * (repeats - count)
    return Forecast(mean, error / repeats)


def _moderated(squares: np.ndarray, freedom: np.ndarray, varies: np.ndarray) -> np.ndarray:
    """The rows' own factors, drawn towards that of most rows, because few repeats may look alike by luck."""
    own = np.where(freedom > 0, squares / np.maximum(freedom, 1), np.inf)
    common = np.quantile(own[varies], PRIOR_QUANTILE, method="lower") if varies.any() else 0.0
    together = (PRIOR_WEIGHT * common + squares) / (PRIOR_WEIGHT + freedom)
    return np.where(varies & (freedom > 0), together, own)


def open_rows(first: Forecast, keep: int) -> np.ndarray:
    """Rows whose forecast is too near the cut to say on which side they end."""
    ordered = np.sort(first.mean)[::-1]
    if keep >= len(ordered):
        return np.zeros(len(ordered), dtype=bool)
    cut = (ordered[keep - 1] + ordered[keep]) / 2
    return np.abs(first.mean - cut) < first.error


def best_rows(forecasts: list[Forecast], keep: int) -> np.ndarray:
    """A mask of the `keep` best by the first metric; the next ones decide between equals, then the order of rows."""
    keys = [-np.round(one.mean, DECIMALS) for one in forecasts]
    best = np.zeros(len(keys[0]), dtype=bool)
    best[np.lexsort(keys[::-1])[:keep]] = True
    return best
