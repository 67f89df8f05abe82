"""What control variates, races and intervals hold: bias and variance, the sets kept, how often the truth is inside.

Models are small and so are samples of the features: what is measured is statistics, not speed.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from measure import evenly
from scipy import stats

from graphsieve import adaptive_selection, load_graph, permutation_importance
from graphsieve.data.graph import Graph
from graphsieve.data.normalisation import normalise_rows
from graphsieve.data.splits import random_split
from graphsieve.data.synthetic import generate
from graphsieve.errors import InputError, run_program
from graphsieve.files.writing import write_csv
from graphsieve.importance import PermutationImportance
from graphsieve.models.classifier import build_model
from graphsieve.models.training import train_model
from graphsieve.options import PruningOptions, TrainingOptions
from graphsieve.scoring.scorers import Scores, ScoringTask

MODELS = {
    "cora": "gcn",
    "citeseer": "gcn",
    "pubmed": "gcn",
    "wisconsin": "tagcn",
    "texas": "tagcn",
    "cornell": "tagcn",
    "actor": "graphsage",
    "photo": "gin",
}
NORMALISED = {"cora", "citeseer", "pubmed", "photo"}  # by row, as in the study
TRAINING = TrainingOptions(hidden=64, epochs=250)
SEEDS = 20  # of the permutations, for the bias
FIRST_SEED = 100  # of the trainings: the constants of racing.py were chosen on others
LOSS = "cross_entropy"


@dataclass(frozen=True)
class Scored:
    """A model and what it is scored on."""

    model: torch.nn.Module
    graph: Graph
    nodes: np.ndarray

    def importance(self, **options: object) -> PermutationImportance | dict[str, PermutationImportance]:
        x, edge_index, y = (torch.from_numpy(array) for array in (self.graph.x, self.graph.edge_index, self.graph.y))
        return permutation_importance(self.model, x, edge_index, y, self.nodes, **{"metric": LOSS, **options})


def load(name: str, data: str) -> Graph:
    graph = load_graph(name, root=data)
    return replace(graph, x=normalise_rows(graph.x)) if name in NORMALISED else graph


def trained(model: str, graph: Graph, seed: int, training: TrainingOptions = TRAINING) -> Scored:
    split = random_split(graph.num_nodes, seed)
    run = train_model(model, graph, split, options=training, seed=seed, device=torch.device("cpu"))
    return Scored(run.model.eval(), graph, split.val)


def bias_rows(name: str, data: str, features: int, repeats: int) -> Iterator[dict]:
    """Control variate minus plain mean, over seeds: is it zero? And how much variance is left?"""
    graph = load(name, data)
    scored = trained(MODELS[name], graph, FIRST_SEED)
    columns = evenly(features, graph.num_features)
    for perturbation in ("permute", "gaussian"):
        plain, controlled = (
            np.stack(
                [
                    scored.importance(
                        features=columns,
                        n_repeats=repeats,
                        random_state=seed,
                        perturbation=perturbation,
                        control_variate=on,
                    ).importances
                    for seed in range(SEEDS)
                ]
            )
            for on in (False, True)
        )
        difference = controlled.mean(axis=2) - plain.mean(axis=2)  # (seeds, features)
        error = difference.std(axis=0, ddof=1) / np.sqrt(SEEDS)
        z = (difference.mean(axis=0) / error)[error > 0]
        pooled = [
            values.transpose(1, 0, 2).reshape(len(columns), -1).var(axis=1, ddof=1) for values in (plain, controlled)
        ]
        yield {
            "dataset": name,
            "perturbation": perturbation,
            "features": len(z),
            "root_mean_square_z": np.sqrt(np.mean(z**2)),
            "beyond_95_percent": np.mean(np.abs(z) > stats.t.ppf(0.975, SEEDS - 1)),
            "all_features_z": z_of_sums(difference),
            "variance_ratio": pooled[1].sum() / pooled[0].sum(),
            "median_variance_ratio": np.median(pooled[1][pooled[0] > 0] / pooled[0][pooled[0] > 0]),
        }


def z_of_sums(difference: np.ndarray) -> float:
    """Of the sums over all features, which a common bias would show in.

    Not of sums of z: what is skewed has means and spreads that go together, and z is then not zero on average.
    """
    sums = difference.sum(axis=1)
    return float(sums.mean() / (sums.std(ddof=1) / np.sqrt(len(sums))))


def racing_rows(name: str, data: str, runs: int) -> Iterator[dict]:
    """Checkpoints of adaptive selection: does a race keep the set that all repeats keep, and with how many?"""
    graph, rows = load(name, data), []

    def compare(task: ScoringTask) -> Scores:
        scored = Scored(task.model, task.graph, task.split.val)
        state = np.random.SeedSequence((task.seed, *task.occasion))
        for repeats in (10, 40):
            whole = scored.importance(n_repeats=repeats, random_state=state)
            for share in (0.5, 0.1, 0.02):
                keep = max(1, round(share * task.graph.num_features))
                raced = scored.importance(n_repeats=repeats, random_state=state, keep=keep)
                best = np.argsort(-whole.importances_mean, kind="stable")[:keep]
                row = {"dataset": name, "seed": task.seed, "checkpoint": task.occasion[0], "n_repeats": repeats}
                row |= {"features": task.graph.num_features, "kept": share, "same": bool(raced.kept[best].all())}
                rows.append(row | {"used": int(raced.n_repeats_used.sum()), "all": whole.importances.size})
        return Scores(whole.importances_mean)

    for seed in range(FIRST_SEED, FIRST_SEED + runs):
        adaptive_selection(
            lambda number: build_model(MODELS[name], number, graph.num_classes, hidden=TRAINING.hidden),
            graph,
            random_split(graph.num_nodes, seed),
            scorer=compare,
            pruning=PruningOptions(prune=0.5, interval=50),
            training=TRAINING,
            seed=seed,
        )
    yield from rows


def coverage_rows(graphs: int) -> Iterator[dict]:
    """How often an interval of ten repeats holds the mean over permutations of a fixed model, known from many."""
    small = TrainingOptions(hidden=8, epochs=20)
    held: dict[tuple, list] = {}
    for seed in range(graphs):
        dense = generate("d", seed, num_nodes=60, num_features=8)
        rare = np.random.default_rng(seed).random(dense.x.shape) < 0.1
        for kind, graph in (("dense", dense), ("one in ten", replace(dense, x=dense.x * rare))):
            scored = trained("gcn", graph, seed, small)
            for control, metrics in ((False, ["accuracy", LOSS]), (True, [LOSS])):
                results = scored.importance(n_repeats=2000, metric=metrics, control_variate=control)
                for metric, result in results.items():
                    held.setdefault((kind, metric, control), []).append(hits(result))
    for (kind, metric, control), found in held.items():
        row = {"columns": kind, "metric": metric, "control_variate": control, "graphs": graphs}
        yield row | {"intervals": np.size(found), "coverage": np.mean(found)}


def hits(result: PermutationImportance) -> np.ndarray:
    truth = result.importances[:, 100:].mean(axis=1)
    parts = (replace(result, importances=result.importances[:, start : start + 10]) for start in range(0, 100, 10))
    return np.stack([(low <= truth) & (truth <= high) for low, high in (part.interval().T for part in parts)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", choices=["bias", "racing", "coverage"])
    parser.add_argument("--dataset", action="append", default=[], help=f"of {', '.join(MODELS)}; may be repeated")
    parser.add_argument("--features", type=int, default=100, help="columns scored for the bias")
    parser.add_argument("--repeats", type=int, default=5, help="of each of them and seed")
    parser.add_argument("--runs", type=int, default=4, help="trainings of each dataset with races")
    parser.add_argument("--graphs", type=int, default=200, help="synthetic graphs for the coverage")
    parser.add_argument("--out", type=Path, default=Path("results/bench"))
    parser.add_argument("--data", default="data", help="where raw files are kept")
    arguments = parser.parse_args()
    for name in arguments.dataset:
        if name not in MODELS:
            raise InputError(f"--dataset {name} is unknown: choose one of {', '.join(MODELS)}")
    table = pd.DataFrame(rows_of(arguments))
    write_csv(table, arguments.out / f"{arguments.table}.csv")
    print((summary(table) if arguments.table == "racing" else table).to_markdown(index=False, floatfmt=".3f"))


def rows_of(arguments: argparse.Namespace) -> Iterator[dict]:
    if arguments.table == "coverage":
        yield from coverage_rows(arguments.graphs)
        return
    rows: Callable = bias_rows if arguments.table == "bias" else racing_rows
    sizes = (arguments.features, arguments.repeats) if arguments.table == "bias" else (arguments.runs,)
    for name in arguments.dataset or MODELS:
        yield from rows(name, arguments.data, *sizes)


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """By dataset and over all: how often the set is the same, and the share of the permutations it took."""
    parts = pd.concat([table, table.assign(dataset="all")])
    grouped = parts.groupby(["dataset", "n_repeats", "kept"], sort=False)
    sums = grouped.agg(checkpoints=("same", "size"), same=("same", "mean"), used=("used", "sum"), all=("all", "sum"))
    sums["share"] = sums.pop("used") / sums.pop("all")
    return sums.reset_index()


if __name__ == "__main__":
    run_program(main)
