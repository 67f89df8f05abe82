"""Metrics that rank nodes are scikit-learn's."""

import numpy as np
import pytest
import torch
from sklearn.metrics import average_precision_score, roc_auc_score

from graphsieve.models.evaluation import RANKING_METRICS


def one_by_one(metric, logits, y):
    return [RANKING_METRICS[metric](logits[..., copy : copy + 1], y)[0].item() for copy in range(logits.shape[2])]


@pytest.mark.parametrize(
    ("metric", "expected"), [("roc_auc", roc_auc_score), ("average_precision", average_precision_score)]
)
def test_ranking_metrics_are_those_of_scikit_learn_with_ties_too(metric, expected):
    """Two classes: the second is what is looked for. Logits of few values tie within and across classes."""
    generator = torch.Generator().manual_seed(0)
    y = (torch.rand(60, generator=generator) < 0.2).long()
    coarse = torch.randint(0, 4, (2, 60, 4), generator=generator).float()
    fine = torch.randn(2, 60, 4, generator=generator)
    same, certain = torch.zeros(2, 60, 1), torch.stack([-50.0 * y, 50.0 * y])[..., None]
    for logits in (coarse, fine, same, certain):
        values = [expected(y, (copy[1].double() - copy[0].double()).numpy()) for copy in logits.unbind(2)]
        np.testing.assert_allclose(RANKING_METRICS[metric](logits, y), values, atol=1e-12)
        assert RANKING_METRICS[metric](logits, y).tolist() == one_by_one(metric, logits, y)


def test_ranking_metrics_of_several_classes_are_one_versus_rest():
    generator = torch.Generator().manual_seed(1)
    y = torch.randint(0, 4, (50,), generator=generator)
    logits = torch.randn(4, 50, 3, generator=generator, dtype=torch.float64)
    logits[:, 25:] = logits[:, :25]  # every row of logits is there twice, mostly with another label
    one_hot = np.eye(4)[y]
    auc, precision = (RANKING_METRICS[name](logits, y).numpy() for name in ("roc_auc", "average_precision"))
    for copy, of_copy in enumerate(logits.unbind(2)):
        shares = of_copy.T.softmax(1).numpy().round(12)
        assert auc[copy] == pytest.approx(roc_auc_score(y, shares, multi_class="ovr"), abs=1e-12)
        assert precision[copy] == pytest.approx(average_precision_score(one_hot, shares), abs=1e-12)


def test_ranking_metrics_leave_out_classes_without_a_node():
    generator = torch.Generator().manual_seed(2)
    y, logits = torch.tensor([0, 2, 2, 0, 2, 0, 0]), torch.randn(4, 7, 1, generator=generator)
    shares = logits[..., 0].double().softmax(0)
    for name, expected in {"roc_auc": roc_auc_score, "average_precision": average_precision_score}.items():
        value = np.mean([expected(y == label, shares[label]) for label in (0, 2)])
        assert RANKING_METRICS[name](logits, y)[0] == pytest.approx(value, abs=1e-12)
