"""Algorithm 1: train, and at every checkpoint score the remaining features, prune the worst of them, and train on.

Pruned columns leave the tensors for good. The module is built anew for fewer features, and its weights and the
optimiser's state are sliced to match, which is the same as masking the columns with zeros, only faster.
"""

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import torch
from torch import nn

from graphsieve.data.graph import Graph, Split, keep_columns
from graphsieve.models.training import Trainer, Training, build_module, epoch_bar
from graphsieve.options import PruningOptions, ScoringOptions, TrainingOptions
from graphsieve.randomness import child_integer
from graphsieve.scoring.scorers import Scores, ScoringTask, check_scorer, learns_anew, score_features
from graphsieve.selection.one_shot import score_once
from graphsieve.selection.shrinking import copy_kept, copy_optimiser, input_dimensions
from graphsieve.selection.top import Selection, count_positive, count_to_keep, keep_top


@dataclass(frozen=True)
class AdaptiveSelection:
    """What a run leaves behind. Checkpoints are numbered from 1; interval n is what ends at checkpoint n.

    model: trained on the features `kept`, in their order.
    history: one row per epoch, with the number of features.
    checkpoints: one row per interval: features, its best epoch by validation accuracy with the accuracies there, how
        many features were pruned at its end, and how many shared the score that the cut went through.
    scores: of every remaining feature at every checkpoint; `std` and `loss` where the scorer has them.
    features: `rank` of every feature (1 is the best) and the checkpoint at which it was dropped, empty for the kept.
    timings: seconds spent on training before, and on scoring at, every checkpoint.
    """

    model: nn.Module
    kept: np.ndarray
    history: pd.DataFrame
    checkpoints: pd.DataFrame
    scores: pd.DataFrame
    features: pd.DataFrame
    timings: pd.DataFrame


def adaptive_selection(
    factory: Callable[[int], nn.Module],
    graph: Graph,
    split: Split,
    *,
    scorer: str | Callable[[ScoringTask], Scores] = "npt",
    pruning: PruningOptions | None = None,
    training: TrainingOptions | None = None,
    scoring: ScoringOptions | None = None,
    seed: int = 0,
    device: str | torch.device = "cpu",
    progress: bool = False,
) -> AdaptiveSelection:
    """Train a module and prune its features on the way (Algorithm 1).

    Parameters
    ----------
    factory : callable
        Makes a module, called as `module(x, edge_index)`, for a number of features. It returns logits: the whole
        network is trained and asked. That of the study is `build_model`'s, the paper's embeddings with a linear
        classifier behind.
    graph : Graph
        Its features are taken as they are, so scale them first.
    split : Split
        The nodes to learn from, to score on, and to test on.
    scorer : str or callable
        A name of `SCORERS`, or a function like those. Scorers that ask the model or train models, and functions, are
        asked again at every checkpoint about the remaining features; the others score once, and are ranked again.
    pruning : PruningOptions, optional
        When and what to prune.
    training : TrainingOptions, optional
        Only its epochs, learning rate, weight decay and metric matter: the module is the factory's.
    scoring : ScoringOptions, optional
        How to score, by the metric of the training unless another is given, and who wins among equal scores.
    seed : int
        Of initial weights, dropout, permutations and ties.
    device : str or torch.device
        Where to train.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    AdaptiveSelection
        The trained module, the features it kept, and tables of how it came to them.

    Examples
    --------
    Half of eight features go every 10 epochs:

    >>> from graphsieve import adaptive_selection
    >>> from graphsieve.data.splits import random_split
    >>> from graphsieve.data.synthetic import generate
    >>> from graphsieve.models.classifier import build_model
    >>> from graphsieve.options import PruningOptions, TrainingOptions
    >>> graph = generate("d", 0, num_nodes=100, num_features=8)
    >>> run = adaptive_selection(
    ...     lambda num_features: build_model("gcn", num_features, graph.num_classes, hidden=8),
    ...     graph,
    ...     random_split(100, seed=0),
    ...     pruning=PruningOptions(prune=0.5, interval=10),
    ...     training=TrainingOptions(epochs=30),
    ... )
    >>> len(run.kept), run.checkpoints["features"].tolist()
    (2, [8, 4, 2])
    """
    pruning, training, scoring = pruning or PruningOptions(), training or TrainingOptions(), scoring or ScoringOptions()
    device, scoring = torch.device(device), replace(scoring, metric=scoring.metric or training.metric)
    score = _scoring(factory, scorer, graph, split, training, scoring, seed, device)
    records = _Records(graph)
    kept, current, pruning_on = np.arange(graph.num_features), graph, True
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(child_integer(seed, "dropout"))
        trainer = Trainer(build_module(factory, len(kept), seed, device), graph, split, training, device)
        with epoch_bar(training.epochs, progress) as bar:
            for number, epoch in enumerate(pruning.checkpoints(training.epochs), 1):
                clock = [time.perf_counter()]
                interval = trainer.run(epoch - trainer.epochs_done, bar)
                clock.append(time.perf_counter())
                scores = score(current, trainer.model.eval(), kept, number)
                clock.append(time.perf_counter())
                pruning_on = pruning_on and not records.has_fallen(interval, pruning.tolerance)
                prunes = pruning_on and epoch < training.epochs
                count = _count_to_keep(scores.values, pruning) if prunes else len(kept)
                selection = keep_top(scores.values, count, losses=scores.losses, ties=scoring.ties, seed=seed)
                records.add(number, interval, kept, scores, selection, np.diff(clock))
                if count < len(kept):
                    kept = kept[selection.kept]
                    current = keep_columns(graph, kept)
                    module = build_module(factory, count, seed, device)
                    trainer = _continue(trainer, module, current, split, training, selection.kept)
    return AdaptiveSelection(trainer.model, kept, **records.tables())


