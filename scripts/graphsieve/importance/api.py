"""`permutation_importance`: what is scored, by which engine, and the result."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from torch import Tensor, nn
from tqdm import tqdm

from graphsieve.errors import InputError
from graphsieve.importance.checks import check_choices, feature_index
from graphsieve.importance.columns import (
    DETERMINISTIC,
    PERTURBATIONS,
    Columns,
    child_sequence,
    draw_column,
    root_sequence,
)
from graphsieve.importance.draws import DrawItem, draw_at, draw_shared
from graphsieve.importance.engines.choice import choose_engine
from graphsieve.importance.groups import check_groups, draw_group
from graphsieve.importance.inputs import Inputs, read_inputs
from graphsieve.importance.metrics import Judge, Metric, choose_metrics
from graphsieve.importance.problem import Problem, evaluation_mode
from graphsieve.importance.result import PermutationImportance
from graphsieve.importance.tasks import Target, read_target
from graphsieve.importance.within import draw_within, read_blocks

GIBIBYTE = 2**30


def permutation_importance(
    model: nn.Module,
    x: Tensor | Mapping[str, Tensor],
    edge_index: object,
    y: Tensor | Mapping[str, Tensor],
    nodes: Tensor | np.ndarray | Sequence[int] | Mapping[str, Tensor] | None = None,
    *,
    n_repeats: int = 10,
    metric: str | Callable | Sequence[str | Callable] = "accuracy",
    perturbation: str = "permute",
    task_level: str = "node",
    groups: Mapping[str, Sequence[int]] | None = None,
    sample_weight: Tensor | None = None,
    features: Sequence[int] | None = None,
    features_of: str = "x",
    within: str | None = None,
    perturbed_rows: str = "all",
    shared_permutation: bool = False,
    random_state: int | np.random.SeedSequence | np.random.Generator | None = 0,
    engine: str = "auto",
    progress: bool = False,
    memory_limit: int = GIBIBYTE // 2,
    **model_kwargs: object,
) -> PermutationImportance | dict:
    """How much worse `model(x, edge_index)` does at `nodes` when one column of x, or a group of columns, is perturbed.

    Names and meaning follow scikit-learn's function of that name; a column is perturbed at all nodes of the graph.

    Parameters
    ----------
    model : torch.nn.Module
        Returns one row of logits per node. It is put in evaluation mode and restored afterwards.
    x : Tensor
        (nodes, features), float32 or float64, dense or sparse. A sparse x is handed to the model as it is, or dense
        where the model raises an error for a sparse one.
    edge_index : object
        Whatever the model takes as its second argument.
    y : Tensor
        The labels of all nodes.
    nodes : Tensor, array or sequence of int
        The scored nodes, as a boolean mask or as indices.
    n_repeats : int
        How often every column is perturbed.
    metric : str, callable or sequence of them
        "accuracy", "cross_entropy", "macro_f1", or a function of (logits, y) where higher is better. A list returns a
        dict of results by name, from the same perturbed passes.
    perturbation : str
        "permute", "gaussian" (noise of the column's mean and deviation) or "mask" (zeros).
    groups : dict of str to sequence of int, optional
        Score these groups of columns instead of single columns; they may overlap. A permutation moves the rows of a
        group together.
    features : sequence of int, optional
        Score these columns only; all of them by default.
    perturbed_rows : str
        "all" rows of a column are perturbed, or only those of the "scored" nodes, among themselves.
    shared_permutation : bool
        Whether one permutation a repeat moves all columns, instead of one drawn for each.
    random_state : int, SeedSequence, Generator or None
        Every feature and every group draws from its own child, so that a subset gets the same numbers.
    engine : str
        "full" is one forward pass per column and repeat; "auto" the fastest way that gives the same numbers: "lowrank"
        for models of known convolutions, else "restricted" to what the scored nodes see, else "full".
    progress : bool
        Whether to show a progress bar.
    memory_limit : int
        Bytes of working memory, beyond the model and the graph, that batches of copies may take.

    Returns
    -------
    PermutationImportance or dict of str to PermutationImportance
        One row per feature or group, one column per repeat; positive means that it matters.

    Examples
    --------
    A layer that looks at the first column only:

    >>> import torch
    >>> from torch_geometric.nn import GCNConv
    >>> from graphsieve import permutation_importance
    >>> model = GCNConv(2, 2, bias=False)
    >>> model.lin.weight.data = torch.tensor([[1.0, 0.0], [-1.0, 0.0]])
    >>> x = torch.tensor([[1.0, 3.0], [-1.0, 5.0]]).repeat(50, 1)
    >>> y = (x[:, 0] < 0).long()
    >>> edge_index = torch.tensor([[0, 1], [2, 3]])
    >>> result = permutation_importance(model, x, edge_index, y, range(100), n_repeats=20)
    >>> result.importances_mean.round(1)
    array([0.5, 0. ])
    >>> pair = permutation_importance(model, x, edge_index, y, range(100), groups={"both": [0, 1]})
    >>> list(pair.groups), pair.importances.shape
    (['both'], (1, 10))
    """
    check_choices(model, n_repeats, perturbation, engine, perturbed_rows)
    inputs = read_inputs(x, edge_index, model_kwargs, features_of)
    one_part = next(iter(inputs.by_type().values())) if isinstance(inputs.argument, Mapping) else inputs
    request = _Request(
        model=model,
        target=read_target(task_level, inputs, y, nodes, sample_weight, one_part.values.device),
        metric=metric,
        n_repeats=n_repeats,
        perturbation=perturbation,
        within=within,
        perturbed_rows=perturbed_rows,
        shared_permutation=shared_permutation,
        seed=root_sequence(random_state),
        engine=engine,
        progress=progress,
        memory_limit=memory_limit,
    )
    if one_part is inputs:
        return request.results(inputs, features, groups)
    return request.results_by_type(inputs, features, groups)


@dataclass(frozen=True)
class _Request:
    """What one call asks for, whichever features it is about."""

    model: nn.Module
    target: Target
    metric: str | Callable | Sequence[str | Callable]
    n_repeats: int
    perturbation: str
    within: str | None
    perturbed_rows: str
    shared_permutation: bool
    seed: np.random.SeedSequence
    engine: str
    progress: bool
    memory_limit: int

    def results_by_type(self, inputs: Inputs, features: Mapping | None, groups: Mapping | None) -> dict:
        """Every type draws from its own child of the seed; where features or groups are named, only their types."""
        features, groups = (_by_type(one, inputs) for one in (features, groups))
        found = {}
        for place, (kind, part) in enumerate(inputs.by_type().items()):
            if all(named is None or kind in named for named in (features, groups)):
                own = replace(self, seed=child_sequence(self.seed, place))
                found[kind] = own.results(part, features and features[kind], groups and groups[kind])
        return found

    def results(self, inputs: Inputs, features: Sequence[int] | None, groups: Mapping | None) -> object:
        many = isinstance(self.metric, (list, tuple))
        metrics = choose_metrics(self.metric if many else [self.metric])
        rows = {"features": None, "groups": None}
        if groups is None:
            rows["features"] = feature_index(features, inputs.matrix.shape[1])
        else:
            rows["groups"] = check_groups(groups, features, inputs.matrix.shape[1])
        problem, order = self._problem(inputs, **rows)
        with evaluation_mode(self.model):
            baselines, scores, chosen = _score(problem, metrics, self.engine, self.progress)
        results = {}
        for one, baseline, score in zip(metrics, baselines, scores, strict=True):
            importances = np.empty((len(order), self.n_repeats))
            importances[order] = one.sign * (baseline - score)  # what is not random was computed once for all repeats
            results[one.name] = PermutationImportance(importances, baseline, one.name, engine=chosen, **rows)
        return results if many else results[metrics[0].name]

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
        problem = Problem(
            model=self.model,
            inputs=inputs,
            target=self.target,
            items=[items[row] for row in order],
            labels=[labels[row] for row in order],
            repeats=1 if self.perturbation in DETERMINISTIC else self.n_repeats,
            draw_item=self._draw_item(draw, inputs),
            seed=self.seed,
            columns=Columns(inputs.matrix),
            memory_limit=self.memory_limit,
        )
        return problem, order

    def _draw_item(self, draw: Callable, inputs: Inputs) -> DrawItem:
        """How the new values of an item are drawn."""
        blocks = read_blocks(self.within, self.perturbation, inputs)
        if blocks is not None:
            draw_item = partial(draw_within, blocks)
        elif self.shared_permutation and self.perturbation == "permute":
            draw_item = draw_shared(self.seed)
        else:
            draw_item = partial(draw, PERTURBATIONS[self.perturbation])
        if self.perturbed_rows == "all":
            return draw_item
        if blocks is not None or self.target.level != "node" or not inputs.is_x:
            raise InputError("perturbed_rows='scored' is for features of nodes that are scored themselves")
        return draw_at(draw_item, inputs.matrix, self.target.rows)


def _by_type(named: Mapping | None, inputs: Inputs) -> Mapping | None:
    if named is None:
        return None
    unknown = named if not isinstance(named, Mapping) else [kind for kind in named if kind not in inputs.argument]
    if len(unknown):
        known = ", ".join(map(str, inputs.argument))
        raise InputError(f"features and groups must be dicts by type where {inputs.features_of} is one ({known})")
    return named


def _score(problem: Problem, metrics: list[Metric], engine: str, progress: bool) -> tuple[list[float], np.ndarray, str]:
    """Every metric before, and of every item and repeat after; and the name of the engine that found them."""
    target, outputs = problem.target, problem.baseline
    judge = Judge(metrics, outputs, target.y, target.weight, problem.is_flat)
    scores = np.empty((len(metrics), problem.num_pairs))
    chosen = choose_engine(engine, problem)
    with tqdm(total=problem.num_pairs, disable=not progress, unit="permutation") as bar:
        for pairs, part in chosen.blocks(judge):
            scores[:, pairs.start : pairs.stop] = part
            bar.update(len(pairs))
    return judge.baselines, scores.reshape(len(metrics), len(problem.items), problem.repeats), chosen.name
