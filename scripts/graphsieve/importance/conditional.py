"""New values of a column that keep what is known of it, and change only the rest.

Known are the other columns and whatever `given` names. They predict the column, or a group of columns, linearly
(`latent.py` says on which scale). What the prediction leaves is the rest:

- Numbers get their prediction and a permuted rest, which is made uncorrelated with the predictors, as it was.
- Columns of zeros and ones, counts and other values that repeat are exchanged between nodes of like prediction.
- With the graph given, the rest is drawn anew, as smooth on the graph as it was (`spectrum.py`).

The column's own values are then handed out in the order that results: every draw is a permutation of the column, and
zeros and ones, counts and ranges stay what they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from torch import Tensor

from graphsieve.importance.columns import SPARSE_BELOW, Columns, NewColumn, child_generator, rows_of
from graphsieve.importance.given import KnownMeans, NeighbourMeans, adjacency_of, check_given, classes_of, degrees_of
from graphsieve.importance.latent import Predictors, is_binary, keeps_values, latent, orthonormal
from graphsieve.importance.spectrum import Spectrum

MOST_PREDICTORS = 50  # other columns: those that correlate most
VALUES_PER_PREDICTOR = 5  # of those that are not the most frequent one
LIKE = 0.3  # predictions that differ by less than this share of the rest's deviation are alike
CACHE_BYTES = 2**28


@dataclass(frozen=True)
class Prediction:
    """Of the columns of an item, (columns, nodes): what is predicted of each, and the rest of it."""

    values: np.ndarray
    basis: np.ndarray  # orthonormal, of the predictors, (nodes, predictors)
    predicted: np.ndarray
    rest: np.ndarray

    @property
    def are_numbers(self) -> bool:
        return not any(map(keeps_values, self.values))

    def scale(self) -> np.ndarray:
        """One number per node on which nodes of like prediction are close, in deviations of the rest."""
        each = []
        for values, predicted, rest in zip(self.values, self.predicted, self.rest, strict=True):
            deviation = max(rest.std(), 1e-12)
            if is_binary(values) and deviation > 1e-12:  # a probability, on the scale on which its deviation is 1 / 2
                share = (predicted + values.mean() - values.min()) / (values.max() - values.min())
                predicted, deviation = np.arcsin(np.sqrt(np.clip(share, 0, 1))), 0.5
            each.append((predicted - predicted.mean()) / deviation)
        if len(each) == 1:
            return each[0]
        return np.linalg.svd(np.stack(each), full_matrices=False)[2][0] * np.linalg.norm(each, ord=2)


class Conditional:
    """Draws that keep what is known of a column.

    Parameters
    ----------
    x : Tensor
        (nodes, columns)
    others : bool
        Whether the other columns are known.
    given : str or sequence of str, optional
        What else is known: "degree", "neighbourhood", "class", "graph".
    edge_index, y, nodes : optional
        The graph; the labels, in y, of `nodes`.
    rows : Tensor, optional
        The nodes that are drawn anew, all by default. Where the graph is given, the others are known too, and draws
        keep what those within HOPS steps say.
    surely : float
        How far a column's correlation must be from zero, in deviations of what chance gives, to count among the others.
        Columns that correlate by chance alone say nothing, and keeping what they say costs power.
    """

    def __init__(
        self,
        x: Tensor,
        *,
        others: bool = True,
        given: str | Sequence[str] | None = None,
        edge_index: object = None,
        y: Tensor | None = None,
        nodes: Tensor | None = None,
        rows: Tensor | None = None,
        surely: float = 0.0,
    ):
        given = check_given(given)
        self.columns = Columns(x if rows is None else rows_of(x, rows))
        self.others = Predictors(self.columns) if others else None
        self.of_nodes, self.of_column, self.spectrum = [], [], None
        self.surely = surely
        number = np.arange(x.shape[0]) if rows is None else rows.cpu().numpy()
        if {"degree", "neighbourhood", "graph"} & set(given):
            adjacency = adjacency_of(edge_index, x.shape[0])
            if "degree" in given:
                self.of_nodes.append(degrees_of(adjacency)[number])
            if "neighbourhood" in given:
                self.of_column.append(NeighbourMeans(Columns(x), adjacency, number))
            if "graph" in given:
                self.spectrum = Spectrum(adjacency[number][:, number])
                if rows is not None:
                    self.of_column.append(KnownMeans(Columns(x), adjacency, number))
        if "class" in given:
            self.of_nodes.append(classes_of(y, nodes, x.shape[0])[number])
        room = CACHE_BYTES // (8 * MOST_PREDICTORS * len(number))
        self._prediction = lru_cache(maxsize=max(1, room))(self._predict)

    def draw(self, columns: Columns, item: np.ndarray, repeats: int, root: np.random.SeedSequence) -> list[NewColumn]:
        """New values of the item's columns, which are drawn together."""
        key = (int(item[0]),) if len(item) == 1 else (int(item[0]), len(item))
        rng = child_generator(root, *key)
        prediction = self._prediction(tuple(map(int, item)))
        if self.spectrum is not None:
            return self._with_rest(prediction, self.spectrum.randomise(prediction.rest, repeats, rng))
        if prediction.are_numbers:
            orders = rng.permuted(np.tile(np.arange(columns.num_rows), (repeats, 1)), axis=1)
            return self._with_rest(prediction, prediction.rest[:, orders].swapaxes(0, 1))
        return _exchanged(prediction, repeats, rng)

    def known_part(self, item: np.ndarray) -> np.ndarray:
        """(columns, nodes): what a line through the predictors says of the item's values; draws keep most of it."""
        prediction = self._prediction(tuple(map(int, item)))
        return prediction.values @ prediction.basis @ prediction.basis.T

    def _predict(self, item: tuple[int, ...]) -> Prediction:
        values = np.stack([self.columns.dense(column) for column in item])
        latents = np.stack([latent(one) for one in values])
        basis = orthonormal(np.concatenate(self._predictors_of(item, values, latents), axis=1))
        predicted = latents @ basis @ basis.T
        return Prediction(values, basis, predicted, latents - predicted)

    def _predictors_of(self, item: tuple[int, ...], values: np.ndarray, latents: np.ndarray) -> list[np.ndarray]:
        found = [np.empty((values.shape[1], 0)), *self.of_nodes]
        found += [predict(column) for predict in self.of_column for column in item]
        if self.others is not None:
            informative = max(map(_informative, values))
            most = min(MOST_PREDICTORS, max(1, informative // VALUES_PER_PREDICTOR))
            found.append(self.others.most_correlated(latents, np.array(item), most, self.surely))
        return found

    def _with_rest(self, prediction: Prediction, rest: np.ndarray) -> list[NewColumn]:
        """Predictions plus new rests, (repeats, columns, nodes): as far from the predictors and as large as before."""
        rest = rest - (rest @ prediction.basis) @ prediction.basis.T
        sizes = np.linalg.norm(rest, axis=2, keepdims=True)
        rest *= np.linalg.norm(prediction.rest, axis=1)[:, None] / np.where(sizes > 0, sizes, 1)
        orders = np.argsort(prediction.predicted + rest, axis=2, kind="stable")
        return [_handed_out(np.sort(one), orders[:, place]) for place, one in enumerate(prediction.values)]


def _informative(values: np.ndarray) -> int:
    """How many values differ from the most frequent one."""
    return len(values) - int(np.unique(values, return_counts=True)[1].max())


def _exchanged(prediction: Prediction, repeats: int, rng: np.random.Generator) -> list[NewColumn]:
    """Rows exchanged within classes of like prediction, whose borders are elsewhere in every repeat."""
    scale = prediction.scale()
    by_scale = np.argsort(scale, kind="stable")
    classes = np.floor(scale / LIKE + rng.random((repeats, 1)))
    orders = np.lexsort((rng.random(classes.shape), classes))
    return [_handed_out(values[by_scale], orders) for values in prediction.values]


def _handed_out(values: np.ndarray, orders: np.ndarray) -> NewColumn:
    """The first value to the first node of each order, and so on; of a sparse column only the nonzeros."""
    filled = np.flatnonzero(values)
    if len(filled) <= SPARSE_BELOW * len(values):
        return NewColumn(orders[:, filled], values[filled][None].repeat(len(orders), axis=0))
    new = np.empty(orders.shape, dtype=values.dtype)
    np.put_along_axis(new, orders, values[None], axis=1)
    return NewColumn(None, new)
