"""Models trained on one half of the nodes and scored on the other, in both roles."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import nn
from tqdm import tqdm

from graphsieve.data.graph import Graph, Split
from graphsieve.importance import Conditional, permutation_importance
from graphsieve.inference.halves import cut_in_halves, share_out
from graphsieve.inference.p_values import most_permutations, sequential_p_values, smaller_doubled
from graphsieve.inference.tasks import loss_of, suited_options
from graphsieve.inference.trainings import MakeModel, trainer
from graphsieve.models.training import edge_tensors
from graphsieve.options import RankingOptions
from graphsieve.randomness import child


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


NOTHING = Scored(np.empty((0, 1, 1)), np.empty(0), np.empty(0), np.nan)


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
    with progress_bar(progress, "training", 2 * options.seeds) as bar:
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


def score_sides(sides: list[Side], num_features: int, progress: bool = False) -> Scored:
    return score_items(sides, lambda open_items: {"features": open_items}, num_features, "scoring", progress)


def score_items(
    sides: list[Side], choose: Callable[[np.ndarray], dict], num_items: int, description: str, progress: bool
) -> Scored:
    """The importance of every item is made of the first round of permutations, so that all have as many.

    `choose` turns the numbers of the items that are still open into arguments of `Side.importance`.
    """
    options = sides[0].options
    first_rounds, p_values = [], []
    with progress_bar(progress, description, len(sides) * num_items) as bar:
        for side in sides:

            def draw(open_items: np.ndarray, occasion: int, count: int, side: Side = side) -> np.ndarray:
                bar.update((side.number + 1) * num_items - len(open_items) - bar.n)
                bar.set_postfix_str(f"{len(open_items)} left, {count} permutations each")
                result = side.importance(occasion, count, **choose(open_items))
                if occasion == 0:
                    first_rounds.append(result)
                return result[1].mean(axis=0)

            limit = most_permutations(num_items, options.permutations)
            p_values.append(sequential_p_values(draw, num_items, options.n_repeats, limit))
        bar.update(bar.total - bar.n)
    falls, losses, baselines = zip(*first_rounds, strict=True)
    return Scored(
        falls=np.mean(falls, axis=0).transpose(1, 0, 2),
        losses=np.mean(losses, axis=(0, 1, 3)),
        p_values=smaller_doubled(np.stack(p_values)),
        baseline=float(np.mean(baselines)),
    )


def progress_bar(progress: bool, description: str, total: int) -> tqdm:
    return tqdm(desc=f"{description:14}", total=total, disable=not progress, mininterval=0.5)
