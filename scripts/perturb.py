"""Train on a perturbed graph (Table 1)."""

import argparse

from command import add_run_arguments, add_training_arguments, run, run_columns, train
from graphsieve.data.graph import read_graph
from graphsieve.data.perturbed import PERTURBATIONS
from graphsieve.data.splits import choose_split
from graphsieve.files.writing import write_record
from graphsieve.randomness import generator


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph")
    parser.add_argument("--setting", required=True, choices=PERTURBATIONS)
    add_run_arguments(parser)
    add_training_arguments(parser)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()

    graph = read_graph(arguments.graph)
    split = choose_split(graph, arguments.split, arguments.seed)
    perturbed = PERTURBATIONS[arguments.setting](graph, generator(arguments.seed, "perturbation"))
    training = train(arguments, perturbed, split)

    columns = {"setting": arguments.setting}
    write_record({**run_columns(arguments, graph), **columns, **training.summary()}, arguments.out)


if __name__ == "__main__":
    run(main)
