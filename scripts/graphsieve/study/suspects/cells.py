"""The cells of Tables 1 and 2 under one protocol, on one graph and seed. Nothing is trained or scored twice.

A cell whose part of the protocol is that of the hypothesis before it is taken from there. Where only the scores are the
same, the scores are; and where a training comes out the same although the protocols differ (the same features were
kept), its accuracy is.
"""

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import torch

from graphsieve.data.graph import Graph, Split
from graphsieve.data.perturbed import PERTURBED_GRAPHS
from graphsieve.models.classifier import NodeClassifier
from graphsieve.models.training import train_model
from graphsieve.options import PerturbationOptions, ScoringOptions, SelectionOptions, TrainingOptions
from graphsieve.randomness import generator
from graphsieve.scoring.scorers import MODEL_OF_SCORER, Scores, ScoringTask, score_features
from graphsieve.selection.random_draws import further_draws, mean_summary
from graphsieve.selection.retraining import retrain_model
from graphsieve.selection.top import Selection, count_to_keep, keep_top
from graphsieve.study.suspects.protocol import (
    CELLS,
    TABLE1,
    TABLE2,
    relevant,
    relevant_to_scores,
    retraining,
)

SUMMARY = ("best_epoch", "val_accuracy", "test_accuracy")


@dataclass(frozen=True)
class Finished:
    """What the job of a hypothesis leaves for those that build on it: a row per cell, and scores by scorer."""

    protocol: dict
    rows: dict[str, dict]
    scores: dict[str, Scores]


@dataclass
class CellTask:
    """One hypothesis on one graph and seed.

    graph: scaled as its protocol says. original: what the training on all features came to. load_model: gives the model
    of that training as it was at a moment, `last` or `best`. before: what the hypothesis that it builds on has.
    """

    hypothesis: str
    protocol: dict
    graph: Graph
    split: Split
    seed: int
    original: dict
    load_model: Callable[[str], NodeClassifier]
    before: Finished | None = None
    device: str | torch.device = "cpu"
    scores: dict[str, Scores] = field(default_factory=dict)
    trained: dict[str, dict] = field(default_factory=dict)  # summaries of trainings by their fingerprint

    def __post_init__(self):
        for row in self.before.rows.values() if self.before else ():
            self.trained[row["fingerprint"]] = {key: row[key] for key in SUMMARY}

    # What the protocol says, as options

    @property
    def model(self) -> str:
        return self.protocol["model"]

    @cached_property
    def training(self) -> TrainingOptions:
        return TrainingOptions(**self.protocol["training"])

    @cached_property
    def scoring(self) -> ScoringOptions:
        return ScoringOptions(**self.protocol["scoring"])

    @cached_property
    def selection(self) -> SelectionOptions:
        return SelectionOptions(**self.protocol["selection"])

    @cached_property
    def scored_model(self) -> NodeClassifier:
        """An early one is trained here, for its few epochs: not every training before it has kept its weights."""
        if self.scoring.scored_model != "early":
            return self.load_model(self.scoring.scored_model)
        options = replace(self.training, epochs=min(self.training.early_epoch, self.training.epochs))
        settings = {"options": options, "seed": self.seed, "device": self.device}
        return train_model(self.model, self.graph, self.split, **settings).model.eval()

    # Cells

    def finish(self) -> Finished:
        """Every cell, computed or taken from the hypothesis before."""
        rows = {}
        for cell in CELLS:
            started = time.perf_counter()
            rows[cell] = self.before.rows[cell] if self._is_as_before(relevant, cell) else self._compute(cell)
            accuracy, maker = rows[cell]["test_accuracy"], rows[cell]["made_by"]
            print(f"{cell}: {100 * accuracy:.2f} ({maker}, {time.perf_counter() - started:.1f} s)", flush=True)
            if cell in TABLE2 and cell not in self.scores:
                self.scores[cell] = self.before.scores[cell]
        return Finished(self.protocol, rows, self.scores)

    def _is_as_before(self, part: Callable[[dict, str], dict], cell: str) -> bool:
        return self.before is not None and part(self.protocol, cell) == part(self.before.protocol, cell)

    def _compute(self, cell: str) -> dict:
        columns = {"made_by": self.hypothesis, "kept": self.graph.num_features, "ties": 0}
        if cell in TABLE1:
            return {**columns, **self._train(cell)}
        selected = self._select(cell)
        draws = [selected.kept]
        if cell == "random":
            count = len(selected.kept)
            draws += further_draws(self.graph.num_features, count, self.seed, self.selection.random_draws)
        found = [self._retrain(kept) for kept in draws]
        fingerprints = "+".join(one["fingerprint"] for one in found)
        summary = mean_summary([{key: one[key] for key in SUMMARY} for one in found])
        sizes = {"kept": len(selected.kept), "ties": selected.ties}
        return {**columns, **sizes, **summary, "fingerprint": fingerprints}

    def _train(self, cell: str) -> dict:
        if cell == "original":
            return self._once({"cell": cell, **relevant(self.protocol, cell)}, lambda: self.original)
        graph = self.graph
        if cell in PERTURBED_GRAPHS:
            options = PerturbationOptions(**self.protocol["perturbations"])
            graph = PERTURBED_GRAPHS[cell](graph, generator(self.seed, "perturbation"), options)
        name = "mlp" if cell == "mlp" else self.model
        settings = {"options": self.training, "seed": self.seed, "device": self.device, "progress": True}
        what = {"cell": cell, **relevant(self.protocol, cell)}
        return self._once(what, lambda: train_model(name, graph, self.split, **settings).summary())

    def _select(self, scorer: str) -> Selection:
        scores = self.scores[scorer] = self._score(scorer)
        values, losses = scores.values, scores.losses
        if self.scoring.magnitude and scorer in MODEL_OF_SCORER:
            values, losses = np.abs(values), np.abs(losses)
        count = count_to_keep(self.graph.num_features, self.protocol["keep"])
        return keep_top(values, count, losses=losses, ties=self.scoring.ties, seed=self.seed)

    def _score(self, scorer: str) -> Scores:
        """With their signs, so that those who drop them need not score again."""
        if self._is_as_before(relevant_to_scores, scorer):
            return self.before.scores[scorer]
        model = self.scored_model if scorer in MODEL_OF_SCORER else None
        options = replace(self.scoring, magnitude=False)
        task = ScoringTask(self.graph, self.split, self.seed, options, model, progress=True)
        return score_features(scorer, task)

    def _retrain(self, kept: np.ndarray) -> dict:
        what = {"kept": kept.tolist(), **relevant(self.protocol, "original"), **retraining(self.protocol)}
        settings = {"training": self.training, "selection": self.selection, "seed": self.seed, "device": self.device}

        def run() -> dict:
            trained = self.scored_model if self.selection.retrain == "continue" else None
            settings["trained"] = trained
            return retrain_model(self.model, self.graph, self.split, kept, **settings, progress=True).summary()

        return self._once(what, run)

    def _once(self, what: dict, run: Callable[[], dict]) -> dict:
        """The summary of a training, which is made unless one of the same has been."""
        fingerprint = hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:16]
        if fingerprint not in self.trained:
            summary = run()
            self.trained[fingerprint] = {key: summary[key] for key in SUMMARY}
        return {**self.trained[fingerprint], "fingerprint": fingerprint}
