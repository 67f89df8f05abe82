"""Score every feature of one graph with one scorer."""

import argparse

from command import add_run_arguments, add_scoring_arguments, prepare_device, run, run_columns, scoring_options
from graphsieve.data.graph import read_graph
from graphsieve.data.splits import choose_split
from graphsieve.files.writing import write_csv
from graphsieve.scoring.scorers import MODEL_OF_SCORER, ScoringTask, score_features, scores_table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph")
    parser.add_argument("--model", required=True, help="the model of this study, for the record")
    parser.add_argument("--scorer", required=True)
    parser.add_argument("--weights", help="the trained model, for scorers that ask one")
    parser.add_argument("--moment", default="last", choices=("last", "best"), help="which of its weights")
    add_run_arguments(parser)
    add_scoring_arguments(parser)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()

    graph = read_graph(arguments.graph)
    split = choose_split(graph, arguments.split, arguments.seed)
    model = trained_model(arguments) if arguments.scorer in MODEL_OF_SCORER else None
    task = ScoringTask(graph, split, arguments.seed, scoring_options(arguments), model, progress=True)
    table = scores_table(graph, score_features(arguments.scorer, task))
    write_csv(table.assign(**run_columns(arguments, graph), scorer=arguments.scorer), arguments.out)


def trained_model(arguments: argparse.Namespace):
    from graphsieve.models.classifier import load_model

    return load_model(arguments.weights, arguments.moment).to(prepare_device(arguments))


if __name__ == "__main__":
    run(main)
