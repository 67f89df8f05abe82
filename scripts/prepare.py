"""Turn a dataset's name, or a graph of one's own, into one graph file."""

import argparse
from dataclasses import replace

from command import run
from graphsieve.data.datasets import load_graph
from graphsieve.data.graph import save_graph
from graphsieve.data.normalisation import NORMALISATIONS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset")
    parser.add_argument("--path", help="a graph of one's own: a folder, an .npz or a .pt")
    parser.add_argument("--root", default="data", help="folder for raw and processed files")
    parser.add_argument("--normalise", default="none", choices=NORMALISATIONS)
    parser.add_argument("--seed", type=int, default=0, help="which graph, where a new one is drawn per seed")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    graph = load_graph(arguments.dataset, arguments.root, seed=arguments.seed, path=arguments.path)
    save_graph(replace(graph, x=NORMALISATIONS[arguments.normalise](graph.x)), arguments.out)


if __name__ == "__main__":
    run(main)
