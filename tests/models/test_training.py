from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.metrics import average_precision_score, roc_auc_score
from torch.nn.functional import cross_entropy
from torch_geometric.nn import GATConv, GCNConv

from graphsieve.errors import InputError
from graphsieve.models.classifier import NodeClassifier, build_model
from graphsieve.models.layers import LAYERS
from graphsieve.models.training import fit, train_model
from graphsieve.options import CLASSIFIERS, TrainingOptions

CPU = torch.device("cpu")
OPTIONS = TrainingOptions(hidden=16, epochs=50)


def plain_training(name, graph, split, options, seed) -> pd.DataFrame:
    """The loop that PyG's tutorials show: a training pass, a step, then a second pass to evaluate."""
    model = build_model(name, graph.num_features, graph.num_classes, seed=seed, **options.layout)
    x, edge_index, y = (torch.from_numpy(array) for array in (graph.x, graph.edge_index, graph.y))
    optimiser = torch.optim.Adam(model.parameters(), lr=options.learning_rate, weight_decay=options.weight_decay)
    rows = []
    for epoch in range(1, options.epochs + 1):
        model.train()
        optimiser.zero_grad()
        loss = cross_entropy(model(x, edge_index)[split.train], y[split.train])
        loss.backward()
        optimiser.step()
        model.eval()
        with torch.no_grad():
            correct = (model(x, edge_index).argmax(1) == y).numpy()
        accuracies = {f"{part}_accuracy": correct[getattr(split, part)].mean() for part in ("train", "val", "test")}
        rows.append({"epoch": epoch, "train_loss": loss.item(), **accuracies})
    return pd.DataFrame(rows)


@pytest.mark.parametrize("norm", ["none", "batch"])
@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("name", LAYERS)
def test_the_history_is_that_of_a_plain_loop(name, classifier, norm, small_graph, small_split):
    options = replace(OPTIONS, classifier=classifier, norm=norm)
    expected = plain_training(name, small_graph, small_split, options, seed=1)
    found = train_model(name, small_graph, small_split, options=options, seed=1, device=CPU).history
    # A bias before batch normalisation has no gradient but rounding, which Adam makes as large as any other. In
    # training it cancels out, in evaluation not quite; test_fast_forward.py compares that.
    columns = ["epoch", "train_loss"] if norm == "batch" else list(expected)
    pd.testing.assert_frame_equal(found[columns], expected[columns], rtol=1e-4)
    assert found["train_loss"].iloc[-1] < 0.5 * found["train_loss"].iloc[0]


def test_the_best_epoch_is_the_first_of_highest_validation_accuracy(small_graph, small_split):
    training = train_model("gcn", small_graph, small_split, options=OPTIONS, seed=0, device=CPU)
    best = training.history["val_accuracy"].argmax()
    assert training.best_epoch == training.history["epoch"][best]
    assert training.summary()["test_accuracy"] == training.history["test_accuracy"][best]


def test_the_last_of_the_best_epochs_counts_when_asked(small_graph, small_split):
    options = replace(OPTIONS, best_epoch="last")
    training = train_model("gcn", small_graph, small_split, options=options, seed=0, device=CPU)
    accuracies = training.history["val_accuracy"]
    equal = training.history["epoch"][accuracies == accuracies.max()]
    assert training.best_epoch == equal.iloc[-1] > equal.iloc[0]


@pytest.mark.parametrize("early_epoch", [7, 50, 60])
def test_the_early_state_is_that_of_a_shorter_training(early_epoch, small_graph, small_split):
    options = replace(OPTIONS, dropout=0.5, early_epoch=early_epoch)
    whole = train_model("gcn", small_graph, small_split, options=options, seed=3, device=CPU)
    short = replace(options, epochs=min(early_epoch, 50))
    expected = train_model("gcn", small_graph, small_split, options=short, seed=3, device=CPU).model.state_dict()
    for name, value in expected.items():
        torch.testing.assert_close(whole.early_state[name], value, rtol=0, atol=0)


