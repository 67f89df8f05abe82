"""`permutation_importance`: what is scored, by which engine, and the result."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from torch import Tensor, nn

from graphsieve.importance.checks import check_choices
from graphsieve.importance.columns import root_sequence
from graphsieve.importance.inputs import read_inputs
from graphsieve.importance.request import Request
from graphsieve.importance.result import PermutationImportance
from graphsieve.importance.rounds import Clock
from graphsieve.importance.sampling import Sampling
from graphsieve.importance.tasks import read_target

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
        is open whether they are among them; `result.kept` says which are, as all repeats would with few exceptions. Of
        several metrics, the first decides and the next ones break ties. It saves most for a loss, where the slope
        foretells what is not sampled; accuracy moves in steps and needs nearly all repeats where the cut is among ties.
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
    check_choices(model, n_repeats, perturbation, engine, perturbed_rows)
    inputs = read_inputs(x, edge_index, model_kwargs, features_of)
    request = Request(
        model=model,
        target=read_target(task_level, inputs, y, nodes, sample_weight),
        metric=metric,
        n_repeats=n_repeats,
        perturbation=perturbation,
        within=within,
        perturbed_rows=perturbed_rows,
        shared_permutation=shared_permutation,
        seed=root_sequence(random_state),
        engine=engine,
        sampling=Sampling(control_variate, keep, until_width, time_budget),
        clock=Clock(time_budget),
        n_jobs=n_jobs,
        progress=progress,
        memory_limit=memory_limit,
    )
    score = request.results_by_type if inputs.has_types else request.results
    return score(inputs, features, groups, feature_names)
