"""Models trained on one half of the nodes, to be scored on the other, in both roles."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import torch
from torch import nn
from tqdm import tqdm

from graphsieve.data.graph import Graph, Split
from graphsieve.importance import Conditional
from graphsieve.importance.prepared import PreparedImportance
from graphsieve.inference.budget import Budget
from graphsieve.inference.halves import cut_in_halves, share_out
from graphsieve.inference.tasks import loss_of, suited_options
from graphsieve.inference.trainings import Job, MakeModel, trainings_for
from graphsieve.models.training import edge_tensors
from graphsieve.options import RankingOptions
from graphsieve.randomness import child

MOST_SCORED = 20_000  # nodes of a half: a sample of more would say little more
DRAWN_BYTES = 2**24  # of a column's permutations at a time


@dataclass(frozen=True)
class Side:
    """Models trained on one half of the nodes, to be scored at `nodes` of the other, which they have never seen."""

    models: list[nn.Module]
    graph: Graph
    nodes: np.ndarray
    number: int
    options: RankingOptions
    perturbation: str | Conditional = "permute"
    budget: Budget = field(default_factory=Budget)

    def importance(self, occasion: tuple[int, ...], count: int, **items: object) -> tuple[np.ndarray, np.ndarray]:
        """Fall of the metric and rise of the loss by (seed, item, repeat).

        `items` are the `features` or `groups` of `permutation_importance`.
        """
        at_once = max(1, DRAWN_BYTES // self.graph.x[:, :1].nbytes)
        parts = []
        for start in range(0, count, at_once):
            # The same permutations for every model: averages over models are then ranked like with like.
            state = child(self.options.seed, "scoring", self.number, *occasion, *([start] if start else []))
            drawn = {"n_repeats": min(at_once, count - start), "random_state": state}
            results = [model.importance(**drawn, **items) for model in self._prepared]
            metrics = (self.options.metric, loss_of(self.graph))
            parts.append([np.stack([of[name].importances for of in results]) for name in metrics])
        falls, rises = (np.concatenate(arrays, axis=2) for arrays in zip(*parts, strict=True))
        return falls, rises

    @property
    def baseline(self) -> float:
        """The metric of the unperturbed models, averaged over seeds; known once something was scored."""
        return float(np.mean([model.baselines[self.options.metric] for model in self._prepared]))

    @cached_property
    def _prepared(self) -> list[PreparedImportance]:
        device = next(self.models[0].parameters()).device
        graph = (torch.from_numpy(array).to(device) for array in (self.graph.x, self.graph.edge_index, self.graph.y))
        x, edge_index, y = graph
        how = {"metric": list(dict.fromkeys([self.options.metric, loss_of(self.graph)]))}
        how |= {"perturbation": self.perturbation, **edge_tensors(self.graph, device)}
        return [PreparedImportance(model, x, edge_index, y, self.nodes, **how) for model in self.models]


def train_sides(
    graph: Graph,
    split: Split,
    options: RankingOptions,
    device: torch.device,
    progress: bool = False,
    make_model: MakeModel | None = None,
    budget: Budget | None = None,
) -> list[Side]:
    """Both halves in both roles; the last epoch's weights, because a choice among epochs would need labels."""
    options, budget = suited_options(options, graph), budget or Budget()
    halves = cut_in_halves(graph, split, options.seed)
    trainings = trainings_for(graph, options, device, make_model, budget)
    with progress_bar(progress, "training", 2 * options.seeds) as bar:
        models = []
        for model in trainings.each(_jobs(halves, options, budget), "training", lambda made, _: made.model.eval()):
            models.append(model)
            bar.update()
    if (seeds := len(models) // 2) < options.seeds:
        budget.cut(f"models of {seeds} of {options.seeds} seeds were trained")
    sides = []
    for number, (other, labelled) in enumerate(halves[::-1]):
        nodes = scored_nodes(labelled, options.seed, number)
        sides.append(Side(models[number::2], other, nodes, number, replace(options, seeds=seeds), budget=budget))
    return perturbed_by(sides[0].options, sides, graph, split)


def _jobs(halves: list[tuple[Graph, np.ndarray]], options: RankingOptions, budget: Budget) -> Iterator[Job]:
    """Seed by seed, as long as there is time for another one."""
    start = budget.used()
    for number in range(options.seeds):
        if number and not budget.allows("training", (budget.used() - start) / number):
            return
        for subgraph, nodes in halves:
            # Trainings report on validation and test nodes as well, which these have not.
            yield subgraph, Split(nodes, nodes, nodes), options.seed + number


def scored_nodes(labelled: np.ndarray, seed: int, number: int) -> np.ndarray:
    """All, or of a large half a random sample."""
    if len(labelled) <= MOST_SCORED:
        return labelled
    rng = np.random.default_rng(child(seed, "split", 2, number))
    return np.sort(rng.choice(labelled, MOST_SCORED, replace=False))


def perturbed_by(options: RankingOptions, sides: list[Side], graph: Graph, split: Split) -> list[Side]:
    """The same models, scored as the options say."""
    options = replace(suited_options(options, graph), seeds=len(sides[0].models))
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


def progress_bar(progress: bool, description: str, total: int) -> tqdm:
    return tqdm(desc=f"{description:14}", total=total, disable=not progress, mininterval=0.5)
