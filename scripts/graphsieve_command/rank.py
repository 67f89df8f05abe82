"""`graphsieve rank my_graph/`: rank the features of a graph of one's own."""

import argparse
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path

from graphsieve.data.graph import Graph
from graphsieve.data.normalisation import NORMALISATIONS, normalise
from graphsieve.data.own.reader import GraphWarning, read_own_graph
from graphsieve.data.own.reduced import reduced_files
from graphsieve.errors import InputError
from graphsieve.files.writing import check_folder, csv_bytes, write_together
from graphsieve.models.layers import EDGE_LAYERS, LAYERS
from graphsieve.options import (
    DEVICES,
    GIVEN,
    METRIC_NAMES,
    MISSING_VALUES,
    NUMBER_METRIC_NAMES,
    TASKS,
    TESTED_PERTURBATIONS,
    RankingOptions,
    ReadingOptions,
)

SUMMARY = "Rank the features of a graph of your own: a folder with nodes.csv and edges.csv, an .npz or a .pt file."
FILES = (
    "A folder may hold .csv (separated by commas, semicolons or tabs), .csv.gz, .tsv or .parquet. Nodes have an id, a "
    "label (empty: unlabelled) and features; edges a source, a target, and perhaps a weight and other columns."
)
SHORTEST = 1.0  # seconds that are left to rank, however long reading took
WORTH_SHARING = 200_000  # values of features and edges; with fewer, cores wait for each other most of the time
DEFAULTS, READING = RankingOptions(), ReadingOptions()
COLUMNS = {
    "id": "the column of nodes that names them",
    "label": "the column of nodes to predict",
    "source": "the column of edges with the node they start from",
    "target": "the column of edges with the node they lead to",
    "weight": "the column of edges with their weights, if there is one",
}
NUMBERS = {
    "seeds": "models trained, each from its own initial weights",
    "n_repeats": "permutations an importance is the mean of",
    "permutations": "most permutations for a p-value; none is made once it is clear whether it is below 5 %%",
    "seed": "of everything random: splits, weights, permutations",
}
TRAINING_NUMBERS = {"epochs": "of every training", "hidden": "width of the hidden layer"}
SMALLEST = {**dict.fromkeys(("best", "threads", *NUMBERS, *TRAINING_NUMBERS), 1), "seed": 0}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("graph", type=Path, help="folder with nodes.csv and edges.csv, .npz, or .pt with a PyG Data")
    parser.add_argument("--out", type=Path, help="folder to write to (default: results/<name of the graph>)")
    parser.add_argument("--apply", action="store_true", help="write the table with the best features alone, too")
    parser.add_argument("--best", type=int, metavar="N", help="how many these are (default: as few as are enough)")
    _add_reading(parser)
    _add_ranking(parser)
    parser.add_argument("--normalise", default="columns", choices=NORMALISATIONS, help="how features are scaled")
    parser.add_argument(
        "--threads", type=int, metavar="N", help="cores to use (default: all, or one if the graph is small)"
    )
    parser.add_argument(
        "--time-budget",
        type=float,
        metavar="SECONDS",
        help="answer with what is known by then; p-values hold with fewer models and permutations too (default: none)",
    )
    parser.add_argument("--device", default="auto", help=f"one of {', '.join(DEVICES)}")


def _add_reading(parser: argparse.ArgumentParser) -> None:
    reading = parser.add_argument_group("how tables are read")
    for name, meaning in COLUMNS.items():
        reading.add_argument(f"--{name}", default=getattr(READING, name), metavar="COLUMN", help=meaning)
    reading.add_argument("--task", choices=TASKS, help="what labels are (default: guessed, and said)")
    reading.add_argument("--directed", action="store_true", help="edges lead from source to target only")
    reading.add_argument(
        "--missing",
        default=READING.missing,
        choices=MISSING_VALUES,
        help="missing values: the median and a column that says where, the median alone, or no such nodes",
    )
    reading.add_argument(
        "--keep",
        default=list(READING.keep),
        action="append",
        metavar="COLUMN",
        help="a text column to keep though nearly every node has its own value there; may be given again",
    )


