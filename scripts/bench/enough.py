"""Whether "how few are enough" keeps what matters, and how much else, on graphs where it is known.

Some columns tell the class, each besides the others, and the rest is white noise. Right is a number of columns that
holds all that matter and at most two of the noise. How far the means of the classes lie apart is drawn at random, and a
column where that is next to nothing (less than SPREAD of its deviation) need not be kept, and may be.

The rule was found on seeds 900 to 911, where one standard error instead of two, losses against the best number instead
of all, or importance alone without stars were tried and were worse; SPREAD was set by what was missed there.

The aim is that nine graphs in ten are right. Without the first two others, 85, 85 and 90 % of the graphs of the three
cases were on seeds 7000 to 7039, 87 +- 3 % together; most lacked one column that was not starred, one of the next two
in the order. That the first two others lead if the model is shown to use them was then decided on seeds 900 to 929,
where every column that was missed is the first of the others; one would have done as well there, and three worse.
Adjusted p-values up to 0.2 or 0.3 instead were tried there too, and added as many false columns as right ones.
With the first two others, 9, 9 and 10 of 10 graphs of the three cases are right on seeds 40000 to 40009, on which
nothing was chosen: of those that are not, one has three columns of the noise and one lacks a weak column.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from levels import QUICK

from graphsieve.data.graph import Graph
from graphsieve.data.splits import choose_split
from graphsieve.data.stand_ins import generate, kinds_of
from graphsieve.files.writing import write_csv
from graphsieve.inference.accuracy_curve import accuracy_curve
from graphsieve.inference.enough import numbers_on_curve, smallest_enough
from graphsieve.inference.ranking import judge_columns
from graphsieve.inference.sides import train_sides
from graphsieve.inference.trainings import trainings_for
from graphsieve.options import RankingOptions

NOISE = {"copies": 0, "smooth": 0, "white": 25}
CASES = {
    "3 of 28": {**NOISE, "relevant": 3, "num_nodes": 1000},
    "6 of 31": {**NOISE, "relevant": 6, "num_nodes": 2000, "homophily": 0.5},
    "3 of 28, 500 nodes": {**NOISE, "relevant": 3},
}
MOST_FALSE = 2
SPREAD = 0.25
CPU = torch.device("cpu")


def measure(case: str, seed: int, seeds: int) -> pd.DataFrame:
    """The curve of one graph, with how many columns that matter, and how many of noise, are among so many."""
    graph = generate(seed, **CASES[case])
    options = RankingOptions(model="graphsage", seeds=seeds, seed=seed, permutations=999, training=QUICK)
    split = choose_split(graph, "random", seed)
    sides = train_sides(graph, split, options, CPU)
    judged = judge_columns(graph, split, sides)
    numbers, trainings = numbers_on_curve(graph.num_features, judged.leading), trainings_for(graph, options, CPU)
    curve = accuracy_curve(graph, split, judged.keeping, numbers, trainings, lambda: None)
    right, false = (kind[judged.keeping].cumsum() for kind in (matters(graph), kinds_of(graph) != "relevant"))
    found = {"right": right[curve["kept"] - 1], "false": false[curve["kept"] - 1]}
    return curve.assign(case=case, seed=seed, **found, relevant=right[-1], leading=judged.leading)


def matters(graph: Graph) -> np.ndarray:
    means = np.stack([graph.x[graph.y == one].mean(axis=0) for one in range(graph.num_classes)])
    return (kinds_of(graph) == "relevant") & (means.std(axis=0) >= SPREAD)


def judge(curve: pd.DataFrame) -> dict:
    chosen = curve[curve["kept"] == smallest_enough(curve, curve["leading"].iloc[0])].iloc[0]
    false = int(chosen["false"])
    contained = bool(chosen["right"] == chosen["relevant"])
    return {"kept": chosen["kept"], "contained": contained, "false": false, "good": contained and false <= MOST_FALSE}


def summarise(curves: pd.DataFrame) -> pd.DataFrame:
    """One row per case: shares of graphs."""
    by_graph = pd.DataFrame(
        [{"case": case, **judge(curve)} for (case, _), curve in curves.groupby(["case", "seed"], sort=False)]
    )
    grouped = by_graph.groupby("case", sort=False)
    return grouped.mean().assign(graphs=grouped.size()).reset_index()


def _work(task: tuple[str, int, int]) -> pd.DataFrame:
    torch.set_num_threads(1)
    return measure(*task)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=CASES, metavar="CASE")
    parser.add_argument("--graphs", type=int, default=20, help="of each case")
    parser.add_argument("--first-seed", type=int, default=7000)
    parser.add_argument("--seeds", type=int, default=3, help="models of each kind")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, default=Path("results/bench/enough.csv"))
    given = parser.parse_args()
    tasks = [(case, given.first_seed + place, given.seeds) for case in given.cases for place in range(given.graphs)]
    with ProcessPoolExecutor(given.workers, mp_context=get_context("spawn")) as pool:
        curves = pd.concat(pool.map(_work, tasks))
    print(summarise(curves).round(3).to_string(index=False))
    write_csv(curves, given.out)


if __name__ == "__main__":
    main()
