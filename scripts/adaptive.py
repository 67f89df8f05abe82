"""Train a model and prune its features on the way (Algorithm 1), once or in several ways."""

import functools

from graphsieve.data.graph import Graph, read_graph
from graphsieve.data.splits import choose_split
from graphsieve.device import prepare_device
from graphsieve.files.writing import write_csv
from graphsieve.jobs.receipts import Result, make_results
from graphsieve.jobs.running import results_of, run_columns, run_job
from graphsieve.models.classifier import model_factory
from graphsieve.options import PruningOptions, ScoringOptions, TrainingOptions
from graphsieve.selection.adaptive import adaptive_selection

WATCHED_BY = "npt"  # the scorer that watches where nothing is pruned (`full`)


def main(job) -> list[dict]:
    results = results_of(job, lambda wildcards: [job.input.graph])
    load_graph = functools.cache(lambda: read_graph(job.input.graph))
    return make_results(job.rule, results, lambda result: make(job, result, load_graph()))


def make(job, result: Result, graph: Graph) -> None:
    run, scorer, settings = run_columns(result), result.wildcards["scorer"], result.settings
    split = choose_split(graph, run["split"], run["seed"])
    training = TrainingOptions(**settings["training"])
    full = scorer == "full"
    pruning = {**settings["pruning"], **({"prune": 0, "rule": "fraction"} if full else {})}
    found = adaptive_selection(
        model_factory(run["model"], graph, training, run["seed"]),
        graph,
        split,
        scorer=WATCHED_BY if full else scorer,
        pruning=PruningOptions(**pruning),
        training=training,
        scoring=ScoringOptions(**settings["scoring"]),
        seed=run["seed"],
        device=prepare_device(settings["device"], job.threads),
        progress=True,
    )
    columns = {"prune": settings["pruning"]["prune"], "repeats": settings["scoring"]["n_repeats"]}
    for part, path in zip(job.output.keys(), result.outputs, strict=True):
        write_csv(getattr(found, part).assign(**run, scorer=scorer, **columns), path)


if __name__ == "__main__":
    run_job(snakemake, main)
