"""Figure 1 as a measurement: what a GCN and an MLP reach on the generated graphs of each kind."""

import numpy as np
import pandas as pd

from graphsieve.data.motivation import KINDS, NUM_NODES, edge_likeness, generate
from graphsieve.data.splits import random_split
from graphsieve.study.grids import with_latex_signs
from graphsieve.study.statistics import half_width

MODELS = ("gcn", "mlp")


def measure(kind: str, seed: int, options, device) -> list[dict]:
    """Test accuracy of a GCN and of an MLP on the same graph and split."""
    from graphsieve.models.training import train_model

    graph = generate(kind, seed)
    split = random_split(graph.num_nodes, seed)
    common = {"kind": kind, "seed": seed, **edge_likeness(graph)}
    return [
        {
            **common,
            "model": model,
            **train_model(model, graph, split, options=options, seed=seed, device=device).summary(),
        }
        for model in MODELS
    ]


def summarise(records: pd.DataFrame) -> pd.DataFrame:
    """One row per kind: mean and sample standard deviation of both models' accuracy (%), and of what the MLP lacks."""
    rows = []
    for kind in [kind for kind in KINDS if kind in set(records["kind"])]:
        part = records[records["kind"] == kind]
        accuracy = 100 * part.pivot(index="seed", columns="model", values="test_accuracy")
        columns = {**{model: accuracy[model] for model in MODELS}, "gain": accuracy["gcn"] - accuracy["mlp"]}
        row = {"kind": kind}
        for name, values in columns.items():
            row |= {f"{name}_mean": values.mean(), f"{name}_std": values.std()}
        rows.append(row | part[["same_class", "same_sign"]].mean().to_dict() | {"runs": len(accuracy)})
    return pd.DataFrame(rows).round(4)


def accuracy_text(row: pd.Series, model: str) -> str:
    std = "" if np.isnan(row[f"{model}_std"]) else f" ± {row[f'{model}_std']:.1f}"
    return f"{row[f'{model}_mean']:.1f}{std}".replace("-", "−")


def cells(summary: pd.DataFrame) -> pd.DataFrame:
    """The table as a reader sees it."""
    return pd.DataFrame(
        {
            "GCN": [accuracy_text(row, "gcn") for _, row in summary.iterrows()],
            "MLP": [accuracy_text(row, "mlp") for _, row in summary.iterrows()],
            "GCN less MLP": [accuracy_text(row, "gain") for _, row in summary.iterrows()],
            "Edges within a class": [f"{share:.0%}" for share in summary["same_class"]],
            "Edges of one sign": [f"{share:.0%}" for share in summary["same_sign"]],
        },
        index=pd.Index([KINDS[kind].title for kind in summary["kind"]], name="Graphs"),
    )


def findings(summary: pd.DataFrame) -> str:
    """Per kind, whether the graph helped: a difference counts when its 95 % interval (Student's) excludes zero."""
    sentences = []
    for _, row in summary.iterrows():
        margin = half_width(row["gain_std"] / np.sqrt(row["runs"]), row["runs"] - 1)
        if not abs(row["gain_mean"]) > margin:  # nor can a single run, which has no interval
            verdict = "no difference that the seeds can tell from chance"
        else:
            verdict = f"the {'GCN' if row['gain_mean'] > 0 else 'MLP'} is ahead by {abs(row['gain_mean']):.1f} points"
        sentences.append(f"- {KINDS[row['kind']].title}: {verdict}.")
    return "\n".join(sentences)


def printed_table(summary: pd.DataFrame) -> dict:
    """The table as it is printed, with title and notes: what `NotebookPage.add_table` takes beside records."""
    shown, runs = cells(summary), summary["runs"].max()
    return {
        "cells": {"html": shown, "markdown": shown, "latex": with_latex_signs(shown)},
        "title": "What a GCN and an MLP reach on the graphs of Figure 1",
        "notes": f"Test accuracy (%), mean ± sample standard deviation over {runs} graphs of {NUM_NODES} nodes.",
    }
