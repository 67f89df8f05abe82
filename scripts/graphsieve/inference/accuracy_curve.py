"""How test accuracy, or r2 where labels are quantities, depends on the number of features kept."""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from graphsieve.data.graph import Graph, Split, keep_columns
from graphsieve.inference.tasks import measure_of, worth_by_node
from graphsieve.inference.trainings import Job, Trainings
from graphsieve.models.training import Training
from graphsieve.randomness import child
from graphsieve.selection.how_few import curve_of_values

MOST_TESTED = 20_000  # nodes: a sample of more would say little more


def tested_nodes(split: Split, seed: int) -> np.ndarray:
    """All test nodes, or of very many a random sample."""
    if len(split.test) <= MOST_TESTED:
        return split.test
    rng = np.random.default_rng(child(seed, "split", 3))
    return np.sort(rng.choice(split.test, MOST_TESTED, replace=False))


def accuracy_curve(
    graph: Graph,
    split: Split,
    ranking: np.ndarray,
    numbers: list[int],
    trainings: Trainings,
    step: Callable[[], None],
) -> pd.DataFrame:
    """Accuracy, or r2, at the test nodes of models trained anew on so many of the best features, and its loss.

    `ranking` must not have seen the test labels. `step` is called after every training.
    """
    seed, seeds = trainings.options.seed, curve_seeds(trainings)
    nodes = tested_nodes(split, seed)

    def worth(training: Training, job: Job) -> np.ndarray:
        """Of a model at its best epoch on the validation nodes, by test node."""
        training.model.load_state_dict(training.best_state)
        outputs = trainings.outputs(training.model, job[0], nodes).cpu().numpy()
        return worth_by_node(outputs, graph.y[nodes])

    begun: list[int] = []
    found: dict[int, list[np.ndarray]] = {}
    jobs = _jobs(graph, split, ranking, numbers, trainings, begun)
    for place, values in enumerate(trainings.each(jobs, "curve", worth)):
        found.setdefault(begun[place // seeds], []).append(values)
        step()
    if len(found) < len(numbers):
        trainings.budget.cut(f"models were trained on {len(found)} of {len(numbers)} numbers of features")
    curve = curve_of_values({kept: np.mean(found[kept], axis=0) for kept in sorted(found)})
    return curve.rename(columns={"value": measure_of(graph)})


def curve_seeds(trainings: Trainings) -> int:
    """One on a large graph, where models differ less by chance and take longer."""
    return 1 if trainings.samples else trainings.options.seeds


def _jobs(
    graph: Graph, split: Split, ranking: np.ndarray, numbers: list[int], trainings: Trainings, begun: list[int]
) -> Iterator[Job]:
    """With all features first, because they are what others are compared with; ended by time. Notes what has begun."""
    budget, start, seed = trainings.budget, trainings.budget.used(), trainings.options.seed
    for kept in coarse_to_fine(numbers):
        if begun and not budget.allows("curve", (budget.used() - start) / len(begun)):
            return
        begun.append(kept)
        reduced = keep_columns(graph, np.sort(ranking[:kept]))
        for number in range(curve_seeds(trainings)):
            yield reduced, split, seed + number


def coarse_to_fine(numbers: list[int]) -> list[int]:
    """The last, the first, and then always the middle of the widest gap: whoever stops has numbers of all sizes."""
    chosen = [len(numbers) - 1, 0] if len(numbers) > 1 else [0]
    while len(chosen) < len(numbers):
        places = sorted(chosen)
        start = max(range(len(places) - 1), key=lambda place: places[place + 1] - places[place])
        chosen.append((places[start] + places[start + 1]) // 2)
    return [numbers[place] for place in chosen]