def test_a_training_goes_on_from_given_weights(small_graph, small_split):
    """Without Adam's memory a second training of one epoch is a fresh one that begins at those weights."""
    options = replace(OPTIONS, epochs=1)
    first = train_model("gcn", small_graph, small_split, options=options, seed=0, device=CPU)
    weights = {name: value.clone() for name, value in first.model.state_dict().items()}
    second = train_model("gcn", small_graph, small_split, options=options, seed=9, weights=weights, device=CPU)
    model = build_model("gcn", small_graph.num_features, small_graph.num_classes, **options.layout)
    model.load_state_dict(weights)
    expected = fit(model, small_graph, small_split, options=options, device=CPU)
    pd.testing.assert_frame_equal(second.history, expected.history)
    assert second.history["train_loss"].iloc[0] < first.history["train_loss"].iloc[0]


def test_the_best_state_reaches_the_accuracies_of_the_best_epoch(small_graph, small_split):
    training = train_model("gcn", small_graph, small_split, options=OPTIONS, seed=0, device=CPU)
    model = build_model("gcn", small_graph.num_features, small_graph.num_classes, hidden=16)
    model.load_state_dict(training.best_state)
    logits = model(torch.from_numpy(small_graph.x), torch.from_numpy(small_graph.edge_index))
    correct = (logits.argmax(1).numpy() == small_graph.y)[small_split.test]
    assert correct.mean() == training.summary()["test_accuracy"]


@pytest.mark.parametrize(
    ("metric", "expected"), [("roc_auc", roc_auc_score), ("average_precision", average_precision_score)]
)
def test_the_best_epoch_is_chosen_and_reported_by_the_metric_asked_for(small_graph, small_split, metric, expected):
    """Trained the same way, evaluated by another metric: scikit-learn's, from the weights of the best epoch."""
    graph = replace(small_graph, y=(small_graph.y == 0).astype(np.int64), num_classes=2)
    options = replace(OPTIONS, epochs=20, metric=metric)
    training = train_model("gcn", graph, small_split, options=options, seed=0, device=CPU)
    by_accuracy = train_model("gcn", graph, small_split, options=replace(OPTIONS, epochs=20), seed=0, device=CPU)
    pd.testing.assert_series_equal(training.history["train_loss"], by_accuracy.history["train_loss"])
    assert training.best_epoch == training.history["epoch"][training.history["val_accuracy"].argmax()]
    model = build_model("gcn", graph.num_features, 2, **options.layout)
    model.load_state_dict(training.best_state)
    logits = model(torch.from_numpy(graph.x), torch.from_numpy(graph.edge_index)).detach().double().numpy()
    summary = training.summary()
    for part in ("val", "test"):
        nodes = getattr(small_split, part)
        value = expected(graph.y[nodes], logits[nodes, 1] - logits[nodes, 0])
        assert summary[f"{part}_accuracy"] == pytest.approx(value, abs=1e-6)
    assert (summary["metric"], by_accuracy.summary()["metric"]) == (metric, "accuracy")


def test_a_part_of_one_class_cannot_be_ranked(small_graph, small_split):
    y = np.arange(small_graph.num_nodes) % 2
    y[small_split.val] = 1
    message = f"roc_auc ranks rows of one class among those of others, but all {len(small_split.val)} val nodes have"
    with pytest.raises(InputError, match=message):
        train_model("gcn", replace(small_graph, y=y), small_split, options=replace(OPTIONS, metric="roc_auc"))


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_the_same_seed_gives_the_same_bytes(small_graph, small_split, dropout):
    options = replace(OPTIONS, dropout=dropout, epochs=5)
    torch.manual_seed(1)
    one = train_model("gcn", small_graph, small_split, options=options, seed=3, device=CPU)
    torch.manual_seed(2)
    two = train_model("gcn", small_graph, small_split, options=options, seed=3, device=CPU)
    assert one.history.to_csv() == two.history.to_csv()
    assert all(torch.equal(one.best_state[key], two.best_state[key]) for key in one.best_state)


