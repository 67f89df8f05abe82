"""Groups of columns on every engine, against a loop that shares no code with them."""

import numpy as np
import pytest
import torch
from importance_cases import CLASSES, FEATURES, HIDDEN, HandWritten, Stack, break_ties, make_graph, scored_nodes
from torch import nn
from torch.nn.functional import cross_entropy
from torch_geometric.nn import GCNConv, GINConv, MessagePassing, SAGEConv, TAGConv

from graphsieve import permutation_importance
from graphsieve.errors import InputError
from graphsieve.models.classifier import build_model
from model_cases import FILTERS

GROUPS = {
    "three": [4, 1, 0],
    "one": [2],
    "overlap": [1, 3],
    "sparse and constant": [0, 5],
    "all": list(range(FEATURES)),
}
TOLERANCE = {torch.float32: 1e-6, torch.float64: 1e-10}
SEED = 3


class Custom(MessagePassing):
    """The mean of the neighbours' squares: nothing that an engine knows."""

    def __init__(self):
        super().__init__(aggr="mean")
        self.first, self.last = nn.Linear(FEATURES, HIDDEN), nn.Linear(2 * HIDDEN, CLASSES)

    def forward(self, x, edge_index):
        hidden = self.first(x).tanh()
        return self.last(torch.cat([hidden, self.propagate(edge_index, x=hidden)], dim=1))

    def message(self, x_j):
        return x_j**2


def stack(layer) -> nn.Module:
    return Stack([layer(FEATURES, HIDDEN), layer(HIDDEN, CLASSES)], [nn.Sequential(nn.ReLU(), nn.Dropout(0.5))])


MODELS = {
    **{name: lambda name=name: build_model(name, FEATURES, CLASSES, hidden=HIDDEN, dropout=0.5) for name in FILTERS},
    "GCNConv, 3 layers": lambda: build_model("gcn", FEATURES, CLASSES, hidden=HIDDEN, num_layers=3),
    "TAGConv": lambda: stack(TAGConv),
    "GCNConv, no bias": lambda: stack(lambda *sizes: GCNConv(*sizes, bias=False)),
    "SAGEConv, sum": lambda: stack(lambda *sizes: SAGEConv(*sizes, aggr="sum")),
    "GINConv that begins with a norm": lambda: Stack(
        [GINConv(nn.Sequential(nn.LayerNorm(FEATURES), nn.Linear(FEATURES, CLASSES)))], []
    ),
}
UNKNOWN = {"MessagePassing": Custom, "index_add": HandWritten}


def naive(model, graph, groups: dict, n_repeats: int) -> tuple[np.ndarray, np.ndarray]:
    """Falls of accuracy and rises of the loss: one pass of the model in evaluation mode per group and repeat."""
    x, edges, y = graph
    nodes = scored_nodes()
    model = model.eval()

    def measure(x) -> np.ndarray:
        with torch.no_grad():
            logits = model(x, edges)[nodes]
        return np.array([-(logits.argmax(1) == y[nodes]).double().mean(), cross_entropy(logits, y[nodes])])

    rises = []
    for columns in groups.values():
        sequence = np.random.SeedSequence(SEED, spawn_key=(columns[0], len(columns)))
        rng = np.random.default_rng(sequence)
        for _ in range(n_repeats):
            changed = x.clone()
            changed[:, columns] = x[rng.permutation(len(x))][:, columns]
            rises.append(measure(changed) - measure(x))
    return np.array(rises).T.reshape(2, len(groups), n_repeats)


def score(model, graph, engine: str = "auto", groups: dict = GROUPS, n_repeats: int = 4, **options):
    return permutation_importance(
        model, *graph, scored_nodes(), groups=groups, n_repeats=n_repeats, metric=["accuracy", "cross_entropy"],
        random_state=SEED, engine=engine, **options,
    )  # fmt: skip


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("density", [0.1, 0.9])
@pytest.mark.parametrize("name", [*MODELS, *UNKNOWN])
def test_every_engine_gives_the_numbers_of_a_plain_loop(name, density, dtype):
    torch.manual_seed(0)
    graph, model = make_graph(dtype, density), (MODELS | UNKNOWN)[name]().to(dtype)
    break_ties(model)
    falls, rises = naive(model, graph, GROUPS, 4)
    assert np.abs(rises).max() > 1e-3
    model.train()  # evaluation mode is the function's own business
    for engine in ("full", "restricted", *(["lowrank"] if name in MODELS else [])):
        found = score(model, graph, engine)
        assert found["accuracy"].engine == engine
        np.testing.assert_allclose(found["cross_entropy"].importances, rises, rtol=0, atol=TOLERANCE[dtype])
        np.testing.assert_allclose(found["accuracy"].importances, falls, rtol=0, atol=1e-12)
    assert all(module.training for module in model.modules())


