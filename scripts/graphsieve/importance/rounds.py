"""In which order repeats are sampled: all at once, or round by round until enough is known or time is up."""

import math
import time
import warnings

import numpy as np
from tqdm import tqdm

from graphsieve.importance.sampling import Sampler, Sampling


class Clock:
    """How much of a budget in seconds is left; without a budget nobody looks at the time."""

    def __init__(self, budget: float | None):
        self.budget = budget
        self.start = self.before = self.now()
        self.pace = 0.0  # seconds a pair in the last round

    def now(self) -> float:
        return 0.0 if self.budget is None else time.perf_counter()

    def round_begins(self) -> None:
        self.before = self.now()

    def round_ends(self, num_pairs: int) -> None:
        self.pace = (self.now() - self.before) / num_pairs

    def affordable(self, num_rows: int) -> float:
        """How many more repeats of so many rows fit into what is left."""
        if self.budget is None:
            return math.inf
        left = self.start + self.budget - self.now()
        return max(0, left / max(self.pace * num_rows, 1e-9))

    def warn_if_over(self) -> None:
        taken = self.now() - self.start
        if self.budget is not None and taken > self.budget:
            warnings.warn(
                f"one repeat of every row took {taken:.1f} s with its preparation, more than the time_budget of "
                f"{self.budget:g} s: there are no intervals; allow more time or score fewer features",
                stacklevel=5,
            )


def sample_repeats(sampler: Sampler, clock: Clock, progress: bool) -> None:
    """All repeats of all rows, or as many as `sampler.sampling` asks for."""
    with tqdm(total=sampler.problem.num_pairs, disable=not progress, unit="permutation") as bar:
        if sampler.sampling.in_rounds and sampler.sampled.size:
            _sample_in_rounds(sampler, clock, bar)
        else:
            sampler.sample(np.arange(len(sampler.sampled)), range(sampler.problem.repeats), bar)


def _sample_in_rounds(sampler: Sampler, clock: Clock, bar: tqdm) -> None:
    """Rows that are open get more repeats, those with equally many together.

    The first round is sampled whatever time it takes, so that every row has a score.
    """

    def sample(rows: np.ndarray, repeats: range) -> None:
        clock.round_begins()
        sampler.sample(rows, repeats, bar)
        clock.round_ends(len(rows) * len(repeats))

    repeats = sampler.problem.repeats
    needed = min(repeats, sampler.sampling.repeats_before_a_decision(repeats))
    sample(np.arange(len(sampler.sampled)), range(needed if clock.budget is None else 1))
    clock.warn_if_over()
    goes_on = True
    while goes_on:
        goes_on, counts = False, sampler.sampled.sum(axis=1)
        is_open = counts < needed if counts.min() < needed else sampler.open_rows()
        for count in np.unique(counts[is_open]):
            rows = np.flatnonzero(is_open & (counts == count))
            wanted = needed - count if count < needed else _more(count, sampler.sampling)
            size = int(min(wanted, repeats - count, clock.affordable(len(rows))))
            if size > 0:
                sample(rows, range(count, count + size))
                goes_on = True


def _more(count: int, sampling: Sampling) -> int:
    """Half as many again before the next decision; where only time decides, larger steps do."""
    only_time = sampling.keep is None and sampling.until_width is None
    return 2 * count if only_time else max(1, count // 2)
