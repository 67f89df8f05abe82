"""Which engine "auto" takes: by what is counted, whatever the clock says."""

import time

import pytest
import torch
from torch import Tensor, nn
from torch_geometric.nn import GATConv, GCNConv, PairNorm

from graphsieve import permutation_importance
from graphsieve.importance.engines.choice import FEWEST_PAIRS
from graphsieve.importance.engines.cost import PRODUCT, START, counted_cost


class TwoSums(nn.Module):
    """Sums over neighbours, twice, with plain tensor operations: the receptive field is found, not known."""

    def __init__(self, features: int):
        super().__init__()
        self.first, self.last = nn.Linear(features, 4), nn.Linear(4, 2)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        hidden = self.first(x).relu()
        for _ in range(2):
            hidden = hidden + torch.zeros_like(hidden).index_add(0, edge_index[1], hidden[edge_index[0]])
        return self.last(hidden)


def ring(nodes: int) -> Tensor:
    index = torch.arange(nodes)
    return torch.stack([index, (index + 1) % nodes])


def chosen(model: nn.Module, nodes: int, features: int, scored: int) -> str:
    x = torch.rand(nodes, features, generator=torch.Generator().manual_seed(0))
    y = torch.zeros(nodes, dtype=torch.long)
    return permutation_importance(model, x, ring(nodes), y, range(scored), features=[0], n_repeats=FEWEST_PAIRS).engine


@pytest.fixture(params=["as it is", "stopped"])
def clock(request, monkeypatch):
    """A machine whose clocks cannot be read at all must come to the same choice."""

    def stopped(*_):
        raise AssertionError("an engine looked at the clock")

    if request.param == "stopped":
        for name in ("perf_counter", "perf_counter_ns", "monotonic", "process_time", "time"):
            monkeypatch.setattr(time, name, stopped)


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(("make", "engine"), [(TwoSums, "restricted"), (lambda size: GATConv(size, 2), "incremental")])
def test_a_small_receptive_field_in_a_large_graph_is_worth_restricting_to(make, engine):
    assert chosen(make(30), nodes=5000, features=30, scored=10) == engine


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(("sizes", "engine"), [([600], "full"), ([20, 30], "lowrank"), ([600, *[1] * 30], "lowrank")])
def test_large_groups_are_scored_by_full_passes_where_that_is_cheaper(sizes, engine):
    """Of many groups it is their sum that counts."""
    x = torch.rand(300, 600, generator=torch.Generator().manual_seed(0))
    groups = {str(place): list(range(size)) for place, size in enumerate(sizes)}
    y = torch.zeros(300, dtype=torch.long)
    found = permutation_importance(GCNConv(600, 2), x, ring(300), y, range(300), groups=groups, n_repeats=2)
    assert found.engine == engine


@pytest.mark.usefixtures("clock")
def test_many_copies_of_a_tiny_graph_are_worth_batching():
    assert chosen(TwoSums(6), nodes=40, features=6, scored=40) == "restricted"


@pytest.mark.usefixtures("clock")
def test_copies_of_the_whole_of_a_wide_graph_are_not():
    """Copying x would cost more than the pass itself, and nothing is left out."""
    assert chosen(TwoSums(200), nodes=4000, features=200, scored=4000) == "full"


@pytest.mark.usefixtures("clock")
def test_models_that_see_all_nodes_are_left_to_full_passes():
    class Normalised(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.norm = GCNConv(6, 2), PairNorm()

        def forward(self, x, edge_index):
            return self.norm(self.layer(x, edge_index))

    assert chosen(Normalised(), nodes=400, features=6, scored=10) == "full"


def test_cost_is_counted_from_shapes():
    one, other = torch.rand(30, 20), torch.rand(20, 10)
    entries = 30 * 20 + 20 * 10 + 30 * 10
    assert counted_cost(lambda: one @ other) == pytest.approx(START + entries + PRODUCT * 2 * 30 * 20 * 10)
    assert counted_cost(lambda: one.relu()) == START + 2 * 30 * 20
    assert counted_cost(lambda: one.T) == 0
    sparse = torch.eye(50).to_sparse_csr()
    assert counted_cost(lambda: sparse @ torch.ones(50, 3)) < counted_cost(lambda: torch.eye(50) @ torch.ones(50, 3))


def test_rows_that_are_picked_from_a_table_cost_what_they_hold():
    index, weight = torch.tensor([3, 1, 4]), torch.ones(3)
    for table in (torch.rand(10, 8), torch.rand(1000, 8)):
        assert counted_cost(lambda table=table: table[index]) == START + 3 + 2 * 3 * 8
        assert counted_cost(lambda table=table: table.index_copy_(0, index, torch.ones(3, 8))) < 3 * START
        summed = counted_cost(
            lambda table=table: nn.functional.embedding_bag(
                index, table, torch.tensor([0]), mode="sum", per_sample_weights=weight
            )
        )
        assert summed < 5 * START
