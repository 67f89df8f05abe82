"""The fast forward pass against PyG's own, in float64 so that any difference is a mistake and not rounding."""

import pytest
import torch
from torch import nn
from torch_geometric.nn import GATConv, GCNConv, GINConv, SAGEConv, TAGConv

from graphsieve.models.classifier import NodeClassifier, build_model
from graphsieve.models.fast import gradients
from graphsieve.models.fast.forward import fast_forward
from graphsieve.models.fast.nonzero_columns import nonzero_columns
from graphsieve.options import CLASSIFIERS
from model_cases import FILTERS, silence

NODES, FEATURES, CLASSES = 40, 12, 4


@pytest.fixture(scope="module")
def directed_edges():
    """Directed, with self-loops, a repeated edge and nodes that nothing reaches."""
    edges = torch.randint(NODES - 5, (2, 120), generator=torch.Generator().manual_seed(0))
    return torch.cat([edges, edges[:, :1], torch.tensor([[3], [3]])], dim=1)


def features(density: float) -> torch.Tensor:
    generator = torch.Generator().manual_seed(1)
    x = torch.rand(NODES, FEATURES, generator=generator, dtype=torch.float64)
    return x * (torch.rand(NODES, FEATURES, generator=generator) < density)


def assert_same_logits_and_gradients(model, x, edge_index):
    model = model.double()
    loss_weights = torch.rand(NODES, CLASSES, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    results = []
    for run in (lambda: model(x, edge_index), lambda: fast_forward(model, x, edge_index)(model)):
        model.zero_grad()
        logits = run()
        (logits * loss_weights).sum().backward()
        results.append((logits.detach(), [parameter.grad.clone() for parameter in model.parameters()]))
    (expected, expected_gradients), (found, found_gradients) = results
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(found_gradients, expected_gradients, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("density", [0.05, 1.0])
@pytest.mark.parametrize("num_layers", [1, 2, 3])
@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("name", FILTERS)
def test_logits_and_gradients_are_those_of_pyg(name, classifier, num_layers, density, directed_edges):
    model = build_model(name, FEATURES, CLASSES, hidden=7, num_layers=num_layers, classifier=classifier, seed=1)
    assert_same_logits_and_gradients(model, features(density), directed_edges)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", FILTERS)
def test_batch_normalisation_uses_the_statistics_of_its_mode(name, training, directed_edges):
    model = build_model(name, FEATURES, CLASSES, hidden=7, num_layers=3, norm="batch", seed=1)
    for norm in model.norms:
        norm.running_mean.normal_(generator=torch.Generator().manual_seed(3))
        norm.momentum = 0.0  # so that a pass does not change what the next one sees
    assert_same_logits_and_gradients(model.train(training), features(0.5), directed_edges)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("name", FILTERS)
def test_layer_normalisation_is_applied(name, classifier, directed_edges):
    model = build_model(name, FEATURES, CLASSES, hidden=7, classifier=classifier, norm="layer", seed=1)
    assert_same_logits_and_gradients(model, features(0.5), directed_edges)


@pytest.mark.parametrize("name", FILTERS)
def test_products_of_bfloat16_differ_by_their_rounding_alone(name, directed_edges):
    """bfloat16 has 8 bits: each product is off by some 2^-8 of its size, weights and sums are not."""
    model = build_model(name, FEATURES, CLASSES, hidden=32, seed=1)
    x = features(0.5).float()
    logits, rough = (fast_forward(model, x, directed_edges, precision)(model) for precision in (None, torch.bfloat16))
    assert rough.dtype == torch.float32
    assert not torch.equal(rough, logits)
    assert (rough - logits).abs().max() < 0.03 * logits.abs().max()
    rough.sum().backward()
    assert all(weight.grad.dtype == torch.float32 and weight.grad.isfinite().all() for weight in model.parameters())


@pytest.mark.parametrize("num_layers", [2, 3])
@pytest.mark.parametrize("name", FILTERS)
def test_units_that_are_dead_at_every_node_change_nothing(name, num_layers, directed_edges, monkeypatch):
    left_out = []

    def watched(values, nonnegative, below):
        units = nonzero_columns(values, nonnegative, below)
        left_out.append(None if units is None else values.shape[1] - len(units))
        return units

    monkeypatch.setattr(gradients, "nonzero_columns", watched)
    monkeypatch.setattr(gradients, "MANY_NODES", 0)
    model = build_model(name, FEATURES, CLASSES, hidden=9, num_layers=num_layers, seed=1)
    silence(model, 9, alive=3)
    assert_same_logits_and_gradients(model, features(0.5), directed_edges)
    assert left_out
    assert min(left_out) >= 6
    silence(model, 9, alive=0)
    assert_same_logits_and_gradients(model, features(0.5), directed_edges)


def test_diverged_values_are_not_taken_for_dead_units():
    values = torch.zeros(4, 5)
    values[1, 2], values[2, 4] = float("nan"), -1.0
    assert nonzero_columns(values).tolist() == [2, 4]
    assert nonzero_columns(values.relu(), nonnegative=True).tolist() == [2]
    assert nonzero_columns(torch.eye(4)) is None
    assert nonzero_columns(torch.zeros(4, 4)) is None
    assert nonzero_columns(torch.zeros(0, 4)) is None


@pytest.mark.parametrize(
    "layer",
    [
        GCNConv(FEATURES, CLASSES, bias=False, improved=True),
        GCNConv(FEATURES, CLASSES, add_self_loops=False),
        GCNConv(FEATURES, CLASSES, flow="target_to_source"),
        GCNConv(FEATURES, CLASSES, normalize=False),
        GCNConv(FEATURES, CLASSES, aggr="mean"),
        TAGConv(FEATURES, CLASSES, K=1, bias=False),
        TAGConv(FEATURES, CLASSES, K=0),
        SAGEConv(FEATURES, CLASSES, root_weight=False, bias=False),
        SAGEConv(FEATURES, CLASSES, aggr="sum"),
        GINConv(nn.Sequential(nn.Linear(FEATURES, CLASSES, bias=False)), eps=0.3),
    ],
    ids=str,
)
def test_options_of_the_layers_are_honoured(layer, directed_edges):
    assert_same_logits_and_gradients(NodeClassifier([layer]), features(0.5), directed_edges)


@pytest.mark.parametrize(
    "layer",
    [
        GATConv(FEATURES, CLASSES),
        SAGEConv(FEATURES, CLASSES, aggr="max"),
        SAGEConv(FEATURES, CLASSES, normalize=True),
        GINConv(nn.Sequential(nn.Linear(FEATURES, CLASSES)), train_eps=True),
    ],
    ids=str,
)
def test_layers_it_does_not_know_are_left_to_pyg(layer, directed_edges):
    assert fast_forward(NodeClassifier([layer]), features(0.5).float(), directed_edges) is None


def test_foreign_modules_are_left_to_pyg(directed_edges):
    assert fast_forward(nn.Linear(FEATURES, CLASSES), features(0.5), directed_edges) is None
