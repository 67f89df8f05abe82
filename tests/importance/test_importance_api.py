"""Metrics, results, input checks, and what the caller's model looks like afterwards."""

import numpy as np
import pytest
import torch
from importance_cases import CLASSES, FEATURES, NODES, make_graph, scored_nodes
from sklearn.metrics import roc_auc_score
from torch import nn

from graphsieve import permutation_importance
from graphsieve.errors import InputError
from graphsieve.models.classifier import build_model


@pytest.fixture
def model():
    return build_model("gcn", FEATURES, CLASSES, hidden=8, dropout=0.5)


def score(model, **changed):
    x, edges, y = make_graph()
    arguments = {"x": x, "edge_index": edges, "y": y, "nodes": scored_nodes(), "n_repeats": 2} | changed
    return permutation_importance(model, **arguments)


def test_importance_by_roc_auc_is_its_fall(model):
    """By hand, with scikit-learn: feature 0 masked, one forward pass."""
    x, edges, _ = make_graph()
    nodes, y = scored_nodes(), torch.arange(NODES) % 2
    model = build_model("gcn", FEATURES, 2, hidden=8).eval()
    masked = x.clone()
    masked[:, 0] = 0
    with torch.no_grad():
        before, after = (model(one, edges)[nodes] for one in (x, masked))
    fall = np.subtract(*(roc_auc_score(y[nodes], (one[:, 1] - one[:, 0]).double()) for one in (before, after)))
    for engine in ("auto", "full"):
        result = score(model, y=y, metric="roc_auc", perturbation="mask", n_repeats=1, engine=engine)
        assert result.importances[0, 0] == pytest.approx(fall, abs=1e-12)


@pytest.mark.parametrize("metric", ["roc_auc", "average_precision"])
def test_labels_of_one_class_cannot_be_ranked(model, metric):
    sentence = (
        f"{metric} ranks rows of one class among those of others, but all 7 scored rows have class 1: give some of "
        "several classes, or choose another metric"
    )
    with pytest.raises(InputError) as refusal:
        score(model, y=torch.ones(NODES, dtype=torch.long), metric=["accuracy", metric])
    assert str(refusal.value) == sentence


def test_importance_is_the_fall_of_a_score_and_the_rise_of_a_loss(model):
    """By hand: feature 0 masked, one forward pass."""
    x, edges, y = make_graph()
    nodes = scored_nodes()
    model.eval()
    masked = x.clone()
    masked[:, 0] = 0
    with torch.no_grad():
        before, after = model(x, edges)[nodes], model(masked, edges)[nodes]
    results = score(model, metric=["accuracy", "cross_entropy"], perturbation="mask", n_repeats=3)
    loss = nn.functional.cross_entropy
    rise = float(loss(after, y[nodes]) - loss(before, y[nodes]))
    fall = float((before.argmax(1) == y[nodes]).double().mean() - (after.argmax(1) == y[nodes]).double().mean())
    assert results["cross_entropy"].importances[0] == pytest.approx([rise] * 3, abs=1e-6)
    assert results["accuracy"].importances[0] == pytest.approx([fall] * 3, abs=1e-9)
    assert results["cross_entropy"].baseline == pytest.approx(float(loss(before, y[nodes])), abs=1e-6)


def test_result_has_scikit_learns_names(model):
    result = score(model, n_repeats=4)
    assert result.importances.shape == (FEATURES, 4)
    assert result.importances_mean == pytest.approx(result.importances.mean(axis=1))
    assert result.importances_std == pytest.approx(result.importances.std(axis=1))
    assert result.metric == "accuracy"
    assert (score(model, features=[]).importances.shape) == (0, 2)


def test_a_constant_column_does_not_matter(model):
    assert (score(model, metric="cross_entropy").importances[-1] == 0).all()


def test_a_function_as_metric(model):
    def hit_rate(logits, y):
        assert logits.shape == (len(scored_nodes()), CLASSES)
        return (logits.argmax(1) == y).double().mean()

    for engine in ("auto", "full"):
        results = score(model, metric=["accuracy", hit_rate], engine=engine)
        np.testing.assert_allclose(results["hit_rate"].importances, results["accuracy"].importances, atol=1e-12)


def test_mask_and_index_are_the_same_nodes(model):
    mask = torch.zeros(NODES, dtype=torch.bool)
    mask[scored_nodes()] = True
    by_mask, by_index = (score(model, nodes=nodes, metric="cross_entropy") for nodes in (mask.numpy(), scored_nodes()))
    np.testing.assert_allclose(by_mask.importances, by_index.importances, atol=1e-7)


def test_same_seed_same_numbers(model):
    def numbers(seed):
        return score(model, metric="cross_entropy", random_state=seed).importances

    assert (numbers(3) == numbers(np.random.SeedSequence(3))).all()
    assert (numbers(np.random.default_rng(3)) == numbers(np.random.default_rng(3))).all()
    assert (numbers(3) != numbers(4)).any()
    assert (numbers(None) != numbers(None)).any()


