"""Count nodes, edges, features and classes of every graph (Table 5)."""

import argparse

import pandas as pd

from command import add_earlier_argument, run
from graphsieve.data.graph import describe, read_graph
from graphsieve.files.start_from import with_earlier
from graphsieve.files.writing import write_csv


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graphs", nargs="*")
    add_earlier_argument(parser)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    table = pd.DataFrame([describe(read_graph(path)) for path in arguments.graphs])
    write_csv(with_earlier(table, arguments.earlier), arguments.out)


if __name__ == "__main__":
    run(main)
