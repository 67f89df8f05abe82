"""One call of `permutation_importance`: the problem it poses, and the results it returns."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from torch import nn

from graphsieve.device import thread_count
from graphsieve.errors import InputError
from graphsieve.importance.checks import check_names, feature_index
from graphsieve.importance.columns import (
    DETERMINISTIC,
    MEAN_OF_COLUMN,
    PERTURBATIONS,
    Columns,
    child_sequence,
    draw_column,
)
from graphsieve.importance.conditional import Conditional
from graphsieve.importance.draws import DrawItem, draw_at, draw_shared, exchange_among
from graphsieve.importance.engines.choice import Engine
from graphsieve.importance.engines.full import FullEngine
from graphsieve.importance.groups import check_groups, draw_group
from graphsieve.importance.inputs import Inputs
from graphsieve.importance.metrics import choose_metrics
from graphsieve.importance.perturbations import CONDITIONAL, make_conditional
from graphsieve.importance.problem import Problem, evaluation_mode
from graphsieve.importance.result import PermutationImportance
from graphsieve.importance.rounds import Clock, sample_repeats
from graphsieve.importance.sampling import Sampler, Sampling
from graphsieve.importance.tasks import Target
from graphsieve.importance.within import draw_within, read_blocks


@dataclass(frozen=True)
class Posed:
    """What the model is called with, what is scored, and the class of problem that this is."""

    inputs: Inputs
    target: Target
    make_problem: Callable[..., Problem] = Problem


@dataclass(frozen=True)
class Request:
    """What one call asks for, whichever features it is about."""

    model: nn.Module
    posed: Posed
    metric: str | Callable | Sequence[str | Callable]
    n_repeats: int
    perturbation: str | Conditional
    given: tuple[str, ...]
    within: str | None
    perturbed_rows: str
    shared_permutation: bool
    seed: np.random.SeedSequence
    engine: str
    sampling: Sampling
    clock: Clock
    n_jobs: int | None
    progress: bool
    memory_limit: int
    engines: dict[bool, Engine] = field(default_factory=dict)  # made by earlier calls like this; True: for groups

    def results_by_type(
        self, inputs: Inputs, features: Mapping | None, groups: Mapping | None, feature_names: Mapping | None
    ) -> dict:
        """Every type draws from its own child of the seed; where features or groups are named, only their types."""
        features, groups, names = (_by_type(one, inputs) for one in (features, groups, feature_names))
        found = {}
        for place, (kind, part) in enumerate(inputs.by_type().items()):
            if all(named is None or kind in named for named in (features, groups)):
                own = replace(self, seed=child_sequence(self.seed, place))
                found[kind] = own.results(part, *(named and named.get(kind) for named in (features, groups, names)))
        return found

    def results(
        self,
        inputs: Inputs,
        features: Sequence[int] | None,
        groups: Mapping | None,
        feature_names: Sequence[str] | None,
    ) -> PermutationImportance | dict[str, PermutationImportance]:
        many, num_columns = isinstance(self.metric, (list, tuple)), inputs.matrix.shape[1]
        metrics = choose_metrics(self.metric if many else [self.metric])
        rows = {"features": None, "groups": None}
        if groups is None:
            rows["features"] = feature_index(features, num_columns, inputs.name)
        else:
            rows["groups"] = check_groups(groups, features, num_columns, inputs.name)
        names = check_names(feature_names, num_columns, inputs.name)
        carried = {**rows, "perturbation": self.name, "feature_names": names}
        problem, order = self._problem(inputs, **rows)
        self._check_sampling(len(order))
        made = self.engines.get(groups is not None)
        with evaluation_mode(self.model), thread_count(self.n_jobs):
            if made is not None:
                problem.share_passes(made.problem)
            sampler = Sampler(problem, metrics, self.engine if made is None else made, self.sampling)
            if sampler.engine.name != FullEngine.name:  # which may have been chosen because this call is a small one
                self.engines[groups is not None] = sampler.engine
            sample_repeats(sampler, self.clock, self.progress)
        results = {one.metric: one for one in _results(sampler, order, self.n_repeats, carried)}
        return results if many else results[metrics[0].name]

    @property
    def name(self) -> str:
        """Of what is done to the columns."""
        return CONDITIONAL if self.given or isinstance(self.perturbation, Conditional) else self.perturbation

    def _check_sampling(self, num_rows: int) -> None:
        if self.sampling.control_variate and self.name not in MEAN_OF_COLUMN:
            raise InputError(
                f"control_variate needs draws whose mean is known, and those of perturbation '{self.name}' "
                f"have none: choose one of {', '.join(sorted(MEAN_OF_COLUMN))}"
            )
        keep = self.sampling.keep
        if keep is not None and keep > num_rows:
            raise InputError(f"keep is {keep}, but there are {num_rows} features or groups to score: keep fewer")

    def _problem(
        self, inputs: Inputs, features: np.ndarray | None, groups: dict[str, np.ndarray] | None
    ) -> tuple[Problem, np.ndarray]:
        """What the engines are given, and which row of the result each of its items is.

        Items are sorted by size, because a block of copies takes as much room for each as for the largest of them.
        """
        if groups is None:
            draw, items = draw_column, list(features[:, None])
            labels = [f"feature {column}" for column in features]
        else:
            draw, items = draw_group, list(groups.values())
            labels = [f"group '{name}'" for name in groups]
        order = np.argsort([len(item) for item in items], kind="stable")
        draw_item, exchange = self._draws(draw, inputs)
        problem = self.posed.make_problem(
            model=self.model,
            inputs=inputs,
            target=self.posed.target,
            items=[items[row] for row in order],
            labels=[labels[row] for row in order],
            repeats=1 if self.name in DETERMINISTIC else self.n_repeats,
            draw_item=draw_item,
            exchange=exchange,
            seed=self.seed,
            columns=Columns(inputs.matrix),
            memory_limit=self.memory_limit,
        )
        return problem, order

    def _draws(self, draw: Callable, inputs: Inputs) -> tuple[DrawItem, np.ndarray | None]:
        """How the new values of an item are drawn, and which rows exchange theirs."""
        blocks = read_blocks(self.within, self.name, inputs)
        if self.shared_permutation and self.name == CONDITIONAL:
            raise InputError("shared_permutation moves all columns alike, and cannot keep what is known of each")
        rows = None if self.perturbed_rows == "all" else self.posed.target.rows
        conditional = make_conditional(self.perturbation, self.given, inputs, self.posed.target, rows)
        if conditional is not None:
            draw_item = conditional.draw
        elif blocks is not None:
            draw_item = partial(draw_within, blocks)
        elif self.shared_permutation and self.perturbation == "permute":
            draw_item = draw_shared(self.seed)
        else:
            draw_item = partial(draw, PERTURBATIONS[self.perturbation])
        if self.perturbed_rows == "all":
            return draw_item, blocks
        if blocks is not None or self.posed.target.level != "node" or not inputs.is_x:
            raise InputError("perturbed_rows='scored' is for features of nodes that are scored themselves")
        scored = self.posed.target.rows
        return draw_at(draw_item, inputs.matrix, scored), exchange_among(scored, len(inputs.matrix))


def _by_type(named: Mapping | None, inputs: Inputs) -> Mapping | None:
    if named is None:
        return None
    unknown = named if not isinstance(named, Mapping) else [kind for kind in named if kind not in inputs.argument]
    if len(unknown):
        known = ", ".join(map(str, inputs.argument))
        raise InputError(
            f"features, groups and feature_names must be dicts by type where {inputs.features_of} is one ({known})"
        )
    return named


def _results(sampler: Sampler, order: np.ndarray, n_repeats: int, carried: dict) -> Iterator[PermutationImportance]:
    """One for each metric, rows in the caller's order."""
    place = np.argsort(order)

    def in_order(values: np.ndarray) -> np.ndarray:
        # What is not random was computed once for all repeats.
        return np.broadcast_to(values[place], (len(order), n_repeats)).copy()

    sampled, kept = in_order(sampler.sampled), sampler.kept()
    for number, metric in enumerate(sampler.metrics):
        yield PermutationImportance(
            importances=in_order(sampler.importances[number]),
            baseline=sampler.baselines[number],
            metric=metric.name,
            engine=sampler.engine.name,
            sampled=None if sampled.all() else sampled,
            kept=None if kept is None else kept[place],
            variance_ratio=sampler.variance_ratio(number),
            **carried,
        )
