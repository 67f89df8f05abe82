"""How fast scoring and training are: on the real graphs against the plain way and Captum, and how scoring grows."""

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from measure import Setting, compare
from torch import nn
from training import compare_training

from graphsieve.data.datasets import load_graph
from graphsieve.data.graph import Graph
from graphsieve.data.normalisation import normalise_rows
from graphsieve.data.splits import random_split
from graphsieve.errors import InputError, run_program
from graphsieve.files.writing import write_csv, write_text
from graphsieve.models.classifier import build_model

HIDDEN, REPEATS = 512, 10
NOTE = (
    "Seconds to score all features, {repeats} repeats, {hidden} hidden units, {threads} threads. `timed_features` says "
    "on how many features ours / the reference / Captum was timed; where not on all, the seconds are extrapolated. "
    "`peak_mib` is the peak memory of ours beyond the loaded graph and model.\n"
)


@dataclass(frozen=True)
class Case:
    name: str
    dataset: str
    model: str
    floor: float  # the least acceptable ratio to the reference
    own: int = 10**9  # features timed, for ours, the reference and Captum
    full: int = 4
    captum: int = 10
    normalise: bool = True


CASES = [
    Case("cora", "cora", "gcn", 150),
    Case("citeseer", "citeseer", "gcn", 300),
    Case("pubmed", "pubmed", "gcn", 60, full=2),
    Case("wisconsin", "wisconsin", "tagcn", 50, full=20, normalise=False),
    Case("photo", "photo", "gin", 3, own=40, full=2, captum=4),
    Case("arxiv_size", "arxiv_size", "graphsage", 3, own=8, full=1, captum=2, normalise=False),
    Case("cora_unknown", "cora", "gat", 0.9, own=40, full=10),
]
# dataset: (model, the least acceptable ratio to a plain loop)
TRAININGS = {
    "cora": ("gcn", 4),
    "citeseer": ("gcn", 4),
    "pubmed": ("gcn", 4),
    "photo": ("gin", 2),
    "texas": ("tagcn", 2),
}
RAW_FEATURES = {"texas"}  # the others are normalised by row, as in the study
SCALING_BASE = {"nodes": 2000, "features": 300, "repeats": 10, "density": 0.02}
SCALING = {
    "nodes": [500, 2000, 8000, 32000],
    "features": [100, 300, 1000, 3000],
    "repeats": [3, 10, 30],
    "density": [0.003, 0.02, 0.1, 1.0],
}
ARXIV_SIZE = {"nodes": 169_343, "edges": 1_166_243, "features": 128, "classes": 40}


def random_graph(nodes: int, edges: int, features: int, classes: int, density: float) -> Graph:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((nodes, features), dtype=np.float32)
    if density < 1:
        x *= rng.random(x.shape, dtype=np.float32) < density
    return Graph("random", x, rng.integers(nodes, size=(2, edges)), rng.integers(classes, size=nodes), classes)


def build(name: str, features: int, classes: int) -> nn.Module:
    if name == "gat":
        from torch_geometric.nn import GAT

        torch.manual_seed(0)
        return GAT(features, HIDDEN, 2, classes)
    return build_model(name, features, classes, hidden=HIDDEN)


def make_setting(graph: Graph, model: str, normalise: bool, repeats: int = REPEATS) -> Setting:
    """Validation nodes of the usual split, freshly initialised weights: neither changes the amount of work."""
    return Setting(
        model=build(model, graph.num_features, graph.num_classes),
        x=torch.from_numpy(normalise_rows(graph.x) if normalise else graph.x),
        edge_index=torch.from_numpy(graph.edge_index),
        y=torch.from_numpy(graph.y),
        nodes=torch.from_numpy(random_split(graph.num_nodes, 0).val),
        repeats=repeats,
    )


def run_case(case: Case, data: str) -> dict:
    if case.dataset == "arxiv_size":
        graph = random_graph(**ARXIV_SIZE, density=1.0)
    else:
        graph = load_graph(case.dataset, root=data)
    row = compare(make_setting(graph, case.model, case.normalise), case.own, case.full, case.captum)
    return {"case": case.name, "dataset": case.dataset, "model": case.model, "floor": case.floor, **row}


def run_scaling(quantity: str, value: float) -> dict:
    shape = {**SCALING_BASE, quantity: value}
    graph = random_graph(shape["nodes"], 5 * shape["nodes"], shape["features"], 7, shape["density"])
    row = compare(make_setting(graph, "gcn", False, shape["repeats"]), own_sample=10**9, full_sample=4, captum_sample=4)
    return {"varied": quantity, **shape, **row}


def run_training(dataset: str, data: str) -> dict:
    model, floor = TRAININGS[dataset]
    graph = load_graph(dataset, root=data)
    if dataset not in RAW_FEATURES:
        graph = replace(graph, x=normalise_rows(graph.x))
    row = compare_training(model, graph, random_split(graph.num_nodes, 0))
    return {"dataset": dataset, "model": model, "floor": floor, **row}


def in_fresh_process(function, *arguments) -> dict:
    """So that one case's memory is not another's."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def ratio_rows(only: list[str], data: str) -> Iterator[dict]:
    for case in CASES:
        if not only or case.name in only:
            yield in_fresh_process(run_case, case, data)


def scaling_rows() -> Iterator[dict]:
    for quantity, values in SCALING.items():
        for value in values:
            yield in_fresh_process(run_scaling, quantity, value)


def training_rows(data: str) -> Iterator[dict]:
    for dataset in TRAININGS:
        yield in_fresh_process(run_training, dataset, data)


def collect(rows: Iterator[dict], path: Path) -> pd.DataFrame:
    """Print every row as it comes, and write the table after each, so that an interrupted run leaves what it has."""
    table = []
    for row in rows:
        print({key: round(value, 3) if isinstance(value, float) else value for key, value in row.items()}, flush=True)
        table.append(row)
        write_csv(pd.DataFrame(table), path)
    return pd.DataFrame(table)


def main() -> None:
    names = [case.name for case in CASES] + ["scaling", "training"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", default=[], help=f"one of {', '.join(names)}; may be repeated")
    parser.add_argument("--out", type=Path, default=Path("results/bench"))
    parser.add_argument("--data", default="data", help="where raw files are kept")
    arguments = parser.parse_args()
    unknown = set(arguments.only) - set(names)
    if unknown:
        raise InputError(f"--only {sorted(unknown)[0]} is unknown: choose one of {', '.join(names)}")

    tables = {
        "ratios": ("Scoring against the reference and Captum", ratio_rows(arguments.only, arguments.data)),
        "training": ("Training against a plain loop", training_rows(arguments.data)),
        "scaling": ("Growth of scoring", scaling_rows()),
    }
    wanted = {name if name in tables else "ratios" for name in arguments.only} or set(tables)
    parts = [NOTE.format(repeats=REPEATS, hidden=HIDDEN, threads=torch.get_num_threads())]
    for name, (title, rows) in tables.items():
        if name in wanted:
            table = collect(rows, arguments.out / f"{name}.csv")
            parts += [f"## {title}\n", table.to_markdown(index=False, floatfmt=".3g") + "\n"]
    write_text("\n".join(parts), arguments.out / "bench.md")
    print("\n".join(parts))


if __name__ == "__main__":
    run_program(main)
