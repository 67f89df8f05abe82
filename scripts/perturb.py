"""Train on a graph whose features or edges were replaced (Table 1)."""

from graphsieve.data.graph import read_graph
from graphsieve.data.perturbed import PERTURBED_GRAPHS
from graphsieve.data.splits import choose_split
from graphsieve.files.writing import write_record
from graphsieve.jobs.running import run_columns, run_job
from graphsieve.jobs.training import train_model_of
from graphsieve.options import PerturbationOptions
from graphsieve.randomness import generator


def main(job) -> None:
    run, setting = run_columns(job), job.wildcards.setting
    graph = read_graph(job.input.graph)
    split = choose_split(graph, run["split"], run["seed"])
    options = PerturbationOptions(**job.params.perturbation)
    perturbed = PERTURBED_GRAPHS[setting](graph, generator(run["seed"], "perturbation"), options)
    training = train_model_of(job, perturbed, split)
    write_record({**run, "setting": setting, **training.summary()}, job.output.record)


if __name__ == "__main__":
    run_job(snakemake, main)
