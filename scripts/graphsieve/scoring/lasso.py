"""Multinomial regression with one group of weights for every column, along a falling penalty.

What is minimised is the mean loss plus the penalty times the sum of the groups' Euclidean norms (Yuan and Lin 2006).
With a large penalty all weights are zero; as it falls, columns enter one after the other. A column that says the same
as one that is in already finds nothing left to explain, and comes late.
"""

import numpy as np
from scipy.special import softmax

STEPS = 40  # of the penalty, each a constant factor below the one before
LAST_PENALTY = 0.02  # as a share of the first
TOLERANCE = 1e-3  # by how much weights may still change, as a share of their size
MOST_ITERATIONS = 500
MOST_ENTERED = 0.5  # share of the columns at which the path ends


def entry_penalties(views: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The penalty at which every column enters, from (nodes, columns, views) values and the nodes' labels.

    Within a step of the penalty, columns enter in the order of their gradients before it; those that never enter are
    in the order of their gradients at the end, all of which are below the last penalty.
    """
    problem = Regression(standardise(views), y)
    weights = np.zeros((problem.columns, problem.group_size), dtype=np.float32)
    slopes = problem.slopes(weights)
    penalties = (slopes.max() * np.geomspace(1, LAST_PENALTY, STEPS)).tolist()
    entered = np.zeros(problem.columns)
    for before, penalty in zip(penalties, penalties[1:], strict=False):
        weights, after = solve(problem, weights, slopes, before, penalty)
        new = (entered == 0) & (weights != 0).any(axis=1)
        entered[new] = np.clip(slopes[new], penalty, before)
        slopes = after
        if np.mean(entered > 0) >= MOST_ENTERED:
            break
    return np.where(entered > 0, entered, np.minimum(slopes, penalty))


def standardise(views: np.ndarray) -> np.ndarray:
    """Every view of every column with mean 0 and deviation 1; what is constant is zero."""
    centred = views - views.mean(axis=0)
    deviation = centred.std(axis=0)
    return centred / np.where(deviation > 1e-7, deviation, np.inf)


class Regression:
    """The loss of (columns, views x classes) weights; the classes' intercepts are fitted along."""

    def __init__(self, views: np.ndarray, y: np.ndarray):
        nodes, self.columns, self.views = views.shape
        self.x = views.astype(np.float32)
        classes, labels = np.unique(y, return_inverse=True)
        self.target = np.eye(len(classes), dtype=np.float32)[labels]
        self.classes, self.group_size = len(classes), self.views * len(classes)
        self.intercept = np.log(self.target.mean(axis=0))

    def features(self, columns: np.ndarray) -> np.ndarray:
        return self.x[:, columns].reshape(len(self.x), len(columns) * self.views)

    def residual(self, logits: np.ndarray) -> np.ndarray:
        """The derivative of the mean loss by the logits."""
        return (softmax(logits, axis=1) - self.target) / len(self.x)

    def gradient(self, features: np.ndarray, weights: np.ndarray, intercept: np.ndarray) -> tuple:
        """By weights and intercept, of the columns that these features are the views of."""
        residual = self.residual(features @ weights.reshape(-1, self.classes) + intercept)
        return (features.T @ residual).reshape(weights.shape), residual.sum(axis=0)

    def slopes(self, weights: np.ndarray) -> np.ndarray:
        """Of every column, how steeply the loss would fall if its weights grew from where they are."""
        active = np.flatnonzero((weights != 0).any(axis=1))
        features = self.features(active)
        residual = self.residual(features @ weights[active].reshape(-1, self.classes) + self.intercept)
        whole = self.x.reshape(len(self.x), -1).T @ residual
        return np.linalg.norm(whole.reshape(self.columns, -1), axis=1)


def solve(
    problem: Regression, weights: np.ndarray, slopes: np.ndarray, before: float, penalty: float
) -> tuple[np.ndarray, np.ndarray]:
    """The weights at a penalty and the slopes there, from those at the penalty before.

    Only columns that are likely to enter take part (the strong rule of Tibshirani et al. 2012); those that should have,
    by their slopes in the solution, are added until none is missing.
    """
    taking_part = (slopes >= 2 * penalty - before) | (weights != 0).any(axis=1)
    while True:
        columns = np.flatnonzero(taking_part)
        weights = weights.copy()
        weights[columns] = descend(problem, weights[columns], columns, penalty)
        slopes = problem.slopes(weights)
        missing = ~taking_part & (slopes > penalty * (1 + TOLERANCE))
        if not missing.any():
            return weights, slopes
        taking_part |= missing


def descend(problem: Regression, weights: np.ndarray, columns: np.ndarray, penalty: float) -> np.ndarray:
    """Accelerated proximal gradients (Beck and Teboulle 2009), with a restart where momentum leads astray."""
    features = problem.features(columns)
    step = 1 / _curvature(features)
    ahead, momentum, intercept = weights, 1.0, problem.intercept
    for _ in range(MOST_ITERATIONS):
        gradient, by_intercept = problem.gradient(features, ahead, intercept)
        new = shrink(ahead - step * gradient, step * penalty)
        intercept = intercept - step * by_intercept
        change = new - weights
        if np.sum((ahead - new) * change) > 0:
            momentum = 1.0
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = new + (momentum - 1) / following * change
        weights, momentum = new, following
        if np.abs(change).max() <= TOLERANCE * np.abs(weights).max():
            break
    problem.intercept = intercept
    return weights


def shrink(weights: np.ndarray, by: float) -> np.ndarray:
    """Every group's norm less so much, and zero where there is not that much."""
    norms = np.linalg.norm(weights, axis=1, keepdims=True)
    return weights * np.maximum(0, 1 - by / np.maximum(norms, 1e-30))


def _curvature(features: np.ndarray) -> float:
    """No direction of the loss curves more: half the largest eigenvalue of the features' second moments, and slack."""
    vector = np.ones(features.shape[1], dtype=np.float32)
    length = 1.0
    for _ in range(20):
        vector = features.T @ (features @ (vector / np.linalg.norm(vector)))
        length = np.linalg.norm(vector)
    return float(max(0.5, 0.55 * length / len(features)))  # 0.5 is the intercept's
