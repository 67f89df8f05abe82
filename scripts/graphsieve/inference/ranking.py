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

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import torch
from torch import nn
from tqdm import tqdm

from graphsieve.data.graph import Graph, Split, induced_subgraph
from graphsieve.data.splits import choose_split
from graphsieve.errors import InputError
from graphsieve.importance import Conditional, permutation_importance
from graphsieve.inference.accuracy_curve import accuracy_curve
from graphsieve.inference.correlated import correlated_groups
from graphsieve.inference.p_values import adjust_benjamini_hochberg, adjust_holm, sequential_p_values, smaller_doubled
from graphsieve.inference.tasks import loss_of, measure_of, scale_labels, suited_options, worth_of_guessing
from graphsieve.inference.trainings import MakeModel, trainer
from graphsieve.models.classifier import NodeClassifier
from graphsieve.models.training import edge_tensors
from graphsieve.options import RankingOptions
from graphsieve.randomness import child
from graphsieve.selection.how_few import numbers_to_keep, smallest_without_loss, standard_error
from graphsieve.selection.top import keep_top

SIGNIFICANCE = 0.05
FEWEST_PERMUTATIONS = 199


@dataclass(frozen=True)
class Ranking:
    """`table` has one row per feature, best first; `groups` one row per group of columns, permuted together.

    edge_values: which values of the edges, weights or attributes, the model was given.
    """

    graph: Graph
    options: RankingOptions
    table: pd.DataFrame
    groups: pd.DataFrame
    curve: pd.DataFrame
    smallest: int
    majority: float
    scored_nodes: int
    scored_accuracy: float
    test_nodes: int
    edge_values: tuple[str, ...] = ()

    def best(self, number: int) -> list[int]:
        """The columns of x that rank first, at most so many."""
        names = set(self.table["feature"].head(number))
        return [column for column, name in enumerate(self.graph.names()) if name in names]

    @property
    def measure(self) -> str:
        """What the curve shows, and what `majority` is of: accuracy or r2. `scored_accuracy` is of the metric."""
        return measure_of(self.graph)


@dataclass(frozen=True)
class Side:
    """Models trained on one half of the nodes, to be scored on the other, which they have never seen."""

    models: list[nn.Module]
    graph: Graph
    nodes: np.ndarray
    number: int
    options: RankingOptions
    perturbation: str | Conditional = "permute"

    def importance(self, occasion: int, count: int, **items: object) -> tuple[np.ndarray, np.ndarray, float]:
        """Fall of the metric and rise of the loss by (seed, item, repeat), and the metric before.

        `items` are the `features` or `groups` of `permutation_importance`.
        """
        metric, loss = self.options.metric, loss_of(self.graph)
        device = next(self.models[0].parameters()).device
        x, edge_index, y = (
            torch.from_numpy(array).to(device) for array in (self.graph.x, self.graph.edge_index, self.graph.y)
        )
        metrics = list(dict.fromkeys([metric, loss]))
        # The same permutations for every model: averages over models are then ranked like with like.
        state = child(self.options.seed, "scoring", self.number, occasion)
        results = [
            permutation_importance(
                model,
                x,
                edge_index,
                y,
                self.nodes,
                n_repeats=count,
                metric=metrics,
                random_state=state,
                perturbation=self.perturbation,
                **edge_tensors(self.graph, device),
                **items,
            )  # fmt: skip
            for model in self.models
        ]
        falls, rises = (np.stack([of[name].importances for of in results]) for name in (metric, loss))
        return falls, rises, float(np.mean([of[metric].baseline for of in results]))


@dataclass(frozen=True)
class Scored:
    """Of every item: fall of the metric by (seed, repeat), both sides averaged; rise of the loss; p-value."""

    falls: np.ndarray
    losses: np.ndarray
    p_values: np.ndarray
    baseline: float


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
    sides = train_sides(graph, split, options, device, progress, make_model)
    scored = score_sides(sides, graph.num_features, progress)
    table = _table(graph.names(), scored)
    importance = scored.falls.mean(axis=(1, 2))
    ranking = keep_top(importance, graph.num_features, losses=scored.losses, seed=options.seed).ranking
    groups = _groups(graph, options.seed)
    table["group"] = _group_of_column(graph, groups, "values")
    table["correlated_with"] = _group_of_column(graph, groups, "correlated")
    with _bar(progress, "keeping fewer", len(numbers_to_keep(graph.num_features)) * options.seeds) as bar:
        seeds = range(options.seed, options.seed + options.seeds)
        curve = accuracy_curve(graph, split, ranking, trainer(options, device, make_model), seeds, bar.update)
    table = table.iloc[ranking].reset_index(drop=True)
    table.insert(0, "rank", np.arange(1, len(table) + 1))
    return Ranking(
        graph=given,
        options=options if make_model is None else replace(options, model=type(sides[0].models[0]).__name__),
        table=table,
        groups=_score_groups(sides, groups, progress),
        curve=curve,
        smallest=smallest_without_loss(curve),
        majority=worth_of_guessing(graph, split),
        scored_nodes=sum(len(side.nodes) for side in sides),
        scored_accuracy=scored.baseline,
        test_nodes=len(split.test),
        edge_values=_edge_values(graph, sides[0].models[0]),
    )


