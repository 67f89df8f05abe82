"""Stochastic gates and gradient scorers against their authors' formulas."""

import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.stats import norm

from graphsieve.errors import InputError
from graphsieve.models.classifier import model_factory
from graphsieve.models.training import train_model
from graphsieve.options import ScoringOptions, TrainingOptions
from graphsieve.scoring import gates
from graphsieve.scoring.scorers import ScoringTask, score_features

TRAINING = TrainingOptions(hidden=8, epochs=40)


@pytest.fixture(scope="module")
def task(small_graph, small_split):
    model = train_model("gcn", small_graph, small_split, options=TRAINING).model.eval()
    make_model = model_factory("gcn", small_graph, TRAINING, 0)
    options = ScoringOptions(scorer_epochs=60)
    return ScoringTask(small_graph, small_split, 0, options, model, make_model=make_model, training=TRAINING)


def test_the_price_of_gates_is_the_chance_that_they_let_anything_through():
    means = torch.tensor([-1.0, 0.0, 0.3, 2.0])
    assert gates.open_share(means).item() == pytest.approx(norm.cdf(means / gates.SPREAD).mean(), abs=1e-6)
    draws = means + gates.SPREAD * torch.randn(200_000, 4, generator=torch.Generator().manual_seed(0))
    assert gates.open_share(means).item() == pytest.approx((draws > 0).double().mean().item(), abs=0.005)


def test_a_dearer_gate_is_less_open_and_those_of_relevant_columns_stay_open(task, monkeypatch):
    cheap = score_features("stochastic_gates", task).values
    monkeypatch.setattr(gates, "PRICE", 3.0)
    dear = score_features("stochastic_gates", task).values
    assert dear.mean() < cheap.mean()
    assert cheap[:3].min() > cheap[3:].max()


def log_probability(task, x):
    """Of the true classes at the validation nodes, added up."""
    found = task.model(x, torch.from_numpy(task.graph.edge_index))[task.split.val].log_softmax(1)
    return found[range(len(task.split.val)), task.graph.y[task.split.val]].sum()


def gradient(task, x):
    x = x.clone().requires_grad_()
    return torch.autograd.grad(log_probability(task, x), x)[0]


def test_gradient_times_input_is_that(task):
    pytest.importorskip("captum")
    x = torch.from_numpy(task.graph.x)
    expected = (x * gradient(task, x)).abs().mean(0)
    np.testing.assert_allclose(score_features("gradient_input", task).values, expected, rtol=1e-5, atol=1e-8)


def test_integrated_gradients_are_the_mean_gradient_on_the_way_from_zero(task):
    """By the trapezium rule with many points: a ReLU network's gradient is piecewise constant."""
    pytest.importorskip("captum")
    x = torch.from_numpy(task.graph.x)
    mean = torch.stack([gradient(task, share * x) for share in (np.arange(400) + 0.5) / 400]).mean(0)
    values = score_features("integrated_gradients", task).values
    np.testing.assert_allclose(values, (x * mean).abs().mean(0), rtol=0.03, atol=1e-4)


@pytest.mark.parametrize("name", ["gradient_input", "integrated_gradients"])
def test_without_captum_a_sentence_names_it(name, task, monkeypatch):
    monkeypatch.setitem(sys.modules, "captum", None)
    monkeypatch.setitem(sys.modules, "captum.attr", None)
    with pytest.raises(InputError, match="need the package captum: pip install captum, or choose another scorer"):
        score_features(name, replace(task))
