"""Whether "how few are enough" keeps what matters, and how much else, on graphs where it is known.

Some columns tell the class, each besides the others, and the rest is white noise. Right is a number of columns that
holds all that matter and at most two others.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pandas as pd
import torch
from levels import QUICK

from graphsieve.data.splits import choose_split
from graphsieve.data.stand_ins import generate, kinds_of
from graphsieve.files.writing import write_csv
from graphsieve.inference.accuracy_curve import accuracy_curve
from graphsieve.inference.scored import score_sides
from graphsieve.inference.sides import train_sides
from graphsieve.inference.trainings import trainings_for
from graphsieve.options import RankingOptions
from graphsieve.selection.how_few import smallest_without_loss
from graphsieve.selection.top import keep_top

NOISE = {"copies": 0, "smooth": 0, "white": 25}
CASES = {
    "3 of 28": {**NOISE, "relevant": 3, "num_nodes": 1000},
    "6 of 31": {**NOISE, "relevant": 6, "num_nodes": 2000, "homophily": 0.5},
    "3 of 28, 500 nodes": {**NOISE, "relevant": 3},
}
MOST_FALSE = 2
CPU = torch.device("cpu")


def measure(case: str, seed: int, seeds: int) -> pd.DataFrame:
    """The curve of one graph, with the number of columns that matter among so many best ones."""
    graph = generate(seed, **CASES[case])
    options = RankingOptions(model="graphsage", seeds=seeds, seed=seed, permutations=99, training=QUICK)
    split = choose_split(graph, "random", seed)
    sides = train_sides(graph, split, options, CPU)
    scored = score_sides(sides, graph.num_features)
    importances = scored.falls.mean(axis=(1, 2))
    order = keep_top(importances, graph.num_features, losses=scored.losses, seed=seed).ranking
    curve = accuracy_curve(graph, split, order, trainings_for(graph, sides[0].options, CPU), lambda: None)
    matters = (kinds_of(graph) == "relevant")[order].cumsum()
    return curve.assign(case=case, seed=seed, right=matters[curve["kept"] - 1], relevant=matters[-1])


def judge(curve: pd.DataFrame) -> dict:
    chosen = curve[curve["kept"] == smallest_without_loss(curve)].iloc[0]
    false = int(chosen["kept"] - chosen["right"])
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
