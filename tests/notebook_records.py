"""A few made-up records, as the studies write them, for notebooks to show."""

from pathlib import Path

import numpy as np
import pandas as pd

CLAIMS = ["best", "best_adaptive", "early", "correlation", "repeats", "fair"]  # tables of the page on claims
RUN = {"model": "gcn", "split": "random", "prune": 0.5, "repeats": 10}


def write(table: pd.DataFrame, path: Path) -> str:
    table.to_csv(path, index=False)
    return str(path)


def one_shot(datasets: list[str]) -> list[dict]:
    return [
        {"dataset": dataset, "model": "gcn", "scorer": scorer, "seed": seed, "split": "random",
         "features": 64, "kept": 3, "ties": 7, "test_accuracy": accuracy + 0.01 * seed}
        for dataset in datasets for scorer, accuracy in {"all": 0.9, "npt": 0.8, "pt": 0.7}.items() for seed in (0, 1)
    ]  # fmt: skip


def scores(datasets: list[str], scorers: list[str], features: int) -> list[dict]:
    rng = np.random.default_rng(0)
    return [
        {"dataset": dataset, "model": "gcn", "scorer": scorer, "seed": seed, "feature": feature, "name": str(feature),
         "score": 10 * (feature < 5) + rng.random(), "std": 0.1}
        for dataset in datasets for scorer in scorers for seed in (0, 1) for feature in range(features)
    ]  # fmt: skip


def adaptive_runs(datasets: list[str]) -> list[dict]:
    """Runs of 16 features that are halved after every second epoch; `full` keeps them all."""
    return [
        {**RUN, "dataset": dataset, "scorer": scorer, "seed": seed, "epoch": epoch, "checkpoint": -(-epoch // 2),
         "features": 16 if scorer == "full" else 16 // 2 ** (-(-epoch // 2) - 1),
         "val_accuracy": 0.9 - 0.02 * epoch + 0.01 * seed, "test_accuracy": 0.8 - 0.02 * epoch * (scorer != "full")}
        for dataset in datasets for scorer in ("full", "npt", "mi") for seed in (0, 1) for epoch in range(1, 11)
    ]  # fmt: skip


def watched(datasets: list[str]) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {**RUN, "dataset": dataset, "scorer": "full", "seed": seed, "checkpoint": checkpoint, "feature": feature,
         "score": feature / 20 + 0.1 * rng.normal(), "std": 0.1, "loss": feature / 20 + 0.1 * rng.normal()}
        for dataset in datasets for seed in (0, 1) for checkpoint in range(1, 6) for feature in range(20)
    )  # fmt: skip
