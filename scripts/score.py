"""Score every feature of one graph with one scorer."""

from graphsieve.data.graph import read_graph
from graphsieve.data.splits import choose_split
from graphsieve.files.writing import write_csv
from graphsieve.jobs.running import run_columns, run_job
from graphsieve.options import ScoringOptions, TrainingOptions
from graphsieve.scoring.scorers import TRAINING_SCORERS, ScoringTask, score_features, scores_table


def main(job) -> None:
    run, scorer = run_columns(job), job.wildcards.scorer
    graph = read_graph(job.input.graph)
    split = choose_split(graph, run["split"], run["seed"])
    options = ScoringOptions(**job.params.scoring)
    model = trained_model(job, options.scored_model) if job.input.weights else None
    means = means_to_train(job, run, graph) if scorer in TRAINING_SCORERS else {}
    task = ScoringTask(graph, split, run["seed"], options, model, progress=True, **means)
    table = scores_table(graph, score_features(scorer, task))
    write_csv(table.assign(**run, scorer=scorer), job.output.scores)


def trained_model(job, scored_model: str):
    """Only scorers that ask a model pay for importing torch."""
    from graphsieve.device import prepare_device
    from graphsieve.models.classifier import load_model

    return load_model(job.input.weights, scored_model).to(prepare_device(job.params.device, job.threads))


def means_to_train(job, run: dict, graph) -> dict:
    """What a scorer needs that trains models itself."""
    from graphsieve.device import prepare_device
    from graphsieve.models.classifier import model_factory

    training = TrainingOptions(**job.params.training)
    make_model = model_factory(run["model"], graph.num_classes, training, run["seed"])
    return {"make_model": make_model, "training": training, "device": prepare_device(job.params.device, job.threads)}


if __name__ == "__main__":
    run_job(snakemake, main)
