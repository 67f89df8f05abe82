"""Mutual information of numbers and classes by nearest neighbours, as scikit-learn estimates it, all columns at once.

scikit-learn builds a tree for every column and class. In one dimension sorting is enough: the values are the same to
the last bit, because distances are compared as its trees compare them (squared, after the same rounding), in a
fraction of the time.
"""

import numpy as np
from scipy.special import digamma
from sklearn.preprocessing import scale

from graphsieve.errors import InputError

NEIGHBOURS = 3


def mutual_information(x: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
    """What `mutual_info_classif(x, y, discrete_features=False, random_state=seed)` returns."""
    x = scale(np.asfortranarray(x, dtype=np.float64), with_mean=False)  # column by column: sums round by their order
    noise = np.random.RandomState(seed).standard_normal(size=x.shape)  # scikit-learn's kind of generator, not ours
    x += 1e-10 * np.maximum(1, np.abs(x).mean(axis=0)) * noise
    classes, counts = np.unique(y, return_counts=True)
    shared = np.isin(y, classes[counts > 1])  # a node that is alone in its class has no neighbours in it
    if not shared.any():
        raise InputError("mi and tfi find no two labelled nodes of one class: give label_nodes more nodes")
    x, y = x[shared], y[shared]
    radius, neighbours = np.empty_like(x), np.empty(len(y))
    for label in np.unique(y):
        of_class = y == label
        neighbours[of_class] = number = min(NEIGHBOURS, of_class.sum() - 1)
        distances = _distances if number < of_class.sum() // 2 else _coarse_distances
        radius[of_class] = np.nextafter(distances(x[of_class], number), 0)
    within = np.stack([_count_within(*column) for column in zip(x.T, radius.T, strict=True)])
    sizes = np.bincount(y)[y]
    information = digamma(len(y)) + digamma(neighbours).mean() - digamma(sizes).mean() - digamma(within).mean(axis=1)
    return np.maximum(0, information)


def _distances(x: np.ndarray, number: int) -> np.ndarray:
    """From every entry to the neighbour of this number in its column, the nearest being number 1.

    In sorted order that neighbour is at an end of the smallest window of number + 1 entries that has the entry in it.
    """
    order = np.argsort(x, axis=0)
    ordered = np.take_along_axis(x, order, axis=0)
    beyond = np.full((number, x.shape[1]), np.inf)
    padded = np.concatenate([-beyond, ordered, beyond])
    windows = []
    for left in range(number + 1):
        lower = padded[number - left : number - left + len(x)]
        upper = padded[2 * number - left : 2 * number - left + len(x)]
        windows.append(np.maximum(ordered - lower, upper - ordered))
    result = np.empty_like(x)
    np.put_along_axis(result, order, np.min(windows, axis=0), axis=0)
    return np.sqrt(result * result)  # the trees square and take the root


def _coarse_distances(x: np.ndarray, number: int) -> np.ndarray:
    """The same as scikit-learn finds it in small classes: by an expanded square, which loses differences below 1e-8."""
    squares = x * x
    expanded = (squares[:, None] + -2.0 * x[:, None] * x[None]) + squares[None]
    return np.sort(np.sqrt(np.maximum(expanded, 0)), axis=1)[:, number]


def _count_within(x: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """How many entries of a column, itself among them, lie within an entry's radius."""
    ordered, square = np.sort(x), radius * radius
    last = len(x) - 1
    low, high = np.searchsorted(ordered, x - radius), np.searchsorted(ordered, x + radius, side="right") - 1
    # Squares round otherwise than sums: an end may be off by the entries at the very edge.
    while (out := (x - ordered[low]) ** 2 > square).any():
        low += out
    while (more := (low > 0) & ((x - ordered[np.maximum(low - 1, 0)]) ** 2 <= square)).any():
        low -= more
    while (out := (x - ordered[high]) ** 2 > square).any():
        high -= out
    while (more := (high < last) & ((x - ordered[np.minimum(high + 1, last)]) ** 2 <= square)).any():
        high += more
    return high - low + 1
