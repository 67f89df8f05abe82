"""How long a ranking may take: what is left for each of its stages, and what had to be left out."""

import math
import time
from collections.abc import Callable

# The share of the whole after which a stage begins nothing new. What one does not use is left to those after it.
STAGES = {"training": 0.25, "scoring": 0.65, "curve": 0.95}


class Budget:
    """A limit in seconds, or None: then nobody looks at the time.

    What has begun is finished, and of every stage the least that makes an answer is done whatever the time.
    """

    def __init__(self, seconds: float | None = None, now: Callable[[], float] = time.monotonic):
        self.seconds, self._now, self.cuts = seconds, now, []
        self._start = now()

    @property
    def is_limited(self) -> bool:
        return self.seconds is not None

    def used(self) -> float:
        return self._now() - self._start if self.is_limited else 0.0

    def allows(self, stage: str, seconds: float = 0.0) -> bool:
        """Whether something that takes so long may begin."""
        limit = STAGES[stage] * self.seconds if self.is_limited else math.inf
        return self.used() + seconds < limit

    def cut(self, sentence: str) -> None:
        """Note what was left out."""
        self.cuts.append(f"there was no time for more: {sentence}")
