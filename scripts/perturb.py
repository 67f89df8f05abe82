"""Train on a graph whose features or edges were replaced in one way, or in several (Table 1)."""

import functools

from graphsieve.data.graph import read_graph
from graphsieve.data.perturbed import PERTURBED_GRAPHS
from graphsieve.data.splits import choose_split
from graphsieve.files.writing import write_record
from graphsieve.jobs.receipts import Result, make_results
from graphsieve.jobs.running import results_of, run_columns, run_job
from graphsieve.jobs.training import train_model_of
from graphsieve.options import PerturbationOptions
from graphsieve.randomness import generator


def main(job) -> list[dict]:
    results = results_of(job, lambda wildcards: [job.input.graph])
    load_graph = functools.cache(lambda: read_graph(job.input.graph))

    def make(result: Result) -> None:
        run, setting, graph = run_columns(result), result.wildcards["setting"], load_graph()
        split = choose_split(graph, run["split"], run["seed"])
        options = PerturbationOptions(**result.settings["perturbation"])
        perturbed = PERTURBED_GRAPHS[setting](graph, generator(run["seed"], "perturbation"), options)
        training = train_model_of(result, perturbed, split, job.threads)
        write_record({**run, "setting": setting, **training.summary()}, result.outputs[0])

    return make_results(job.rule, results, make)


if __name__ == "__main__":
    run_job(snakemake, main)