def prepare(graph: Graph, options: RankingOptions) -> tuple[Graph, Split, RankingOptions]:
    """The graph with labels to learn from, which nodes they are learnt and tested at, and options that suit it."""
    split = choose_split(graph, "public" if graph.public_split else "random", options.seed)
    return scale_labels(graph, split), split, suited_options(options, graph)


def _edge_values(graph: Graph, model: nn.Module) -> tuple[str, ...]:
    """Which values of the edges the model takes; a module of one's own is given all."""
    takes = model.takes[0] if isinstance(model, NodeClassifier) else graph.edge_values()
    return tuple(name for name in graph.edge_values() if name in takes)


def train_sides(
    graph: Graph,
    split: Split,
    options: RankingOptions,
    device: torch.device,
    progress: bool = False,
    make_model: MakeModel | None = None,
) -> list[Side]:
    """Both halves in both roles; the last epoch's weights, because a choice among epochs would need labels."""
    options = suited_options(options, graph)
    halves, train = cut_in_halves(graph, split, options.seed), trainer(options, device, make_model)
    sides = []
    with _bar(progress, "training", 2 * options.seeds) as bar:
        for number, (learnt, scored) in enumerate((halves, halves[::-1])):
            subgraph, nodes = learnt
            models = []
            for seed in range(options.seed, options.seed + options.seeds):
                # Trainings report on validation and test nodes as well, which this one has not.
                models.append(train(subgraph, Split(nodes, nodes, nodes), seed).model.eval())
                bar.update()
            sides.append(Side(models, *scored, number, options))
    return perturbed_by(options, sides, graph, split)


def perturbed_by(options: RankingOptions, sides: list[Side], graph: Graph, split: Split) -> list[Side]:
    """The same models, scored as the options say."""
    options = suited_options(options, graph)
    halves = share_out(graph, split, options.seed)[::-1]
    return [
        replace(side, options=options, perturbation=_perturbation(graph, drawn, side.nodes, options))
        for side, drawn in zip(sides, halves, strict=True)
    ]


def _perturbation(graph: Graph, drawn: np.ndarray, labelled: np.ndarray, options: RankingOptions) -> str | Conditional:
    """Of the scored half; what the other half, which the model has learnt, says of a smooth column there is known."""
    if options.perturbation == "permute" and not options.given:
        return options.perturbation
    x, edge_index, y, rows = map(torch.from_numpy, (graph.x, graph.edge_index, graph.y, drawn))
    return Conditional(
        x, others=options.perturbation == "conditional", given=options.given, edge_index=edge_index,
        y=y[rows[labelled]], nodes=rows[labelled], rows=rows,
    )  # fmt: skip


def share_out(graph: Graph, split: Split, seed: int) -> list[np.ndarray]:
    """The nodes of both halves; those whose labels may be seen are shared out class by class."""
    rng = np.random.default_rng(child(seed, "split", 1))
    known = rng.permutation(np.union1d(split.train, split.val))
    known = known[np.argsort(graph.y[known], kind="stable")]
    others = rng.permutation(np.setdiff1d(np.arange(graph.num_nodes), known))
    return [np.sort(np.concatenate([known[half::2], others[half::2]])) for half in (0, 1)]


def cut_in_halves(graph: Graph, split: Split, seed: int) -> list[tuple[Graph, np.ndarray]]:
    """Two disjoint subgraphs, each with its nodes whose labels may be seen."""
    known, halves = np.union1d(split.train, split.val), []
    for nodes in share_out(graph, split, seed):
        labelled = np.flatnonzero(np.isin(nodes, known))
        subgraph = induced_subgraph(graph, nodes)
        if len(np.unique(subgraph.y[labelled])) < 2:
            raise InputError(
                f"'{graph.name}' has {len(known)} labelled nodes outside the test set, too few to learn from one half "
                f"and score on the other: label more nodes{' of each class' * (not graph.is_regression)}"
            )
        halves.append((subgraph, labelled))
    return halves


