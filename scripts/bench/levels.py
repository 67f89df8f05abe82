"""How often tests of features raise false alarms at level 5 %, and how often they find what is there.

On generated graphs with columns that matter, copies of them, columns that are smooth on the graph, and white noise.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from graphsieve.data.splits import choose_split
from graphsieve.data.stand_ins import generate, kinds_of
from graphsieve.files.writing import write_csv
from graphsieve.inference.scored import score_sides
from graphsieve.inference.sides import perturbed_by, train_sides
from graphsieve.options import RankingOptions, TrainingOptions

LEVEL = 0.05
QUICK = TrainingOptions(hidden=16, classifier="none", dropout=0.5, epochs=40)
PERTURBATIONS = {
    "permute": ("permute", ()),
    "permute, graph": ("permute", ("graph",)),
    "conditional": ("conditional", ()),
    "conditional, graph": ("conditional", ("graph",)),
}


@dataclass(frozen=True)
class Case:
    """Graphs of one kind, and the tests that are tried on them."""

    name: str
    graph: dict
    tests: tuple[str, ...] = field(default_factory=lambda: tuple(PERTURBATIONS))


COPIES = {"degree": 4.0, "homophily": 0.6, "smooth": 0, "white": 6}
SMOOTH = {"homophily": 0.8, "copies": 0, "smooth": 12, "white": 12}
ON_COPIES = ("permute", "conditional")
CASES = [
    *(
        Case(f"copies at {correlation}, {values}", {**COPIES, "correlation": correlation, "values": values}, ON_COPIES)
        for values in ("numbers", "zeros and ones", "counts")
        for correlation in (0.8, 0.95)
    ),
    Case("smooth, 4 neighbours", {**SMOOTH, "degree": 4.0}, ("permute", "permute, graph", "conditional, graph")),
    Case("smooth, 8 neighbours", {**SMOOTH, "degree": 8.0}, ("permute", "permute, graph", "conditional, graph")),
    Case("all kinds", {"correlation": 0.9, "copies": 3, "smooth": 9, "white": 15}),
]


def p_values(case: Case, seed: int, permutations: int, model: str = "graphsage") -> pd.DataFrame:
    """One row per test and column of one graph."""
    graph = generate(seed, **case.graph)
    options = RankingOptions(model=model, seeds=1, seed=seed, n_repeats=20, permutations=permutations, training=QUICK)
    split = choose_split(graph, "random", seed)
    sides = train_sides(graph, split, options, torch.device("cpu"))
    tables = []
    for test in case.tests:
        perturbation, given = PERTURBATIONS[test]
        asked = perturbed_by(replace(options, perturbation=perturbation, given=given), sides, graph, split)
        found = score_sides(asked, graph.num_features).p_values
        columns = {"column": kinds_of(graph), "p_value": found}
        tables.append(pd.DataFrame({"graphs": case.name, "seed": seed, "test": test, **columns}))
    return pd.concat(tables)


def rates(tables: list[pd.DataFrame]) -> pd.DataFrame:
    """The share rejected at the level, with its standard error over graphs, whose columns are not independent."""
    every = pd.concat(tables).assign(rejected=lambda table: table["p_value"] <= LEVEL)
    by_graph = every.groupby(["graphs", "test", "column", "seed"], sort=False)["rejected"].mean()
    grouped = by_graph.groupby(["graphs", "test", "column"], sort=False)
    return pd.DataFrame(
        {
            "rejected": grouped.mean(),
            "standard_error": grouped.std() / np.sqrt(grouped.size()),
            "number": every.groupby(["graphs", "test", "column"], sort=False).size(),
        }
    ).reset_index()


def _work(task: tuple[Case, int, int]) -> pd.DataFrame:
    torch.set_num_threads(1)
    return p_values(*task)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--graphs", type=int, default=100, help="of each kind")
    parser.add_argument("--permutations", type=int, default=199, help="most for a p-value")
    parser.add_argument("--only", default="", help="kinds of graphs whose name has this in it")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, default=Path("results/bench/levels.csv"))
    arguments = parser.parse_args()
    tasks = [
        (case, seed, arguments.permutations)
        for case in CASES
        if arguments.only in case.name
        for seed in range(arguments.graphs)
    ]
    with ProcessPoolExecutor(arguments.workers, mp_context=get_context("spawn")) as pool:
        table = rates(list(pool.map(_work, tasks, chunksize=4)))
    print(table.round(3).to_string(index=False))
    write_csv(table, arguments.out)


if __name__ == "__main__":
    main()
