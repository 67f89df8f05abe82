"""Does a column, or a group of columns, say something of what a model leaves unexplained?

A model that learnt from one half of the nodes, and in which the columns are held at their means, predicts the labels of
the other half. What is left of these labels goes with the columns' own values, or with their means over a node's
neighbours, or it does not; new draws of the columns say how far it would by chance. As in the distilled conditional
randomisation test (Liu, Katsevich, Janson and Ramdas, Biometrika, 2022), nothing is trained or predicted for a draw, so
that draws are cheap; and all nodes whose labels may be seen are tested at once, where the loss of a model can be tested
in one half at a time. Therefore it finds weaker columns than the loss does. What it does not see are columns that
matter only in combination with others.

Two things make the level hold. What draws keep of a column is taken off its values first: that part goes with whatever
the model learnt of the other columns. And each sum is divided by its own deviation, because values that scatter more at
nodes of few neighbours, where models err more, would look related to the errors.
"""

import numpy as np
import torch
from scipy.optimize import minimize_scalar
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order
from scipy.special import softmax
from torch import nn

from graphsieve.data.graph import Graph, Split, induced_subgraph
from graphsieve.importance import Conditional
from graphsieve.importance.columns import NewColumn
from graphsieve.importance.given import adjacency_of, averaging
from graphsieve.inference.halves import share_out
from graphsieve.inference.sides import Side
from graphsieve.inference.stopping import sequential_p_value
from graphsieve.models.training import edge_tensors
from graphsieve.randomness import child, generator

MOST_NODES = 5000  # of larger graphs a part is tested
STARTS = 100  # nodes around which such a part lies
VALUES_AT_ONCE = 2**23
LOG_SCALES = (-4.0, 1.0)
NEIGHBOURS_COUNT = 0.5  # what their means say, where a node's own value counts 1


