"""`permutation_importance`: what is scored, by which engine, and the result."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from torch import Tensor, nn

from graphsieve.device import thread_count
from graphsieve.errors import InputError
from graphsieve.importance.checks import as_tensor, check_choices, check_names, check_shapes, feature_index, node_index
from graphsieve.importance.columns import (
    DETERMINISTIC,
    MEAN_OF_COLUMN,
    PERTURBATIONS,
    Columns,
    draw_column,
    root_sequence,
)
from graphsieve.importance.draws import draw_at, draw_shared, exchange_among
from graphsieve.importance.groups import check_groups, draw_group
from graphsieve.importance.metrics import choose_metrics
from graphsieve.importance.problem import Problem, evaluation_mode
from graphsieve.importance.result import PermutationImportance
from graphsieve.importance.rounds import Clock, sample_repeats
from graphsieve.importance.sampling import Sampler, Sampling

GIBIBYTE = 2**30


def permutation_importance(
    model: nn.Module,
    x: Tensor,
    edge_index: object,
    y: Tensor,
    nodes: Tensor | np.ndarray | Sequence[int],
    *,
    n_repeats: int = 10,
    metric: str | Callable | Sequence[str | Callable] = "accuracy",
    perturbation: str = "permute",
    groups: Mapping[str, Sequence[int]] | None = None,
    feature_names: Sequence[str] | None = None,
    features: Sequence[int] | None = None,
    perturbed_rows: str = "all",
    shared_permutation: bool = False,
    random_state: int | np.random.SeedSequence | np.random.Generator | None = 0,
    engine: str = "auto",
    control_variate: bool = False,
    keep: int | None = None,
    until_width: float | None = None,
    time_budget: float | None = None,
    n_jobs: int | None = None,
    progress: bool = False,
    memory_limit: int = GIBIBYTE // 2,
) -> PermutationImportance | dict[str, PermutationImportance]:
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
        "accuracy", "cross_entropy", "macro_f1", "roc_auc", "average_precision", or a function of (logits, y) where
        higher is better. A list returns a dict of results by name, from the same perturbed passes.
    perturbation : str
        "permute", "gaussian" (noise of the column's mean and deviation) or "mask" (zeros).
    groups : dict of str to sequence of int, optional
        Score these groups of columns instead of single columns; they may overlap. A permutation moves the rows of a
        group together.
    feature_names : sequence of str, optional
        One name per column of x, for tables and pictures of the result.
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
    control_variate : bool
        Take from every repeat what the slope of the metric says of it and add what it says on average: the same
        expectation, with a fraction of the variance (`result.variance_ratio`). For losses and other metrics that have a
        slope, and for draws at random ("permute", "gaussian").
    keep : int, optional
        Only which so many rows score highest matters: a race. Rows get more repeats, `n_repeats` at most, only while it
        is open whether they are among them. `result.kept` says which are: with `n_repeats=40`, what all repeats say in
        95 of 100 cases. Of several metrics, the first decides and the next ones break ties. It saves most for a loss,
        where the slope foretells what is not sampled, and where few are kept; accuracy moves in steps and needs nearly
        all repeats where the cut is among ties.
    until_width : float, optional
        Rows whose 95 % interval (by the first metric) is no wider than this get no more repeats.
    time_budget : float, optional
        Seconds after which no further round of repeats begins; `n_repeats` is the most there will be. One repeat of
        every row is sampled in any case.
    n_jobs : int, optional
        Threads: -1 for all cores; by default as many as torch is set to, which is all cores where nobody chose fewer.
    progress : bool
        Whether to show a progress bar.
    memory_limit : int
        Bytes of working memory, beyond the model and the graph, that batches of copies may take.

    Returns
    -------
    PermutationImportance or dict of str to PermutationImportance
        One row per feature or group, one column per repeat; positive means that it matters. Has `importances`,
        `importances_mean`, `importances_std`, `n_repeats_used`, `interval()`, `to_frame()` and `plot()`.

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
    >>> names = ["signal", "noise"]
    >>> loss = {"metric": "cross_entropy", "n_repeats": 40, "feature_names": names}
    >>> best = permutation_importance(model, x, edge_index, y, range(100), keep=1, **loss)
    >>> best.to_frame()[["feature", "n_repeats", "kept", "rank"]]
      feature  n_repeats   kept  rank
    0  signal          4   True     1
    1   noise          4  False     2
    """
    sampling, clock = Sampling(control_variate, keep, until_width, time_budget), Clock(time_budget)
    x, y = as_tensor(x, "x"), as_tensor(y, "y")
    check_shapes(model, x, y, n_repeats)
    check_choices(perturbation, engine, perturbed_rows)
    feature_names = check_names(feature_names, x.shape[1])
    many = isinstance(metric, (list, tuple))
    metrics = choose_metrics(metric if many else [metric])
    rows = {"features": None, "groups": None}
    if groups is None:
        rows["features"] = feature_index(features, x.shape[1])
    else:
        rows["groups"] = check_groups(groups, features, x.shape[1])
    problem, order = _problem(model, x, edge_index, nodes, rows, n_repeats, perturbation, random_state, memory_limit)
    _check_sampling(sampling, perturbation, len(order))
    if shared_permutation and perturbation == "permute":
        problem.draw_item = draw_shared(problem.seed)
    if perturbed_rows == "scored":
        problem.draw_item = draw_at(problem.draw_item, x, problem.nodes)
        problem.exchange = exchange_among(problem.nodes, len(x))
    with evaluation_mode(model), thread_count(n_jobs):
        sampler = Sampler(problem, y.to(x.device)[problem.nodes], metrics, engine, sampling)
        sample_repeats(sampler, clock, progress)
    carried = {**rows, "perturbation": perturbation, "feature_names": feature_names}
    results = dict(zip([one.name for one in metrics], _results(sampler, order, n_repeats, carried), strict=True))
    return results if many else results[metrics[0].name]


