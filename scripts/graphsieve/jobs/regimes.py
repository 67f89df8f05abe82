"""One graph of a synthetic regime, with the models and means that its scorers share."""

import functools
from dataclasses import replace
from types import SimpleNamespace

import torch

from graphsieve.data.datasets import load_graph
from graphsieve.data.normalisation import NORMALISATIONS
from graphsieve.data.splits import choose_split
from graphsieve.models.classifier import model_factory
from graphsieve.models.training import train_model
from graphsieve.options import ScoringOptions, TrainingOptions
from graphsieve.scoring.scorers import MODEL_OF_SCORER, ScoringTask


class Trial:
    """The graph of a job's regime with this seed; models are trained when a scorer asks one, and once."""

    def __init__(self, job: SimpleNamespace, seed: int, device: torch.device):
        self.run = {name: job.wildcards[name] for name in ("dataset", "model", "split")} | {"seed": seed}
        graph = load_graph(self.run["dataset"], seed=seed)
        self.graph = replace(graph, x=NORMALISATIONS[job.params.normalise](graph.x))
        self.split = choose_split(self.graph, self.run["split"], seed)
        self.options = ScoringOptions(**job.params.scoring)
        self.training = TrainingOptions(**job.params.training)
        self.device = device
        self.trained = functools.cache(self._trained)

    def task(self, scorer: str) -> ScoringTask:
        """What this scorer is given."""
        kind = MODEL_OF_SCORER.get(scorer)
        return ScoringTask(
            self.graph,
            self.split,
            self.run["seed"],
            self.options,
            self.trained(kind) if kind else None,
            make_model=model_factory(self.run["model"], self.graph, self.training, self.run["seed"]),
            training=self.training,
            device=self.device,
        )

    def _trained(self, kind: str) -> torch.nn.Module:
        name = self.run["model"] if kind == "own" else kind
        how = {"options": self.training, "seed": self.run["seed"], "device": self.device}
        training = train_model(name, self.graph, self.split, **how)
        if self.options.scored_model == "best":
            training.model.load_state_dict(training.best_state)
        return training.model.eval()
