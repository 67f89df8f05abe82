import numpy as np
import pytest
import torch

from graphsieve.errors import InputError
from graphsieve.models.classifier import build_model, load_model, save_weights
from graphsieve.models.layers import LAYERS
from graphsieve.options import CLASSIFIERS, NORMS, TrainingOptions

EDGES = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("num_layers", [1, 2, 3])
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_a_model_gives_one_row_of_logits_per_node(name, num_layers, classifier):
    model = build_model(name, 5, 4, hidden=6, num_layers=num_layers, classifier=classifier)
    assert model(torch.ones(3, 5), EDGES).shape == (3, 4)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_gcn_is_the_formula_of_its_paper(classifier):
    """g(relu(A relu(A X W1 + b1) W2 + b2)), A the symmetrically normalised adjacency with self-loops, written out."""
    model = build_model("gcn", 5, 4, hidden=6, classifier=classifier, seed=3)
    x = torch.randn(3, 5, generator=torch.Generator().manual_seed(0))
    adjacency = torch.tensor([[1.0, 1, 0], [1, 1, 1], [0, 1, 1]])
    scale = adjacency.sum(1).rsqrt()
    normalised = scale[:, None] * adjacency * scale
    first, second = model.layers
    hidden = (normalised @ x @ first.lin.weight.T + first.bias).relu()
    expected = normalised @ hidden @ second.lin.weight.T + second.bias
    if classifier == "relu_linear":
        expected = expected.clamp(min=0)
    if classifier != "none":
        expected = expected @ model.classifier.weight.T + model.classifier.bias
    torch.testing.assert_close(model(x, EDGES), expected)


def test_the_norm_stands_before_every_relu():
    """Behind each layer of 6 units with the paper's classifier, behind all but the last without it."""
    for classifier, count in {"relu_linear": 2, "linear": 1, "none": 1}.items():
        model = build_model("mlp", 5, 4, hidden=6, classifier=classifier, norm="layer", seed=3)
        assert [norm.normalized_shape for norm in model.norms] == [(6,)] * count
    x, (first, second) = torch.rand(3, 5, generator=torch.Generator().manual_seed(0)), model.layers
    hidden = x @ first.weight.T + first.bias
    centred = hidden - hidden.mean(1, keepdim=True)
    hidden = (centred / (centred.pow(2).mean(1, keepdim=True) + 1e-5).sqrt()).relu()
    torch.testing.assert_close(model(x, EDGES), hidden @ second.weight.T + second.bias)


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


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", LAYERS)
def test_saved_weights_rebuild_the_model_at_each_moment(name, norm, classifier, tmp_path):
    layout = {"hidden": 6, "num_layers": 3, "norm": norm, "classifier": classifier}
    model, earlier = (build_model(name, 5, 4, seed=seed, **layout) for seed in (1, 2))
    save_weights(model, {"best": earlier.state_dict()}, tmp_path / "weights.npz")
    x = torch.from_numpy(np.random.default_rng(0).random((3, 5), dtype=np.float32))
    for moment, original in {"last": model, "best": earlier}.items():
        rebuilt = load_model(tmp_path / "weights.npz", moment)
        assert not rebuilt.training
        assert torch.equal(rebuilt(x, EDGES), original.eval()(x, EDGES))


def test_an_unknown_model_is_refused_with_those_that_exist():
    with pytest.raises(InputError, match="'gpt' is unknown: choose one of gcn, gin"):
        build_model("gpt", 5, 4)


@pytest.mark.parametrize("option", ["classifier", "norm", "weight_decay_on", "precision"])
def test_an_unknown_part_is_refused_with_those_that_exist(option):
    with pytest.raises(InputError, match=f"{option} 'some' is unknown: choose one of "):
        TrainingOptions(**{option: "some"})
