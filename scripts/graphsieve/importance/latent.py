"""Columns on the scale on which they predict one another: skewed numbers as normal scores, counts as square roots."""

import numpy as np
import scipy.linalg
from scipy.sparse import csr_array
from scipy.special import ndtri
from scipy.stats import rankdata

from graphsieve.importance.columns import SPARSE_BELOW, Columns

LIKE_NORMAL = 0.95  # a number's correlation with its normal scores; 0.98 if uniform, 0.9 if exponential
DEPENDENT = 1e-6  # a predictor that holds less besides the others, as a share of its size, adds nothing


def keeps_values(values: np.ndarray) -> bool:
    """Zeros and ones, counts, categories: values that are whole or repeat, and mean nothing in between."""
    return bool((values == np.round(values)).all()) or 2 * len(np.unique(values)) <= len(values)


def latent(values: np.ndarray) -> np.ndarray:
    """Centred: numbers as they are, or as normal scores if these differ; counts as square roots; two values as such."""
    wide = values.astype(np.float64)
    if not keeps_values(values):
        scores = normal_scores(values)
        if np.corrcoef(wide, scores)[0, 1] < LIKE_NORMAL:
            wide = scores  # no outlier bends a line through these
    elif not is_binary(values):
        wide = np.sqrt(wide - wide.min())
    return wide - wide.mean()


def normal_scores(values: np.ndarray) -> np.ndarray:
    """What ranks as high in a normal distribution."""
    return ndtri((rankdata(values) - 0.5) / len(values))


def is_binary(values: np.ndarray) -> bool:
    return bool(((values == values.min()) | (values == values.max())).all())


class Predictors:
    """All columns as predictors of one another, dense or sparse; numbers also by their distance from the middle."""

    def __init__(self, columns: Columns):
        self.num_columns = columns.num_columns
        parts = [columns.nonzeros(column) for column in range(columns.num_columns)]
        entries = sum(len(rows) for rows, _ in parts)
        if entries <= SPARSE_BELOW * columns.num_rows * columns.num_columns:
            starts = np.cumsum([0, *(len(rows) for rows, _ in parts)])
            rows, values = (np.concatenate([part[which] for part in parts]) for which in (0, 1))
            self.matrix = csr_array((values, rows, starts), shape=(columns.num_columns, columns.num_rows))
            squares = self.matrix.multiply(self.matrix).mean(axis=1)
            self.deviations = np.sqrt(np.maximum(squares - self.matrix.mean(axis=1) ** 2, 0))
        else:
            scores = np.stack([latent(columns.dense(column)) for column in range(columns.num_columns)])
            self.matrix = np.concatenate([scores, np.abs(scores)]).astype(np.float32)
            self.deviations = self.matrix.std(axis=1, dtype=np.float64)

    def most_correlated(self, latents: np.ndarray, without: np.ndarray, most: int, surely: float = 0.0) -> np.ndarray:
        """(nodes, up to `most`): those that correlate most with one of the latents.

        Correlations within `surely` deviations of what chance gives do not count.
        """
        latents = latents / np.maximum(latents.std(axis=1, keepdims=True), DEPENDENT)
        products = np.abs(self.matrix @ latents.T.astype(self.matrix.dtype)).max(axis=1)
        strength = np.divide(products, self.deviations, out=np.zeros(len(products)), where=self.deviations > DEPENDENT)
        for first in range(0, len(strength), self.num_columns):
            strength[first + without] = 0
        chosen = np.argsort(-strength, kind="stable")[:most]
        # A product of two columns of deviation 1 that are unrelated has the root of their length as its deviation.
        rows = self.matrix[chosen[strength[chosen] > surely * np.sqrt(latents.shape[1])]]
        return (rows.toarray() if isinstance(rows, csr_array) else rows).T.astype(np.float64)


def orthonormal(predictors: np.ndarray) -> np.ndarray:
    """An orthonormal basis of the constant and the predictors (columns)."""
    constant = np.full((len(predictors), 1), len(predictors) ** -0.5)
    centred = predictors - predictors.mean(axis=0)
    sizes = np.linalg.norm(centred, axis=0)
    centred = centred[:, sizes > 0] / sizes[sizes > 0]
    if not centred.size:
        return constant
    basis, triangle, _ = scipy.linalg.qr(centred, mode="economic", pivoting=True)
    return np.c_[constant, basis[:, np.abs(np.diag(triangle)) > DEPENDENT]]
