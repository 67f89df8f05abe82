"""`permutation_importance`: what is scored, by which engine, and the result."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from torch import Tensor, nn
from tqdm import tqdm

from graphsieve.importance.checks import as_tensor, check_choices, check_shapes, feature_index, node_index
from graphsieve.importance.columns import DETERMINISTIC, Columns, root_sequence
from graphsieve.importance.conditional import Conditional
from graphsieve.importance.draws import DrawItem
from graphsieve.importance.engines.choice import choose_engine
from graphsieve.importance.groups import check_groups
from graphsieve.importance.metrics import Metric, check_labels, choose_metrics
from graphsieve.importance.perturbations import choose_draw
from graphsieve.importance.problem import Problem, evaluation_mode
from graphsieve.importance.result import PermutationImportance

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
    perturbation: str | Conditional = "permute",
    given: str | Sequence[str] | None = None,
    groups: Mapping[str, Sequence[int]] | None = None,
    features: Sequence[int] | None = None,
    perturbed_rows: str = "all",
    shared_permutation: bool = False,
    random_state: int | np.random.SeedSequence | np.random.Generator | None = 0,
    engine: str = "auto",
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
        "accuracy", "cross_entropy", "macro_f1", or a function of (logits, y) where higher is better. A list returns a
        dict of results by name, from the same perturbed passes.
    perturbation : str or Conditional
        "permute", "gaussian" (noise of the column's mean and deviation), "mask" (zeros), or "conditional": keep what
        the other columns say of the column, and permute only the rest. A `Conditional` is one made beforehand, which
        several calls can share.
    given : str or sequence of str, optional
        What "permute" and "conditional" shall keep besides: what a node's "degree", the mean of the column over its
        "neighbourhood" or its "class" (of scored nodes, the only labels that are read) say of its value; with "graph",
        how smooth the column is on the graph.
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
    x, y = as_tensor(x, "x"), as_tensor(y, "y")
    check_shapes(model, x, y, n_repeats)
    check_choices(engine, perturbed_rows)
    many = isinstance(metric, (list, tuple))
    metrics = choose_metrics(metric if many else [metric])
    rows = {"features": None, "groups": None}
    if groups is None:
        rows["features"] = feature_index(features, x.shape[1])
    else:
        rows["groups"] = check_groups(groups, features, x.shape[1])
    nodes, seed = node_index(nodes, x), root_sequence(random_state)
    draw = choose_draw(
        perturbation, given, grouped=groups is not None, shared=shared_permutation, seed=seed, x=x,
        edge_index=edge_index, y=y, nodes=nodes, rows=nodes if perturbed_rows == "scored" else None,
    )  # fmt: skip
    repeats = 1 if perturbation in DETERMINISTIC else n_repeats
    problem, order = _problem(model, x, edge_index, nodes, rows, repeats, draw, seed, memory_limit)
    with evaluation_mode(model):
        baselines, scores, chosen = _score(problem, y.to(x.device)[problem.nodes], metrics, engine, progress)
    results = {}
    for one, baseline, score in zip(metrics, baselines, scores, strict=True):
        importances = np.empty((len(order), n_repeats))
        importances[order] = one.sign * (baseline - score)  # what is not random was computed once for all repeats
        results[one.name] = PermutationImportance(importances, baseline, one.name, engine=chosen, **rows)
    return results if many else results[metrics[0].name]


def _problem(
    model: nn.Module,
    x: Tensor,
    edge_index: object,
    nodes: Tensor,
    rows: dict,
    repeats: int,
    draw: DrawItem,
    seed: np.random.SeedSequence,
    memory_limit: int,
) -> tuple[Problem, np.ndarray]:
    """What the engines are given, and which row of the result each of its items is.

    Items are sorted by size, because a block of copies takes as much room for each as for the largest of them.
    """
    if rows["groups"] is None:
        items = list(rows["features"][:, None])
        labels = [f"feature {column}" for column in rows["features"]]
    else:
        items = list(rows["groups"].values())
        labels = [f"group '{name}'" for name in rows["groups"]]
    order = np.argsort([len(item) for item in items], kind="stable")
    problem = Problem(
        model=model,
        x=x,
        edge_index=edge_index,
        nodes=nodes,
        items=[items[row] for row in order],
        labels=[labels[row] for row in order],
        repeats=repeats,
        draw_item=draw,
        seed=seed,
        columns=Columns(x),
        memory_limit=memory_limit,
    )
    return problem, order


def _score(
    problem: Problem, y: Tensor, metrics: list[Metric], engine: str, progress: bool
) -> tuple[list[float], np.ndarray, str]:
    """Every metric before, and of every item and repeat after; and the name of the engine that found them."""
    logits = problem.baseline
    check_labels(metrics, logits, y)
    baselines = [float(one(logits.T[..., None], y)[0]) for one in metrics]
    scores = np.empty((len(metrics), problem.num_pairs))
    chosen = choose_engine(engine, problem)
    with tqdm(total=problem.num_pairs, disable=not progress, unit="permutation") as bar:
        for pairs, part in chosen.blocks(lambda logits: np.stack([one(logits, y) for one in metrics])):
            scores[:, pairs.start : pairs.stop] = part
            bar.update(len(pairs))
    return baselines, scores.reshape(len(metrics), len(problem.items), problem.repeats), chosen.name
