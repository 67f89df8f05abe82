"""Permutations in rounds, and p-values that hold whenever one stops.

Where an item says nothing, the original ranks anywhere among its permutations with equal chance. So the chance of any
course of a test, of how many permutations have done as well after so many, is known exactly, and so is the chance that
it ever looks as good as the one that is seen. That chance is the p-value: whoever stops, at whatever look and for
whatever reason (the answer is clear, there is no hope, time is up), is wrong at level a with chance a at most.
Anytime-valid tests by permutation are due to Fischer and Ramdas ("Sequential Monte Carlo testing by betting", 2024);
theirs bound the chance by Ville's inequality, here it is enumerated.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import betaincinv
from scipy.stats import hypergeom

from graphsieve.inference.p_values import (
    FEWEST_PERMUTATIONS,
    SIGNIFICANCE,
    adjust_benjamini_hochberg,
    smaller_multiplied,
)

GROWTH = 1.5  # permutations at a look, against the look before
FAR = 0.05  # larger shares count at the first look only, which keeps the enumeration small
RISK = 0.15  # of giving up on an item whose share would turn out small enough
# Losses that differ by less differ by rounding, and a tie counts against the item.
ROUNDING = 1e-6

# (side, items, look, count) -> how much worse so many new permutations of each item do than the original
Draw = Callable[[int, np.ndarray, int, int], np.ndarray]


class Looks:
    """After how many permutations a test may stop, and the p-value that it then has.

    An item's share is that of the permutations that do at least as well, the original counted as one of them; what
    counts is the smallest share of all looks so far.
    """

    def __init__(self, first: int, limit: int):
        self.totals = [first]
        while self.totals[-1] < limit:
            self.totals.append(min(int(np.ceil(GROWTH * self.totals[-1])), limit))
        most = _most_hits(FAR, self.totals[-1])  # more hits than that do not count at any later look
        self._before = [_hits_before(*pair, most) for pair in zip(self.totals, self.totals[1:], strict=False)]
        self._known: dict[float, float] = {}

    def shares(self, look: np.ndarray, hits: np.ndarray) -> np.ndarray:
        """Infinite where they do not count."""
        shares = (hits + 1) / (np.array(self.totals)[look] + 1)
        return np.where((look == 0) | (shares <= FAR), shares, np.inf)

    def p_values(self, shares: np.ndarray) -> np.ndarray:
        """The chance that the smallest share of all looks is this or a smaller one."""
        distinct, place = np.unique(shares, return_inverse=True)
        for share in distinct:
            if share not in self._known:
                self._known[share] = self._chance(share)
        return np.array([self._known[share] for share in distinct])[place].reshape(shares.shape)

    def _chance(self, share: float) -> float:
        """Summed over looks: the chance of being there for the first time. Every number of hits is equally likely."""
        good = _most_hits(share, self.totals[0])
        chance = (good + 1) / (self.totals[0] + 1)
        not_yet = (np.arange(self.totals[0] + 1) > good).astype(float)
        for total, before in zip(self.totals[1:], self._before, strict=True):
            not_yet = before @ not_yet[: before.shape[1]]
            good = _most_hits(min(share, FAR), total)
            chance += not_yet[: good + 1].sum() / (total + 1)
            not_yet[: good + 1] = 0
        return min(1.0, chance)


looks_of = lru_cache(maxsize=8)(Looks)


def _most_hits(share: float, total: int) -> int:
    """With how many hits the share is not yet exceeded; -1 for none."""
    return min(int(np.floor(share * (total + 1) + 1e-9)) - 1, total)


def _hits_before(total: int, later: int, most: int) -> np.ndarray:
    """The chance of so many hits after `total` permutations (columns), given those after later ones (rows)."""
    after, before = (np.arange(min(number, max(most, 0)) + 1) for number in (later, total))
    return hypergeom.pmf(before[None, :], later, after[:, None], total)


@dataclass(frozen=True)
class Aim:
    """When an item is found: p-values are adjusted for their number, or each stands by itself."""

    level: float = SIGNIFICANCE
    adjusts: bool = True

    def is_reached(self, p_values: np.ndarray) -> np.ndarray:
        return (adjust_benjamini_hochberg(p_values) if self.adjusts else p_values) <= self.level


EACH_BY_ITSELF = Aim(adjusts=False)


class Course:
    """How the tests of all items stand, on each side: rows are sides, columns are items."""

    def __init__(self, first_round: np.ndarray, limit: int, aim: Aim | None = None):
        """first_round: (sides, items, permutations), as `Draw` gives them."""
        self.aim = aim or Aim()
        self.looks = looks_of(first_round.shape[2], max(limit, first_round.shape[2]))
        self.look = np.zeros(first_round.shape[:2], dtype=int)
        self.hits = (first_round <= ROUNDING).sum(axis=2)
        self.smallest = self.looks.shares(self.look, self.hits)

    def add(self, side: int, items: np.ndarray, worse: np.ndarray) -> None:
        """The permutations up to the next look."""
        self.look[side, items] += 1
        self.hits[side, items] += (worse <= ROUNDING).sum(axis=1)
        shares = self.looks.shares(self.look[side, items], self.hits[side, items])
        self.smallest[side, items] = np.minimum(self.smallest[side, items], shares)

    @property
    def made(self) -> np.ndarray:
        """How many permutations."""
        return np.array(self.looks.totals)[self.look]

    def p_values(self) -> np.ndarray:
        """Of the items: sides may depend on each other."""
        return smaller_multiplied(self.looks.p_values(self.smallest))

    def next_round(self) -> dict[tuple[int, int], np.ndarray]:
        """Who needs more permutations, by side and look; each item on the side that says more of it."""
        of_sides = self.looks.p_values(self.smallest)
        is_open = self._open(smaller_multiplied(of_sides))
        items = np.flatnonzero(is_open.any(axis=0))
        sides = np.where(is_open, of_sides, np.inf)[:, items].argmin(axis=0)
        next_looks = self.look[sides, items] + 1
        groups = sorted(set(zip(sides.tolist(), next_looks.tolist(), strict=True)))
        return {(side, look): items[(sides == side) & (next_looks == look)] for side, look in groups}

    def _open(self, p_values: np.ndarray) -> np.ndarray:
        """Neither found nor hopeless: whose p-value may still become small enough.

        Stopping once an item is found changes no decision: p-values only fall, and those that are found stay so. While
        permutations are few, items go on that may be significant by themselves.
        """
        hoped = self._hoped_for()
        among_all = self.aim.is_reached(hoped.min(axis=0))
        by_itself = (self.made < FEWEST_PERMUTATIONS) & (p_values > self.aim.level)
        unfinished = self.look < len(self.looks.totals) - 1
        found = self.aim.is_reached(p_values)
        return unfinished & ~found & (hoped <= self.aim.level) & (among_all | by_itself)

    def _hoped_for(self) -> np.ndarray:
        """A p-value that each item may get on each side, with luck: not below the smallest share that is credible, nor
        below what it gets if no permutation up to the last look does as well as the original.
        """
        made, last = self.made, self.looks.totals[-1]
        credible = np.where(self.hits > 0, betaincinv(np.maximum(self.hits, 1), made - self.hits + 1, RISK), 0)
        best = self.looks.p_values(np.minimum(self.smallest, (self.hits + 1) / (last + 1)))
        now = self.looks.p_values(self.smallest)
        hoped = np.where(made < last, np.minimum(now, np.maximum(credible, best)), now)
        return np.minimum(1, len(hoped) * hoped)


def permute_in_rounds(
    draw: Draw,
    first_round: np.ndarray,
    limit: int,
    goes_on: Callable[[int, int], bool] = lambda permutations, open_items: True,
    aim: Aim | None = None,
) -> Course:
    """Permute further, until every item is found, or hopeless, or permuted `limit` times on both sides.

    goes_on: asked before each draw whether to make so many permutations, while so many items are open.
    """
    course = Course(first_round, limit, aim)
    while chosen := course.next_round():
        for (side, look), items in chosen.items():
            count = course.looks.totals[look] - course.looks.totals[look - 1]
            if not goes_on(count * len(items), sum(map(len, chosen.values()))):
                return course
            course.add(side, items, draw(side, items, look, count))
    return course
