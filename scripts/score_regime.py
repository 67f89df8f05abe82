"""Train on one synthetic graph and score its features with several scorers.

One job instead of one a scorer: these graphs are so small that starting a process takes longer than the work.
"""

import argparse

import pandas as pd

from command import (
    add_run_arguments,
    add_scoring_arguments,
    add_training_arguments,
    run,
    run_columns,
    scoring_options,
    train,
)
from graphsieve.graph import choose_split, read_graph
from graphsieve.records import write_csv
from graphsieve.scorers import MODEL_OF_SCORER, ScoringTask, score_features, scores_table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph")
    parser.add_argument("--scorers", nargs="+", required=True)
    add_run_arguments(parser)
    add_training_arguments(parser)
    add_scoring_arguments(parser)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()

    graph = read_graph(arguments.graph)
    split = choose_split(graph, arguments.split, arguments.seed)
    kinds = {MODEL_OF_SCORER.get(scorer) for scorer in arguments.scorers} - {None}
    names = {kind: arguments.model if kind == "own" else kind for kind in sorted(kinds)}
    trainings = {kind: train(arguments, graph, split, name) for kind, name in names.items()}

    tables = []
    for scorer in arguments.scorers:
        training = trainings.get(MODEL_OF_SCORER.get(scorer))
        model = training.model.eval() if training else None
        task = ScoringTask(graph, split, arguments.seed, scoring_options(arguments), model)
        table = scores_table(graph, score_features(scorer, task))
        tables.append(table.assign(**run_columns(arguments, graph), scorer=scorer))
    write_csv(pd.concat(tables), arguments.out)


if __name__ == "__main__":
    run(main)
