"""Columns of edge attributes, and of nodes and edges by type: the numbers of a plain loop."""

import numpy as np
import pytest
import torch
from sklearn.metrics import accuracy_score, mean_squared_error, r2_score
from task_cases import FEATURES, HIDDEN, NODES, TOLERANCE, batched_graphs, lively, plain_loop
from torch import nn
from torch_geometric.nn import GATConv, GCNConv, GINEConv, HeteroConv, SAGEConv, global_mean_pool, to_hetero

from graphsieve import permutation_importance
from graphsieve.errors import InputError
from graphsieve.importance.columns import child_sequence

ATTRIBUTES = 3


def graph(dtype=torch.float64):
    x, edges, batch = batched_graphs(dtype)
    generator = torch.Generator().manual_seed(4)
    attributes = torch.rand(edges.shape[1], ATTRIBUTES, generator=generator, dtype=torch.float64).to(dtype)
    return x, edges, batch, attributes


class EdgeAware(nn.Module):
    """One number per node, or per graph if there is a batch."""

    def __init__(self):
        super().__init__()
        self.first = GINEConv(nn.Linear(FEATURES, HIDDEN), edge_dim=ATTRIBUTES)
        self.second = GATConv(HIDDEN, HIDDEN, edge_dim=ATTRIBUTES)
        self.last = nn.Linear(HIDDEN, 1)

    def forward(self, x, edge_index, edge_attr, batch=None):
        hidden = self.second(self.first(x, edge_index, edge_attr).relu(), edge_index, edge_attr).tanh()
        return self.last(hidden if batch is None else global_mean_pool(hidden, batch))


class Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = GCNConv(FEATURES, HIDDEN), GCNConv(HIDDEN, HIDDEN)
        self.last = nn.Linear(HIDDEN, 1)

    def forward(self, x, edge_index, edge_weight=None, scale=1.0):
        hidden = self.first(x, edge_index, edge_weight).relu()
        return self.last(self.second(hidden, edge_index, edge_weight=edge_weight)).squeeze(-1) * scale


Y = torch.linspace(-1, 1, NODES, dtype=torch.float64)
SCORED = torch.arange(3, 35)


def error_of_scored(output):
    return -mean_squared_error(Y[SCORED], output.flatten()[SCORED])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_columns_of_edge_attributes(dtype):
    x, edges, _, attributes = graph(dtype)
    model = lively(EdgeAware(), dtype, x, edges, attributes)
    found = permutation_importance(
        *(model, x, edges, Y, SCORED),
        **{"features_of": "edge_attr", "edge_attr": attributes, "metric": "mean_squared_error", "n_repeats": 3},
    )
    expected = plain_loop(lambda changed: model(x, edges, changed), attributes, error_of_scored)
    assert found.engine == "full"
    np.testing.assert_allclose(found.importances, expected, rtol=0, atol=TOLERANCE[dtype])


def test_edge_weights_are_one_column():
    x, edges, _, attributes = graph()
    weight = attributes[:, 0].contiguous()
    model = lively(Weighted(), x.dtype, x, edges, weight)
    found = permutation_importance(
        *(model, x, edges, Y, SCORED),
        **{"features_of": "edge_weight", "edge_weight": weight, "metric": "mean_squared_error", "n_repeats": 3},
    )
    expected = plain_loop(lambda changed: model(x, edges, changed[:, 0]), weight[:, None], error_of_scored)
    assert found.importances.shape == (1, 3)
    np.testing.assert_allclose(found.importances, expected, rtol=0, atol=1e-10)


def test_edge_attributes_change_places_within_graphs():
    x, edges, batch, attributes = graph()
    seen = []

    class Watching(EdgeAware):
        def forward(self, x, edge_index, edge_attr, batch):
            seen.append(edge_attr.clone())
            return super().forward(x, edge_index, edge_attr, batch)

    y = torch.arange(int(batch.max()) + 1.0)
    options = {"task_level": "graph", "batch": batch, "edge_attr": attributes, "features_of": "edge_attr"}
    permutation_importance(Watching().double(), x, edges, y, metric="r2", within="graph", features=[1], **options)
    for copy in seen[1:]:
        assert not torch.equal(copy, attributes)
        for one in range(len(y)):
            inside = batch[edges[0]] == one
            assert torch.equal(copy[inside, 1].sort().values, attributes[inside, 1].sort().values)


