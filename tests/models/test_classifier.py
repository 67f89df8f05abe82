import numpy as np
import pytest
import torch

from graphsieve.errors import InputError
from graphsieve.models.classifier import build_model, load_model, save_weights
from graphsieve.models.layers import LAYERS

EDGES = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("num_layers", [1, 2, 3])
def test_a_model_gives_one_row_of_logits_per_node(name, num_layers):
    model = build_model(name, 5, 4, hidden=6, num_layers=num_layers)
    assert model(torch.ones(3, 5), EDGES).shape == (3, 4)


def test_gcn_is_the_formula_of_its_paper():
    """relu(A X W1 + b1) W2 ... with A the symmetrically normalised adjacency with self-loops, written out densely."""
    model = build_model("gcn", 5, 4, hidden=6, seed=3)
    x = torch.randn(3, 5, generator=torch.Generator().manual_seed(0))
    adjacency = torch.tensor([[1.0, 1, 0], [1, 1, 1], [0, 1, 1]])
    scale = adjacency.sum(1).rsqrt()
    normalised = scale[:, None] * adjacency * scale
    first, second = model.layers
    hidden = (normalised @ x @ first.lin.weight.T + first.bias).relu()
    torch.testing.assert_close(model(x, EDGES), normalised @ hidden @ second.lin.weight.T + second.bias)


def test_the_mlp_does_not_see_the_graph():
    model = build_model("mlp", 5, 4, hidden=6)
    x = torch.ones(3, 5)
    assert torch.equal(model(x, EDGES), model(x, EDGES[:, :0]))


def test_weights_depend_on_the_seed_and_on_nothing_else():
    torch.manual_seed(1)
    one = build_model("gcn", 5, 4, seed=0).state_dict()
    torch.manual_seed(2)
    state = torch.get_rng_state()
    two = build_model("gcn", 5, 4, seed=0).state_dict()
    assert torch.equal(torch.get_rng_state(), state)
    other = build_model("gcn", 5, 4, seed=1).state_dict()
    assert all(torch.equal(one[key], two[key]) for key in one)
    assert not torch.equal(one["layers.0.lin.weight"], other["layers.0.lin.weight"])


@pytest.mark.parametrize("batch_norm", [False, True])
@pytest.mark.parametrize("name", LAYERS)
def test_saved_weights_rebuild_the_model_at_each_moment(name, batch_norm, tmp_path):
    model = build_model(name, 5, 4, hidden=6, num_layers=3, seed=1, batch_norm=batch_norm)
    earlier = build_model(name, 5, 4, hidden=6, num_layers=3, seed=2, batch_norm=batch_norm)
    save_weights(model, {"best": earlier.state_dict()}, tmp_path / "weights.npz")
    x = torch.from_numpy(np.random.default_rng(0).random((3, 5), dtype=np.float32))
    for moment, original in {"last": model, "best": earlier}.items():
        rebuilt = load_model(tmp_path / "weights.npz", moment)
        assert not rebuilt.training
        assert torch.equal(rebuilt(x, EDGES), original.eval()(x, EDGES))


def test_an_unknown_model_is_refused_with_those_that_exist():
    with pytest.raises(InputError, match="'gat' is unknown: choose one of gcn, gin"):
        build_model("gat", 5, 4)
