"""Stack the runs of Table 1; two of its settings are trainings of the study proper and get their names here."""

import argparse

import pandas as pd

from command import run
from graphsieve.records import collect, write_csv

COLUMNS = ["dataset", "model", "setting", "split", "seed", "best_epoch", "val_accuracy", "test_accuracy"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--original", nargs="*", default=[], help="records of trainings on the graph as it is")
    parser.add_argument("--mlp", nargs="*", default=[], help="records of trainings without the graph")
    parser.add_argument("--perturbed", nargs="*", default=[], help="records of trainings on perturbed graphs")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()

    named = {"original": arguments.original, "mlp": arguments.mlp}
    tables = [collect(paths).assign(setting=setting) for setting, paths in named.items() if paths]
    if arguments.perturbed:
        tables.append(collect(arguments.perturbed))
    write_csv(pd.concat(tables)[COLUMNS], arguments.out)


if __name__ == "__main__":
    run(main)