def _check_sampling(sampling: Sampling, perturbation: str, num_rows: int) -> None:
    if sampling.control_variate and perturbation not in MEAN_OF_COLUMN:
        raise InputError(
            f"control_variate needs draws whose mean is known, and those of perturbation '{perturbation}' have none: "
            f"choose one of {', '.join(sorted(MEAN_OF_COLUMN))}"
        )
    if sampling.keep is not None and sampling.keep > num_rows:
        raise InputError(f"keep is {sampling.keep}, but there are {num_rows} features or groups to score: keep fewer")


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


def _problem(
    model: nn.Module,
    x: Tensor,
    edge_index: object,
    nodes: Tensor | np.ndarray | Sequence[int],
    rows: dict,
    n_repeats: int,
    perturbation: str,
    random_state: int | np.random.SeedSequence | np.random.Generator | None,
    memory_limit: int,
) -> tuple[Problem, np.ndarray]:
    """What the engines are given, and which row of the result each of its items is.

    Items are sorted by size, because a block of copies takes as much room for each as for the largest of them.
    """
    if rows["groups"] is None:
        draw, items = draw_column, list(rows["features"][:, None])
        labels = [f"feature {column}" for column in rows["features"]]
    else:
        draw, items = draw_group, list(rows["groups"].values())
        labels = [f"group '{name}'" for name in rows["groups"]]
    order = np.argsort([len(item) for item in items], kind="stable")
    problem = Problem(
        model=model,
        x=x,
        edge_index=edge_index,
        nodes=node_index(nodes, x),
        items=[items[row] for row in order],
        labels=[labels[row] for row in order],
        repeats=1 if perturbation in DETERMINISTIC else n_repeats,
        draw_item=partial(draw, PERTURBATIONS[perturbation]),
        seed=root_sequence(random_state),
        columns=Columns(x),
        memory_limit=memory_limit,
    )
    return problem, order
