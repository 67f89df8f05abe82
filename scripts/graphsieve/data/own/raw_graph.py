"""What every reader of a user's graph hands over, before anything is checked."""

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class RawGraph:
    """`labels` are numbers (-1 or NaN: unlabelled) or texts ("": unlabelled); `notes` are sentences for the user."""

    x: np.ndarray
    edge_index: np.ndarray
    labels: np.ndarray
    feature_names: tuple[str, ...] | None = None
    column_groups: tuple[str, ...] | None = None
    masks: dict[str, np.ndarray] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


WEIGHTS_NOTE = "edge weights are not used: the models count every edge alike"
