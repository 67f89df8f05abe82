"""The record of several draws of random features."""

from graphsieve.selection.random_draws import mean_summary


def test_several_draws_have_mean_accuracies_and_one_metric():
    draws = [
        {"best_epoch": 3, "metric": "roc_auc", "val_accuracy": 0.5, "test_accuracy": 0.25},
        {"best_epoch": 8, "metric": "roc_auc", "val_accuracy": 0.75, "test_accuracy": 0.75},
    ]
    mean = {"best_epoch": 6, "metric": "roc_auc", "val_accuracy": 0.625, "test_accuracy": 0.5}
    assert mean_summary(draws) == mean
    assert mean_summary(draws[:1]) == draws[0]
