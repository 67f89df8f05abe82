"""Rank the features of one graph, with standard errors and p-values that hold.

How a p-value can hold: a trained model has fitted even the noise of the columns it saw, at the labelled nodes and at
all nodes that send them messages. So whatever took part in training looks better than its permutation, relevant or not.
Here the nodes are cut into two halves at random. A model is trained on the subgraph of one half and scored on the
subgraph of the other; nothing of that other half, no label, feature or edge, took part in training. Where a column says
nothing there (its values could as well stand at other nodes), the original ranks among its permutations by chance
alone, and the share of permutations that do as well is a p-value: exactly, for any model and however badly trained.
Then the halves change roles, and the smaller of the two p-values counts, doubled. All seeds share the halves and the
permutations and are averaged before they are ranked, because seeds are not independent evidence. What is ranked is the
loss, which has no ties; accuracy has, and ties would hide effects.

The test nodes' labels are used for nothing but the accuracies at the end.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import torch
from torch import nn

from graphsieve.data.graph import Graph, Split
from graphsieve.data.splits import choose_split
from graphsieve.inference.accuracy_curve import accuracy_curve, curve_seeds, tested_nodes
from graphsieve.inference.budget import Budget
from graphsieve.inference.correlated import closest_columns, correlations_of
from graphsieve.inference.enough import keeping_order, leading_columns, numbers_on_curve, smallest_enough
from graphsieve.inference.evidence import ColumnTests, gather_evidence
from graphsieve.inference.groups import find_groups, score_together
from graphsieve.inference.p_values import SIGNIFICANCE
from graphsieve.inference.scored import score_sides
from graphsieve.inference.sides import Side, progress_bar, train_sides
from graphsieve.inference.tables import feature_table, group_scores_table, group_table, scores_table
from graphsieve.inference.tasks import measure_of, scale_labels, suited_options, worth_of_guessing
from graphsieve.inference.trainings import MakeModel, Trainings, trainings_for
from graphsieve.models.classifier import NodeClassifier
from graphsieve.models.sampled import MOST_NEIGHBOURS
from graphsieve.options import RankingOptions
from graphsieve.selection.top import keep_top


@dataclass(frozen=True)
class Ranking:
    """`table` has one row per feature, best first; `groups` one row per group of columns, permuted together.

    keeping: all features in the order in which the curve keeps them; `smallest` of them are enough.
    edge_values: which values of the edges, weights or attributes, the model was given.
    shortcuts: sentences on what was made smaller, because the graph is large or time was short.
    """

    graph: Graph
    options: RankingOptions
    table: pd.DataFrame
    groups: pd.DataFrame
    curve: pd.DataFrame
    keeping: tuple[str, ...]
    smallest: int
    majority: float
    scored_nodes: int
    scored_accuracy: float
    test_nodes: int
    edge_values: tuple[str, ...] = ()
    shortcuts: tuple[str, ...] = ()

    def best(self, number: int) -> list[int]:
        """The columns of x that are kept first, at most so many."""
        names = set(self.keeping[:number])
        return [column for column, name in enumerate(self.graph.names()) if name in names]

    @property
    def measure(self) -> str:
        """What the curve shows, and what `majority` is of: accuracy or r2. `scored_accuracy` is of the metric."""
        return measure_of(self.graph)


def rank_features(
    graph: Graph,
    *,
    options: RankingOptions | None = None,
    device: str | torch.device = "cpu",
    progress: bool = False,
    make_model: MakeModel | None = None,
) -> Ranking:
    """Train, score, test and rank the features of a graph, with p-values that hold.

    Parameters
    ----------
    graph : Graph
        Its features, and values of its edges, are taken as they are, so scale them first.
    options : RankingOptions, optional
        Which model, how many seeds and permutations. Labels that are quantities are learnt with deviation 1, which is
        the unit of their errors.
    device : str or torch.device
        Where to train and score.
    progress : bool
        Whether to show progress bars.
    make_model : callable, optional
        Makes a module of one's own for a number of features, instead of the options' model. It is called as
        `module(x, edge_index)`, with `edge_weight` and `edge_attr` by name where the graph has them.

    Returns
    -------
    Ranking
        A table with one row per feature, one with one row per group, and accuracy by the number of features kept.

    Examples
    --------
    The first five features of this graph tell the class, the others are chance:

    >>> from graphsieve.data.synthetic import generate
    >>> from graphsieve.inference.ranking import rank_features
    >>> from graphsieve.options import RankingOptions, TrainingOptions
    >>> graph = generate("d", 0, num_nodes=200, num_features=7)
    >>> training = TrainingOptions(hidden=16, epochs=20)
    >>> ranking = rank_features(graph, options=RankingOptions(seeds=1, permutations=99, training=training))
    >>> list(ranking.table.columns[:3]), len(ranking.table)
    (['rank', 'feature', 'importance'], 7)
    """
    given, device = graph, torch.device(device)
    graph, split, options = prepare(graph, options or RankingOptions())
    budget = Budget(options.time_budget)
    sides = train_sides(graph, split, options, device, progress, make_model, budget)
    judged = judge_columns(graph, split, sides, progress)
    trainings = trainings_for(graph, sides[0].options, device, make_model, budget)
    numbers = numbers_on_curve(graph.num_features, judged.leading)
    with progress_bar(progress, "keeping fewer", len(numbers) * curve_seeds(trainings)) as bar:
        curve = accuracy_curve(graph, split, judged.keeping, numbers, trainings, bar.update)
    return Ranking(
        graph=given,
        options=_options_used(sides[0], judged.n_repeats, make_model),
        table=judged.table,
        groups=judged.groups,
        curve=curve,
        keeping=tuple(np.array(graph.names(), dtype=object)[judged.keeping]),
        smallest=smallest_enough(curve, judged.leading),
        majority=worth_of_guessing(graph, split),
        scored_nodes=sum(len(side.nodes) for side in sides),
        scored_accuracy=judged.baseline,
        test_nodes=len(tested_nodes(split, options.seed)),
        edge_values=_edge_values(graph, sides[0].models[0]),
        shortcuts=(*_shortcuts(graph, split, sides, trainings, judged.untested_losses), *budget.cuts),
    )


def _options_used(side: Side, n_repeats: int, make_model: MakeModel | None) -> RankingOptions:
    """What was asked for, less what there was no time for, and the name of a module of the caller's own."""
    options = replace(side.options, n_repeats=n_repeats)
    return options if make_model is None else replace(options, model=type(side.models[0]).__name__)


