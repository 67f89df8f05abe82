"""Count in how many nodes of a dataset each feature is not zero, and write that down with the features' names."""

from graphsieve.data.datasets import load_graph
from graphsieve.data.graph import describe_features
from graphsieve.files.writing import write_csv
from graphsieve.jobs.running import run_job


def main(job) -> None:
    # From the raw files, which its input has brought here: a normalised column need not have zeros where it had them.
    graph = load_graph(job.wildcards.dataset, root="data", seed=0, path=job.params.path)
    write_csv(describe_features(graph), job.output.features)


if __name__ == "__main__":
    run_job(snakemake, main)