def _add_ranking(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model",
        choices=[*LAYERS, *EDGE_LAYERS],
        help="(default: graphsage; graphconv where edges have weights, gated where they have attributes)",
    )
    parser.add_argument(
        "--metric",
        choices=[*METRIC_NAMES, *NUMBER_METRIC_NAMES],
        help="what importance is the change of (default: accuracy, or r2 where labels are quantities)",
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


def run(arguments: argparse.Namespace) -> None:
    _check_numbers(arguments)
    start, reading = time.monotonic(), _reading_options(arguments)
    graph, sentences = read_with_warnings(arguments.graph, reading)
    for sentence in sentences:
        print(f"warning: {sentence}", file=sys.stderr)
    out = arguments.out or Path("results", graph.name)
    check_folder(out)
    ranking = rank(normalise(graph, arguments.normalise), arguments, start)
    for sentence in ranking.shortcuts:
        print(f"note: {sentence}", file=sys.stderr)

    from graphsieve.pages.ranking_page import build_page, edges_text

    files = {"ranking.csv": csv_bytes(ranking.table), "curve.csv": csv_bytes(ranking.curve)}
    if len(ranking.groups):
        files["groups.csv"] = csv_bytes(ranking.groups)
    files["index.html"] = build_page(ranking, [*sentences, *ranking.shortcuts]).encode()
    best = ranking.best(arguments.best or ranking.smallest) if arguments.apply else []
    if best:
        reduced = reduced_files(arguments.graph, graph, best, reading)
        files |= {f"reduced/{name}": content for name, content in reduced.items()}
    write_together({out / name: content for name, content in files.items()})
    if edges_text(ranking):
        print(f"Edges: {edges_text(ranking)}.")
    if best:
        print(f"The best {len(best)} of {graph.num_features} features are in {out / 'reduced'}.")
    print(f"Done. Open {out / 'index.html'}; the numbers are in {out / 'ranking.csv'}.")


def _check_numbers(arguments: argparse.Namespace) -> None:
    """Before anything is read, which may take long."""
    for name, smallest in SMALLEST.items():
        value = getattr(arguments, name)
        if value is not None and value < smallest:
            raise InputError(f"--{name.replace('_', '-')} is {value}: it must be at least {smallest}")
    if arguments.time_budget is not None and not arguments.time_budget > 0:
        raise InputError(f"--time-budget is {arguments.time_budget:g}: it must be positive")


def _reading_options(arguments: argparse.Namespace) -> ReadingOptions:
    chosen = {name: getattr(arguments, name) for name in (*COLUMNS, "task", "directed", "missing")}
    return ReadingOptions(keep=tuple(arguments.keep), **chosen)


def read_with_warnings(path: Path, options: ReadingOptions) -> tuple[Graph, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", GraphWarning)
        graph = read_own_graph(path, options=options)
    return graph, [str(one.message) for one in caught if issubclass(one.category, GraphWarning)]


def rank(graph: Graph, arguments: argparse.Namespace, start: float):
    """`start`: when the time budget began, by the monotonic clock; reading and importing torch are part of it."""
    from graphsieve.device import available_cores, choose_device, limit_threads
    from graphsieve.inference.ranking import rank_features

    is_small = graph.x.size + graph.edge_index.size < WORTH_SHARING
    limit_threads(arguments.threads or (1 if is_small else available_cores()))
    chosen = {name: getattr(arguments, name) for name in ("model", "metric", "perturbation", *NUMBERS)}
    options = RankingOptions(given=tuple(arguments.given), time_budget=arguments.time_budget, **chosen)
    if options.time_budget is not None:
        left = start + options.time_budget - time.monotonic()
        options = replace(options, time_budget=max(left, SHORTEST))
    training = replace(options.training, **{name: getattr(arguments, name) for name in TRAINING_NUMBERS})
    return rank_features(
        graph, options=replace(options, training=training), device=choose_device(arguments.device), progress=True
    )
