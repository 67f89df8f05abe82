"""Features, or groups of them, scored on both sides: importances and p-values."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from graphsieve.inference.p_values import most_permutations
from graphsieve.inference.sequential import EACH_BY_ITSELF, Aim, permute_in_rounds
from graphsieve.inference.sides import Side, progress_bar

AT_ONCE = 5  # permutations of every item between two looks at the clock, where time is limited


@dataclass(frozen=True)
class Scored:
    """Of every item: fall of the metric by (seed, repeat), both sides averaged; rise of the loss; p-value."""

    falls: np.ndarray
    losses: np.ndarray
    p_values: np.ndarray
    baseline: float


NOTHING = Scored(np.empty((0, 1, 1)), np.empty(0), np.empty(0), np.nan)


def score_sides(sides: list[Side], num_features: int, progress: bool = False, aim: Aim = EACH_BY_ITSELF) -> Scored:
    return score_items(sides, lambda open_items: {"features": open_items}, num_features, "scoring", progress, aim)


def score_items(
    sides: list[Side],
    choose: Callable[[np.ndarray], dict],
    num_items: int,
    description: str,
    progress: bool,
    aim: Aim = EACH_BY_ITSELF,
) -> Scored:
    """The importance of every item is made of the first round of permutations, so that all have as many.

    `choose` turns the numbers of items into arguments of `Side.importance`.
    """
    budget, limit = sides[0].budget, most_permutations(num_items, sides[0].options.permutations)
    with progress_bar(progress, description, num_items) as bar:
        before = budget.used()
        falls, rises = _first_round(sides, choose(np.arange(num_items)), description)
        pace = (budget.used() - before) / rises[:, 0].size  # seconds a permutation, all seeds together

        def draw(side: int, items: np.ndarray, look: int, count: int) -> np.ndarray:
            return sides[side].importance((look,), count, **choose(items))[1].mean(axis=0)

        def goes_on(permutations: int, open_items: int) -> bool:
            _show(bar, open_items, permutations)
            allowed = budget.allows("scoring", pace * permutations)
            if not allowed:
                budget.cut(f"{description} ended with {open_items} p-values that may be smaller than is said")
            return allowed

        course = permute_in_rounds(draw, rises.mean(axis=1), limit, goes_on, aim)
        _show(bar, 0, 0)
    return Scored(
        falls=falls.mean(axis=0).transpose(1, 0, 2),
        losses=rises.mean(axis=(0, 1, 3)),
        p_values=course.p_values(),
        baseline=float(np.mean([side.baseline for side in sides])),
    )


def _first_round(sides: list[Side], items: dict, description: str) -> tuple[np.ndarray, np.ndarray]:
    """Fall of the metric and rise of the loss by (side, seed, item, repeat), for whose repeats there is time."""
    budget, wanted = sides[0].budget, sides[0].options.n_repeats
    at_once = AT_ONCE if budget.is_limited else wanted
    parts, start = [], budget.used()
    for made in range(0, wanted, at_once):
        if made and not budget.allows("scoring", (budget.used() - start) / len(parts)):
            budget.cut(f"{description} with {made} of {wanted} permutations for an importance")
            break
        occasion, count = (0, made) if made else (0,), min(at_once, wanted - made)
        parts.append(list(zip(*(side.importance(occasion, count, **items) for side in sides), strict=True)))
    falls, rises = (np.concatenate([np.stack(part) for part in kind], axis=3) for kind in zip(*parts, strict=True))
    return falls, rises


def _show(bar: tqdm, open_items: int, permutations: int) -> None:
    bar.update(max(0, bar.total - open_items - bar.n))
    bar.set_postfix_str(f"{open_items} left, {permutations} permutations" if open_items else "")
