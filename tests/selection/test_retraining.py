"""What becomes of the kept features: trained anew, trained on, or with the others set to zero."""

import numpy as np
import pandas as pd
import pytest
import torch

from graphsieve.data.graph import keep_columns, zero_other_columns
from graphsieve.errors import InputError
from graphsieve.models.training import train_model
from graphsieve.options import SelectionOptions, TrainingOptions
from graphsieve.selection.random_draws import further_draws, mean_summary
from graphsieve.selection.retraining import retrain_model

TRAINING = TrainingOptions(hidden=8, epochs=20)
KEPT = np.array([0, 2, 5])


def retrain(graph, split, trained=None, name="gcn", **selection):
    options = {"training": TRAINING, "selection": SelectionOptions(**selection), "trained": trained, "seed": 4}
    return retrain_model(name, graph, split, KEPT, **options)


def test_from_scratch_is_a_training_on_the_kept_columns(small_graph, small_split):
    expected = train_model("gcn", keep_columns(small_graph, KEPT), small_split, options=TRAINING, seed=4)
    pd.testing.assert_frame_equal(retrain(small_graph, small_split).history, expected.history)
    assert len(retrain(small_graph, small_split, retrain_epochs=7).history) == 7


def test_zeroed_columns_stay_and_say_nothing(small_graph, small_split):
    zeroed = zero_other_columns(small_graph, KEPT)
    assert zeroed.x.shape == small_graph.x.shape
    assert np.array_equal(zeroed.x[:, KEPT], small_graph.x[:, KEPT])
    assert not np.delete(zeroed.x, KEPT, axis=1).any()
    expected = train_model("gcn", zeroed, small_split, options=TRAINING, seed=4)
    found = retrain(small_graph, small_split, pruned="zeroed")
    pd.testing.assert_frame_equal(found.history, expected.history)
    assert found.model.layout["num_features"] == small_graph.num_features


@pytest.mark.parametrize("name", ["gcn", "gin", "tagcn", "graphsage", "mlp"])
def test_going_on_begins_where_the_trained_model_is_without_the_other_columns(name, small_graph, small_split):
    """The first loss is the trained model's own on x with the other columns at zero; the same whether they stay."""
    trained = train_model(name, small_graph, small_split, options=TRAINING, seed=4).model
    x, edges, y = (torch.from_numpy(array) for array in (small_graph.x, small_graph.edge_index, small_graph.y))
    masked = torch.zeros_like(x)
    masked[:, KEPT] = x[:, KEPT]
    with torch.no_grad():
        logits = trained.eval()(masked, edges)[small_split.train]
    expected = torch.nn.functional.cross_entropy(logits, y[small_split.train]).item()
    going_on, staying = (
        retrain(small_graph, small_split, trained, name, retrain="continue", pruned=pruned)
        for pruned in ("removed", "zeroed")
    )
    assert going_on.history["train_loss"].iloc[0] == pytest.approx(expected, rel=1e-5)
    np.testing.assert_allclose(going_on.history["train_loss"], staying.history["train_loss"], rtol=1e-3)
    assert going_on.history["train_loss"].iloc[-1] < expected


def test_going_on_leaves_the_trained_model_as_it_was(small_graph, small_split):
    trained = train_model("gcn", small_graph, small_split, options=TRAINING, seed=4).model
    before = {name: value.clone() for name, value in trained.state_dict().items()}
    for pruned in ("removed", "zeroed"):
        retrain(small_graph, small_split, trained, retrain="continue", pruned=pruned)
    assert all(torch.equal(before[name], value) for name, value in trained.state_dict().items())


def test_going_on_without_a_model_is_refused(small_graph, small_split):
    with pytest.raises(InputError, match="selection.retrain is 'continue', and no trained model was given"):
        retrain(small_graph, small_split, retrain="continue")
    with pytest.raises(InputError, match="retrain 'again' is unknown: choose one of scratch, continue"):
        SelectionOptions(retrain="again")


def test_draws_are_different_and_of_the_right_size():
    draws = further_draws(50, 5, seed=3, draws=4)
    assert [len(kept) for kept in draws] == [5, 5, 5]
    assert len({tuple(kept) for kept in draws}) == 3
    assert all(np.array_equal(one, other) for one, other in zip(draws, further_draws(50, 5, 3, 6)[:3], strict=True))
    assert further_draws(50, 5, seed=3, draws=1) == []


def test_several_trainings_are_averaged():
    one = {"best_epoch": 3, "val_accuracy": 0.5, "test_accuracy": 0.25}
    assert mean_summary([one]) is one
    other = {"best_epoch": 6, "val_accuracy": 0.7, "test_accuracy": 0.75}
    assert mean_summary([one, other]) == {"best_epoch": 4, "val_accuracy": pytest.approx(0.6), "test_accuracy": 0.5}
