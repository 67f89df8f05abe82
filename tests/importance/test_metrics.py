"""Every named metric is scikit-learn's, with and without weights, for every kind of labels it takes."""

import numpy as np
import pytest
import torch
from sklearn import metrics as sk
from torch import Tensor

from graphsieve.errors import InputError
from graphsieve.importance.metrics import METRICS, Judge

ROWS, COPIES = 25, 3


def outputs(columns: int) -> Tensor:
    """With ties, in scores and between classes."""
    drawn = torch.randn(columns, ROWS, COPIES, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    if columns == 4:  # rounding would leave it to the last bit which probabilities tie: whole rows are there twice
        drawn[:, :12] = drawn[:, 12:24]
        return drawn
    return (4 * drawn).round() / 4


def labels(kind: str) -> tuple[int, Tensor]:
    """The number of columns that the model returns, and y."""
    generator = torch.Generator().manual_seed(2)
    if kind == "classes":
        return 5, torch.randint(0, 4, (ROWS,), generator=generator)  # class 4 is nowhere
    if kind == "all classes":
        return 4, torch.randint(0, 4, (ROWS,), generator=generator)
    if kind == "labels":
        return 3, torch.randint(0, 2, (ROWS, 3), generator=generator)
    if kind in ("one number", "numbers"):
        columns = 1 if kind == "one number" else 2
        return columns, torch.randn(ROWS, columns, generator=generator, dtype=torch.float64)
    return (1 if kind == "one logit" else 2), torch.randint(0, 2, (ROWS,), generator=generator)


def probability(logits: Tensor, kind: str) -> Tensor:
    """(rows, classes) or (rows, labels)"""
    if kind == "labels":
        return logits.sigmoid()
    if kind == "one logit":
        return torch.cat([1 - logits.sigmoid(), logits.sigmoid()], 1)
    return logits.softmax(1)


def expected_value(name: str, kind: str, logits: Tensor, y: Tensor, weight: Tensor | None) -> float:
    options = {"sample_weight": weight}
    if name in ("r2", "mean_squared_error", "mean_absolute_error"):
        return getattr(sk, {"r2": "r2_score"}.get(name, name))(y, logits, **options)
    chance = probability(logits, kind)
    predicted = (logits > 0).long() if kind == "labels" else chance.argmax(1)
    if name == "accuracy":
        return sk.accuracy_score(y, predicted, **options)
    if name == "macro_f1":
        return sk.f1_score(y, predicted, average="macro", **options)
    if name == "cross_entropy" and kind == "labels":
        return np.mean([sk.log_loss(y[:, k], chance[:, k], **options) for k in range(y.shape[1])])
    if name == "cross_entropy":
        return sk.log_loss(y, chance, labels=range(chance.shape[1]), **options)
    if name == "roc_auc":
        binary = kind in ("one logit", "two logits")
        return sk.roc_auc_score(y, chance[:, 1] if binary else chance, multi_class="ovr", **options)
    scores = chance[:, 1] if kind in ("one logit", "two logits") else chance
    return sk.average_precision_score(y, scores, **options)


ANY = ("classes", "one logit", "two logits")
ALL = ("all classes", "one logit", "two logits", "labels")
NUMBERS = ("one number", "numbers")
KINDS = {
    "accuracy": (*ANY, "labels"),
    "cross_entropy": (*ANY, "labels"),
    "macro_f1": ANY,
    "roc_auc": ALL,
    "average_precision": ALL,
    "r2": NUMBERS,
    "mean_squared_error": NUMBERS,
    "mean_absolute_error": NUMBERS,
}


def test_every_metric_is_compared():
    assert set(KINDS) == set(METRICS)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name, kinds in KINDS.items() for kind in kinds])
def test_metrics_are_those_of_scikit_learn(name, kind, weighted):
    columns, y = labels(kind)
    logits = outputs(columns)
    weight = torch.arange(ROWS) % 4 / 4 if weighted else None  # some are zero
    judge = Judge([METRICS[name]], logits[:, :, 0].T, y, weight)
    found = judge(logits)[0]
    for copy in range(COPIES):
        expected = expected_value(name, kind, logits[:, :, copy].T, y, weight)
        assert found[copy] == pytest.approx(expected, abs=1e-12)
    assert judge.baselines == pytest.approx([found[0]])


def test_labels_of_one_column_are_labels_without_columns():
    logits = outputs(1)
    for name, kind in (("roc_auc", "one logit"), ("r2", "one number")):
        y = labels(kind)[1].double().flatten()
        one, other = (Judge([METRICS[name]], logits[:, :, 0].T, each, None) for each in (y, y[:, None]))
        assert one.baselines == other.baselines


@pytest.mark.parametrize(
    ("name", "columns", "y", "message"),
    [
        ("accuracy", 3, torch.zeros(ROWS), "y must hold one class number per row"),
        ("accuracy", 3, torch.full((ROWS,), 3), "y has classes 3 to 3 where it is scored"),
        ("accuracy", 3, torch.full((ROWS,), -1), "number the classes from 0"),
        ("accuracy", 1, torch.full((ROWS,), 2), "y must hold zeros and ones for accuracy"),
        ("cross_entropy", 3, torch.zeros(ROWS, 2), r"y has shape \(25, 2\) where it is scored"),
        ("cross_entropy", 2, torch.full((ROWS, 2), 0.5), "y must hold zeros and ones"),
        ("macro_f1", 2, torch.zeros(ROWS, 2), "y has 2 labels per row, but macro_f1 takes one"),
        ("roc_auc", 2, torch.zeros(ROWS, dtype=torch.long), "all 25 scored rows have class 0"),
        ("average_precision", 1, torch.ones(ROWS), "all 25 scored rows have class 1"),
        ("roc_auc", 2, torch.tensor([0, 1]).repeat(ROWS, 1), "label 0 is 0 at every scored row"),
        ("r2", 2, torch.zeros(ROWS), r"y has shape \(25,\) where it is scored, but the model returns \(25, 2\)"),
        ("r2", 1, torch.full((ROWS,), 7.0), "y is 7.0 wherever it is scored"),
        ("mean_squared_error", 1, torch.full((ROWS,), torch.nan), "y holds NaN"),
    ],
)
def test_labels_that_do_not_fit_the_metric(name, columns, y, message):
    with pytest.raises(InputError, match=message):
        Judge([METRICS[name]], outputs(columns)[:, :, 0].T, y, None)
