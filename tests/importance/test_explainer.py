"""`PermutationExplainer` in PyG's `Explainer`: the values of `permutation_importance`, and a drawn picture."""

import logging

import numpy as np
import pytest
import torch
from task_cases import Head, LinkPredictor, batched_graphs, label_pairs
from torch import nn
from torch_geometric.explain import Explainer, Explanation
from torch_geometric.nn import GCN

import graphsieve
from graphsieve.errors import InputError
from graphsieve.importance import permutation_importance
from graphsieve.importance.explainer import PermutationExplainer

OPTIONS = {"n_repeats": 4, "random_state": 3}


class Returning(nn.Module):
    """A network that returns logits, probabilities or their logarithms."""

    def __init__(self, what: str):
        super().__init__()
        torch.manual_seed(0)
        self.network = GCN(5, 8, num_layers=2, out_channels=3, dropout=0.5)
        self.what = what

    def forward(self, x, edge_index):
        logits = self.network(x, edge_index)
        return {"raw": logits, "probs": logits.softmax(1), "log_probs": logits.log_softmax(1)}[self.what]


@pytest.fixture
def graph():
    chance = torch.Generator().manual_seed(1)
    x, edge_index = torch.randn(30, 5, generator=chance), torch.randint(30, (2, 90), generator=chance)
    return x, edge_index, torch.randint(3, (30,), generator=chance)


def explainer_of(model, kind="phenomenon", return_type="raw", task_level="node", **options) -> Explainer:
    return Explainer(
        model,
        algorithm=PermutationExplainer(**{**OPTIONS, **options}),
        explanation_type=kind,
        node_mask_type="common_attributes",
        edge_mask_type=None,
        model_config={"mode": "multiclass_classification", "task_level": task_level, "return_type": return_type},
    )


def assert_scores(found: torch.Tensor, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found[0].numpy(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("metric", ["accuracy", "cross_entropy"])
@pytest.mark.parametrize("return_type", ["raw", "probs", "log_probs"])
def test_scores_are_those_of_permutation_importance(graph, metric, return_type):
    x, edge_index, y = graph
    explanation = explainer_of(Returning(return_type), return_type=return_type, metric=metric)(x, edge_index, target=y)
    expected = permutation_importance(Returning("raw"), x, edge_index, y, range(30), metric=metric, **OPTIONS)
    assert isinstance(explanation, Explanation)
    assert explanation.validate()
    assert explanation.node_mask.shape == (1, 5)
    torch.testing.assert_close(
        explanation.node_mask[0].double(), torch.tensor(expected.importances_mean), rtol=1e-5, atol=1e-6
    )
    torch.testing.assert_close(
        explanation.node_mask_std[0].double(), torch.tensor(expected.importances_std), rtol=1e-5, atol=1e-6
    )
    assert "edge_mask" not in explanation


def test_a_model_is_explained_against_its_own_predictions(graph):
    x, edge_index, _ = graph
    model = Returning("raw")
    explanation = explainer_of(model, "model")(x, edge_index)
    predicted = model.eval()(x, edge_index).argmax(dim=1)
    expected = permutation_importance(model, x, edge_index, predicted, range(30), **OPTIONS)
    assert expected.baseline == 1
    assert (expected.importances_mean > 0).all()
    torch.testing.assert_close(
        explanation.node_mask[0].double(), torch.tensor(expected.importances_mean), rtol=0, atol=1e-6
    )


@pytest.mark.parametrize("index", [7, torch.tensor([3, 9, 20])])
def test_index_names_the_scored_nodes(graph, index):
    x, edge_index, y = graph
    explanation = explainer_of(Returning("raw"), metric="cross_entropy")(x, edge_index, target=y, index=index)
    nodes = [index] if isinstance(index, int) else index
    expected = permutation_importance(
        Returning("raw"), x, edge_index, y, nodes, metric="cross_entropy", engine="full", **OPTIONS
    )
    torch.testing.assert_close(
        explanation.node_mask[0].double(), torch.tensor(expected.importances_mean), rtol=1e-5, atol=1e-6
    )


def test_pyg_draws_them(graph, tmp_path):
    x, edge_index, y = graph
    explanation = explainer_of(Returning("raw"))(x, edge_index, target=y)
    names = ["age", "height", "weight", "income", "region"]
    explanation.visualize_feature_importance(str(tmp_path / "all.png"), feat_labels=names)
    explanation.visualize_feature_importance(str(tmp_path / "top.png"), top_k=2)
    assert all((tmp_path / name).read_bytes().startswith(b"\x89PNG") for name in ("all.png", "top.png"))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"node_mask_type": "attributes"}, "needs node_mask_type='common_attributes', not 'attributes'"),
        ({"edge_mask_type": "object"}, "needs edge_mask_type=None, not 'object'"),
        ({"mode": "binary_classification", "return_type": "probs"}, "needs return_type='raw', not 'probs'"),
    ],
)
def test_other_explanations_are_refused_with_a_reason(changes, said, caplog):
    settings = {"explanation_type": "model", "node_mask_type": "common_attributes"}
    config = {"mode": "multiclass_classification", "task_level": "node", "return_type": "raw"}
    for name, value in changes.items():
        (config if name in config else settings)[name] = value
    with caplog.at_level(logging.ERROR), pytest.raises(ValueError, match="does not support"):
        Explainer(Returning("raw"), PermutationExplainer(), model_config=config, **settings)
    assert said in caplog.text