def _continue(
    before: Trainer, module: nn.Module, graph: Graph, split: Split, training: TrainingOptions, kept: np.ndarray
) -> Trainer:
    """A trainer of the smaller module that goes on where the larger one stopped."""
    device = next(module.parameters()).device
    dimensions = input_dimensions(before.model, module, before.num_features, len(kept))
    copy_kept(before.model, module, dimensions, kept)
    after = Trainer(module, graph, split, training, device, before.epochs_done)
    copy_optimiser((before.model, before.optimiser), (module, after.optimiser), dimensions, kept)
    return after


def _count_to_keep(scores: np.ndarray, pruning: PruningOptions) -> int:
    if pruning.rule == "fraction":
        return count_to_keep(len(scores), 1 - pruning.prune)
    return max(1, count_positive(scores), len(scores) - int(pruning.cap * len(scores)))


def _scoring(
    factory: Callable[[int], nn.Module],
    scorer: str | Callable[[ScoringTask], Scores],
    graph: Graph,
    split: Split,
    training: TrainingOptions,
    options: ScoringOptions,
    seed: int,
    device: torch.device,
) -> Callable[[Graph, nn.Module, np.ndarray, int], Scores]:
    """How to score the remaining features, given the reduced graph, the model, the features and the checkpoint."""
    check_scorer(scorer)

    def again(current: Graph, model: nn.Module, kept: np.ndarray, checkpoint: int) -> Scores:
        means = {"make_model": factory, "training": training, "device": device}
        task = ScoringTask(current, split, seed, options, model, occasion=(checkpoint,), **means)
        return score_features(scorer, task)

    @functools.cache
    def of_all() -> Scores:
        return score_once(
            factory, graph, split, scorer=scorer, training=training, scoring=options, seed=seed, device=device
        )

    def once(current: Graph, model: nn.Module, kept: np.ndarray, checkpoint: int) -> Scores:
        values = vars(of_all()).values()
        return Scores(*(None if value is None else value[kept] for value in values))

    return again if learns_anew(scorer) else once


class _Records:
    """The tables of a run as it goes."""

    def __init__(self, graph: Graph):
        self.graph = graph
        self.best_accuracy = 0.0
        self.history, self.checkpoints, self.scores, self.timings = [], [], [], []
        self.dropped = pd.Series(pd.NA, index=range(graph.num_features), dtype="Int64")
        self.ranking = []  # best first, of the dropped until the end

    def has_fallen(self, interval: Training, tolerance: float | None) -> bool:
        """Whether this interval's best validation accuracy is too far below the best before it."""
        accuracy = interval.history["val_accuracy"].max()
        fallen = tolerance is not None and accuracy < self.best_accuracy - tolerance
        self.best_accuracy = max(self.best_accuracy, accuracy)
        return fallen

    def add(
        self,
        number: int,
        interval: Training,
        kept: np.ndarray,
        scores: Scores,
        selection: Selection,
        seconds: np.ndarray,
    ) -> None:
        count, epoch = len(selection.kept), int(interval.history["epoch"].iloc[-1])
        columns = {"checkpoint": number, "epoch": epoch, "features": len(kept)}
        self.history.append(interval.history.assign(checkpoint=number, features=len(kept)))
        cut = {"pruned": len(kept) - count, "ties": selection.ties}
        self.checkpoints.append({**columns, **interval.summary(), **cut})
        table = {
            "checkpoint": number,
            "feature": kept,
            "score": scores.values,
            "std": scores.std,
            "loss": scores.losses,
        }
        self.scores.append(pd.DataFrame(table).astype({"std": float, "loss": float}))
        self.timings.append({**columns, "training_seconds": seconds[0], "scoring_seconds": seconds[1]})
        dropped = kept[selection.ranking[count:]]
        self.dropped[dropped] = number
        self.ranking = [*dropped, *self.ranking]
        self.survivors = kept[selection.ranking[:count]]

    def tables(self) -> dict[str, pd.DataFrame]:
        ranking = np.array([*self.survivors, *self.ranking])
        features = {"feature": range(self.graph.num_features), "name": self.graph.names()}
        features |= {"rank": np.argsort(ranking) + 1, "dropped_at": self.dropped}
        return {
            "history": pd.concat(self.history, ignore_index=True),
            "checkpoints": pd.DataFrame(self.checkpoints),
            "scores": pd.concat(self.scores, ignore_index=True),
            "features": pd.DataFrame(features),
            "timings": pd.DataFrame(self.timings),
        }
