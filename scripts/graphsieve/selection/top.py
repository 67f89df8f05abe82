"""Keep an exact number of features, and break ties on purpose.

Drops of accuracy are quantised, so many features share a score and a cut by value would keep too many or too few.
"""

from dataclasses import dataclass

import numpy as np

from graphsieve.errors import InputError
from graphsieve.options import TIE_RULES, ScoringOptions
from graphsieve.randomness import generator

# Scores that differ by less than this share of the largest one differ by rounding only.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Selection:
    """`ranking[0]` is the best feature; `ties` counts the features that share the score the cut went through."""

    ranking: np.ndarray
    kept: np.ndarray
    ties: int


def count_to_keep(num_features: int, fraction: float) -> int:
    """The nearest whole number of features, but at least one."""
    return max(1, round(num_features * fraction))


def keep_top(
    scores: np.ndarray,
    count: int,
    *,
    losses: np.ndarray | None = None,
    ties: str = ScoringOptions.ties,
    seed: int = 0,
) -> Selection:
    """The `count` features of highest score, exactly, whatever the ties.

    Parameters
    ----------
    scores : ndarray
        One number per feature, higher is better.
    count : int
        How many features to keep.
    losses : ndarray, optional
        The rise of the loss, one number per feature.
    ties : str
        Who wins among equal scores: "loss" (the larger rise of the loss), "random" or "index" (the smaller index).
        With "loss", a scorer that knows no loss, or equal losses, leave the decision to chance.
    seed : int
        Of the choice by chance.

    Returns
    -------
    Selection
        The ranking of all features, the kept ones in ascending order, and how many share the score of the last.

    Examples
    --------
    >>> import numpy as np
    >>> from graphsieve.selection.top import keep_top
    >>> selection = keep_top(np.array([0.1, 0.5, 0.1, 0.0]), 2, losses=np.array([0.3, 0.9, 0.4, 0.0]))
    >>> selection.ranking.tolist(), selection.kept.tolist(), selection.ties
    ([1, 2, 0, 3], [1, 2], 2)
    """
    if not 1 <= count <= len(scores):
        raise InputError(f"cannot keep {count} of {len(scores)} features: choose between 1 and {len(scores)}")
    levels = _levels(scores)
    ranking = np.lexsort([*_tie_breakers(len(scores), losses, ties, seed), -levels])
    kept = np.sort(ranking[:count])
    shared = levels == levels[ranking[count - 1]]
    cut_divides = count < len(scores) and shared[ranking[count]]
    return Selection(ranking, kept, int(shared.sum()) if cut_divides else 0)


def count_positive(scores: np.ndarray) -> int:
    """How many scores are above zero by more than rounding."""
    return int((_levels(scores) > 0).sum())


def _levels(scores: np.ndarray) -> np.ndarray:
    if not np.isfinite(scores).all():
        raise InputError(f"{np.sum(~np.isfinite(scores))} scores are not finite: the scorer failed on these features")
    largest = np.abs(scores).max()
    return scores if largest == 0 else np.round(scores / (largest * ROUNDING))


def _tie_breakers(num_features: int, losses: np.ndarray | None, ties: str, seed: int) -> list[np.ndarray]:
    """Keys for lexsort, the last one first in rank."""
    if ties not in TIE_RULES:
        raise InputError(f"ties '{ties}' is unknown: choose one of {', '.join(TIE_RULES)}")
    if ties == "index":
        return [np.arange(num_features)]
    chance = generator(seed, "ties").permutation(num_features)
    return [chance, -losses] if ties == "loss" and losses is not None else [chance]
