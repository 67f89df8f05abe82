"""What `permutation_importance` returns."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class PermutationImportance:
    """Importances of one metric, named as in scikit-learn; positive means that the feature or group matters."""

    importances: np.ndarray  # (features or groups, repeats)
    baseline: float  # the metric of the unperturbed model
    metric: str
    features: np.ndarray | None  # the column of x that each row of `importances` belongs to; None if rows are groups
    groups: dict[str, np.ndarray] | None  # name and columns of each row if rows are groups; None otherwise
    engine: str  # the engine that computed it

    @property
    def importances_mean(self) -> np.ndarray:
        return self.importances.mean(axis=1)

    @property
    def importances_std(self) -> np.ndarray:
        return self.importances.std(axis=1)
