"""The incremental engine gives the reference's numbers, for attention and for layers nobody has described."""

import numpy as np
import pytest
import torch
from importance_cases import CLASSES, FEATURES, HIDDEN, Attention, Propagated, compare, make_graph, scored_nodes
from message_cases import (
    EdgeAverage,
    EdgeNetwork,
    HeadedSum,
    LooksAtValues,
    Mixed,
    NoisyMessages,
    NormalisedInside,
    NormalisedSum,
    OutDegrees,
    OwnAttention,
    two_layers,
)
from torch import nn
from torch_geometric.nn import (
    GAT,
    AGNNConv,
    ChebConv,
    GATConv,
    GatedGraphConv,
    GATv2Conv,
    GENConv,
    GINConv,
    GraphConv,
    ResGatedGraphConv,
    SAGEConv,
    SuperGATConv,
    TAGConv,
    TransformerConv,
)

from graphsieve import permutation_importance
from graphsieve.importance.engines.choice import FEWEST_PAIRS
from graphsieve.importance.engines.incremental import lowering
from graphsieve.importance.engines.incremental.edges import EdgeList

LAYERS = {"gat": GATConv, "gatv2": GATv2Conv, "transformer": TransformerConv, "gated": ResGatedGraphConv}
NUM_EDGES = 73


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


@pytest.fixture
def described_only(monkeypatch):
    """No layer may be called on a part of the graph."""
    monkeypatch.setattr(lowering, "CalledStage", None)


def same_losses(model: nn.Module, graph: tuple, tolerance: float, **options) -> None:
    """As `compare`, with the tolerance that is promised for losses, and the same accuracies."""
    x, edges, y = graph
    common = {"metric": ["accuracy", "cross_entropy"], "n_repeats": 4} | options
    found, expected = (
        permutation_importance(model, x, edges, y, scored_nodes(), engine=engine, **common)
        for engine in ("incremental", "full")
    )
    assert np.abs(expected["cross_entropy"].importances).max() > 1e-4
    np.testing.assert_allclose(
        found["cross_entropy"].importances, expected["cross_entropy"].importances, rtol=0, atol=tolerance
    )
    assert (found["accuracy"].importances == expected["accuracy"].importances).all()


@pytest.mark.usefixtures("described_only")
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-6), (torch.float64, 1e-10)])
@pytest.mark.parametrize("perturbation", ["permute", "gaussian", "mask"])
@pytest.mark.parametrize("density", [0.1, 0.9])
@pytest.mark.parametrize("name", LAYERS)
def test_attention_for_any_input(name, density, perturbation, dtype, tolerance):
    model = two_layers(LAYERS[name]).to(dtype)
    same_losses(model, make_graph(dtype, density), tolerance, perturbation=perturbation)


HEADS = {"heads": 2, "concat": False}
OPTIONS = {
    "gat": [
        *(HEADS, {"negative_slope": 0.6}, {"bias": False}, {"residual": True}, {"dropout": 0.6}),
        *({"add_self_loops": False}, {"edge_dim": 3} | HEADS, {"edge_dim": 3, "fill_value": 0.5, "residual": True}),
        {"edge_dim": 3, "add_self_loops": False},
    ],
    "gatv2": [
        *(HEADS, {"negative_slope": 0.6}, {"bias": False}, {"residual": True}, {"share_weights": True}),
        *({"add_self_loops": False}, {"edge_dim": 3} | HEADS, {"edge_dim": 3, "fill_value": "max"}),
    ],
    "transformer": [
        *(HEADS, {"beta": True}, {"root_weight": False}, {"bias": False}, {"dropout": 0.6}),
        *({"edge_dim": 3}, {"edge_dim": 3, "beta": True} | HEADS),
    ],
    "gated": [{"root_weight": False}, {"bias": False}, {"edge_dim": 3}, {"act": nn.Tanh()}],
}


@pytest.mark.usefixtures("described_only")
@pytest.mark.parametrize(("name", "options"), [(name, one) for name, several in OPTIONS.items() for one in several])
def test_options_of_attention_layers(name, options):
    extra = (torch.rand(NUM_EDGES, 3, dtype=torch.float64),) if "edge_dim" in options else ()
    model = two_layers(lambda inputs, outputs: LAYERS[name](inputs, outputs, **options), extra=extra).double()
    assert compare(model, make_graph(torch.float64), engine="incremental") == "incremental"


@pytest.mark.usefixtures("described_only")
def test_layers_made_for_two_kinds_of_nodes_may_be_called_with_one():
    model = two_layers(lambda inputs, outputs: GATConv((inputs, inputs), outputs)).double()
    assert compare(model, make_graph(torch.float64), engine="incremental") == "incremental"


