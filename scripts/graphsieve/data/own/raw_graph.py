"""What every reader of a user's graph hands over, before anything is checked."""

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class RawGraph:
    """`labels` are numbers (NaN, or -1 among whole numbers: unlabelled) or texts ("": unlabelled).

    `edge_weight` and `edge_attr` have a row for every column of `edge_index`; `notes` are sentences for the user.
    """

    x: np.ndarray
    edge_index: np.ndarray
    labels: np.ndarray
    feature_names: tuple[str, ...] | None = None
    column_groups: tuple[str, ...] | None = None
    edge_weight: np.ndarray | None = None
    edge_attr: np.ndarray | None = None
    edge_names: tuple[str, ...] | None = None
    masks: dict[str, np.ndarray] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
