"""One-shot selection: train once on all features where the scorer asks a model, and score them once."""

from collections.abc import Callable

import torch
from torch import nn

from graphsieve.data.graph import Graph, Split
from graphsieve.models.training import Training, train_model, train_module
from graphsieve.options import ScoringOptions, TrainingOptions
from graphsieve.scoring.scorers import Scores, ScoringTask, check_scorer, model_of_scorer, score_features


def score_once(
    make_model: Callable[[int], nn.Module],
    graph: Graph,
    split: Split,
    *,
    scorer: str | Callable[[ScoringTask], Scores],
    training: TrainingOptions,
    scoring: ScoringOptions,
    seed: int,
    device: torch.device,
    progress: bool = False,
) -> Scores:
    """The scores of all features, from a model that was trained on all of them where the scorer asks one."""
    check_scorer(scorer)
    kind, model = model_of_scorer(scorer), None
    how = {"options": training, "seed": seed, "device": device, "progress": progress}
    if kind == "own":
        model = scored_model(train_module(make_model, graph, split, **how), scoring)
    elif kind is not None:
        model = scored_model(train_model(kind, graph, split, **how), scoring)
    means = {"make_model": make_model, "training": training, "device": device}
    return score_features(scorer, ScoringTask(graph, split, seed, scoring, model, progress, **means))


def scored_model(training: Training, scoring: ScoringOptions) -> nn.Module:
    """The model with the weights that are to be scored: those of the last epoch, of the best one or of an early one."""
    states = {"best": training.best_state, "early": training.early_state}
    if scoring.scored_model in states:
        training.model.load_state_dict(states[scoring.scored_model])
    return training.model.eval()
