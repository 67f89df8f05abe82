"""What the command-line programs share: how a mistake is reported, arguments that several take, and one training.

torch is imported inside the functions that need it, because it takes seconds and half of the programs do without.
"""

import argparse
import sys
from collections.abc import Callable

from graphsieve.data.graph import Graph, Split
from graphsieve.errors import InputError
from graphsieve.jobs.usage import usage_sentence
from graphsieve.options import ScoringOptions


def run(main: Callable[[], None]) -> None:
    """A user's mistake ends in one sentence and exit code 1, not in a traceback; else the last words are the cost."""
    try:
        main()
    except InputError as error:
        sys.exit(f"error: {error}")
    print(usage_sentence(), file=sys.stderr)


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--split", default="random", help="random or public")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--threads", type=int, default=1)


def add_earlier_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--earlier", nargs="*", default=[], help="the same table of the run that this one starts from")


def add_training_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", required=True)
    add_hyper_parameters(parser)


def add_hyper_parameters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--hidden", type=int, default=512)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--learning-rate", type=float, default=0.01)
    parser.add_argument("--weight-decay", type=float, default=5e-4)
    parser.add_argument("--epochs", type=int, default=400)
    parser.add_argument("--batch-norm", action="store_true", help="batch normalisation between layers")


def add_scoring_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--metric", default="accuracy", help="accuracy, macro_f1 or cross_entropy, for the npt scorers")
    parser.add_argument("--label-nodes", default="val", help="val or train")
    parser.add_argument("--estimator", default="knn", help="knn or discrete")
    parser.add_argument("--signed", action=argparse.BooleanOptionalAction, default=False)
    parser.add_argument("--zscore", action=argparse.BooleanOptionalAction, default=True)


def scoring_options(arguments: argparse.Namespace) -> ScoringOptions:
    return ScoringOptions(
        n_repeats=arguments.repeats,
        metric=arguments.metric,
        label_nodes=arguments.label_nodes,
        estimator=arguments.estimator,
        signed=arguments.signed,
        zscore=arguments.zscore,
    )


def training_options(arguments: argparse.Namespace):
    from graphsieve.options import TrainingOptions

    return TrainingOptions(
        hidden=arguments.hidden,
        num_layers=arguments.layers,
        dropout=arguments.dropout,
        learning_rate=arguments.learning_rate,
        weight_decay=arguments.weight_decay,
        epochs=arguments.epochs,
        batch_norm=arguments.batch_norm,
    )


def prepare_device(arguments: argparse.Namespace):
    from graphsieve.device import choose_device, limit_threads, tune_memory

    tune_memory()
    limit_threads(arguments.threads)
    return choose_device(arguments.device)


def train(arguments: argparse.Namespace, graph: Graph, split: Split, model: str | None = None):
    """Train as the arguments say; `model` overrides theirs."""
    from graphsieve.models.training import train_model

    options, device = training_options(arguments), prepare_device(arguments)
    return train_model(
        model or arguments.model, graph, split, options=options, seed=arguments.seed, device=device, progress=True
    )


def run_columns(arguments: argparse.Namespace, graph: Graph) -> dict:
    """What tells one run's record from another's."""
    return {"dataset": graph.name, "model": arguments.model, "split": arguments.split, "seed": arguments.seed}
