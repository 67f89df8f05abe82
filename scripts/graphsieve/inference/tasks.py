"""What differs between labels that are classes and labels that are quantities, and with values of edges."""

from dataclasses import replace

import numpy as np

from graphsieve.data.graph import Graph, Split
from graphsieve.errors import InputError
from graphsieve.options import METRIC_NAMES, NEGATIVE_ERROR, NUMBER_METRIC_NAMES, RankingOptions

PLAIN_MODEL, WEIGHTED_MODEL, EDGE_MODEL = "graphsage", "graphconv", "gated"


def loss_of(graph: Graph) -> str:
    """What p-values judge: it has no ties."""
    return "mean_squared_error" if graph.is_regression else "cross_entropy"


def measure_of(graph: Graph) -> str:
    """What models are reported by."""
    return "r2" if graph.is_regression else "accuracy"


def suited_options(options: RankingOptions, graph: Graph) -> RankingOptions:
    """The options with a model and a metric that suit the graph, and these refused where they do not."""
    metric, known = options.metric or measure_of(graph), METRIC_NAMES
    training = options.training
    if graph.is_regression:
        known, training = NUMBER_METRIC_NAMES, replace(training, metric=NEGATIVE_ERROR)
    if metric not in known:
        kind = "quantities" if graph.is_regression else "classes"
        raise InputError(
            f"metric '{metric}' is not for labels that are {kind}, as those of '{graph.name}' are: "
            f"choose one of {', '.join(known)}"
        )
    return replace(options, model=options.model or _suited_model(graph), metric=metric, training=training)


def _suited_model(graph: Graph) -> str:
    if graph.edge_attr is not None:
        return EDGE_MODEL
    return PLAIN_MODEL if graph.edge_weight is None else WEIGHTED_MODEL


def scale_labels(graph: Graph, split: Split) -> Graph:
    """Quantities with mean 0 and deviation 1 at the nodes whose labels may be seen, so that units do not matter."""
    if not graph.is_regression:
        return graph
    if len(np.unique(graph.y[split.test])) < 2:
        raise InputError(
            f"'{graph.name}': all {len(split.test)} test nodes have the same label, so that no share of their variance "
            "can be explained: label more nodes"
        )
    seen = graph.y[np.union1d(split.train, split.val)].astype(np.float64)
    deviation = seen.std()
    return replace(graph, y=((graph.y - seen.mean()) / (deviation if deviation > 0 else 1)).astype(np.float32))


def worth_by_node(outputs: np.ndarray, y: np.ndarray) -> np.ndarray:
    """A value for each of these nodes whose mean is the measure: whether its class is right, or its part of r2."""
    if y.dtype.kind == "f":
        return 1 - np.square(outputs[:, 0] - y.astype(np.float64)) / np.var(y, dtype=np.float64)
    return (outputs.argmax(axis=1) == y).astype(float)


def worth_of_guessing(graph: Graph, split: Split) -> float:
    """The measure of who always names the commonest class, or the mean."""
    train, test = graph.y[split.train], graph.y[split.test]
    if graph.is_regression:
        return float(worth_by_node(np.full((len(test), 1), train.mean(dtype=np.float64)), test).mean())
    return float(np.mean(test == np.bincount(train).argmax()))
