"""How fast scoring and training are: on the real graphs against the plain way and Captum, and how scoring grows.

Every configuration is measured in a process of its own, in which the ways take turns. Those that a busy machine spoils
are refused, the others are kept (`parts.py`): another call measures what is missing, and the tables are written when
nothing is. Half an hour on two cores, most of it the plain way's.
"""

import argparse
import hashlib
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from measure import Sample, Setting, compare
from parts import CONDITIONS, LOAD, Parts
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
from graphsieve.files.writing import write_csv, write_record, write_text
from graphsieve.jobs.code import fingerprint
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
    Case("pubmed", "gcn", 60, Sample(own=40, full=1, captum=2)),
    Case("wisconsin", "tagcn", 150, Sample(full=10)),
    Case("photo", "gin", 15, Sample(own=12, full=1, captum=1)),
]
ATTENTION = Sample(own=300, full=1, captum=5)
CASES = [
    *(replace(case, trained=trained) for case in STUDY for trained in (False, True)),
    Case("cora", "gcn", 400, classifier="none"),
    Case("arxiv_size", "graphsage", 3, Sample(full=1, captum=1, repeats=1), classifier="none"),
    Case("cora", "gat", 20, ATTENTION),
    Case("cora", "gatv2", 20, ATTENTION),
    Case("cora", "transformer", 20, ATTENTION),
    Case("cora", "by hand", 5, replace(ATTENTION, own=100)),
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
    "nodes": [500, 2000, 8000, 16000],
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
    return {**shape, **compare(name, make_setting(graph, model, shape["repeats"]), Sample(own=60, full=1, captum=1))}


def run_training(dataset: str, data: str) -> dict:
    model, floor = TRAININGS[dataset]
    graph = read_dataset(dataset, data)
    row = compare_training(model, graph, random_split(graph.num_nodes, 0))
    return {"dataset": dataset, "model": model, "floor": floor, **row}


def in_fresh_process(function: Callable[..., dict], *arguments: object) -> dict:
    """So that one case's memory is not another's."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def scaling_shapes() -> list[tuple[str, dict]]:
    """What varies and the shape, for every panel and value."""
    return [(quantity, {**SCALING_BASE, quantity: value}) for quantity, values in SCALING.items() for value in values]


def scaling_name(shape: dict) -> str:
    return "scaling_" + "_".join(f"{value:g}" for value in shape.values())


def configurations(data: str) -> dict[str, Callable[[], dict]]:
    """How to measure each, by its name; the shape that all panels share is one."""
    calls = {case.name: (run_case, case, data) for case in CASES}
    calls |= {f"training_{dataset}": (run_training, dataset, data) for dataset in TRAININGS}
    calls |= {scaling_name(shape): (run_scaling, shape) for _, shape in scaling_shapes()}
    return {name: partial(in_fresh_process, *call) for name, call in calls.items()}


def tables(rows: dict[str, dict]) -> dict[str, pd.DataFrame]:
    return {
        "ratios": pd.DataFrame([rows[case.name] for case in CASES]),
        "training": pd.DataFrame([rows[f"training_{dataset}"] for dataset in TRAININGS]),
        "scaling": pd.DataFrame([{"varied": what, **rows[scaling_name(shape)]} for what, shape in scaling_shapes()]),
    }


def conditions() -> dict[str, object]:
    """What all parts of the tables have in common."""
    folder = Path(__file__).parent
    codes = [fingerprint(str(folder / f"{name}.py")) for name in ("bench", "measure", "models", "timing", "training")]
    code = hashlib.sha256("".join(codes).encode()).hexdigest()[:16]
    return machine() | {"hidden": HIDDEN, "repeats": REPEATS, "code": code, LOAD: round(os.getloadavg()[0], 2)}


def write_tables(parts: Parts, names: Iterable[str], out: Path) -> None:
    found = tables({name: parts.read(name) for name in names})
    for name, table in found.items():
        write_csv(table, out / f"{name}.csv")
    write_record(parts.read(CONDITIONS), out / "machine.csv")
    write_text(readme_table(found["ratios"]), out / "bench.md")
    parts.remove()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", action="append", default=[], help="how a configuration's name begins; may be repeated"
    )
    parser.add_argument("--out", type=Path, default=Path("results/bench"))
    parser.add_argument("--data", default="data", help="where raw files are kept")
    arguments = parser.parse_args()
    calls = configurations(arguments.data)
    for start in arguments.only:
        if not any(name.startswith(start) for name in calls):
            raise InputError(f"--only {start} is unknown: choose the beginning of one of {', '.join(calls)}")

    found = conditions()
    print(found, flush=True)
    parts = Parts(arguments.out / "parts", found)
    for name, call in calls.items():
        if not arguments.only or name.startswith(tuple(arguments.only)):
            parts.measure(name, call)
    parts.complain()
    missing = parts.missing(calls)
    if missing:
        print(f"no table is written before these are measured too: {', '.join(missing)}")
        return
    write_tables(parts, calls, arguments.out)
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