@pytest.mark.parametrize("perturbation", ["gaussian", "mask"])
@pytest.mark.parametrize("name", [*MODELS, *UNKNOWN])
def test_noise_and_masks_are_the_same_on_every_engine(name, perturbation):
    torch.manual_seed(0)
    graph, model = make_graph(torch.float64), (MODELS | UNKNOWN)[name]().double()
    expected = score(model, graph, "full", perturbation=perturbation)["cross_entropy"].importances
    for engine in ("restricted", *(["lowrank"] if name in MODELS else [])):
        found = score(model, graph, engine, perturbation=perturbation)["cross_entropy"].importances
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_a_masked_group_is_zero_in_all_its_columns():
    x, edges, y = graph = make_graph(torch.float64)
    model = build_model("gcn", FEATURES, CLASSES, hidden=HIDDEN).double().eval()
    masked = x.clone()
    masked[:, [0, 3]] = 0
    with torch.no_grad():
        before, after = (cross_entropy(model(one, edges)[scored_nodes()], y[scored_nodes()]) for one in (x, masked))
    found = score(model, graph, groups={"pair": [0, 3]}, perturbation="mask")["cross_entropy"]
    np.testing.assert_allclose(found.importances, float(after - before), atol=1e-12)


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr])
def test_groups_of_a_sparse_x(layout):
    x, edges, y = make_graph(torch.float64)
    model = build_model("graphsage", FEATURES, CLASSES, hidden=HIDDEN).double()
    expected = naive(model, (x, edges, y), GROUPS, 4)[1]
    for engine in ("auto", "full"):
        found = score(model, (x.to_sparse(layout=layout), edges, y), engine)["cross_entropy"]
        np.testing.assert_allclose(found.importances, expected, rtol=0, atol=1e-10)


def test_rows_have_the_names_and_order_of_the_groups_and_do_not_depend_on_the_others():
    graph, model = make_graph(), build_model("gcn", FEATURES, CLASSES, hidden=HIDDEN)
    result = score(model, graph)["cross_entropy"]
    assert list(result.groups) == list(GROUPS)
    assert [columns.tolist() for columns in result.groups.values()] == list(GROUPS.values())
    assert result.features is None
    assert result.importances.shape == (len(GROUPS), 4)
    backwards = score(model, graph, groups=dict(reversed(GROUPS.items())))["cross_entropy"]
    np.testing.assert_allclose(backwards.importances[::-1], result.importances, atol=1e-7)
    assert score(model, graph, groups={})["accuracy"].importances.shape == (0, 4)


def test_rows_of_a_group_stay_together():
    class Parity(nn.Module):
        """Right wherever its two columns agree."""

        def forward(self, x, edge_index):
            return torch.stack([(x[:, 0] == x[:, 1]).float(), torch.full((len(x),), 0.5)], dim=1)

    x = torch.randint(2, (40, 1), generator=torch.Generator().manual_seed(0)).float().repeat(1, 2)
    groups, y = {"pair": [0, 1], "second": [1]}, torch.zeros(40, dtype=torch.long)
    result = permutation_importance(Parity(), x, None, y, np.arange(40), groups=groups, n_repeats=5)
    assert (result.importances[0] == 0).all()
    assert (result.importances[1] > 0.2).all()


def test_a_group_of_one_column_is_as_important_as_the_column():
    """The draws differ, their distribution does not."""
    graph, model = make_graph(), build_model("graphsage", FEATURES, CLASSES, hidden=HIDDEN)
    group = score(model, graph, groups={"a": [4]}, n_repeats=400)["cross_entropy"].importances[0]
    column = permutation_importance(
        model, *graph, scored_nodes(), features=[4], n_repeats=400, metric="cross_entropy"
    ).importances[0]
    assert abs(group.mean() - column.mean()) < 4 * np.hypot(group.std(), column.std()) / 20
    assert group.std() == pytest.approx(column.std(), rel=0.3)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"a": [0, FEATURES]}, f"group 'a' names column {FEATURES}, but x has columns 0 to {FEATURES - 1}"),
        ({"a": [-1]}, "group 'a' names column -1"),
        ({"a": [0], "b": []}, "group 'b' is empty"),
        ({"a": ["x1"]}, "group 'a' must be a list of column numbers"),
        ({"a": [1, 1]}, "group 'a' names a column more than once"),
        ({1: [0], "1": [2]}, "groups names '1' more than once"),
        ([[0, 1]], "groups must be a dict of names and lists of columns, not list"),
    ],
)
def test_bad_groups_are_named(groups, message):
    with pytest.raises(InputError, match=message):
        score(build_model("gcn", FEATURES, CLASSES, hidden=HIDDEN), make_graph(), groups=groups)


def test_columns_and_groups_are_not_scored_in_one_call():
    with pytest.raises(InputError, match="features and groups are both given"):
        score(build_model("gcn", FEATURES, CLASSES, hidden=HIDDEN), make_graph(), features=[0])


def test_a_failing_pass_names_its_group():
    class Failing(nn.Module):
        calls = 0

        def forward(self, x, edge_index):
            self.calls += 1
            if self.calls > 2:
                raise RuntimeError("out of luck")
            return x[:, :CLASSES]

    with pytest.raises(InputError, match=r"with group 'one' perturbed \(repeat 1\): out of luck"):
        score(Failing(), make_graph(), "full")
