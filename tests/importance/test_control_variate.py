"""The linear part of an importance, against a backward pass and closed forms written out here."""

import numpy as np
import pytest
import torch
from importance_cases import CLASSES, FEATURES, NODES, Attention, Stack, break_ties, make_graph, scored_nodes
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch_geometric.nn import GCNConv

from graphsieve import permutation_importance
from graphsieve.errors import InputError
from graphsieve.importance.columns import Columns, draw_column, gaussian, permute, root_sequence
from graphsieve.models.classifier import build_model


def network() -> torch.nn.Module:
    model = build_model("gcn", FEATURES, CLASSES, hidden=8).double().eval()
    break_ties(model)
    return model


def score(model, x: Tensor | None = None, nodes=None, **options):
    graph_x, edges, y = make_graph(torch.float64)
    nodes = scored_nodes() if nodes is None else nodes
    return permutation_importance(
        model, graph_x if x is None else x, edges, y, nodes, metric="cross_entropy", **options
    )


def slope(model) -> np.ndarray:
    x, edges, y = make_graph(torch.float64)
    x.requires_grad_()
    nodes = scored_nodes()
    (gradient,) = torch.autograd.grad(cross_entropy(model(x, edges)[nodes], y[nodes]), x)
    return gradient.numpy()


@pytest.mark.parametrize(("name", "perturb"), [("permute", permute), ("gaussian", gaussian)])
def test_the_sampled_linear_part_is_replaced_by_its_mean(name, perturb):
    model, x = network(), make_graph(torch.float64)[0]
    plain, controlled = (score(model, perturbation=name, n_repeats=4, control_variate=on) for on in (False, True))
    gradient, x = slope(model), x.numpy()
    for column in range(FEATURES):
        (new,) = draw_column(perturb, Columns(torch.tensor(x)), np.array([column]), 4, root_sequence(0))
        expected = x[:, column].mean() * gradient[:, column].sum() - x[:, column] @ gradient[:, column]
        for repeat in range(4):
            linear = (new.dense(repeat, NODES) - x[:, column]) @ gradient[:, column]
            by_hand = plain.importances[column, repeat] - linear + expected
            assert controlled.importances[column, repeat] == pytest.approx(by_hand, abs=1e-12)


@pytest.mark.parametrize("options", [{}, {"perturbation": "gaussian"}, {"groups": {"all": range(4), "one": [2]}}])
def test_what_is_linear_has_no_variance_left(options):
    """A linear layer and a linear metric: every repeat gives the mean over all permutations, exactly."""
    x, edges, y = make_graph(torch.float64)
    layer = GCNConv(FEATURES, CLASSES).double()

    def first_logit(logits, y):
        return logits[:, 0].mean()

    found = permutation_importance(
        layer, x, edges, y, scored_nodes(), metric=first_logit, n_repeats=3, control_variate=True, **options
    )
    groups = options.get("groups") or {str(column): [column] for column in range(FEATURES)}
    nodes = scored_nodes()
    for row, columns in zip(found.importances, groups.values(), strict=True):
        flat = x.clone()
        flat[:, list(columns)] = x[:, list(columns)].mean(0)
        with torch.no_grad():
            fall = float((layer(x, edges) - layer(flat, edges))[nodes, 0].mean())
        assert row == pytest.approx([fall] * 3, abs=1e-12)
    assert found.variance_ratio == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("make", [network, lambda: Attention().double()], ids=["gcn", "gat"])
def test_the_mean_is_that_over_all_permutations(make):
    """A column with one nonzero has as many permutations as there are nodes: score each of them."""
    model = make()
    x, edges, y = make_graph(torch.float64)
    x[:, 0] = 0
    x[7, 0] = 2.0
    nodes = scored_nodes()
    losses = []
    model.eval()
    with torch.no_grad():
        for node in range(NODES):
            moved = x.clone()
            moved[7, 0], moved[node, 0] = 0, 2.0
            losses.append(float(cross_entropy(model(moved, edges)[nodes], y[nodes])))
    expected = np.mean(losses) - losses[7]
    found = score(model, x=x, features=[0], n_repeats=200, control_variate=True)
    assert abs(found.importances_mean[0] - expected) < 4 * found.importances.std(ddof=1) / np.sqrt(200)
    assert found.importances.std() > 1e-6  # otherwise there is nothing to control


def test_where_only_scored_nodes_exchange_values_the_mean_is_theirs():
    """Both in closed form: scored nodes have their mean, and a linear layer and metric leave no variance."""
    x, edges, y = make_graph(torch.float64)
    layer, nodes = GCNConv(FEATURES, CLASSES).double(), scored_nodes()

    def first_logit(logits, y):
        return logits[:, 0].mean()

    found = permutation_importance(
        layer, x, edges, y, nodes, metric=first_logit, n_repeats=3, control_variate=True, perturbed_rows="scored"
    )
    for column, row in enumerate(found.importances):
        flat = x.clone()
        flat[nodes, column] = x[nodes, column].mean()
        with torch.no_grad():
            fall = float((layer(x, edges) - layer(flat, edges))[nodes, 0].mean())
        assert row == pytest.approx([fall] * 3, abs=1e-12)


def test_the_variance_ratio_is_the_measured_one():
    model = network()
    plain, controlled = (score(model, n_repeats=6, control_variate=on) for on in (False, True))
    ratio = controlled.importances.var(axis=1, ddof=1).sum() / plain.importances.var(axis=1, ddof=1).sum()
    assert controlled.variance_ratio == pytest.approx(ratio)
    assert plain.variance_ratio is None
    assert score(model, n_repeats=1, control_variate=True).variance_ratio is None


def test_a_sparse_x_is_controlled_too():
    model = Stack([GCNConv(FEATURES, 8), GCNConv(8, CLASSES)], [torch.nn.Tanh()]).double()
    x = make_graph(torch.float64)[0]
    dense, sparse = (score(model, x=one, control_variate=True) for one in (x, x.to_sparse_coo()))
    np.testing.assert_allclose(dense.importances, sparse.importances, atol=1e-12)


def test_a_mask_and_a_metric_without_slope_are_refused():
    x, edges, y = make_graph()
    model = build_model("gcn", FEATURES, CLASSES, hidden=8)
    arguments = (model, x, edges, y, scored_nodes())
    with pytest.raises(InputError, match="metric 'accuracy' has none: choose a loss"):
        permutation_importance(*arguments, control_variate=True)
    with pytest.raises(InputError, match="perturbation 'mask' have none: choose one of gaussian, permute"):
        permutation_importance(*arguments, metric="cross_entropy", perturbation="mask", control_variate=True)
