"""Keep the best features of a score file: an exact number, ties broken on purpose."""

import argparse

import numpy as np

from command import run
from graphsieve.files.reading import read_csv
from graphsieve.files.writing import write_csv
from graphsieve.selection.top import TIE_RULES, count_to_keep, keep_top


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scores")
    parser.add_argument("--keep", type=float, required=True, help="fraction of the features to keep")
    parser.add_argument("--ties", default="loss", choices=TIE_RULES)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()

    table = read_csv(arguments.scores, ["feature", "score", "loss"])
    losses = None if table["loss"].isna().all() else table["loss"].to_numpy()
    count = count_to_keep(len(table), arguments.keep)
    selection = keep_top(table["score"].to_numpy(), count, losses=losses, ties=arguments.ties, seed=arguments.seed)

    table["rank"] = np.argsort(selection.ranking) + 1
    table["kept"] = table["feature"].isin(selection.kept)
    table["ties"] = selection.ties
    write_csv(table, arguments.out)


if __name__ == "__main__":
    run(main)