class Unexplained:
    """Tests columns of a graph against what the models of both sides leave unexplained of each other's labels."""

    def __init__(self, graph: Graph, split: Split, sides: list[Side]):
        self.options = sides[0].options
        known = np.union1d(split.train, split.val)
        nodes = tested_part(graph, known, self.options.seed)
        self.graph = graph if len(nodes) == graph.num_nodes else induced_subgraph(graph, nodes)
        halves = share_out(graph, split, self.options.seed)[::-1]
        # The models of a side know neither labels nor features of the half that they are asked about.
        self.asked = [
            (side.models, np.flatnonzero(np.isin(nodes, np.intersect1d(half, known))))
            for side, half in zip(sides, halves, strict=True)
        ]
        self.labelled = np.concatenate([places for _, places in self.asked])
        self.device = next(sides[0].models[0].parameters()).device
        self.averaging = averaging(adjacency_of(self.graph.edge_index, self.graph.num_nodes))
        self.x = torch.from_numpy(self.graph.x.copy()).to(self.device)

    def conditional(self, **known: object) -> Conditional:
        """Draws for `p_value`; `known` are arguments of Conditional."""
        x, edge_index = map(torch.from_numpy, (self.graph.x, self.graph.edge_index))
        return Conditional(x, edge_index=edge_index, **known)

    def p_value(
        self, columns: np.ndarray, draws: Conditional, occasion: int, limit: int, held: np.ndarray | None = None
    ) -> float:
        """Of these columns, drawn together.

        occasion: tells tests of the same columns apart. held: which columns models do without, these by default.
        """
        rest, kept = self.without(columns if held is None else held), draws.known_part(columns)
        original = self.statistic(self.graph.x[:, columns].T[None] - kept, rest)

        def draw(number: int, count: int) -> np.ndarray:
            drawn = []
            for part, size in enumerate(_parts(count, max(1, VALUES_AT_ONCE // kept.size))):
                root = child(self.options.seed, "scoring", 2 + occasion, number, part)
                new = draws.draw(draws.columns, columns, size, root)
                drawn.append(self.statistic(_stacked(new, kept.shape[1]) - kept, rest))
            return original - np.concatenate(drawn)

        return sequential_p_value(draw, self.options.n_repeats, limit)

    def without(self, columns: np.ndarray) -> np.ndarray:
        """(labelled nodes, classes): labels less predictions, with the columns held at their means."""
        before = self.x[:, columns].clone()
        self.x[:, columns] = before.mean(dim=0)
        rest = [self._rest(models, places) for models, places in self.asked]
        self.x[:, columns] = before
        return np.concatenate(rest)

    def _rest(self, models: list[nn.Module], places: np.ndarray) -> np.ndarray:
        edge_index = torch.from_numpy(self.graph.edge_index).to(self.device)
        with torch.no_grad():
            outputs = [model(self.x, edge_index, **edge_tensors(self.graph, self.device))[places] for model in models]
        outputs = torch.stack(outputs).double().cpu().numpy().reshape(len(models), len(places), -1)
        y = self.graph.y[places]
        rest = rest_of_quantities(outputs, y) if self.graph.is_regression else rest_of_classes(outputs, y)
        return rest - rest.mean(axis=0)

    def statistic(self, values: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """One number for each of (draws, columns, nodes): how far values, and neighbours' means, go with the rest."""
        flat = values.reshape(-1, values.shape[2])
        total = np.zeros(len(flat))
        for weight, signal in ((1, flat), (NEIGHBOURS_COUNT, (self.averaging @ flat.T).T)):
            seen = signal[:, self.labelled]
            seen = seen - seen.mean(axis=1, keepdims=True)
            deviation = np.square(seen) @ np.square(rest)
            squares = np.square(seen @ rest)
            ratios = np.divide(squares, deviation, out=np.zeros_like(squares), where=deviation > 1e-12)
            total += weight * ratios.sum(axis=1)
        return total.reshape(values.shape[:2]).sum(axis=1)


def rest_of_classes(logits: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(nodes, classes) from the (models, nodes, classes) of several models: ones and zeros less probabilities.

    Models that have learnt little are too sure of it. Their logits are scaled such that they fit these labels best;
    what is left of the labels is then smaller, and what columns say of it is seen more easily.
    """
    wanted = np.eye(logits.shape[2])[y]

    def probabilities(log_scale: float) -> np.ndarray:
        return softmax(logits * np.exp(log_scale), axis=2).mean(axis=0)

    def loss(log_scale: float) -> float:
        return -np.log(np.maximum((probabilities(log_scale) * wanted).sum(axis=1), 1e-12)).mean()

    return wanted - probabilities(minimize_scalar(loss, bounds=LOG_SCALES, method="bounded").x)


def rest_of_quantities(predicted: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(nodes, 1) from the (models, nodes, 1) of several models, scaled to fit these labels best."""
    predicted = predicted.mean(axis=0)
    centred = predicted - predicted.mean(axis=0)
    size = np.square(centred).sum()
    scale = max(0.0, float(centred[:, 0] @ y) / size) if size > 0 else 0.0
    return y[:, None] - scale * predicted


def tested_part(graph: Graph, known: np.ndarray, seed: int) -> np.ndarray:
    """All nodes; of a large graph those around some whose labels may be seen, so that they keep their neighbours."""
    if graph.num_nodes <= MOST_NODES:
        return np.arange(graph.num_nodes)
    rng, everybody = generator(seed, "folds"), graph.num_nodes
    starts = rng.permutation(known)[:STARTS]
    # One more node that is joined to the starts: a breadth-first search from it goes around all of them at once.
    source, target = np.concatenate([graph.edge_index, np.stack([np.full(len(starts), everybody), starts])], axis=1)
    links = coo_array((np.ones(len(source)), (source, target)), shape=(everybody + 1, everybody + 1)).tocsr()
    reached = breadth_first_order(links, everybody, directed=False, return_predecessors=False)[1:]
    others = rng.permutation(np.setdiff1d(np.arange(everybody), reached))
    return np.sort(np.concatenate([reached, others])[:MOST_NODES])


def _parts(count: int, most: int) -> list[int]:
    return [min(most, count - start) for start in range(0, count, most)]


def _stacked(new: list[NewColumn], num_rows: int) -> np.ndarray:
    """(draws, columns, nodes)"""
    draws = range(len(new[0].values))
    return np.stack([[column.dense(draw, num_rows) for column in new] for draw in draws]).astype(np.float64)