@pytest.mark.parametrize(
    ("model", "extra"), [(GCNConv(FEATURES, 1), {}), (Weighted(), {}), (Weighted(), {"scale": 2.0})]
)
def test_arguments_by_name_reach_the_model_on_every_engine(model, extra):
    """Edge weights are constants of a convolution: the fast engine takes them."""
    x, edges, _, attributes = graph()
    weight = attributes[:, 0].contiguous()
    model = model.double()
    options = {"metric": "mean_squared_error", "n_repeats": 3, "edge_weight": weight, **extra}
    expected = plain_loop(lambda changed: model(changed, edges, edge_weight=weight, **extra), x, error_of_scored)
    for engine in ("auto", "lowrank", "incremental", "full"):
        found = permutation_importance(model, x, edges, Y, SCORED, engine=engine, **options)
        assert found.engine == ("lowrank" if engine == "auto" else engine)
        np.testing.assert_allclose(found.importances, expected, rtol=0, atol=1e-10)


PAPERS, AUTHORS = 30, 20
CITES, WRITES = ("paper", "cites", "paper"), ("author", "writes", "paper")
BACK = ("paper", "written_by", "author")


def typed_graph(dtype=torch.float64):
    generator = torch.Generator().manual_seed(5)
    x = {
        "paper": torch.randn(PAPERS, FEATURES, generator=generator, dtype=torch.float64).to(dtype),
        "author": torch.randn(AUTHORS, 2, generator=generator, dtype=torch.float64).to(dtype),
    }
    written = torch.stack([torch.arange(60) % AUTHORS, torch.randint(0, PAPERS, (60,), generator=generator)])
    cites = torch.randint(0, PAPERS, (2, 80), generator=generator)
    return x, {CITES: cites, WRITES: written, BACK: written.flip(0)}


class Typed(nn.Module):
    """HeteroConv; a dict by type, or the rows of papers alone."""

    def __init__(self, as_dict):
        super().__init__()
        self.conv = HeteroConv({CITES: SAGEConv((-1, -1), HIDDEN), WRITES: SAGEConv((-1, -1), HIDDEN)})
        self.last, self.as_dict = nn.Linear(HIDDEN, 3), as_dict

    def forward(self, x, edge_index):
        papers = self.last(self.conv(x, edge_index)["paper"].relu())
        return {"paper": papers} if self.as_dict else papers


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = SAGEConv((-1, -1), HIDDEN), SAGEConv((-1, -1), 3)

    def forward(self, x, edge_index):
        return self.second(self.first(x, edge_index).relu(), edge_index)


def typed_model(name, x, edges, dtype):
    model = Typed(as_dict=name == "a dict") if name != "to_hetero" else to_hetero(Plain(), (list(x), list(edges)))
    with torch.no_grad():
        model.to(dtype)(x, edges)  # lazy layers learn their sizes
    torch.manual_seed(1)
    for parameter in model.parameters():
        parameter.data = torch.randn_like(parameter.data)
    return model.eval()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", ["rows", "a dict", "to_hetero"])
def test_nodes_by_type(name, dtype):
    x, edges = typed_graph(dtype)
    model, y, nodes = typed_model(name, x, edges, dtype), torch.arange(PAPERS) % 3, torch.arange(PAPERS - 5)
    found = permutation_importance(model, x, edges, {"paper": y}, {"paper": nodes}, n_repeats=3)
    assert list(found) == ["paper", "author"]
    for place, kind in enumerate(x):

        def predict(changed, kind=kind):
            output = model({**x, kind: changed}, edges)
            return (output if isinstance(output, torch.Tensor) else output["paper"])[nodes]

        seed = child_sequence(np.random.SeedSequence(0), place)
        expected = plain_loop(predict, x[kind], lambda out: accuracy_score(y[nodes], out.argmax(1)), seed=seed)
        assert found[kind].engine == "full"
        np.testing.assert_allclose(found[kind].importances, expected, rtol=0, atol=TOLERANCE[dtype])


