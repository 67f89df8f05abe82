"""The repeats that are scored so far, and what they say of which should be next."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from tqdm import tqdm

from graphsieve.errors import InputError
from graphsieve.importance.engines.choice import Engine, choose_engine, for_part
from graphsieve.importance.intervals import mean_interval, smallest_step
from graphsieve.importance.linear import linear_part
from graphsieve.importance.metrics import Judge, Metric
from graphsieve.importance.problem import Problem
from graphsieve.importance.racing import Forecast, best_rows, first_repeats, forecast, open_rows

WIDTH_LEVEL = 0.95  # of the intervals that `until_width` speaks of
WIDTH_REPEATS = 5  # before a width is believed


@dataclass(frozen=True)
class Sampling:
    """What was asked for; each is explained at `permutation_importance`."""

    control_variate: bool = False
    keep: int | None = None
    until_width: float | None = None
    time_budget: float | None = None

    def __post_init__(self):
        for name in ("keep", "until_width", "time_budget"):
            value = getattr(self, name)
            kind, words = (Integral, "a positive whole number") if name == "keep" else (Real, "a positive number")
            if value is not None and not (isinstance(value, kind) and value > 0):
                raise InputError(f"{name} is {value!r}: it must be {words}, or None")

    @property
    def in_rounds(self) -> bool:
        return any(value is not None for value in (self.keep, self.until_width, self.time_budget))

    def repeats_before_a_decision(self, repeats: int) -> int:
        racing = first_repeats(repeats) if self.keep is not None else 1
        return max(racing, WIDTH_REPEATS if self.until_width is not None else 1)


class Sampler:
    """Importances of the pairs that were sampled so far, for every metric; the others are NaN. Rows are items."""

    def __init__(self, problem: Problem, metrics: list[Metric], engine: str | Engine, sampling: Sampling):
        outputs, target = problem.baseline, problem.target
        self.problem, self.metrics, self.sampling = problem, metrics, sampling
        self.judge = Judge(metrics, outputs, target.y, target.weight, problem.is_flat)
        self.baselines = self.judge.baselines
        with_slopes = sampling.control_variate or sampling.keep is not None
        numbers = range(len(metrics))
        self.linear = [linear_part(problem, self.judge, number) if with_slopes else None for number in numbers]
        if sampling.control_variate and None in self.linear:
            name = metrics[self.linear.index(None)].name
            raise InputError(f"control_variate needs a slope and metric '{name}' has none: choose a loss")
        self.engine = choose_engine(engine, problem)
        self.sampled = np.zeros((len(problem.items), problem.repeats), dtype=bool)
        self.importances = np.full((len(metrics), *self.sampled.shape), np.nan)

    def sample(self, rows: np.ndarray, repeats: range, bar: tqdm) -> None:
        engine = self.engine
        if len(rows) * len(repeats) < self.sampled.size:
            engine = for_part(engine, self.problem.part(rows, repeats))
        scores = np.empty((len(self.metrics), len(rows) * len(repeats)))
        for pairs, part in engine.blocks(self.judge):
            scores[:, pairs.start : pairs.stop] = part
            bar.update(len(pairs))
        place = np.ix_(rows, repeats)
        self.sampled[place] = True
        for number, (metric, baseline) in enumerate(zip(self.metrics, self.baselines, strict=True)):
            values = metric.sign * (baseline - scores[number].reshape(len(rows), len(repeats)))
            if self.sampling.control_variate:
                values -= self.linear[number].surplus[place]
            self.importances[number][place] = values

    def variance_ratio(self, number: int) -> float | None:
        """How much smaller a control variate makes the variance over repeats, all rows together."""
        enough = self.sampled.sum(axis=1) > 1
        if not self.sampling.control_variate or not enough.any():
            return None
        options = {"axis": 1, "ddof": 1, "where": self.sampled[enough]}
        values = self.importances[number][enough]
        plain = (values + self.linear[number].surplus[enough]).var(**options).sum()
        return float(values.var(**options).sum() / plain) if plain > 0 else None

    def open_rows(self) -> np.ndarray:
        """Which rows need more repeats, by the first metric."""
        is_open = ~self.sampled.all(axis=1)
        if self.sampling.keep is not None:
            is_open &= open_rows(self._forecast(0), self.sampling.keep)
        if self.sampling.until_width is not None:
            step = smallest_step(self.importances[0])
            low, high = mean_interval(self.importances[0], self.sampled, WIDTH_LEVEL, step).T
            is_open &= ~(high - low <= self.sampling.until_width)
        return is_open

    def kept(self) -> np.ndarray | None:
        if self.sampling.keep is None:
            return None
        return best_rows([self._forecast(number) for number in range(len(self.metrics))], self.sampling.keep)

    def _forecast(self, number: int) -> Forecast:
        return forecast(self.importances[number], self.sampled, self.linear[number], self.sampling.control_variate)
