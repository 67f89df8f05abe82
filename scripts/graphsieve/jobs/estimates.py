"""How long jobs will take, from what the same jobs took before."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

Key = tuple[str, ...]

# The wildcards on which a job's time depends most, beside its rule and dataset; the first that it has counts.
KINDS = ("hypothesis", "scorer", "setting", "model")


@dataclass(frozen=True)
class Job:
    """`kinds` is what its time depends on beside rule and dataset: a hypothesis, a scorer, a setting or a model.

    A job of several results has one for each.
    """

    rule: str
    dataset: str = ""
    kinds: tuple[str, ...] = ("",)
    threads: int = 1


@dataclass(frozen=True)
class Estimate:
    """Seconds of work by job (None: never measured), and how many of them were measured where."""

    seconds: tuple[float | None, ...]
    here: int
    elsewhere: int

    @property
    def unknown(self) -> int:
        return len(self.seconds) - self.here - self.elsewhere


def estimate(jobs: Sequence[Job], here: Iterable[pd.DataFrame], elsewhere: pd.DataFrame) -> Estimate:
    """Of every job the mean of its like in the first table of `here` that has any, or else what is known elsewhere."""
    known = [mean_seconds(table) for table in here]
    foreign = mean_seconds(elsewhere)
    counts = [0, 0]
    seconds: list[float | None] = []
    for job in jobs:
        found = next((time for table in known if (time := _look_up(job, table)) is not None), None)
        counts[0] += found is not None
        if found is None:
            found = _look_up(job, foreign)
            counts[1] += found is not None
        seconds.append(found)
    return Estimate(tuple(seconds), *counts)


def mean_seconds(table: pd.DataFrame) -> dict[Key, float]:
    """By rule, by rule and dataset, and by rule, dataset and each of the job's `KINDS`."""
    times: dict[Key, list[float]] = {}
    for row in table.itertuples():
        keys = [(row.rule,), (row.rule, row.dataset)]
        keys += [(row.rule, row.dataset, kind) for name in KINDS if (kind := getattr(row, name, ""))]
        for key in keys:
            times.setdefault(key, []).append(row.seconds)
    return {key: sum(values) / len(values) for key, values in times.items()}


def _look_up(job: Job, times: dict[Key, float]) -> float | None:
    """A job on a dataset says nothing about another dataset; jobs without one are alike."""
    found = []
    for kind in job.kinds:
        keys = [(job.rule, job.dataset, kind), (job.rule, job.dataset)] if job.dataset else [(job.rule,)]
        found.append(next((times[key] for key in keys if key in times), None))
    return None if None in found else sum(found)


def wall_seconds(jobs: Sequence[Job], estimated: Estimate, cores: int) -> float:
    """Work over cores, but no shorter than the longest job."""
    known = [(job, time) for job, time in zip(jobs, estimated.seconds, strict=True) if time is not None]
    work = sum(time * min(job.threads, cores) for job, time in known)
    return max(work / cores, max((time for _, time in known), default=0.0))


def time_sentence(jobs: Sequence[Job], estimated: Estimate, cores: int, where: str) -> str:
    """`where` says what the jobs share, like "on 2 cores"."""
    if estimated.unknown == len(jobs):
        return "not known, there are no measurements of such jobs yet"
    counts = {
        "as measured on this machine": estimated.here,
        "as measured on the developers'": estimated.elsewhere,
        "never measured and not counted": estimated.unknown,
    }
    parts = ", ".join(f"{count:,} {words}" for words, count in counts.items() if count)
    return f"about {duration_text(wall_seconds(jobs, estimated, cores))} {where} (jobs: {parts})"


def duration_text(seconds: float) -> str:
    """In the units that it needs."""
    minutes, hours = seconds / 60, seconds / 3600
    if seconds < 90:
        return f"{seconds:.0f} s"
    if minutes < 90:
        return f"{minutes:.0f} min"
    if hours < 48:
        return f"{int(hours)} h {int(minutes % 60)} min"
    return f"{hours / 24:.1f} days"
