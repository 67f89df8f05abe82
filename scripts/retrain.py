"""Train a new model on the selected features alone."""

import argparse

import pandas as pd

from command import add_run_arguments, add_training_arguments, run, run_columns, train
from graphsieve.data.graph import keep_columns, read_graph
from graphsieve.data.splits import choose_split
from graphsieve.files.checks import damaged
from graphsieve.files.reading import read_csv
from graphsieve.files.writing import write_record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph")
    parser.add_argument("--selection", required=True)
    parser.add_argument("--scorer", required=True, help="who made the selection")
    add_run_arguments(parser)
    add_training_arguments(parser)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()

    graph = read_graph(arguments.graph)
    split = choose_split(graph, arguments.split, arguments.seed)
    selection = read_selection(arguments.selection, graph.num_features)
    kept = selection.loc[selection["kept"], "feature"].to_numpy()
    training = train(arguments, keep_columns(graph, kept), split)

    columns = {"scorer": arguments.scorer, "features": graph.num_features, "kept": len(kept)}
    columns["ties"] = selection["ties"].iloc[0]
    write_record({**run_columns(arguments, graph), **columns, **training.summary()}, arguments.out)


def read_selection(path: str, num_features: int) -> pd.DataFrame:
    selection = read_csv(path, ["feature", "kept", "ties"])
    if len(selection) != num_features:
        raise damaged(path, f"it has {len(selection)} rows for {num_features} features")
    if selection["kept"].dtype != bool or not selection["kept"].any():
        raise damaged(path, "kept must be True or False, and True for some")
    return selection


if __name__ == "__main__":
    run(main)