def test_dropout_acts_in_training_and_not_in_evaluation(small_graph, small_split):
    """With dropout the losses differ from those without; without a step to learn from, the evaluations do not."""
    still = replace(OPTIONS, learning_rate=1e-12, epochs=3)
    without = train_model("gcn", small_graph, small_split, options=still, seed=0, device=CPU).history
    dropping = replace(still, dropout=0.5)
    with_dropout = train_model("gcn", small_graph, small_split, options=dropping, seed=0, device=CPU).history
    assert not np.allclose(without["train_loss"], with_dropout["train_loss"], rtol=1e-3)
    assert with_dropout["train_loss"].nunique() == 3
    assert without["val_accuracy"].equals(with_dropout["val_accuracy"])


def test_a_layer_with_dropout_of_its_own_is_trained_with_it(small_graph, small_split):
    """An evaluation must then not serve as the next training pass."""
    layers = [GATConv(small_graph.num_features, 8, dropout=0.5), GATConv(8, small_graph.num_classes)]
    still = replace(OPTIONS, learning_rate=1e-12, epochs=3)
    history = fit(NodeClassifier(layers), small_graph, small_split, options=still, device=CPU).history
    assert history["train_loss"].nunique() == 3


@pytest.mark.parametrize("layer", [GCNConv, GATConv])  # with a fast pass and without
def test_bfloat16_learns_as_well_as_float32(layer, small_graph, small_split):
    losses = []
    for precision in ("float32", "bfloat16"):
        torch.manual_seed(0)
        model = NodeClassifier([layer(small_graph.num_features, 16), layer(16, small_graph.num_classes)])
        options = replace(OPTIONS, precision=precision)
        losses.append(fit(model, small_graph, small_split, options=options, device=CPU).history["train_loss"])
        assert {weight.dtype for weight in model.parameters()} == {torch.float32}
    assert not losses[0].equals(losses[1])
    np.testing.assert_allclose(*losses, atol=0.05)


def test_a_training_that_diverges_says_so(small_graph, small_split):
    huge = replace(small_graph, x=np.full_like(small_graph.x, 1e38))
    with pytest.raises(InputError, match="diverged at epoch"):
        train_model("gin", huge, small_split, options=OPTIONS, seed=0, device=CPU)


def test_weights_decay_where_they_are_told_to(small_graph, small_split):
    """One step of Adam moves a weight by the learning rate against the sign of gradient + decay * weight."""
    decay = replace(OPTIONS, weight_decay=1e6, learning_rate=1e-6, epochs=1)
    start = build_model("gcn", small_graph.num_features, small_graph.num_classes, seed=0, **OPTIONS.layout)
    moved = {}
    for on in ("all", "first_layer"):
        options = replace(decay, weight_decay_on=on)
        model = train_model("gcn", small_graph, small_split, options=options, seed=0).model
        before, after = start.state_dict(), model.state_dict()
        shrunk = {key: ((after[key].abs() < before[key].abs()) | (before[key] == 0)).all() for key in before}
        moved[on] = {key for key, value in shrunk.items() if value and "weight" in key}
    assert moved["first_layer"] == {"layers.0.lin.weight"}
    assert moved["all"] == {"layers.0.lin.weight", "layers.1.lin.weight", "classifier.weight"}


def test_only_a_model_with_a_list_of_layers_has_a_first_one(small_graph, small_split):
    model = GATConv(small_graph.num_features, small_graph.num_classes)
    with pytest.raises(InputError, match="'first_layer', but a GATConv has no list of layers"):
        fit(model, small_graph, small_split, options=replace(OPTIONS, weight_decay_on="first_layer"), device=CPU)
