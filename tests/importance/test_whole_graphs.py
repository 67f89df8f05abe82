"""Graphs that are pooled are computed a few at a time: what belongs together stays together, and nothing changes."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from task_cases import FEATURES, GRAPHS, HIDDEN, NODES, TOLERANCE, Head, batched_graphs, convolution, lively
from torch import Tensor, nn
from torch_geometric.nn import GINConv, global_add_pool, global_max_pool, global_mean_pool

from graphsieve import permutation_importance
from graphsieve.importance.engines.lowrank import whole, whole_blocks
from graphsieve.models.fast.convolutions import Edges

SMALL_PARTS = 8 * HIDDEN * 8  # bytes of eight rows of double precision


def edges_between(*pairs: tuple[int, int]) -> Edges:
    source, target = torch.tensor(pairs).T
    return Edges(target, source, torch.ones(len(pairs)))


@pytest.mark.parametrize(
    ("pairs", "most", "bounds"),
    [
        ([(0, 1), (3, 2), (4, 4)], 2, [0, 2, 4, 6]),
        ([(0, 1), (3, 2), (4, 4)], 4, [0, 4, 6]),
        ([(0, 1), (3, 2), (4, 4)], 1, [0, 2, 4, 5, 6]),
        ([(0, 3), (1, 2)], 2, [0, 4, 6]),
        ([(5, 0)], 1, [0, 6]),
        ([(0, 1)], 10, [0, 6]),
    ],
)
def test_parts_are_as_large_as_may_be_and_no_edge_leaves_them(pairs, most, bounds):
    for layers in ([edges_between(*pairs)], [edges_between(pair) for pair in pairs]):
        found = whole.parts_between(whole.closed_cuts(layers, [], 6), most)
        assert found == [slice(*pair) for pair in zip(bounds, bounds[1:], strict=False)]


def test_without_edges_every_node_may_stand_alone():
    assert whole.parts_between(whole.closed_cuts([], [], 3), 1) == [slice(0, 1), slice(1, 2), slice(2, 3)]


@pytest.mark.parametrize(
    ("batch", "bounds"),
    [([0, 0, 1, 3, 3], [0, 2, 3, 5]), ([1, 1, 0, 2, 2], [0, 3, 5]), ([0, 1, 0, 1, 2], [0, 4, 5])],
)
def test_a_graph_is_in_one_part_and_parts_are_in_the_order_of_graphs(batch, bounds):
    found = whole.parts_between(whole.closed_cuts([], [torch.tensor(batch)], 5), 1)
    assert found == [slice(*pair) for pair in zip(bounds, bounds[1:], strict=False)]


class Jumping(nn.Module):
    """What pools several layers and x itself, each in its own way."""

    def __init__(self, name: str):
        super().__init__()
        self.first, self.second = convolution(name, FEATURES, HIDDEN), convolution(name, HIDDEN, 2 * HIDDEN)
        self.third, self.last = convolution(name, 2 * HIDDEN, 3), nn.Linear(3 * HIDDEN + FEATURES + 3, 1)

    def forward(self, x, edge_index, batch):
        one = self.first(x, edge_index).relu()
        other = self.second(one, edge_index).relu()
        parts = [(x, global_mean_pool), (one, global_add_pool), (other, global_max_pool)]
        pooled = [pool(rows, batch) for rows, pool in parts] + [global_mean_pool(self.third(other, edge_index), batch)]
        return self.last(torch.cat(pooled, 1)).squeeze(-1)


def assert_as_full(model: nn.Module, x: Tensor, edges: Tensor, y: Tensor, **options: object) -> None:
    options = {"task_level": "graph", "metric": "mean_squared_error", "n_repeats": 3, **options}
    found, expected = (
        permutation_importance(model, x, edges, y, engine=engine, **options).importances
        for engine in ("lowrank", "full")
    )
    largest = np.nanmax(np.abs(expected))  # NaN is what a race left out
    assert largest > 1e-3
    np.testing.assert_allclose(found, expected, rtol=0, atol=TOLERANCE[x.dtype] * max(1, largest))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("name", ["gcn", "gin", "graphsage"])
@pytest.mark.parametrize("make", [Head, Jumping])
def test_copies_computed_in_parts_are_those_of_a_full_pass(make, name, in_order, dtype, monkeypatch):
    for name_of_size in ("PART_BYTES", "PART_BYTES_WITH_PRODUCTS"):
        monkeypatch.setattr(whole, name_of_size, SMALL_PARTS)
    x, edges, batch = batched_graphs(dtype)
    if not in_order:  # the nodes of a graph stand apart, so that all are one part
        order = torch.randperm(NODES, generator=torch.Generator().manual_seed(9))
        x, edges, batch = x[order], order.argsort()[edges], batch[order]
    model = lively(make(name), dtype, x, edges, batch)
    y = torch.linspace(-1, 2, GRAPHS, dtype=dtype)
    for named in ({}, {"groups": {"a": [0, 1], "b": [2, 3, 4]}}):
        assert_as_full(model, x, edges, y, batch=batch, **named)


class Tail(nn.Module):
    """Ends in a pooled sum over neighbours, which a linear map reads, and where asked for something else too."""

    def __init__(self, pool: Callable, twice: bool):
        super().__init__()
        self.first, self.second = convolution("gin", FEATURES, HIDDEN), GINConv(nn.Linear(HIDDEN, HIDDEN))
        self.last, self.pool, self.twice = nn.Linear(HIDDEN, HIDDEN), pool, twice

    def forward(self, x, edge_index, batch):
        pooled = self.pool(self.second(self.first(x, edge_index).relu(), edge_index), batch)
        return self.last(pooled) + pooled if self.twice else self.last(pooled)


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("pool", [global_add_pool, global_mean_pool, global_max_pool])
def test_linear_maps_around_a_pooling_and_graphs_without_nodes(pool, twice, monkeypatch):
    monkeypatch.setattr(whole, "PART_BYTES_WITH_PRODUCTS", SMALL_PARTS)
    x, edges, batch = batched_graphs()
    batch = 2 * batch + 1  # every other graph is empty
    model = lively(Tail(pool, twice), x.dtype, x, edges, batch)
    assert_as_full(
        model, x, edges, torch.linspace(-1, 2, 2 * GRAPHS * HIDDEN).view(-1, HIDDEN).to(x.dtype), batch=batch
    )


@pytest.mark.parametrize("options", [{}, {"keep": 1}, {"perturbation": "mask"}, {"memory_limit": 1}])
def test_repeats_may_fall_into_several_blocks_and_columns_into_several_turns(options, monkeypatch):
    monkeypatch.setattr(whole_blocks, "MOST_COPIES", 2)
    monkeypatch.setattr(whole_blocks, "KEPT_DRAWS", 2)
    x, edges, batch = batched_graphs()
    model = lively(Head("gin"), x.dtype, x, edges, batch)
    assert_as_full(model, x, edges, torch.linspace(-1, 2, GRAPHS, dtype=x.dtype), batch=batch, n_repeats=5, **options)


class Bag(nn.Module):
    """Reads no edges, and pools x itself."""

    def __init__(self):
        super().__init__()
        self.last = nn.Linear(FEATURES, 1)

    def forward(self, x, edge_index, batch):
        return self.last(global_mean_pool(x, batch)).squeeze(-1)


def test_x_itself_may_be_all_that_is_pooled():
    x, edges, batch = batched_graphs()
    assert_as_full(Bag().to(x.dtype), x, edges, torch.linspace(-1, 2, GRAPHS, dtype=x.dtype), batch=batch)
