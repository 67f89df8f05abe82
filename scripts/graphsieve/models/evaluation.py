"""How well a model does, by the metrics that models are chosen and reported by.

The ranking metrics are for labels so unequal that accuracy says little. They take (classes, nodes, copies) logits and
(nodes,) labels, and give one value per copy, as scikit-learn does: of two classes that of the second, of more the mean
over one class against the rest. Classes without a node do not count.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from graphsieve.errors import InputError


def roc_auc(logits: Tensor, y: Tensor) -> Tensor:
    """How often a node of the class ranks above one that is not; half of a tie counts.

    Parameters
    ----------
    logits : Tensor
        Of shape (classes, nodes, copies).
    y : Tensor
        A class per node.

    Returns
    -------
    Tensor
        One value per copy.

    Examples
    --------
    One of four pairs is in the wrong order:

    >>> import torch
    >>> of_class_1 = torch.tensor([0.1, 0.4, 0.35, 0.8])
    >>> logits = torch.stack([torch.zeros(4), of_class_1])[..., None]
    >>> roc_auc(logits, torch.tensor([0, 0, 1, 1])).tolist()
    [0.75]
    """
    return _mean_over_classes(_area, logits, y)


def average_precision(logits: Tensor, y: Tensor) -> Tensor:
    """Precision at the rank of every node of the class, averaged over these nodes.

    Parameters
    ----------
    logits : Tensor
        Of shape (classes, nodes, copies).
    y : Tensor
        A class per node.

    Returns
    -------
    Tensor
        One value per copy.

    Examples
    --------
    The two nodes of class 1 come first and third: precisions of 1 and 2 / 3.

    >>> import torch
    >>> of_class_1 = torch.tensor([0.1, 0.4, 0.35, 0.8])
    >>> logits = torch.stack([torch.zeros(4), of_class_1])[..., None]
    >>> average_precision(logits, torch.tensor([0, 0, 1, 1])).round(decimals=4).tolist()
    [0.8333]
    """
    return _mean_over_classes(_precision, logits, y)


RANKING_METRICS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "roc_auc": roc_auc,
    "average_precision": average_precision,
}


def check_two_classes(metric: str, y: Tensor, nodes: str) -> None:
    if metric in RANKING_METRICS and len(y.unique()) < 2:
        raise InputError(
            f"{metric} ranks nodes of one class among those of others, but all {len(y)} {nodes} nodes have class "
            f"{int(y[0])}: give nodes of several classes, or choose another metric"
        )


def evaluate(metric: str, logits: Tensor, y: Tensor, parts: dict[str, Tensor]) -> dict[str, float]:
    """The metric on every part of the nodes, from (nodes, classes) logits."""
    if metric == "accuracy":
        correct = (logits.argmax(dim=1) == y).double()
        return {name: correct[nodes].mean().item() for name, nodes in parts.items()}
    function, logits = RANKING_METRICS[metric], logits.detach()
    return {name: function(logits[nodes].T[..., None], y[nodes]).item() for name, nodes in parts.items()}


def _mean_over_classes(measure: Callable[[Tensor, Tensor], Tensor], logits: Tensor, y: Tensor) -> Tensor:
    classes = [1] if logits.shape[0] == 2 else y.unique().tolist()
    values = []
    for label in classes:
        odds, true = _log_odds(logits, label), y == label
        values.append(measure(*(odds[:, part].sort(dim=1).values for part in (true, ~true))))
    return torch.stack(values).mean(0)


def _log_odds(logits: Tensor, label: int) -> Tensor:
    """Of this class against all others, as (copies, nodes): in the order of its probability, but never cut off at 1."""
    others = torch.cat([logits[:label], logits[label + 1 :]]).double().logsumexp(0)
    return (logits[label].double() - others).T


def _area(positive: Tensor, negative: Tensor) -> Tensor:
    below = torch.searchsorted(negative, positive)
    not_above = torch.searchsorted(negative, positive, right=True)
    return (below + not_above).sum(1).double() / (2 * positive.shape[1] * negative.shape[1])


def _precision(positive: Tensor, negative: Tensor) -> Tensor:
    hits, misses = (part.shape[1] - torch.searchsorted(part, positive).double() for part in (positive, negative))
    return (hits / (hits + misses)).mean(1)
