"""Turn a dataset's name, or a graph of one's own, into one graph file, and count its nodes and edges."""

from graphsieve.data.datasets import load_graph
from graphsieve.data.graph import describe, save_graph
from graphsieve.data.normalisation import normalise
from graphsieve.files.writing import write_record
from graphsieve.jobs.running import run_job


def main(job) -> None:
    seed = int(job.wildcards.get("seed", 0))
    graph = load_graph(job.wildcards.dataset, root="data", seed=seed, path=job.params.path)
    write_record(describe(graph), job.output.description)
    save_graph(normalise(graph, job.params.normalise), job.output.graph)


if __name__ == "__main__":
    run_job(snakemake, main)