@pytest.mark.parametrize(
    ("model", "level", "mode", "metric", "by_name"),
    [
        (LinkPredictor(), "edge", "binary_classification", "cross_entropy", {"edge_label_index": label_pairs()}),
        (Head("gin"), "graph", "regression", "mean_squared_error", {"batch": batched_graphs()[2]}),
        (Head(outputs=3), "graph", "multiclass_classification", "cross_entropy", {"batch": batched_graphs()[2]}),
        (Head(), "node", "regression", "mean_squared_error", {}),
    ],
)
@pytest.mark.parametrize("kind", ["phenomenon", "model"])
def test_every_task_is_explained(model, level, mode, metric, by_name, kind):
    x, edge_index, _ = batched_graphs()
    model = model.double().eval()
    explainer = Explainer(
        model,
        algorithm=PermutationExplainer(**OPTIONS, metric=metric),
        explanation_type=kind,
        node_mask_type="common_attributes",
        model_config={"mode": mode, "task_level": level, "return_type": "raw"},
    )
    with torch.no_grad():
        output = model(x, edge_index, **by_name)
    predicted = {
        "binary_classification": lambda: (output > 0).long().view(-1),
        "multiclass_classification": lambda: output.argmax(1),
        "regression": lambda: output,
    }[mode]()
    target = predicted if kind == "model" else predicted.roll(1, 0)
    explanation = explainer(x, edge_index, **({} if kind == "model" else {"target": target}), **by_name)
    nodes = torch.arange(len(x)) if level == "node" else None
    options = {**OPTIONS, **by_name, "task_level": level, "metric": metric}
    expected = permutation_importance(model, x, edge_index, target, nodes, **options)
    assert explanation.validate()
    assert np.abs(expected.importances_mean).max() > 0
    assert_scores(explanation.node_mask, expected.importances_mean)


def test_pairs_and_graphs_are_explained_all_together(graph):
    x, edge_index, _ = graph
    explainer = explainer_of(Head(outputs=3), task_level="graph")
    with pytest.raises(InputError, match="index names scored nodes, and at task_level 'graph' all are scored"):
        explainer(x, edge_index, target=torch.tensor([0, 1]), index=1, batch=torch.arange(30) % 2)


def test_typed_graphs_are_refused(graph):
    x, edge_index, y = graph
    with pytest.raises(InputError, match="x is given by type of node"):
        explainer_of(Returning("raw")).algorithm(Returning("raw"), {"a": x}, edge_index, target=y)


def test_the_package_offers_it():
    assert graphsieve.PermutationExplainer is PermutationExplainer