@pytest.mark.usefixtures("described_only")
def test_edge_features_of_one_dimension():
    weight = torch.rand(NUM_EDGES, dtype=torch.float64)
    for layer in (GATConv, GATv2Conv):
        model = two_layers(lambda inputs, outputs, layer=layer: layer(inputs, outputs, edge_dim=1), extra=(weight,))
        assert compare(model.double(), make_graph(torch.float64), engine="incremental") == "incremental"


def test_several_heads_in_every_layer_and_a_classifier_behind():
    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = GATv2Conv(FEATURES, 4, heads=3), TransformerConv(12, 4, heads=3)
            self.last = nn.Linear(12, CLASSES)

        def forward(self, x, edge_index):
            return self.last(self.second(self.first(x, edge_index).relu(), edge_index).relu())

    assert compare(Network().double(), make_graph(torch.float64), engine="incremental") == "incremental"


def test_a_layer_that_is_the_model():
    assert compare(GATConv(FEATURES, CLASSES).double(), make_graph(torch.float64), engine="incremental")


def mixed_models() -> dict:
    network = nn.Sequential(nn.Linear(FEATURES, HIDDEN), nn.ReLU())
    return {
        "skips, norms and constants": Mixed(),
        "hops before attention": nn.ModuleList([TAGConv(FEATURES, HIDDEN, K=2), GATConv(HIDDEN, CLASSES)]),
        "network before attention": nn.ModuleList([GINConv(network, train_eps=True), GATConv(HIDDEN, CLASSES)]),
        "mean behind attention": nn.ModuleList([GATConv(FEATURES, HIDDEN), SAGEConv(HIDDEN, CLASSES)]),
        "ready-made": GAT(FEATURES, HIDDEN, 2, CLASSES, heads=2, jk="cat", norm="batch_norm", v2=True),
    }


class InTurn(nn.Module):
    def __init__(self, layers: nn.ModuleList):
        super().__init__()
        self.layers = layers

    def forward(self, x, edge_index):
        first, second = self.layers
        return second(first(x, edge_index).relu(), edge_index)


@pytest.mark.usefixtures("described_only")
@pytest.mark.parametrize("name", mixed_models())
def test_mixed_models(name):
    model = mixed_models()[name]
    model = InTurn(model) if isinstance(model, nn.ModuleList) else model
    assert compare(model.double(), make_graph(torch.float64), engine="incremental") == "incremental"


def undescribed_models() -> dict:
    between = [GraphConv(FEATURES, HIDDEN), GraphConv(HIDDEN, CLASSES)]
    models = {
        "degrees in the forward pass": two_layers(NormalisedSum),
        "both ends of an edge": two_layers(EdgeNetwork),
        "reverse flow": two_layers(lambda *sizes: EdgeNetwork(*sizes, flow="target_to_source")),
        "rows of several dimensions": two_layers(HeadedSum),
        "own attention": two_layers(OwnAttention),
        "looks at values": two_layers(LooksAtValues),
        "degrees of the sources": two_layers(NormalisedInside),
        "attention in reverse": two_layers(lambda *sizes: GATConv(*sizes, flow="target_to_source")),
        "largest neighbour": two_layers(lambda *sizes: SAGEConv(*sizes, aggr="max")),
        "normalised rows": two_layers(lambda *sizes: SAGEConv(*sizes, normalize=True)),
        "polynomials": two_layers(lambda *sizes: ChebConv(*sizes, K=3)),
        "softmax over neighbours": two_layers(GENConv),
        "other attention": two_layers(SuperGATConv),
        "propagation only": Propagated(),
    }
    for name, layer in {"cosine": AGNNConv(), "recurrent": GatedGraphConv(HIDDEN, 2)}.items():
        models[name] = InThree([between[0], layer, between[1]])
    return models


class InThree(nn.Module):
    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x, edge_index):
        for layer in self.layers:
            x = layer(x, edge_index).tanh()
        return x


@pytest.mark.parametrize("name", undescribed_models())
def test_layers_nobody_has_described(name):
    model = undescribed_models()[name].double()
    assert compare(model, make_graph(torch.float64), engine="incremental") == "incremental"


@pytest.mark.parametrize("make", [EdgeAverage, OutDegrees, NoisyMessages])
def test_layers_that_look_further_than_their_edges_are_refused(make):
    x, edges, y = make_graph()
    with pytest.raises(ValueError, match="engine 'incremental' cannot score this model"):
        permutation_importance(two_layers(make), x, edges, y, scored_nodes(), engine="incremental")


def test_a_model_of_such_layers_is_left_to_the_reference():
    model = two_layers(EdgeAverage)
    assert compare(model, make_graph(), n_repeats=60) == "full"


@pytest.mark.parametrize("name", ["forward", "message"])
def test_hooks_are_honoured(name):
    model = Attention().double()
    if name == "forward":
        model.first.lin.register_forward_hook(lambda module, inputs, output: output * 2)
    else:
        model.first.register_message_forward_hook(lambda module, inputs, output: output * 2)
    assert compare(model, make_graph(torch.float64), engine="incremental") == "incremental"


