"""A metric of the user's own: features are pruned by accuracy, by its gap between two groups of nodes, or by both."""

from functools import partial

import numpy as np
import pandas as pd

from graphsieve.data.splits import random_split
from graphsieve.data.two_groups import COLUMNS, MAJORITY, MINORITY, NUM_NODES, generate_two_groups, kinds_of_columns
from graphsieve.study.grids import with_latex_signs
from graphsieve.study.statistics import mean_interval

MODEL = "graphsage"
NUMBERS = (24, 18, 13, 9, 6, 4, 2)  # of features that are left, one after the other
JUDGED = COLUMNS["honest"]  # where the methods are compared: as many as could all be honest
METHODS = {"accuracy": "by accuracy", "gap": "by the gap", "both": "by accuracy less gap"}


def accuracy_gap(logits, y, group: np.ndarray) -> float:
    """How much more often a model is right in the majority than in the minority."""
    hits = (logits.argmax(dim=1) == y).cpu().numpy()
    return float(hits[group == MAJORITY].mean() - hits[group == MINORITY].mean())


def equality(logits, y, group: np.ndarray) -> float:
    """A metric to select by: the smaller the gap, the higher."""
    return -abs(accuracy_gap(logits, y, group))


def accuracy_less_gap(logits, y, group: np.ndarray) -> float:
    return float((logits.argmax(dim=1) == y).double().mean()) + equality(logits, y, group)


def metrics_at(group: np.ndarray) -> dict[str, object]:
    """What each method selects by, at nodes of these groups."""
    return {
        "accuracy": "accuracy",
        "gap": partial(equality, group=group),
        "both": partial(accuracy_less_gap, group=group),
    }


def measure(seed: int, options, device) -> list[dict]:
    """Test accuracy and gap while features are pruned, each number chosen among those left by the number before.

    The labels and groups of test nodes take part in nothing but these two numbers.
    """
    graph, group = generate_two_groups(seed)
    split = random_split(NUM_NODES, seed, train=0.4, val=0.3)
    records = []
    for method, metric in metrics_at(group[split.val]).items():
        for left, kept in prune(graph, split, metric, seed, options, device):
            reached = reach(left, split, group, seed, options, device)
            of_kind = {kind: int(np.sum(kinds_of_columns()[kept] == kind)) for kind in COLUMNS}
            records.append({"seed": seed, "method": method, "features": len(kept), **reached, **of_kind})
    return records


def prune(graph, split, metric, seed: int, options, device):
    """The graph with fewer and fewer features, and which ones they are."""
    from graphsieve.models.classifier import model_factory
    from graphsieve.selection.selector import FeatureSelector

    make_model = model_factory(MODEL, graph, options, seed)
    kept = np.arange(graph.num_features)
    for number in NUMBERS:
        if number < len(kept):
            selector = FeatureSelector(
                make_model, number, metric=metric, training=options, random_state=seed, device=device
            )
            graph = selector.fit_transform(graph, split)
            kept = kept[selector.support_]
        yield graph, kept


def reach(graph, split, group: np.ndarray, seed: int, options, device) -> dict[str, float]:
    """What a new model is worth at the test nodes after its last epoch, so that no label chooses the epoch."""
    import torch

    from graphsieve.models.training import predict, train_model

    model = train_model(MODEL, graph, split, options=options, seed=seed, device=device).model
    logits, y = predict(model, graph).cpu()[split.test], torch.from_numpy(graph.y[split.test])
    accuracy = float((logits.argmax(dim=1) == y).double().mean())
    return {"accuracy": accuracy, "gap": accuracy_gap(logits, y, group[split.test])}


def summarise(records: pd.DataFrame) -> pd.DataFrame:
    """Means over graphs, accuracy and gap in percent with their sample standard deviations."""
    shown = records.assign(accuracy=100 * records["accuracy"], gap=100 * records["gap"])
    groups = shown.groupby(["method", "features"])
    table = groups[["accuracy", "gap"]].agg(["mean", "std"])
    table.columns = ["_".join(column) for column in table.columns]
    table = table.join(groups[list(COLUMNS)].mean()).assign(runs=groups.size()).reset_index()
    order = table["method"].map(list(METHODS).index)
    return table.iloc[np.lexsort([-table["features"], order])].reset_index(drop=True).round(4)


def findings(records: pd.DataFrame) -> str:
    """At `JUDGED` features, what each method costs and gains against accuracy alone: paired, 95 % intervals."""
    at = records[records["features"] == JUDGED].pivot(index="seed", columns="method")
    everything = records[records["features"] == NUMBERS[0]]
    sentences = [
        f"- All {NUMBERS[0]} features: accuracy {100 * everything['accuracy'].mean():.1f} %, gap "
        f"{_one_digit(100 * everything['gap'].mean())} points."
    ]
    for method, name in METHODS.items():
        sentence = (
            f"- Pruned to {JUDGED} {name}: accuracy {100 * at['accuracy'][method].mean():.1f} %, gap "
            f"{_one_digit(100 * at['gap'][method].mean())} points, {at['proxy'][method].mean():.1f} proxies among them"
        )
        if method != "accuracy":
            changes = [_change(100 * (at[what][method] - at[what]["accuracy"])) for what in ("gap", "accuracy")]
            sentence += f"; against accuracy alone the gap {changes[0]}, accuracy {changes[1]}"
        sentences.append(f"{sentence}.")
    return "\n".join(sentences)


def _change(differences: pd.Series) -> str:
    interval = mean_interval(differences)
    if not (interval["low"] > 0 or interval["high"] < 0):  # nor can a single run, which has no interval
        return "changes by nothing that the graphs can tell from chance"
    verb = "rises" if interval["mean"] > 0 else "falls"
    return f"{verb} by {abs(interval['mean']):.1f} points"


def cells(summary: pd.DataFrame) -> pd.DataFrame:
    """The table as a reader sees it."""
    texts = {
        "Pruned": summary["method"].map(METHODS),
        "Features": summary["features"].astype(str),
        "Accuracy (%)": _with_deviation(summary, "accuracy"),
        "Gap (points)": _with_deviation(summary, "gap"),
        **{f"{kind.capitalize()} left": summary[kind].map("{:.1f}".format) for kind in ("honest", "proxy")},
    }
    return pd.DataFrame(texts).set_index("Pruned")


def _with_deviation(summary: pd.DataFrame, name: str) -> list[str]:
    pairs = zip(summary[f"{name}_mean"], summary[f"{name}_std"], strict=True)
    return [_one_digit(mean) + ("" if np.isnan(std) else f" ± {std:.1f}") for mean, std in pairs]


def _one_digit(number: float) -> str:
    """Without a sign before what rounds to zero."""
    return f"{round(number, 1) + 0.0:.1f}".replace("-", "−")


def printed_table(summary: pd.DataFrame) -> dict:
    """The table as it is printed, with title and notes: what `NotebookPage.add_table` takes beside records."""
    shown, runs = cells(summary), summary["runs"].max()
    return {
        "cells": {"html": shown, "markdown": shown, "latex": with_latex_signs(shown)},
        "title": "Accuracy, and its gap between two groups, while features are pruned",
        "notes": f"Test nodes; mean ± sample standard deviation over {runs} graphs of {NUM_NODES} nodes.",
    }
