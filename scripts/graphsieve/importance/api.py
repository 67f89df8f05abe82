"""`permutation_importance`: what is scored, by which engine, and the result."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from torch import Tensor, nn

from graphsieve.importance.checks import check_choices
from graphsieve.importance.columns import root_sequence
from graphsieve.importance.conditional import Conditional
from graphsieve.importance.given import check_given
from graphsieve.importance.inputs import read_inputs
from graphsieve.importance.loaders import read_loader, refuse_what_needs_the_graph
from graphsieve.importance.perturbations import check_perturbation
from graphsieve.importance.request import Posed, Request
from graphsieve.importance.result import PermutationImportance
from graphsieve.importance.rounds import Clock
from graphsieve.importance.sampling import Sampling
from graphsieve.importance.tasks import read_target

GIBIBYTE = 2**30


def permutation_importance(
    model: nn.Module,
    x: Tensor | Mapping[str, Tensor] | Iterable,
    edge_index: object = None,
    y: Tensor | Mapping[str, Tensor] | None = None,
    nodes: Tensor | np.ndarray | Sequence[int] | Mapping[str, Tensor] | None = None,
    *,
    n_repeats: int = 10,
    metric: str | Callable | Sequence[str | Callable] = "accuracy",
    perturbation: str | Conditional = "permute",
    given: str | Sequence[str] | None = None,
    task_level: str = "node",
    groups: Mapping[str, Sequence[int]] | None = None,
    feature_names: Sequence[str] | None = None,
    sample_weight: Tensor | None = None,
    features: Sequence[int] | None = None,
    features_of: str = "x",
    within: str | None = None,
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
    **model_kwargs: object,
) -> PermutationImportance | dict:
    """How much worse a model does when one column of its features, or a group of columns, is perturbed.

    Names and meaning follow scikit-learn's function of that name; a column is perturbed at all nodes of the graph. The
    model is called as `model(x, edge_index, **model_kwargs)`.

    Parameters
    ----------
    model : torch.nn.Module
        Returns one row of logits, or of predicted numbers, for each node, label edge or graph; or just one number for
        each. It is put in evaluation mode and restored afterwards.
    x : Tensor, dict of Tensor, or loader
        (nodes, features), float32 or float64, dense or sparse. A sparse x is handed to the model as it is, or dense
        where the model raises an error for a sparse one. A dict by node type gives a dict of results.
        Instead of a whole graph, any loader that can be iterated again: batches with `x`, `edge_index`, `y` (for edges
        `edge_label`) and `n_id`, the numbers of their nodes (whole graphs need none if their order stays); of
        `batch_size`, if they have it, only so many first nodes are scored. Then `edge_index` and `y` are left out, and
        arguments of the model, as `sample_weight`, are names of attributes of the batches. A column is permuted over
        the nodes of `loader.data` where there is such, else over those in batches.
    edge_index : object
        Whatever the model takes as its second argument.
    y : Tensor or dict of Tensor
        The labels: one per node, per column of `edge_label_index`, or per graph of `batch`. Class numbers; zeros and
        ones, with several columns where there are several labels; or numbers. A dict with one entry names the node type
        that is scored.
    nodes : Tensor, array or sequence of int, or dict of them
        The scored nodes, as a boolean mask or as indices; None at the level of edges and graphs, where all are scored.
    n_repeats : int
        How often every column is perturbed.
    metric : str, callable or sequence of them
        "accuracy", "cross_entropy", "macro_f1", "roc_auc" or "average_precision" for classes and labels; "r2",
        "mean_squared_error" or "mean_absolute_error" for numbers, all as in scikit-learn; or a function of (what the
        model returns, y) where higher is better. A list returns a dict of results by name, from the same perturbed
        passes. Which of two rows ranks first, where only rounding tells them apart (nodes with the same neighbours and
        the same features have one logit), may differ between engines, as between machines.
    perturbation : str or Conditional
        "permute", "gaussian" (noise of the column's mean and deviation), "mask" (zeros), or "conditional": keep what
        the other columns say of the column, and permute only the rest. A `Conditional` is one made beforehand, which
        several calls can share.
    given : str or sequence of str, optional
        What "permute" and "conditional" shall keep besides: what a node's "degree", the mean of the column over its
        "neighbourhood" or its "class" (of scored nodes, the only labels that are read) say of its value; with "graph",
        how smooth the column is on the graph.
    task_level : str
        Whether "node", "edge" or "graph" is predicted. Edges need `edge_label_index`, graphs need `batch`.
    groups : dict of str to sequence of int, optional
        Score these groups of columns instead of single columns; they may overlap. A permutation moves the rows of a
        group together.
    feature_names : sequence of str, optional
        One name per column of x, for tables and pictures of the result.
    sample_weight : Tensor, optional
        How much each label of y counts in the metric. A function as metric gets it by that name.
    features : sequence of int, optional
        Score these columns only; all of them by default. By type, as `groups` and `feature_names`, where x is.
    features_of : str
        Whose columns are the features: "x", or an argument that is given by name, such as "edge_attr" (then columns are
        permuted over edges) or "edge_weight" (one column).
    within : str, optional
        "graph" lets values change places only among the nodes (or edges) of one graph of `batch`.
    perturbed_rows : str
        "all" rows of a column are perturbed, or only those of the "scored" nodes, among themselves.
    shared_permutation : bool
        Whether one permutation a repeat moves all columns, instead of one drawn for each.
    random_state : int, SeedSequence, Generator or None
        Every feature and every group draws from its own child, so that a subset gets the same numbers.
    engine : str
        "full" is one forward pass per column and repeat; "auto" the fastest way that gives the same numbers: "lowrank"
        for models of known convolutions, also pooled over graphs; "incremental", which recomputes the rows that a
        change reaches, for attention and whatever else passes messages; "restricted" to what the scored nodes see; else
        "full". A loader has its own, "batched". `result.engine` says which one it was.
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
    **model_kwargs : object
        Further arguments of the model by name: `edge_weight`, `edge_attr`, `batch`, `edge_label_index`, ...

    Returns
    -------
    PermutationImportance or dict of PermutationImportance
        By type where features are, by metric where several are asked for. One row per feature or group, one column per
        repeat; positive means that it matters. Has `importances`, `importances_mean`, `importances_std`,
        `n_repeats_used`, `interval()`, `to_frame()` and `plot()`.

    Examples
    --------
    A layer that looks at the first column only:

    >>> import torch
    >>> from torch_geometric.data import Data
    >>> from torch_geometric.nn import GCNConv, global_mean_pool
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
    >>> copied = torch.stack([x[:, 0], x[:, 0]], dim=1)  # what one column says, the other says too
    >>> permutation_importance(model, copied, edge_index, y, range(100), perturbation="conditional").importances_mean
    array([0., 0.])
    >>> ring = torch.stack([torch.arange(100), torch.arange(1, 101) % 100])
    >>> sides = (torch.arange(100) >= 50).long()  # half of the ring is one class, and a column walks around it
    >>> walk = torch.stack([torch.sin(torch.arange(100) / 16), x[:, 0]], dim=1)
    >>> plain, smooth = (
    ...     permutation_importance(model, walk, ring, sides, range(100), given=given) for given in (None, "graph")
    ... )
    >>> bool(plain.importances_std[0] < smooth.importances_std[0])  # what is smooth agrees with classes by chance
    True
    >>> names = ["signal", "noise"]
    >>> loss = {"metric": "cross_entropy", "n_repeats": 40, "feature_names": names}
    >>> best = permutation_importance(model, x, edge_index, y, range(100), keep=1, **loss)
    >>> best.to_frame()[["feature", "n_repeats", "kept", "rank"]]
      feature  n_repeats   kept  rank
    0  signal          4   True     1
    1   noise          4  False     2

    Several labels of a node, some of which count more; and a metric of one's own:

    >>> labels, weight = torch.stack([1 - y, y], dim=1), torch.linspace(1, 2, 100)
    >>> options = {"metric": "roc_auc", "sample_weight": weight}
    >>> permutation_importance(model, x, edge_index, labels, range(100), **options).importances_mean.round(1)
    array([0.5, 0. ])
    >>> def worst_class(logits, y):
    ...     return min(float((logits.argmax(1) == y)[y == one].double().mean()) for one in (0, 1))
    >>> permutation_importance(model, x, edge_index, y, range(100), metric=worst_class).importances_mean > 0
    array([ True, False])

    Pairs of nodes that are linked if both are high in the first column; a number that belongs to each graph; the
    attributes of edges as the features:

    >>> class Link(torch.nn.Module):
    ...     def forward(self, x, edge_index, edge_label_index):
    ...         return x[edge_label_index, 0].sum(0)
    >>> pairs = torch.arange(100).view(2, 50)
    >>> linked = (x[pairs, 0].sum(0) > 0).long()
    >>> options = {"task_level": "edge", "metric": "roc_auc", "edge_label_index": pairs}
    >>> permutation_importance(Link(), x, edge_index, linked, **options).importances_mean.round(1)
    array([0.5, 0. ])
    >>> class Mean(torch.nn.Module):
    ...     def forward(self, x, edge_index, batch):
    ...         return global_mean_pool(x, batch)[:, 0]
    >>> batch, wanted = torch.arange(100) // 25, x[:, 0].view(4, 25).mean(1)
    >>> options = {"task_level": "graph", "metric": "mean_absolute_error", "batch": batch}
    >>> permutation_importance(Mean(), x, edge_index, wanted, **options).importances_mean > 0
    array([ True, False])
    >>> permutation_importance(Mean(), x, edge_index, wanted, within="graph", **options).importances_mean.round(6)
    array([0., 0.])
    >>> class Messages(torch.nn.Module):
    ...     def forward(self, x, edge_index, edge_attr):
    ...         return torch.zeros(100).index_add(0, edge_index[1], edge_attr[:, 1])
    >>> attributes = torch.arange(200.0).view(100, 2)  # of the ring's edges
    >>> options = {"metric": "r2", "features_of": "edge_attr", "edge_attr": attributes, "n_repeats": 40}
    >>> wanted = attributes[:, 1].roll(1)
    >>> permutation_importance(Messages(), x, ring, wanted, range(100), **options).importances_mean.round(1)
    array([0., 2.])

    Features by type of node, and mini-batches instead of the graph (here all in one; usually a `NeighborLoader`):

    >>> class Likes(torch.nn.Module):
    ...     def forward(self, x, edge_index):
    ...         source, target = edge_index["user", "likes", "film"]
    ...         return x["film"].index_add(0, target, x["user"][source])
    >>> typed = {"film": torch.zeros(100, 2), "user": torch.tensor([[1.0, 0.0], [0.0, 1.0]]).repeat(50, 1)}
    >>> edges = {("user", "likes", "film"): torch.arange(100).repeat(2, 1)}
    >>> genre = {"film": torch.arange(100) % 2}
    >>> found = permutation_importance(Likes(), typed, edges, genre, range(100))
    >>> {kind: float(result.importances_mean.max().round(1)) for kind, result in found.items()}
    {'film': 0.0, 'user': 0.3}
    >>> loader = [Data(x=x, edge_index=edge_index, y=y, n_id=torch.arange(100))]
    >>> permutation_importance(model, loader, n_repeats=20).importances_mean.round(1)
    array([0.5, 0. ])
    """
    check_choices(model, n_repeats, engine, perturbed_rows)
    given = check_given(given)
    check_perturbation(perturbation, given)
    sampling = Sampling(control_variate, keep, until_width, time_budget)
    if y is None and not isinstance(x, (Tensor, np.ndarray, Mapping)):
        refuse_what_needs_the_graph(features_of, given, within, perturbed_rows, engine, sampling)
        posed = read_loader(model, x, task_level, nodes, sample_weight, model_kwargs)
    else:
        inputs = read_inputs(x, edge_index, model_kwargs, features_of)
        posed = Posed(inputs, read_target(task_level, inputs, y, nodes, sample_weight))
    request = Request(
        model=model,
        posed=posed,
        metric=metric,
        n_repeats=n_repeats,
        perturbation=perturbation,
        given=given,
        within=within,
        perturbed_rows=perturbed_rows,
        shared_permutation=shared_permutation,
        seed=root_sequence(random_state),
        engine=engine,
        sampling=sampling,
        clock=Clock(time_budget),
        n_jobs=n_jobs,
        progress=progress,
        memory_limit=memory_limit,
    )
    score = request.results_by_type if posed.inputs.has_types else request.results
    return score(posed.inputs, features, groups, feature_names)
