"""Which results of one run are made by one process.

Starting Python with torch takes seconds, about as long as a small graph's training. So the results of a rule that share
a run, and with it a graph, a split and a trained model, are bundled; but no more than a few minutes of work, so that
cores and nodes share the rest, and long jobs stay alone.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

RUN = ("dataset", "model", "split", "seed")  # the wildcards of a run, in the order of its path
BUNDLE = "_bundle"  # behind a rule's name, in that of a rule for several of its results
MOST_SECONDS = 300  # of estimated work in a bundle: starting is less than a tenth from a minute on

Member = tuple[tuple[str, str], ...]  # the wildcards that tell one result of a run from another, and their values


@dataclass(frozen=True)
class Bundle:
    """Results that the runs of a rule have in common; without members, any single result of any run.

    name : of the rule that makes it.
    """

    name: str
    members: tuple[Member, ...] = ()
    runs: tuple[tuple[str, ...], ...] = ()

    def paths(self, pattern: str) -> str | list[str]:
        """The path of every member; their common wildcards stay."""
        return [_filled(pattern, member) for member in self.members] if self.members else pattern

    def results(self, wildcards: dict[str, str]) -> list[dict[str, str]]:
        """The wildcards of every result of a job with these."""
        return [{**wildcards, **dict(member)} for member in self.members or ((),)]

    @property
    def datasets(self) -> str:
        """A constraint on the wildcard `dataset` that admits paths of the bundle's runs alone; empty for any."""
        if not self.runs:
            return ""
        seeds: dict[tuple[str, ...], list[str]] = {}
        for *place, seed in self.runs:
            seeds.setdefault(tuple(place), []).append(seed)
        between = "/(?:[^/]+/)*"  # members may have folders of their own
        places = [between.join([*map(re.escape, place), f"seed(?:{'|'.join(some)})/"]) for place, some in seeds.items()]
        names = dict.fromkeys(re.escape(place[0]) for place in seeds)
        return f"(?={'|'.join(places)})(?:{'|'.join(names)})"


def single_rule(name: str) -> str:
    """The rule whose results this one makes, several at a time."""
    return name.partition(BUNDLE)[0]


def _filled(pattern: str, member: Member) -> str:
    for name, value in member:
        pattern = pattern.replace(f"{{{name}}}", value)
    return pattern


def bundle(rule: str, wanted: Iterable[dict], named: Sequence[str], seconds: Callable[[dict], float]) -> list[Bundle]:
    """The bundles of a rule, and last of all its bundle without members, for what they do not hold.

    Parameters
    ----------
    rule : its name.
    wanted : the wildcards of every result that is wanted, in the order in which a bundle is to hold them.
    named : the wildcards that tell results of one run apart; a run is told by the others of `RUN`.
    seconds : estimates the work of one result.

    Examples
    --------
    >>> run = {"dataset": "texas", "model": "gcn", "split": "random", "seed": 0}
    >>> wanted = [{**run, "scorer": "mi"}, {**run, "scorer": "tfi"}]
    >>> together, single = bundle("score", wanted, ["scorer"], seconds=lambda result: 10)
    >>> together.paths("scores/{dataset}/{scorer}.csv")
    ['scores/{dataset}/mi.csv', 'scores/{dataset}/tfi.csv']
    >>> single.paths("scores/{dataset}/{scorer}.csv")
    'scores/{dataset}/{scorer}.csv'
    """
    members: dict[tuple[str, ...], dict[Member, float]] = {}
    for result in wanted:
        run = tuple(str(result[name]) for name in RUN if name not in named)
        member = tuple((name, str(result[name])) for name in named)
        members.setdefault(run, {})[member] = seconds(result)
    runs: dict[tuple[Member, ...], list[tuple[str, ...]]] = {}
    for run, times in members.items():
        for part in _parts(times):
            if len(part) > 1:
                runs.setdefault(part, []).append(run)
    numbers = [""] if len(runs) == 1 else [f"_{number}" for number in range(1, len(runs) + 1)]
    found = [
        Bundle(f"{rule}{BUNDLE}{number}", some, tuple(theirs))
        for number, (some, theirs) in zip(numbers, runs.items(), strict=True)
    ]
    return [*found, Bundle(rule)]


def _parts(times: dict[Member, float]) -> list[tuple[Member, ...]]:
    """Neighbours together up to the limit; what exceeds it by itself is alone."""
    parts: list[list[Member]] = []
    filled = 0.0
    for member, time in times.items():
        if not parts or filled + time > MOST_SECONDS:
            parts, filled = [*parts, []], 0.0
        parts[-1].append(member)
        filled += time
    return [tuple(part) for part in parts]