def test_columns_groups_and_names_by_type():
    x, edges = typed_graph()
    model, y = typed_model("a dict", x, edges, torch.float64), torch.arange(PAPERS) % 3
    arguments = (model, x, edges, {"paper": y}, range(PAPERS))
    every = permutation_importance(*arguments, metric=["accuracy", "cross_entropy"], n_repeats=2)
    assert list(every["author"]) == ["accuracy", "cross_entropy"]
    some = permutation_importance(*arguments, features={"author": [1]}, metric="cross_entropy", n_repeats=2)
    assert list(some) == ["author"]
    np.testing.assert_allclose(
        some["author"].importances, every["author"]["cross_entropy"].importances[[1]], rtol=0, atol=1e-12
    )
    named = permutation_importance(
        *arguments, groups={"author": {"both": [0, 1]}}, feature_names={"author": ["age", "fame"]}, n_repeats=2
    )
    assert named["author"].names == ["both"]


def test_weights_may_be_named_by_type():
    x, edges = typed_graph()
    model, y = typed_model("a dict", x, edges, torch.float64), {"paper": torch.arange(PAPERS) % 3}
    weight = torch.arange(PAPERS) % 4 / 3 + 0.5
    named, plain, without = (
        permutation_importance(model, x, edges, y, range(PAPERS), sample_weight=given, metric="cross_entropy")["author"]
        for given in ({"paper": weight}, weight, None)
    )
    np.testing.assert_array_equal(named.importances, plain.importances)
    assert not np.allclose(named.importances, without.importances)


def test_edge_attributes_by_type():
    x, edges = typed_graph()
    weight = {kind: torch.linspace(0.5, 2, edges[kind].shape[1], dtype=torch.float64) for kind in (CITES, WRITES)}

    class Summed(nn.Module):
        def forward(self, x, edge_index, weight):
            total = torch.zeros(PAPERS, dtype=torch.float64)
            for kind in (CITES, WRITES):
                source, target = edge_index[kind]
                total = total.index_add(0, target, weight[kind] * x[kind[0]][source, 0])
            return total

    y = torch.arange(PAPERS, dtype=torch.float64)
    options = {"metric": "r2", "n_repeats": 3, "features_of": "weight", "weight": weight}
    found = permutation_importance(Summed(), x, edges, {"paper": y}, range(PAPERS), **options)
    for place, kind in enumerate(weight):
        expected = plain_loop(
            lambda changed, kind=kind: Summed()(x, edges, {**weight, kind: changed[:, 0]}),
            weight[kind][:, None],
            lambda output: r2_score(y, output),
            seed=child_sequence(np.random.SeedSequence(0), place),
        )
        np.testing.assert_allclose(found[kind].importances, expected, rtol=0, atol=1e-10)


def typed(**changed):
    x, edges = typed_graph()
    model = typed_model("a dict", x, edges, torch.float64)
    given = {"x": x, "edge_index": edges, "y": {"paper": torch.arange(PAPERS) % 3}, "nodes": range(PAPERS)}
    return permutation_importance(model, **{**given, **changed})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"y": torch.arange(PAPERS) % 3}, "y must be a dict with the scored node type: one of paper, author"),
        ({"y": {"paper": torch.zeros(3), "author": torch.zeros(3)}}, "y must name one type"),
        ({"y": {"venue": torch.zeros(3)}}, "y must be a dict with the scored node type"),
        ({"y": {"author": torch.zeros(AUTHORS, dtype=torch.long)}, "nodes": range(9)}, "but the model returned paper"),
        ({"nodes": {"author": range(3)}}, "nodes is given for 'author', but y for 'paper'"),
        ({"sample_weight": {"author": torch.ones(AUTHORS)}}, "sample_weight is given for 'author', but y for 'paper'"),
        ({"features": [0]}, "must be dicts by type where x is one"),
        ({"features": {"venue": [0]}}, "must be dicts by type where x is one"),
        ({"groups": {"paper": {"a": [9]}}}, "group 'a' names column 9, but x of 'paper' has columns 0 to 4"),
        ({"x": {}}, "x is an empty dict"),
        ({"x": {"paper": torch.full((3, 2), torch.nan)}}, "x of 'paper' holds NaN or infinity at row 0"),
    ],
)
def test_bad_input_by_type(changed, message):
    with pytest.raises(InputError, match=message):
        typed(**changed)
