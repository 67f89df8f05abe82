"""The fast engines give the reference's numbers."""

import numpy as np
import pytest
import torch
from importance_cases import (
    CLASSES,
    FEATURES,
    HIDDEN,
    NODES,
    Attention,
    Centred,
    HandWritten,
    Pooled,
    Propagated,
    SkipConnections,
    Stack,
    WeightsFromFeatures,
    batch_statistics,
    compare,
    make_graph,
    pair_normalised,
    scored_nodes,
    training_statistics,
)
from torch import nn
from torch_geometric.nn import GCN, GIN, GCNConv, GINConv, GraphSAGE, LayerNorm, SAGEConv, TAGConv
from torch_geometric.utils import to_torch_csr_tensor

from graphsieve import permutation_importance
from graphsieve.models.classifier import build_model
from graphsieve.models.fast import products
from model_cases import FILTERS, silence

WIDE = 80  # more units than are written down for all nodes
MANY = 60  # repeats for which "auto" looks for a receptive field


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


def build(name: str, layers: int = 2) -> nn.Module:
    return build_model(name, FEATURES, CLASSES, hidden=HIDDEN, num_layers=layers, dropout=0.5, seed=1)


@pytest.mark.parametrize("layers", [1, 2, 3, 4])
@pytest.mark.parametrize("name", FILTERS)
def test_known_models_of_any_depth(name, layers):
    assert compare(build(name, layers), make_graph(), engine="lowrank") == "lowrank"


@pytest.mark.parametrize("classifier", ["linear", "none"])
@pytest.mark.parametrize("name", FILTERS)
def test_known_models_with_another_classifier(name, classifier):
    model = build_model(name, FEATURES, CLASSES, hidden=HIDDEN, classifier=classifier, seed=1)
    assert compare(model, make_graph(), engine="lowrank") == "lowrank"


@pytest.mark.parametrize("perturbation", ["permute", "gaussian", "mask"])
@pytest.mark.parametrize("density", [0.1, 0.9])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", FILTERS)
def test_known_models_for_any_input(name, dtype, density, perturbation):
    graph = make_graph(dtype, density)
    assert compare(build(name).to(dtype), graph, perturbation=perturbation) == "lowrank"


@pytest.mark.parametrize("name", FILTERS)
def test_products_by_onednn(monkeypatch, name):
    """As where layers are wide, of all products that may be taken by it."""
    taken = []
    suits = products._suits_onednn
    monkeypatch.setattr(products, "LARGE", 1)
    monkeypatch.setattr(products, "_suits_onednn", lambda *given: taken.append(suits(*given)) or taken[-1])
    model = build_model(name, FEATURES, CLASSES, hidden=WIDE, seed=1)
    assert compare(model, make_graph(), engine="lowrank") == "lowrank"
    assert any(taken)


@pytest.mark.parametrize("name", FILTERS)
def test_units_that_are_dead_at_every_node(name):
    model = build(name)
    silence(model, HIDDEN, alive=3)
    assert compare(model, make_graph(), engine="lowrank") == "lowrank"


@pytest.mark.parametrize("name", FILTERS)
def test_batch_normalisation_between_layers(name):
    model = build_model(name, FEATURES, CLASSES, hidden=HIDDEN, seed=1, norm="batch")
    model.norms[0].running_mean.normal_(generator=torch.Generator().manual_seed(3))
    model.norms[0].running_var.uniform_(0.5, 2, generator=torch.Generator().manual_seed(4))
    assert compare(model, make_graph()) == "lowrank"


def conv_stacks() -> dict:
    weight = torch.rand(73, generator=torch.Generator().manual_seed(2)) + 0.5
    pair = [(FEATURES, HIDDEN), (HIDDEN, CLASSES)]
    bn = nn.BatchNorm1d(HIDDEN)
    bn.running_mean.normal_(generator=torch.Generator().manual_seed(3))
    bn.running_var.uniform_(0.5, 2, generator=torch.Generator().manual_seed(4))
    deep_net = nn.Sequential(nn.BatchNorm1d(FEATURES), nn.Linear(FEATURES, CLASSES), nn.ELU())
    return {
        "no bias": Stack([GCNConv(*p, bias=False) for p in pair], [nn.ReLU()]),
        "edge weights": Stack([GCNConv(*p) for p in pair], [nn.ReLU(inplace=True)], (weight,)),
        "edge weights, hops": Stack([TAGConv(*p, K=2, bias=False) for p in pair], [nn.LeakyReLU(0.1)], (weight,)),
        "no self-loops": Stack([GCNConv(*p, add_self_loops=False) for p in pair], [nn.ReLU()]),
        "no normalisation": Stack([GCNConv(*p, normalize=False) for p in pair], [nn.Tanh()]),
        "reverse flow": Stack([GCNConv(*p, flow="target_to_source") for p in pair], [nn.ReLU()]),
        "cached": Stack([GCNConv(*p, cached=True) for p in pair], [nn.ReLU()]),
        "improved": Stack([GCNConv(*p, improved=True) for p in pair], [nn.GELU()]),
        "mean": Stack([GCNConv(*p, aggr="mean") for p in pair], [nn.ReLU()], (weight,)),
        "hop 0 only": Stack([TAGConv(*p, K=0) for p in pair], [nn.ReLU()]),
        "sum": Stack([SAGEConv(*p, aggr="sum") for p in pair], [nn.ReLU()]),
        "no root": Stack([SAGEConv(*p, root_weight=False, bias=False) for p in pair], [nn.ReLU()]),
        "batch norm": Stack([GCNConv(*p) for p in pair], [nn.Sequential(bn, nn.ReLU(), nn.Dropout(0.5))]),
        "layer norm": Stack([SAGEConv(*p) for p in pair], [nn.LayerNorm(HIDDEN)]),
        "trained eps": Stack([GINConv(nn.Linear(*p), eps=0.3, train_eps=True) for p in pair], [nn.ReLU()]),
        "network not linear first": Stack([GINConv(deep_net)], []),
        "shared layer": Stack([GCNConv(FEATURES, HIDDEN), *[GCNConv(HIDDEN, HIDDEN)] * 2, SAGEConv(HIDDEN, CLASSES)],
                              [nn.ReLU(), nn.ReLU(), nn.ReLU()]),
    }  # fmt: skip


