"""Draw the graphs of one synthetic regime, train on each and score its features with several scorers.

One job for all trials and scorers: these graphs are so small that starting a process takes longer than the work.
"""

import argparse
from dataclasses import replace

import pandas as pd
from tqdm import tqdm

from command import (
    add_scoring_arguments,
    add_training_arguments,
    prepare_device,
    run,
    scoring_options,
    training_options,
)
from graphsieve.data.datasets import load_graph
from graphsieve.data.normalisation import NORMALISATIONS
from graphsieve.data.splits import choose_split
from graphsieve.files.writing import write_csv
from graphsieve.scoring.scorers import MODEL_OF_SCORER, ScoringTask, score_features, scores_table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset")
    parser.add_argument("--scorers", nargs="+", required=True)
    parser.add_argument("--seeds", type=int, required=True, help="how many trials, with seeds 0, 1, 2, ...")
    parser.add_argument("--split", default="random", help="random or public")
    parser.add_argument("--normalise", default="none", choices=NORMALISATIONS)
    parser.add_argument("--moment", default="last", choices=("last", "best"), help="the weights that are scored")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--threads", type=int, default=1)
    add_training_arguments(parser)
    add_scoring_arguments(parser)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()

    device = prepare_device(arguments)
    trials = tqdm(range(arguments.seeds), desc="trials", mininterval=2)
    write_csv(pd.concat([score_trial(arguments, seed, device) for seed in trials]), arguments.out)


def score_trial(arguments: argparse.Namespace, seed: int, device) -> pd.DataFrame:
    """Every scorer's scores on the graph of this seed."""
    graph = load_graph(arguments.dataset, seed=seed)
    graph = replace(graph, x=NORMALISATIONS[arguments.normalise](graph.x))
    split = choose_split(graph, arguments.split, seed)
    models = {kind: train(arguments, graph, split, seed, kind, device) for kind in kinds_of_model(arguments.scorers)}
    run_columns = {"dataset": graph.name, "model": arguments.model, "split": arguments.split, "seed": seed}
    tables = []
    for scorer in arguments.scorers:
        model = models.get(MODEL_OF_SCORER.get(scorer))
        scores = score_features(scorer, ScoringTask(graph, split, seed, scoring_options(arguments), model))
        tables.append(scores_table(graph, scores).assign(**run_columns, scorer=scorer))
    return pd.concat(tables)


def kinds_of_model(scorers: list[str]) -> list[str]:
    """The models that these scorers ask, each to be trained once."""
    return sorted({MODEL_OF_SCORER[scorer] for scorer in scorers if scorer in MODEL_OF_SCORER})


def train(arguments: argparse.Namespace, graph, split, seed: int, kind: str, device):
    from graphsieve.models.training import train_model

    name = arguments.model if kind == "own" else kind
    training = train_model(name, graph, split, options=training_options(arguments), seed=seed, device=device)
    if arguments.moment == "best":
        training.model.load_state_dict(training.best_state)
    return training.model.eval()


if __name__ == "__main__":
    run(main)
