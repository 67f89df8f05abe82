"""How well a model does, by the metrics that models are chosen and reported by.

The ranking metrics are for labels so unequal that accuracy says little. They take (classes, nodes, copies) logits and
(nodes,) labels, and give one value per copy, as scikit-learn does: of two classes that of the second, of more the mean
over one class against the rest. Classes without a node do not count. A single logit is that of class 1 against 0, and
labels (nodes, labels) of zeros and ones have a logit each, whose mean is taken.
"""

from collections.abc import Callable, Iterator

import torch
import torch.nn.functional as F
from torch import Tensor

from graphsieve.errors import InputError
from graphsieve.options import NEGATIVE_ERROR


def roc_auc(logits: Tensor, y: Tensor, weight: Tensor | None = None) -> Tensor:
    """How often a node of the class ranks above one that is not; half of a tie counts.

    Parameters
    ----------
    logits : Tensor
        Of shape (classes, nodes, copies).
    y : Tensor
        A class per node, or zeros and ones for several labels of each.
    weight : Tensor, optional
        How much each node counts.

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
    return _mean_over_classes(_area, logits, y, weight)


def average_precision(logits: Tensor, y: Tensor, weight: Tensor | None = None) -> Tensor:
    """Precision at the rank of every node of the class, averaged over these nodes.

    Parameters
    ----------
    logits : Tensor
        Of shape (classes, nodes, copies).
    y : Tensor
        A class per node, or zeros and ones for several labels of each.
    weight : Tensor, optional
        How much each node counts.

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
    return _mean_over_classes(_precision, logits, y, weight)


RANKING_METRICS: dict[str, Callable[[Tensor, Tensor, Tensor | None], Tensor]] = {
    "roc_auc": roc_auc,
    "average_precision": average_precision,
}


def check_two_classes(metric: str, y: Tensor, rows: str) -> None:
    if metric in RANKING_METRICS and len(y.unique()) < 2:
        raise InputError(
            f"{metric} ranks rows of one class among those of others, but all {len(y)} {rows} have class {int(y[0])}: "
            "give some of several classes, or choose another metric"
        )


def evaluate(metric: str, logits: Tensor, y: Tensor, parts: dict[str, Tensor]) -> dict[str, float]:
    """The metric on every part of the nodes, from (nodes, classes) logits."""
    if metric == NEGATIVE_ERROR:
        errors = -(logits.detach()[:, 0].double() - y).square()
        return {name: errors[nodes].mean().item() for name, nodes in parts.items()}
    if metric == "accuracy":
        correct = (logits.argmax(dim=1) == y).double()
        return {name: correct[nodes].mean().item() for name, nodes in parts.items()}
    function, logits = RANKING_METRICS[metric], logits.detach()
    return {name: function(logits[nodes].T[..., None], y[nodes], None).item() for name, nodes in parts.items()}


def _mean_over_classes(measure: Callable, logits: Tensor, y: Tensor, weight: Tensor | None) -> Tensor:
    weight = torch.ones(len(y), dtype=torch.float64, device=y.device) if weight is None else weight.double()
    values = []
    for odds, true in _one_against_rest(logits, y, weight):
        ranked = [_sorted(odds[:, part], weight[part]) for part in (true, ~true)]
        values.append(measure(*ranked))
    return torch.stack(values).mean(0)


def _one_against_rest(logits: Tensor, y: Tensor, weight: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """(copies, nodes) odds and (nodes,) truth of every class or label."""
    if y.dim() == 2:
        yield from zip(logits.double().mT, y.T == 1, strict=True)
    elif logits.shape[0] == 1:
        yield logits[0].double().T, y == 1
    else:
        for label in [1] if logits.shape[0] == 2 else y[weight > 0].unique().tolist():
            yield _log_odds(logits, label), y == label


def _log_odds(logits: Tensor, label: int) -> Tensor:
    """Of this class against all others, as (copies, nodes): in the order of its probability, but never cut off at 1."""
    others = torch.cat([logits[:label], logits[label + 1 :]]).double().logsumexp(0)
    return (logits[label].double() - others).T


def _sorted(odds: Tensor, weight: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """(copies, nodes) odds in order, their weights, and the weight of the first k of them for every k."""
    odds, order = odds.sort(dim=1)
    weights = weight[order]
    return odds, weights, F.pad(weights.cumsum(1), (1, 0))


def _area(positive: tuple[Tensor, ...], negative: tuple[Tensor, ...]) -> Tensor:
    odds, weights, _ = positive
    others, _, total = negative
    below = total.gather(1, torch.searchsorted(others, odds))
    not_above = total.gather(1, torch.searchsorted(others, odds, right=True))
    return (weights * (below + not_above)).sum(1) / (2 * weights.sum(1) * total[:, -1])


def _precision(positive: tuple[Tensor, ...], negative: tuple[Tensor, ...]) -> Tensor:
    odds, weights, _ = positive
    hits, misses = (
        total[:, -1:] - total.gather(1, torch.searchsorted(others, odds)) for others, _, total in (positive, negative)
    )
    return (weights * (hits / (hits + misses)).nan_to_num(0)).sum(1) / weights.sum(1)