@pytest.mark.parametrize("case", conv_stacks())
def test_variants_of_known_layers(case):
    assert compare(conv_stacks()[case], make_graph(), engine="lowrank") == "lowrank"


def test_a_layer_that_is_the_model():
    assert compare(GCNConv(FEATURES, CLASSES), make_graph()) == "lowrank"


@pytest.mark.parametrize("mode", ["cat", "max"])
def test_skip_connections_and_jumping_knowledge(mode):
    assert compare(SkipConnections(mode), make_graph()) == ("lowrank" if mode == "cat" else "full")
    compare(SkipConnections(mode), make_graph(), engine="restricted")


def ready_made_models() -> dict:
    shape = {"in_channels": FEATURES, "hidden_channels": HIDDEN, "num_layers": 2, "out_channels": CLASSES}
    return {
        "GCN": GCN(**shape, dropout=0.5),
        "GraphSAGE": GraphSAGE(**shape, norm="batch_norm"),
        "GIN": GIN(**shape),
        "GCN with jumping knowledge": GCN(**shape, jk="cat"),
    }


@pytest.mark.parametrize("name", ready_made_models())
def test_ready_made_models_are_known(name):
    assert compare(ready_made_models()[name], make_graph()) == "lowrank"


@pytest.mark.parametrize("make", [Attention, Propagated, HandWritten, WeightsFromFeatures])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_models_of_other_layers(make, dtype):
    model, graph = make().to(dtype), make_graph(dtype)
    assert compare(model, graph) == "full"
    assert compare(model, graph, n_repeats=MANY) == ("incremental" if make in (Attention, Propagated) else "restricted")
    assert compare(model, graph, engine="restricted", perturbation="gaussian") == "restricted"


@pytest.mark.parametrize("make", [Pooled, Centred, pair_normalised, batch_statistics, training_statistics])
def test_models_that_look_at_all_nodes_fall_back_to_full_passes(make):
    assert compare(make(), make_graph(), n_repeats=MANY) == "full"


@pytest.mark.parametrize("engine", ["lowrank", "restricted"])
def test_an_engine_that_does_not_fit_is_refused_by_name(engine):
    with pytest.raises(ValueError, match=f"engine '{engine}' cannot score this model"):
        compare(Pooled(), make_graph(), engine=engine)


def test_normalisation_over_the_graph_is_not_taken_for_one_over_rows():
    model = Stack([GCNConv(FEATURES, HIDDEN), GCNConv(HIDDEN, CLASSES)], [LayerNorm(HIDDEN, mode="graph")])
    assert compare(model, make_graph(), n_repeats=MANY) == "full"


def test_hooks_are_honoured():
    model = build("gcn")
    model.layers[0].register_forward_hook(lambda module, inputs, output: output * 2)
    assert compare(model, make_graph()) == "full"


def test_a_random_model_is_not_called_exact():
    model = Stack([GCNConv(FEATURES, HIDDEN), GCNConv(HIDDEN, CLASSES)], [Noise()])
    x, edges, y = make_graph()
    assert permutation_importance(model, x, edges, y, scored_nodes(), n_repeats=MANY).engine == "full"


class Noise(nn.Module):
    def forward(self, x):
        return nn.functional.dropout(x, 0.5, training=True)


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr])
@pytest.mark.parametrize("name", ["gcn", "graphsage"])
def test_sparse_x_gives_the_numbers_of_dense_x(name, layout):
    model, (x, edges, y) = build(name), make_graph(torch.float64)
    model = model.double()
    sparse = x.to_sparse(layout=layout)
    dense = permutation_importance(model, x, edges, y, scored_nodes(), metric="cross_entropy", engine="full")
    for engine in ("auto", "full"):
        found = permutation_importance(model, sparse, edges, y, scored_nodes(), metric="cross_entropy", engine=engine)
        np.testing.assert_allclose(found.importances, dense.importances, atol=1e-12)


def test_sparse_adjacency():
    x, edges, y = make_graph()
    edges = edges.unique(dim=1)
    adjacency = to_torch_csr_tensor(edges.flip(0), size=(NODES, NODES))
    assert compare(build("gcn"), (x, adjacency, y)) == "lowrank"


def test_a_subset_of_features_gets_its_own_numbers():
    x, edges, y = make_graph()
    for engine in ("auto", "full"):
        every = permutation_importance(build("gcn"), x, edges, y, scored_nodes(), metric="cross_entropy", engine=engine)
        some = permutation_importance(
            build("gcn"), x, edges, y, scored_nodes(), metric="cross_entropy", engine=engine, features=[4, 1]
        )
        np.testing.assert_allclose(some.importances, every.importances[[4, 1]], atol=1e-7)
        assert some.features.tolist() == [4, 1]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("limit", [1, 2**30])
def test_memory_limit_and_threads_change_nothing(limit, threads):
    model, (x, edges, y) = build("tagcn", 3), make_graph()
    expected = permutation_importance(model, x, edges, y, scored_nodes(), metric="cross_entropy", engine="full")
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        found = permutation_importance(
            model, x, edges, y, scored_nodes(), metric="cross_entropy", engine="lowrank", memory_limit=limit
        )
        assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    np.testing.assert_allclose(found.importances, expected.importances, atol=1e-6)
