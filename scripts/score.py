"""Score every feature of one graph with one scorer, or with several of them."""

import functools

from graphsieve.data.graph import Graph, read_graph
from graphsieve.data.splits import choose_split
from graphsieve.files.writing import write_csv
from graphsieve.jobs.receipts import Result, make_results
from graphsieve.jobs.running import results_of, run_columns, run_job
from graphsieve.options import ScoringOptions, TrainingOptions
from graphsieve.scoring.scorers import (
    MODEL_OF_SCORER,
    TRAINING_SCORERS,
    ScoringTask,
    score_features,
    scores_table,
)


def main(job) -> list[dict]:
    results = results_of(job, lambda wildcards: [job.input.graph, *weights_of(job, wildcards["scorer"])])
    load_model = model_loader(job) if any(map(uses_torch, results)) else None
    load_graph = functools.cache(lambda: read_graph(job.input.graph))

    def make(result: Result) -> None:
        run, scorer = run_columns(result), result.wildcards["scorer"]
        graph, options = load_graph(), ScoringOptions(**result.settings["scoring"])
        split = choose_split(graph, run["split"], run["seed"])
        model = load_model(result.inputs[1], options.scored_model) if len(result.inputs) > 1 else None
        means = means_to_train(job, result, graph) if scorer in TRAINING_SCORERS else {}
        task = ScoringTask(graph, split, run["seed"], options, model, progress=True, **means)
        table = scores_table(graph, score_features(scorer, task))
        write_csv(table.assign(**run, scorer=scorer), result.outputs[0])

    return make_results(job.rule, results, make)


def uses_torch(result: Result) -> bool:
    """Whether its scorer asks a trained model, or trains some."""
    return len(result.inputs) > 1 or result.wildcards["scorer"] in TRAINING_SCORERS


def weights_of(job, scorer: str) -> list[str]:
    """Of the model that this scorer asks, if any: the job's inputs name models as scorers do."""
    return [job.input[MODEL_OF_SCORER[scorer]]] if scorer in MODEL_OF_SCORER else []


def model_loader(job):
    """Only jobs with scorers that use models pay for importing torch, before any work begins."""
    import graphsieve.importance  # noqa: F401 (scorers import it when they are called)
    from graphsieve.device import prepare_device
    from graphsieve.models.classifier import load_model

    device = prepare_device(job.params.device, job.threads)
    return lambda path, moment: load_model(path, moment).to(device)


def means_to_train(job, result: Result, graph: Graph) -> dict:
    """What a scorer needs that trains models itself."""
    from graphsieve.device import prepare_device
    from graphsieve.models.classifier import model_factory

    run, training = run_columns(result), TrainingOptions(**result.settings["training"])
    make_model = model_factory(run["model"], graph, training, run["seed"])
    return {"make_model": make_model, "training": training, "device": prepare_device(job.params.device, job.threads)}


if __name__ == "__main__":
    run_job(snakemake, main)
