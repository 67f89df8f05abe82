"""Stack the runs of Table 1; two of its settings are trainings of the study proper and get their names here."""

import argparse

import pandas as pd

from command import add_earlier_argument, run
from graphsieve.files.reading import collect
from graphsieve.files.start_from import with_earlier
from graphsieve.files.writing import write_csv

COLUMNS = ["dataset", "model", "setting", "split", "seed", "best_epoch", "val_accuracy", "test_accuracy"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--original", nargs="*", default=[], help="records of trainings on the graph as it is")
    parser.add_argument("--mlp", nargs="*", default=[], help="records of trainings without the graph")
    parser.add_argument("--perturbed", nargs="*", default=[], help="records of trainings on perturbed graphs")
    add_earlier_argument(parser)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()

    named = {"original": arguments.original, "mlp": arguments.mlp}
    tables = [collect(paths).assign(setting=setting) for setting, paths in named.items()]
    made = pd.concat([*tables, collect(arguments.perturbed)]).reindex(columns=COLUMNS)
    write_csv(with_earlier(made, arguments.earlier), arguments.out)


if __name__ == "__main__":
    run(main)
