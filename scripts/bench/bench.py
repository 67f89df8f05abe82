"""How fast scoring and training are: on the real graphs against the plain way and Captum, and how scoring grows.

Every case runs in a process of its own; the ways take turns in it. No table is written from a busy machine.
"""

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from measure import Sample, Setting, compare
from timing import machine
from torch import nn
from torch_geometric.data import Batch
from training import compare_training

from graphsieve.data.datasets import load_graph
from graphsieve.data.graph import Graph
from graphsieve.data.graph_sets import GRAPH_SETS, load_graphs
from graphsieve.data.normalisation import normalise_rows
from graphsieve.data.splits import random_split
from graphsieve.errors import InputError, run_program
from graphsieve.files.writing import write_csv, write_text
from graphsieve.models.training import fit
from graphsieve.options import TrainingOptions
from models import HIDDEN, make_model

REPEATS = 10
TRAINED_EPOCHS = 100
RAW_FEATURES = {"wisconsin", "texas", "arxiv_size"}  # the others are normalised by row, as in the study


@dataclass(frozen=True)
class Case:
    dataset: str
    model: str
    floor: float  # the least acceptable ratio to the reference
    sample: Sample = field(default_factory=Sample)
    classifier: str = TrainingOptions.classifier
    trained: bool = False

    @property
    def name(self) -> str:
        parts = [self.dataset, self.model, *(["trained"] if self.trained else [])]
        return "_".join([*parts, *(["plain_head"] if self.classifier == "none" else [])]).replace(" ", "_")


STUDY = [
    Case("cora", "gcn", 250),
    Case("citeseer", "gcn", 500, Sample(full=1, captum=5)),
    Case("pubmed", "gcn", 60, Sample(own=50, full=1, captum=5)),
    Case("wisconsin", "tagcn", 150, Sample(full=10)),
    Case("photo", "gin", 15, Sample(own=20, full=1, captum=3)),
]
ATTENTION = Sample(own=100, full=1, captum=5)
CASES = [
    *(replace(case, trained=trained) for case in STUDY for trained in (False, True)),
    Case("cora", "gcn", 400, classifier="none"),
    Case("arxiv_size", "graphsage", 3, Sample(own=3, full=1, captum=1)),
    Case("cora", "gat", 20, ATTENTION),
    Case("cora", "gatv2", 20, ATTENTION),
    Case("cora", "transformer", 20, ATTENTION),
    Case("cora", "by hand", 5, replace(ATTENTION, own=30)),
    Case("cora", "centred", 0.95, Sample(own=3, full=3, captum=5)),
    *(Case("enzymes", f"pooled {layer}", 10, Sample(full=2, captum=5)) for layer in ("gcn", "graphsage", "gin")),
]
# dataset: (model, the least acceptable ratio to a plain loop)
TRAININGS = {
    "cora": ("gcn", 3),
    "citeseer": ("gcn", 3),
    "pubmed": ("gcn", 3),
    "photo": ("gin", 3),
    "texas": ("tagcn", 2),
}
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


def read_dataset(name: str, data: str) -> Graph:
    if name == "arxiv_size":
        return random_graph(**ARXIV_SIZE, density=1.0)
    graph = load_graph(name, root=data)
    return graph if name in RAW_FEATURES else replace(graph, x=normalise_rows(graph.x))


def make_setting(graph: Graph, model: nn.Module, repeats: int = REPEATS) -> Setting:
    x, edge_index, y = (torch.from_numpy(array) for array in (graph.x, graph.edge_index, graph.y))
    return Setting(model, x, edge_index, y, torch.from_numpy(random_split(graph.num_nodes, 0).val), repeats)


def setting_of_nodes(case: Case, data: str) -> Setting:
    graph = read_dataset(case.dataset, data)
    model = make_model(case.model, graph.num_features, graph.num_classes, case.classifier)
    if case.trained:  # a trained network may have units that no node wakes, which are cheaper
        options = TrainingOptions(epochs=TRAINED_EPOCHS)
        fit(model, graph, random_split(graph.num_nodes, 0), options=options, device=torch.device("cpu"))
    return make_setting(graph, model)


