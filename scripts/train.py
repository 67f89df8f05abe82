"""Train one model on all features of one graph."""

import argparse

from command import add_run_arguments, add_training_arguments, run, run_columns, train
from graphsieve.data.graph import read_graph
from graphsieve.data.splits import choose_split, classes_without_training_node
from graphsieve.files.writing import write_csv, write_record
from graphsieve.models.classifier import save_weights


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph")
    add_run_arguments(parser)
    add_training_arguments(parser)
    parser.add_argument("--out-weights", required=True)
    parser.add_argument("--out-history", required=True)
    parser.add_argument("--out-record", required=True)
    arguments = parser.parse_args()

    graph = read_graph(arguments.graph)
    split = choose_split(graph, arguments.split, arguments.seed)
    missing = classes_without_training_node(graph, split)
    if missing:
        print(f"note: no training node has class {missing}: nodes of that class cannot be classified")
    training = train(arguments, graph, split)

    save_weights(training.model, {"best": training.best_state}, arguments.out_weights)
    write_csv(training.history, arguments.out_history)
    columns = {"scorer": "all", "features": graph.num_features, "kept": graph.num_features, "ties": 0}
    write_record({**run_columns(arguments, graph), **columns, **training.summary()}, arguments.out_record)


if __name__ == "__main__":
    run(main)
