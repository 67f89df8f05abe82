"""Weights and attributes of edges: which layers are given them, and that training and scoring use them alike."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from graphsieve.data.graph import Graph
from graphsieve.data.splits import random_split
from graphsieve.errors import InputError
from graphsieve.importance import permutation_importance
from graphsieve.models.classifier import build_model, load_model, save_weights
from graphsieve.models.fast.forward import fast_forward
from graphsieve.models.training import predict, train_model
from graphsieve.options import TrainingOptions

WEIGHTED, UNWEIGHTED = ("gcn", "tagcn", "graphconv"), ("graphsage", "gin", "mlp")
QUICK = TrainingOptions(hidden=8, classifier="none", epochs=5)


@pytest.fixture(scope="module")
def graph(small_graph):
    rng = np.random.default_rng(1)
    count = small_graph.edge_index.shape[1]
    return replace(
        small_graph,
        edge_weight=rng.random(count, dtype=np.float32) + 0.5,
        edge_attr=rng.standard_normal((count, 2), dtype=np.float32),
    )


def tensors(graph) -> tuple[torch.Tensor, torch.Tensor, dict[str, torch.Tensor]]:
    values = {name: torch.from_numpy(array).double() for name, array in graph.edge_values().items()}
    return torch.from_numpy(graph.x).double(), torch.from_numpy(graph.edge_index), values


@pytest.mark.parametrize("name", [*WEIGHTED, *UNWEIGHTED])
def test_layers_are_given_what_they_take(graph, name):
    model = build_model(name, graph.num_features, 3, hidden=8).double().eval()
    x, edge_index, values = tensors(graph)
    with torch.no_grad():
        plain, given = model(x, edge_index), model(x, edge_index, **values)
        by_hand = x
        for layer, activation in zip(model.layers, (torch.relu, torch.relu), strict=True):
            taken = {"edge_weight": values["edge_weight"]} if name in WEIGHTED else {}
            by_hand = activation(layer(by_hand, edge_index, **taken))
    torch.testing.assert_close(given, model.classifier(by_hand))
    assert torch.equal(plain, given) == (name in UNWEIGHTED)


@pytest.mark.parametrize("name", WEIGHTED)
def test_the_fast_pass_has_the_weights(graph, name):
    model = build_model(name, graph.num_features, 3, hidden=8).double()
    x, edge_index, values = tensors(graph)
    fast = fast_forward(model, x, edge_index, edge_values=values)
    torch.testing.assert_close(fast(model), model(x, edge_index, **values))


@pytest.mark.parametrize("name", [*WEIGHTED, "graphsage", "gated"])
def test_scoring_has_the_values_too(graph, name):
    """The engines agree, and a column's importance is that of the model with its edges' values."""
    model = build_model(name, graph.num_features, 3, hidden=8, edge_dim=2).double().eval()
    x, edge_index, values = tensors(graph)
    y, options = torch.from_numpy(graph.y), {"n_repeats": 3, "metric": "cross_entropy"}
    engine = "incremental" if name == "gated" else "lowrank"
    fast = permutation_importance(model, x, edge_index, y, range(60), engine=engine, **options, **values)
    full = permutation_importance(model, x, edge_index, y, range(60), engine="full", **options, **values)
    np.testing.assert_allclose(fast.importances, full.importances, atol=1e-9)
    with torch.no_grad():
        loss = torch.nn.functional.cross_entropy(model(x, edge_index, **values), y)
    assert fast.baseline == pytest.approx(loss.item())


def test_a_model_with_gates_reads_attributes_and_survives_a_file(graph, tmp_path):
    split = random_split(60, seed=0)
    trained = train_model("gated", graph, split, options=QUICK).model.eval()
    outputs = predict(trained, graph)
    assert not torch.equal(outputs, predict(trained, replace(graph, edge_attr=graph.edge_attr[::-1].copy())))
    save_weights(trained, {}, tmp_path / "weights.npz")
    torch.testing.assert_close(predict(load_model(tmp_path / "weights.npz", "last"), graph), outputs)


@pytest.mark.parametrize("name", ["gcn", "tagcn"])
def test_weights_below_zero_are_refused_where_their_sums_divide(graph, name):
    negative = replace(graph, edge_weight=-graph.edge_weight)
    with pytest.raises(InputError, match=f"'small' has edge weights below 0, and model '{name}'"):
        train_model(name, negative, random_split(60, seed=0), options=QUICK)
    train_model("graphconv", negative, random_split(60, seed=0), options=QUICK)


def test_gates_need_attributes(small_graph):
    with pytest.raises(InputError, match="model 'gated' reads attributes of edges, and there are none"):
        train_model("gated", small_graph, random_split(60, seed=0), options=QUICK)
    with pytest.raises(InputError, match="model 'gta' is unknown: choose one of gcn, .*graphconv, gated"):
        build_model("gta", 3, 2)


def test_weights_tell_true_edges_from_false_ones():
    """Features are noise but for the neighbours' mean along heavy edges; half of the edges are light and lie."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    x = (y + rng.normal(scale=2.0, size=200)).astype(np.float32)[:, None]
    same = np.array([rng.choice(np.flatnonzero(y == y[node]), 6) for node in range(200)])
    other = np.array([rng.choice(np.flatnonzero(y != y[node]), 6) for node in range(200)])
    source, target = np.concatenate([same, other], axis=1).ravel(), np.repeat(np.arange(200), 12)
    weight = np.tile(np.repeat([2.0, 0.0], 6), 200).astype(np.float32)
    graph = Graph("lies", x, np.stack([source, target]), y, 2, edge_weight=weight)
    options = TrainingOptions(hidden=8, classifier="none", epochs=60)
    reached = {}
    for name in ("graphsage", "graphconv"):
        runs = [train_model(name, graph, random_split(200, seed), options=options, seed=seed) for seed in range(3)]
        reached[name] = np.mean([run.history["test_accuracy"].iloc[-1] for run in runs])
    assert reached["graphconv"] > reached["graphsage"] + 0.1
