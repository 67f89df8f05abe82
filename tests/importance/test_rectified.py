"""Outputs behind a last ReLU, where only units that may change sign are computed."""

import pytest
import torch
from importance_cases import CLASSES, FEATURES, compare, make_graph

from graphsieve.importance.engines.lowrank import blocks, rectified
from graphsieve.importance.engines.lowrank.rectified import Entering, RectifiedOutput
from graphsieve.importance.engines.lowrank.tables import Sums
from graphsieve.models.classifier import build_model

WIDE = 80  # more units than are written down for all nodes


class OneHop:
    """As much of a filter as is asked for."""

    def __init__(self, weights):
        self.weights = weights


@pytest.mark.parametrize("few", [1, 3, 7, 50])
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_changes_are_those_of_the_relu_itself(monkeypatch, size, few):
    monkeypatch.setattr(rectified, "FEW", few)
    torch.manual_seed(0)
    weights = {1: torch.randn(5, 7, dtype=torch.float64), 0: torch.randn(4, 7, dtype=torch.float64)}
    weights[0][:, 2] = weights[1][:, 2] = 0  # a unit that never changes
    z, head = torch.randn(3, 7, dtype=torch.float64), torch.randn(2, 7, dtype=torch.float64)
    z[1, 3] = z[1, 2] = 0
    nodes = torch.arange(3).repeat_interleave(20)
    entering = size * torch.randn(60, 9, dtype=torch.float64) * torch.rand(60, 1)
    entering[5] = 0
    new = z[nodes] + entering[:, :4] @ weights[0] + entering[:, 4:] @ weights[1]
    expected = (new.relu() - z[nodes].relu()) @ head.T
    found = RectifiedOutput(OneHop(weights), z, head).change(nodes, entering)
    assert torch.allclose(found, expected, rtol=1e-12, atol=1e-12 * size)


def test_what_is_not_a_number_stays_so():
    output = RectifiedOutput(OneHop({1: torch.eye(4)}), torch.ones(1, 4), torch.ones(2, 4))
    entering = torch.full((1, 4), torch.nan)
    assert output.change(torch.tensor([0]), entering).isnan().all()


def test_few_units_may_change_sign_where_the_change_is_short(monkeypatch):
    monkeypatch.setattr(rectified, "FEW", 1)
    z = torch.tensor([[1.0, -3.0, 2.0, -0.5]])
    output = RectifiedOutput(OneHop({1: torch.tensor([[1.0, 1.0, 4.0, 0.0]])}), z, torch.ones(1, 4))
    assert output.has_few(torch.tensor([0, 0, 0]), torch.tensor([0.4, 0.7, 2.0])).tolist() == [True, True, False]


@pytest.mark.parametrize("dead", [0, 3])
def test_products_are_taken_before_or_after_summing(dead):
    torch.manual_seed(0)
    table, weight = torch.randn(5, 6, dtype=torch.float64), torch.randn(4, 6, dtype=torch.float64)
    table[0] = table[:, :dead] = 0
    # Row 1 is all there is of sums 1 and 4, and row 2 of sum 3 alone; sums 2 and 5 have several terms.
    sums = Sums(torch.tensor([1, 2, 2, 3, 4, 5, 5]), torch.tensor([1, 1, 3, 2, 1, 4, 3]), torch.rand(7).double())
    entering = Entering(torch.arange(5), table, [sums])
    expected = entering.rows(slice(0, 5)) @ weight.T
    (early, _), (late, _) = groups = entering.times(weight)
    assert (early.tolist(), late.tolist()) == ([0, 3], [1, 2, 4])
    for rows, times in groups:
        assert torch.allclose(times(slice(1, len(rows)))[: len(rows) - 1], expected[rows[1:]])


@pytest.fixture
def taken(monkeypatch):
    """Compute single units whether it pays or not; the number of times that was done."""
    calls = []
    change = RectifiedOutput.change
    monkeypatch.setattr(blocks, "ENOUGH_ROWS", 0)
    monkeypatch.setattr(RectifiedOutput, "change", lambda *given: calls.append(1) or change(*given))
    return calls


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("density", [0.1, 0.9])
@pytest.mark.parametrize("name", ["gcn", "graphsage"])
def test_unit_by_unit_gives_the_numbers_of_full_passes(taken, name, density, dtype):
    model = build_model(name, FEATURES, CLASSES, hidden=WIDE, seed=1).to(dtype)
    compare(model, make_graph(dtype, density), engine="lowrank")
    assert taken


def test_unit_by_unit_behind_three_convolutions_and_for_groups(taken):
    model = build_model("gcn", FEATURES, CLASSES, hidden=WIDE, num_layers=3, seed=1)
    compare(model, make_graph(), engine="lowrank", groups={"both": [0, 1], "last": [5]})
    assert taken


@pytest.fixture
def whole(monkeypatch):
    """Compute all units whether it pays or not; the number of times that was done."""
    calls = []
    groups = RectifiedOutput.groups
    monkeypatch.setattr(blocks, "ENOUGH_ROWS", 2)
    monkeypatch.setattr(RectifiedOutput, "groups", lambda *given: calls.append(1) or groups(*given))
    return calls


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("density", [0.1, 0.9])
@pytest.mark.parametrize("num_layers", [2, 3])
def test_all_units_give_the_numbers_of_full_passes(whole, num_layers, density, dtype):
    model = build_model("gcn", FEATURES, CLASSES, hidden=WIDE, num_layers=num_layers, seed=1).to(dtype)
    compare(model, make_graph(dtype, density), engine="lowrank")
    compare(model, make_graph(dtype, density), engine="lowrank", groups={"both": [0, 1], "last": [5]})
    assert whole


def test_all_units_of_several_weights_are_left_to_the_general_way(whole):
    compare(build_model("graphsage", FEATURES, CLASSES, hidden=WIDE, seed=1), make_graph(), engine="lowrank")
    assert not whole


@pytest.mark.parametrize("name", ["tagcn", "gin"])
def test_longer_reach_and_other_ends_are_left_to_the_general_way(taken, name):
    compare(build_model(name, FEATURES, CLASSES, hidden=WIDE, seed=1), make_graph(), engine="lowrank")
    assert not taken


def test_units_without_a_relu_are_left_to_the_general_way(taken):
    model = build_model("gcn", FEATURES, CLASSES, hidden=WIDE, classifier="linear", seed=1)
    compare(model, make_graph(), engine="lowrank")
    assert not taken
