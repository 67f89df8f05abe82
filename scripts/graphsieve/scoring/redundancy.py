"""Minimum redundancy, maximum relevance: a column counts by what it says of the labels and not of columns before it."""

import numpy as np

from graphsieve.scoring.filters import discretise
from graphsieve.scoring.task import Scores, ScoringTask

MOST_STEPS = 500  # columns that are chosen one by one; the others are ranked by what they would be worth next


def mrmr(task: ScoringTask) -> Scores:
    """Chosen one by one, by information about the labels less mean information about those chosen (Peng et al. 2005).

    Scores are places, 1 for the column that is chosen first.
    """
    bins = Bins(discretise(task.graph.x[task.known_nodes]))
    relevance = bins.information_about(np.unique(task.graph.y[task.known_nodes], return_inverse=True)[1])
    left, redundancy, order = np.ones(len(relevance), dtype=bool), np.zeros(len(relevance)), []
    worth = relevance
    for number in range(1, min(MOST_STEPS, len(relevance)) + 1):
        order.append(int(np.argmax(np.where(left, worth, -np.inf))))
        left[order[-1]] = False
        redundancy += bins.information_about(bins.codes[:, order[-1]])
        worth = relevance - redundancy / number
    others = np.flatnonzero(left)
    order += others[np.argsort(-worth[others], kind="stable")].tolist()
    return Scores(1 - np.argsort(order) / len(order))


class Bins:
    """Columns of bin numbers, and how much they tell of another."""

    def __init__(self, codes: np.ndarray):
        self.codes = codes
        counts = codes.max(axis=0) + 1
        self.starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        self.present = np.zeros((len(codes), counts.sum()), dtype=np.float32)
        np.put_along_axis(self.present, codes + self.starts, 1, axis=1)

    def information_about(self, other: np.ndarray) -> np.ndarray:
        """The mutual information of every column and this one, from how often their bins meet."""
        events = np.eye(other.max() + 1, dtype=np.float32)[other]
        joint = (events.T @ self.present).astype(np.float64) / len(other)
        expected = np.outer(events.mean(axis=0, dtype=np.float64), self.present.mean(axis=0, dtype=np.float64))
        terms = np.zeros_like(joint)
        met = joint > 0
        terms[met] = joint[met] * np.log(joint[met] / expected[met])
        return np.add.reduceat(terms.sum(axis=0), self.starts)
