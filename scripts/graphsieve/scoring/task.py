"""What a scorer is given, and what it gives back."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from graphsieve.data.graph import Graph, Split
from graphsieve.options import ScoringOptions, TrainingOptions


@dataclass(frozen=True)
class ScoringTask:
    graph: Graph
    split: Split
    seed: int
    options: ScoringOptions = ScoringOptions()
    model: object = None  # a torch module, for the scorers of MODEL_OF_SCORER
    progress: bool = False
    occasion: tuple[int, ...] = ()  # which one, in a run that scores several times: each has its own permutations
    make_model: Callable[[int], object] | None = None  # makes a module of so many features, for TRAINING_SCORERS
    training: TrainingOptions = TrainingOptions()  # how these are trained
    device: object = "cpu"  # where

    @property
    def labelled_nodes(self) -> np.ndarray:
        """The nodes whose labels a scorer of the paper may see."""
        return getattr(self.split, self.options.label_nodes)

    @property
    def known_nodes(self) -> np.ndarray:
        """All nodes whose labels are not for testing: those of training and of validation."""
        return np.union1d(self.split.train, self.split.val)


@dataclass(frozen=True)
class Scores:
    """One score per feature; `std` over repeats and `losses` (the rise of the loss) where the scorer has them."""

    values: np.ndarray
    std: np.ndarray | None = None
    losses: np.ndarray | None = None
