"""What the paper's bounds say about one graph: which term dominates, and whether they rank features as scorers do."""

import argparse

from command import run
from graphsieve.data.graph import read_graph
from graphsieve.files.reading import collect
from graphsieve.files.writing import write_csv
from graphsieve.randomness import generator
from graphsieve.theory import report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph")
    parser.add_argument(
        "--scores", nargs="+", required=True, help="score files of this graph, of any scorers and seeds"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out-terms", required=True)
    parser.add_argument("--out-ranks", required=True)
    arguments = parser.parse_args()

    from graphsieve.device import limit_threads

    limit_threads(arguments.threads)
    graph = read_graph(arguments.graph)
    write_csv(report.graph_terms(graph, generator(arguments.seed, "graph"), arguments.seed), arguments.out_terms)
    write_csv(report.rank_agreement(graph, collect(arguments.scores)), arguments.out_ranks)


if __name__ == "__main__":
    run(main)
