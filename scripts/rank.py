"""Rank the features of a graph of your own: a folder with nodes.csv and edges.csv, an .npz or a .pt file."""

import argparse
import sys
import warnings
from dataclasses import replace
from pathlib import Path

from graphsieve.data.graph import Graph
from graphsieve.data.normalisation import NORMALISATIONS
from graphsieve.data.own.reader import GraphWarning, read_own_graph
from graphsieve.errors import run_program
from graphsieve.files.writing import write_csv, write_text
from graphsieve.models.layers import LAYERS
from graphsieve.options import DEVICES, GIVEN, METRIC_NAMES, TESTED_PERTURBATIONS, RankingOptions

DEFAULTS = RankingOptions()
NUMBERS = {
    "seeds": "models trained, each from its own initial weights",
    "n_repeats": "permutations an importance is the mean of",
    "permutations": "most permutations for a p-value: more allow smaller ones",
    "seed": "of everything random: splits, weights, permutations",
}
TRAINING_NUMBERS = {"epochs": "of every training", "hidden": "width of the hidden layer"}


def main() -> None:
    arguments = parse_arguments()
    graph, sentences = read_with_warnings(arguments.graph)
    for sentence in sentences:
        print(f"warning: {sentence}", file=sys.stderr)
    out = arguments.out or Path("results", graph.name)
    ranking = rank(replace(graph, x=NORMALISATIONS[arguments.normalise](graph.x)), arguments)

    from graphsieve.pages.ranking_page import build_page

    page = build_page(ranking, sentences)
    write_csv(ranking.table, out / "ranking.csv")
    if len(ranking.groups):
        write_csv(ranking.groups, out / "groups.csv")
    write_csv(ranking.curve, out / "curve.csv")
    write_text(page, out / "index.html")
    print(f"Done. Open {out / 'index.html'}; the numbers are in {out / 'ranking.csv'}.")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("graph", type=Path, help="folder with nodes.csv and edges.csv, .npz, or .pt with a PyG Data")
    parser.add_argument("--out", type=Path, help="folder to write to (default: results/<name of the graph>)")
    parser.add_argument("--model", default=DEFAULTS.model, choices=LAYERS)
    parser.add_argument(
        "--metric", default=DEFAULTS.metric, choices=METRIC_NAMES, help="what importance is the change of"
    )
    parser.add_argument(
        "--perturbation",
        default=DEFAULTS.perturbation,
        choices=TESTED_PERTURBATIONS,
        help="whether a column is permuted, or only what the other columns leave open of it (conditional)",
    )
    parser.add_argument(
        "--given",
        default=DEFAULTS.given,
        nargs="+",
        choices=GIVEN,
        help="what draws shall keep besides; 'graph' for columns that are smooth on the graph",
    )
    for name, meaning in NUMBERS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=getattr(DEFAULTS, name), help=meaning)
    for name, meaning in TRAINING_NUMBERS.items():
        parser.add_argument(f"--{name}", type=int, default=getattr(DEFAULTS.training, name), help=meaning)
    parser.add_argument("--normalise", default="columns", choices=NORMALISATIONS, help="how features are scaled")
    parser.add_argument("--threads", type=int, default=1, help="more than one helps on large graphs only")
    parser.add_argument("--device", default="auto", help=f"one of {', '.join(DEVICES)}")
    return parser.parse_args()


def read_with_warnings(path: Path) -> tuple[Graph, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", GraphWarning)
        graph = read_own_graph(path)
    return graph, [str(one.message) for one in caught if issubclass(one.category, GraphWarning)]


def rank(graph: Graph, arguments: argparse.Namespace):
    from graphsieve.device import choose_device, limit_threads
    from graphsieve.inference.ranking import rank_features

    limit_threads(arguments.threads)
    chosen = {name: getattr(arguments, name) for name in ("model", "metric", "perturbation", *NUMBERS)}
    options = RankingOptions(given=tuple(arguments.given), **chosen)
    training = replace(options.training, **{name: getattr(arguments, name) for name in TRAINING_NUMBERS})
    return rank_features(
        graph, options=replace(options, training=training), device=choose_device(arguments.device), progress=True
    )


if __name__ == "__main__":
    try:
        run_program(main)
    except KeyboardInterrupt:
        sys.exit("interrupted: no file was left half-written")