def score_sides(sides: list[Side], num_features: int, progress: bool = False) -> Scored:
    return _score(sides, lambda open_items: {"features": open_items}, num_features, "scoring", progress)


def _score(
    sides: list[Side], choose: Callable[[np.ndarray], dict], num_items: int, description: str, progress: bool
) -> Scored:
    """The importance of every item is made of the first round of permutations, so that all have as many.

    `choose` turns the numbers of the items that are still open into arguments of `Side.importance`.
    """
    options = sides[0].options
    first_rounds, p_values = [], []
    with _bar(progress, description, len(sides) * num_items) as bar:
        for side in sides:

            def draw(open_items: np.ndarray, occasion: int, count: int, side: Side = side) -> np.ndarray:
                bar.update((side.number + 1) * num_items - len(open_items) - bar.n)
                bar.set_postfix_str(f"{len(open_items)} left, {count} permutations each")
                result = side.importance(occasion, count, **choose(open_items))
                if occasion == 0:
                    first_rounds.append(result)
                return result[1].mean(axis=0)

            limit = most_permutations(num_items, options)
            p_values.append(sequential_p_values(draw, num_items, options.n_repeats, limit))
        bar.update(bar.total - bar.n)
    falls, losses, baselines = zip(*first_rounds, strict=True)
    return Scored(
        falls=np.mean(falls, axis=0).transpose(1, 0, 2),
        losses=np.mean(losses, axis=(0, 1, 3)),
        p_values=smaller_doubled(np.stack(p_values)),
        baseline=float(np.mean(baselines)),
    )


def most_permutations(num_items: int, options: RankingOptions) -> int:
    """As many as allowed, but not more than it takes one item alone to stand out among so many."""
    return min(options.permutations, max(FEWEST_PERMUTATIONS, round(2 * num_items / SIGNIFICANCE) - 1))


def _table(names: list[str], scored: Scored) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "feature": names,
            "importance": scored.falls.mean(axis=(1, 2)),
            "standard_error_repeats": standard_error(scored.falls.mean(axis=1), axis=1),
            "standard_error_seeds": standard_error(scored.falls.mean(axis=2), axis=1),
            "loss_rise": scored.losses,
            "p_value": scored.p_values,
            "p_adjusted": adjust_benjamini_hochberg(scored.p_values),
            "p_holm": adjust_holm(scored.p_values),
        }
    )


def _groups(graph: Graph, seed: int) -> pd.DataFrame:
    """Columns that came from one column of text, and columns that say nearly the same."""
    names = np.array(graph.names())
    rows = [{"group": name, "kind": "values", "columns": columns} for name, columns in graph.groups().items()]
    for columns in correlated_groups(graph, seed):
        rows.append({"group": " + ".join(names[columns]), "kind": "correlated", "columns": columns})
    return pd.DataFrame(rows, columns=["group", "kind", "columns"])


def _group_of_column(graph: Graph, groups: pd.DataFrame, kind: str) -> list[str]:
    named = [""] * graph.num_features
    for group in groups[groups["kind"] == kind].itertuples():
        for column in group.columns:
            others = [graph.names()[other] for other in group.columns if other != column]
            named[column] = group.group if kind == "values" else ", ".join(others)
    return named


def _score_groups(sides: list[Side], groups: pd.DataFrame, progress: bool) -> pd.DataFrame:
    if groups.empty:
        return pd.DataFrame(columns=["group", "kind", "size", *_table([], NOTHING).columns[1:]])
    columns = list(groups["columns"])

    def choose(open_items: np.ndarray) -> dict:
        return {"groups": {str(number): columns[number] for number in open_items}}

    scored = _score(sides, choose, len(columns), "scoring groups", progress)
    table = _table(list(groups["group"]), scored).rename(columns={"feature": "group"})
    table.insert(1, "kind", groups["kind"])
    table.insert(2, "size", [len(columns) for columns in groups["columns"]])
    return table.sort_values("importance", ascending=False, ignore_index=True)


NOTHING = Scored(np.empty((0, 1, 1)), np.empty(0), np.empty(0), np.nan)


def _bar(progress: bool, description: str, total: int) -> tqdm:
    return tqdm(desc=f"{description:14}", total=total, disable=not progress, mininterval=0.5)