@pytest.mark.parametrize("make", [Attention, Mixed, lambda: two_layers(NormalisedSum)])
@pytest.mark.parametrize("perturbation", ["permute", "gaussian", "mask"])
def test_groups_of_columns(make, perturbation):
    groups = {"one": [2], "pair": [1, 4], "all": list(range(FEATURES)), "with a constant": [5, 0]}
    graph = make_graph(torch.float64)
    engine = compare(make().double(), graph, engine="incremental", groups=groups, perturbation=perturbation)
    assert engine == "incremental"


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr])
@pytest.mark.parametrize("make", [Attention, lambda: two_layers(LooksAtValues)])
def test_sparse_x_gives_the_numbers_of_dense_x(make, layout):
    model, (x, edges, y) = make().double(), make_graph(torch.float64)
    sparse = x.to_sparse(layout=layout)
    dense = permutation_importance(model, x, edges, y, scored_nodes(), metric="cross_entropy", engine="full")
    found = permutation_importance(
        model, sparse, edges, y, scored_nodes(), metric="cross_entropy", engine="incremental"
    )
    np.testing.assert_allclose(found.importances, dense.importances, atol=1e-12)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("limit", [1, 2**30])
@pytest.mark.parametrize("make", [Attention, lambda: two_layers(LooksAtValues)])
def test_memory_limit_and_threads_change_nothing(make, limit, threads):
    """Also where a layer keeps something between two of its steps, which another thread must not overwrite."""
    model, (x, edges, y) = make().double(), make_graph(torch.float64)
    options = {"metric": "cross_entropy", "n_repeats": 5}
    expected = permutation_importance(model, x, edges, y, scored_nodes(), engine="full", **options)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        found = permutation_importance(
            model, x, edges, y, scored_nodes(), engine="incremental", memory_limit=limit, **options
        )
    finally:
        torch.set_num_threads(before)
    np.testing.assert_allclose(found.importances, expected.importances, rtol=0, atol=1e-12)


def test_repeats_that_are_sampled_in_rounds():
    model, (x, edges, y) = Attention().double(), make_graph(torch.float64)
    options = {"metric": "cross_entropy", "n_repeats": 12, "until_width": 0.02}
    found, expected = (
        permutation_importance(model, x, edges, y, scored_nodes(), engine=engine, **options)
        for engine in ("incremental", "full")
    )
    assert 0 < np.isnan(expected.importances).sum() < expected.importances.size
    np.testing.assert_allclose(found.importances, expected.importances, rtol=0, atol=1e-10)


def test_the_callers_layers_are_not_touched():
    model, (x, edges, y) = two_layers(LooksAtValues), make_graph()
    model.eval()
    model(x, edges)
    kept = model.layers[0].kept
    attributes = set(vars(model.layers[0]))
    permutation_importance(model, x, edges, y, scored_nodes(), n_repeats=2, engine="incremental")
    assert set(vars(model.layers[0])) == attributes
    assert model.layers[0].kept.shape == kept.shape


def path_graph(nodes: int, features: int, density: float) -> tuple:
    generator = torch.Generator().manual_seed(0)
    x = torch.rand(nodes, features, generator=generator) * (torch.rand(nodes, features, generator=generator) < density)
    index = torch.arange(nodes - 1)
    edges = torch.stack([torch.cat([index, index + 1]), torch.cat([index + 1, index])])
    return x, edges, torch.zeros(nodes, dtype=torch.long)


@pytest.mark.parametrize(("density", "worthwhile"), [(0.01, True), (1.0, False)])
def test_sparse_columns_are_worth_following_and_dense_ones_are_not(density, worthwhile):
    x, edges, y = path_graph(1500, 20, density)
    model = two_layers_of(20)
    result = permutation_importance(model, x, edges, y, range(1500), features=[0], n_repeats=FEWEST_PAIRS)
    assert (result.engine == "incremental") == worthwhile


def two_layers_of(features: int) -> nn.Module:
    return InTurn(nn.ModuleList([GATConv(features, HIDDEN), GATConv(HIDDEN, CLASSES)]))


def test_parts_cover_all_rows_and_stay_small():
    target = torch.tensor([0, 0, 0, 0, 0, 1, 2, 2, 4, 4, 4])
    edges = EdgeList(target, torch.arange(11) % 5, 5)
    nodes = torch.tensor([0, 1, 2, 3, 4, 3, 3, 1, 0])
    parts = list(edges.parts(nodes, largest=4))
    assert [index for part in parts for index in range(part.start, part.stop)] == list(range(len(nodes)))
    sizes = [sum(edges.into.counts[nodes[part]].tolist()) for part in parts]
    assert max(size for part, size in zip(parts, sizes, strict=True) if part.stop - part.start > 1) < 4 + 5
    assert list(edges.parts(nodes[:0], largest=4)) == []