@pytest.mark.parametrize("engine", ["auto", "full", "restricted"])
def test_the_model_comes_back_as_it_was(model, engine):
    model.train()
    model.layers[1].eval()
    state = {name: value.clone() for name, value in model.state_dict().items()}
    x, _, _ = make_graph()
    before = x.clone()
    score(model, x=x, engine=engine)
    assert model.training
    assert model.dropout.training
    assert not model.layers[1].training
    assert all(torch.equal(value, model.state_dict()[name]) for name, value in state.items())
    assert torch.equal(x, before)
    assert torch.is_grad_enabled()


def test_the_progress_bar_is_off_unless_asked_for(model, capsys):
    score(model)
    assert capsys.readouterr().err == ""
    score(model, progress=True)
    assert "permutation" in capsys.readouterr().err


class Failing(nn.Module):
    def __init__(self, calls: int):
        super().__init__()
        self.calls = calls

    def forward(self, x, edge_index):
        self.calls -= 1
        if self.calls < 0:
            raise RuntimeError("out of luck")
        return x[:, :CLASSES]


class NotNumbers(nn.Module):
    def forward(self, x, edge_index):
        return x[:, :CLASSES].index_fill(0, torch.tensor([int(scored_nodes()[0])]), torch.nan)


class WrongRows(nn.Module):
    def forward(self, x, edge_index):
        return x[1:]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"nodes": []}, "nodes is empty"),
        ({"nodes": torch.zeros(NODES, dtype=torch.bool)}, "nodes is empty"),
        ({"nodes": torch.ones(NODES - 1, dtype=torch.bool)}, "nodes is a mask of shape"),
        ({"nodes": [0, NODES]}, "nodes names node 40"),
        ({"nodes": [-1, 3]}, "lowest -1"),
        ({"nodes": [3, 3]}, "more than once"),
        ({"nodes": [0.5]}, "nodes must be a mask or node indices"),
        ({"nodes": "val"}, "nodes must be a tensor or an array, not str"),
        ({"n_repeats": 0}, "n_repeats must be a whole number and at least 1, not 0"),
        ({"n_repeats": 2.5}, "n_repeats must be a whole number and at least 1, not 2.5"),
        ({"features": 2}, "features must be a list of column numbers of x, not 2"),
        ({"feature_names": "abcdef"}, "feature_names is 'abcdef': give a list with a name for each column of x"),
        ({"metric": []}, "metric is an empty list: choose at least one of accuracy"),
        ({"random_state": -1}, "random_state is -1: give a whole number, 0 or more"),
        ({"random_state": "seed"}, "random_state is 'seed': give a whole number, 0 or more"),
        ({"given": 3}, "given is 3: name one of degree, neighbourhood, class, graph, or a list of them"),
        ({"edge_weight": torch.ones(3)}, "edge_weight has 3 rows, but edge_index has .* edges: give one row per edge"),
        ({"model": NotNumbers()}, r"model returned NaN at 1 of \d+ scored rows before anything was perturbed"),
        ({"model": NotNumbers(), "metric": "roc_auc"}, r"model returned NaN at 1 of \d+ scored rows"),
        ({"features": [FEATURES]}, "features names column 6"),
        ({"features": [-1]}, "features names column -1"),
        ({"features": ["a"]}, "features must be a list"),
        ({"metric": "auc"}, "metric 'auc' is unknown"),
        ({"metric": lambda logits, y: logits.argmax(1) == y}, r"metric '<lambda>' must return one number when called"),
        ({"metric": lambda logits, y: "high"}, r"metric '<lambda>' must return one number .* raised TypeError"),
        (
            {"metric": lambda logits, y: 1.0, "sample_weight": torch.ones(NODES)},
            r"when called with \(what the model returns, y, sample_weight\), and raised TypeError",
        ),
        ({"metric": ["accuracy", "accuracy"]}, "not distinct"),
        ({"perturbation": "shuffle"}, "perturbation 'shuffle' is unknown"),
        ({"engine": "warp"}, "engine 'warp' is unknown"),
        ({"x": torch.ones(NODES)}, "x must be"),
        ({"x": torch.ones(NODES, FEATURES, dtype=torch.long)}, "x must be"),
        ({"y": torch.zeros(NODES + 1, dtype=torch.long)}, "y must hold one label per node"),
        (
            {"y": torch.zeros(NODES)},
            "y must hold one class number per row for accuracy, .* give classes as whole numbers",
        ),
        ({"y": torch.full((NODES,), CLASSES)}, "y has classes 3 to 3"),
        ({"model": "gcn"}, "model must be a torch module"),
        ({"model": Failing(0)}, "RuntimeError when called as .* with the unperturbed x: out of luck"),
        ({"model": Failing(2), "engine": "full"}, r"with feature 0 perturbed \(repeat 1\): out of luck"),
        ({"model": WrongRows()}, r"model returned shape \(39, 6\) when called with the unperturbed x"),
        ({"x": torch.ones(NODES, FEATURES + 1)}, "model raised RuntimeError"),
    ],
)
def test_bad_input_is_named(model, changed, message):
    with pytest.raises(InputError, match=message):
        score(changed.pop("model", model), **changed)