def setting_of_graphs(case: Case, data: str) -> Setting:
    """Whole graphs are labelled; all of them make one batch."""
    graphs = Batch.from_data_list(load_graphs(case.dataset, root=data))
    model = make_model(case.model, graphs.x.shape[1], int(graphs.y.max()) + 1, case.classifier)
    return Setting(model, graphs.x, graphs.edge_index, graphs.y, None, REPEATS, {"batch": graphs.batch})


def run_case(case: Case, data: str) -> dict:
    setting = (setting_of_graphs if case.dataset in GRAPH_SETS else setting_of_nodes)(case, data)
    weights = "trained" if case.trained else "fresh"
    named = {"case": case.name, "dataset": case.dataset, "model": case.model, "weights": weights}
    row = compare(case.name, setting, case.sample)
    return {**named, "classifier": case.classifier, "floor": case.floor, **row}


def run_scaling(shape: dict) -> dict:
    graph = random_graph(shape["nodes"], 5 * shape["nodes"], shape["features"], 7, shape["density"])
    model = make_model("gcn", graph.num_features, graph.num_classes, TrainingOptions.classifier)
    name = ", ".join(f"{value} {quantity}" for quantity, value in shape.items())
    return {**shape, **compare(name, make_setting(graph, model, shape["repeats"]), Sample(own=100, full=1, captum=1))}


def run_training(dataset: str, data: str) -> dict:
    model, floor = TRAININGS[dataset]
    graph = read_dataset(dataset, data)
    row = compare_training(model, graph, random_split(graph.num_nodes, 0))
    return {"dataset": dataset, "model": model, "floor": floor, **row}


def in_fresh_process(function, *arguments) -> dict:
    """So that one case's memory is not another's."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def ratio_rows(only: list[str], data: str) -> Iterator[dict]:
    for case in CASES:
        if not set(only) & {one.name for one in CASES} or case.name in only:
            yield in_fresh_process(run_case, case, data)


def scaling_rows() -> Iterator[dict]:
    """One row per panel and value; the shape that all panels share is measured once."""
    known = {}
    for quantity, values in SCALING.items():
        for value in values:
            shape = {**SCALING_BASE, quantity: value}
            key = tuple(shape.values())
            known[key] = known.get(key) or in_fresh_process(run_scaling, shape)
            yield {"varied": quantity, **known[key]}


def training_rows(data: str) -> Iterator[dict]:
    for dataset in TRAININGS:
        yield in_fresh_process(run_training, dataset, data)


def collect(rows: Iterator[dict]) -> pd.DataFrame:
    """Print every row as it comes."""
    table = []
    for row in rows:
        print({key: round(value, 3) if isinstance(value, float) else value for key, value in row.items()}, flush=True)
        table.append(row)
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

    measured_on = machine()
    print(measured_on, flush=True)
    rows = {
        "ratios": ratio_rows(arguments.only, arguments.data),
        "training": training_rows(arguments.data),
        "scaling": scaling_rows(),
    }
    wanted = {name if name in rows else "ratios" for name in arguments.only} or set(rows)
    for name in rows:
        if name in wanted:
            write_csv(collect(rows[name]), arguments.out / f"{name}.csv")
    write_csv(pd.DataFrame([measured_on | {"hidden": HIDDEN, "repeats": REPEATS}]), arguments.out / "machine.csv")
    if {"ratios", "training"} <= wanted and not arguments.only:
        write_text(readme_table(pd.read_csv(arguments.out / "ratios.csv")), arguments.out / "bench.md")
    print(f"tables: {arguments.out}")


def readme_table(ratios: pd.DataFrame) -> str:
    """The rows of README's table."""
    lines = ["| every feature permuted ten times, 512 hidden units | ours | a pass each | Captum | times faster |"]
    lines.append("|---|---:|---:|---:|---:|")
    for row in ratios.to_dict("records"):
        seconds = (row[f"{way}_s"] for way in ("auto", "full", "captum"))
        shown = " | ".join(f"{value:,.1f} s" if value < 100 else f"{value:,.0f} s" for value in seconds)
        times = f"{row['ratio_full']:,.0f}" if row["ratio_full"] >= 10 else f"{row['ratio_full']:.1f}"
        head = "" if row["classifier"] != "none" else ", no classifier behind it"
        lines.append(f"| {row['dataset']}, {row['model']}{head}, {row['weights']} | {shown} | {times} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    run_program(main)
