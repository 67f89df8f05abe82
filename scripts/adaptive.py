"""Train one model and prune its features on the way (Algorithm 1)."""

from graphsieve.data.graph import read_graph
from graphsieve.data.splits import choose_split
from graphsieve.device import prepare_device
from graphsieve.files.writing import write_csv
from graphsieve.jobs.running import run_columns, run_job
from graphsieve.models.classifier import model_factory
from graphsieve.options import PruningOptions, ScoringOptions, TrainingOptions
from graphsieve.selection.adaptive import adaptive_selection

WATCHED_BY = "npt"  # the scorer that watches where nothing is pruned (`full`)


def main(job) -> None:
    run, scorer = run_columns(job), job.wildcards.scorer
    graph = read_graph(job.input.graph)
    split = choose_split(graph, run["split"], run["seed"])
    training = TrainingOptions(**job.params.training)
    full = scorer == "full"
    pruning = {**job.params.pruning, **({"prune": 0, "rule": "fraction"} if full else {})}
    result = adaptive_selection(
        model_factory(run["model"], graph.num_classes, training, run["seed"]),
        graph,
        split,
        scorer=WATCHED_BY if full else scorer,
        pruning=PruningOptions(**pruning),
        training=training,
        scoring=ScoringOptions(**job.params.scoring),
        seed=run["seed"],
        device=prepare_device(job.params.device, job.threads),
        progress=True,
    )
    settings = {"prune": job.params.pruning["prune"], "repeats": job.params.scoring["n_repeats"]}
    for part, path in job.output.items():
        write_csv(getattr(result, part).assign(**run, scorer=scorer, **settings), path)


if __name__ == "__main__":
    run_job(snakemake, main)
