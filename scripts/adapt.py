"""Train one model and prune its features on the way (Algorithm 1)."""

import argparse
from dataclasses import replace

from command import (
    add_run_arguments,
    add_scoring_arguments,
    add_training_arguments,
    prepare_device,
    run,
    run_columns,
    scoring_options,
    training_options,
)
from graphsieve.data.graph import read_graph
from graphsieve.data.splits import choose_split
from graphsieve.files.writing import write_csv

PARTS = ("history", "checkpoints", "scores", "features", "timings")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph")
    parser.add_argument("--scorer", required=True, help="a scorer, or full: prune nothing, and watch with npt")
    add_run_arguments(parser)
    add_training_arguments(parser)
    add_scoring_arguments(parser)
    parser.add_argument("--prune", type=float, default=0.5, help="fraction pruned at every checkpoint")
    parser.add_argument("--interval", type=int, default=50, help="epochs between checkpoints")
    parser.add_argument("--burn-in", type=int, default=0, help="epochs before the first checkpoint, if longer")
    parser.add_argument("--rule", default="fraction", help="fraction or nonpositive")
    parser.add_argument("--cap", type=float, default=0.5, help="at most this fraction a step, for nonpositive")
    parser.add_argument("--tolerance", type=float, help="stop pruning when validation accuracy fell by more")
    parser.add_argument("--ties", default="loss", help="loss, random or index")
    for part in PARTS:
        parser.add_argument(f"--out-{part}", required=True)
    arguments = parser.parse_args()

    graph = read_graph(arguments.graph)
    split = choose_split(graph, arguments.split, arguments.seed)
    result = select(arguments, graph, split)

    columns = {**run_columns(arguments, graph), "scorer": arguments.scorer}
    columns |= {"prune": arguments.prune, "repeats": arguments.repeats}
    for part in PARTS:
        write_csv(getattr(result, part).assign(**columns), getattr(arguments, f"out_{part}"))


def select(arguments: argparse.Namespace, graph, split):
    from graphsieve.models.classifier import build_model
    from graphsieve.options import PruningOptions
    from graphsieve.selection.adaptive import adaptive_selection

    full = arguments.scorer == "full"
    pruning = PruningOptions(
        prune=0 if full else arguments.prune,
        interval=arguments.interval,
        burn_in=arguments.burn_in,
        rule="fraction" if full else arguments.rule,
        cap=arguments.cap,
        tolerance=arguments.tolerance,
    )
    options = training_options(arguments)

    def factory(num_features: int):
        return build_model(arguments.model, num_features, graph.num_classes, seed=arguments.seed, **options.layout)

    return adaptive_selection(
        factory,
        graph,
        split,
        scorer="npt" if full else arguments.scorer,
        pruning=pruning,
        training=options,
        scoring=replace(scoring_options(arguments), ties=arguments.ties),
        seed=arguments.seed,
        device=prepare_device(arguments),
        progress=True,
    )


if __name__ == "__main__":
    run(main)