def _shortcuts(
    graph: Graph, split: Split, sides: list[Side], trainings: Trainings, untested_losses: int
) -> Iterator[str]:
    """What is done with a part of a large graph."""
    if trainings.samples:
        yield (
            f"the graph has {graph.num_nodes:,} nodes, so models learn from batches of nodes, with at most "
            f"{MOST_NEIGHBOURS} neighbours of each drawn at random; they are scored and tested with all neighbours"
        )
        yield "each number of features on the curve is that of one model"
    known, scored = len(split.train) + len(split.val), sum(len(side.nodes) for side in sides)
    if scored < known:
        yield f"importances and p-values are measured at {scored:,} of {known:,} labelled nodes, drawn at random"
    if untested_losses:
        yield (
            f"{untested_losses} columns or groups that models use, but that are not shown to matter by themselves, are "
            "not tested in combination with others: draws that would tell cannot be had for so many nodes"
        )
    tested = len(tested_nodes(split, trainings.options.seed))
    if tested < len(split.test):
        yield f"accuracies are measured at {tested:,} of {len(split.test):,} test nodes, drawn at random"


def prepare(graph: Graph, options: RankingOptions) -> tuple[Graph, Split, RankingOptions]:
    """The graph with labels to learn from, which nodes they are learnt and tested at, and options that suit it."""
    split = choose_split(graph, "public" if graph.public_split else "random", options.seed)
    return scale_labels(graph, split), split, suited_options(options, graph)


def _edge_values(graph: Graph, model: nn.Module) -> tuple[str, ...]:
    """Which values of the edges the model takes; a module of one's own is given all."""
    takes = model.takes[0] if isinstance(model, NodeClassifier) else graph.edge_values()
    return tuple(name for name in graph.edge_values() if name in takes)


@dataclass(frozen=True)
class Judged:
    """`table` and `groups` as in a Ranking; `baseline` is the metric.

    keeping: all columns, in the order in which they are kept. leading: how many of these are kept in any case.
    untested_losses: of how many units the loss could not be tested.
    n_repeats: how many permutations an importance is the mean of.
    """

    table: pd.DataFrame
    groups: pd.DataFrame
    keeping: np.ndarray
    leading: int
    untested_losses: int
    baseline: float
    n_repeats: int


def judge_columns(graph: Graph, split: Split, sides: list[Side], progress: bool = False) -> Judged:
    """Importance of columns and of groups of them, and what tests say of them."""
    seed, scored = sides[0].options.seed, score_sides(sides, graph.num_features, progress)
    scores = scores_table(graph.names(), scored)
    order = keep_top(scores["importance"].to_numpy(), graph.num_features, losses=scored.losses, seed=seed).ranking
    correlations = correlations_of(graph, seed)
    groups = find_groups(graph, correlations)
    scored_groups = score_together(sides, list(groups["columns"]), "scoring groups", progress)
    group_scores = group_scores_table(groups, scored_groups)
    p_values = scores["p_alone"], group_scores["p_alone"]
    tests = ColumnTests(graph, split, sides)
    evidence = gather_evidence(tests, groups, order, *p_values, progress)
    table = feature_table(graph, scores, evidence, groups, closest_columns(graph, correlations))
    table = table.iloc[order].reset_index(drop=True)
    table.insert(0, "rank", np.arange(1, len(table) + 1))
    used = scores["p_alone"] <= SIGNIFICANCE
    leading = leading_columns(order, *(column.to_numpy() for column in (evidence["unit"], evidence["starred"], used)))
    return Judged(
        table=table,
        groups=group_table(groups, group_scores, evidence),
        keeping=keeping_order(order, leading),
        leading=len(leading),
        untested_losses=tests.untested_losses,
        baseline=scored.baseline,
        n_repeats=scored.falls.shape[2],
    )
