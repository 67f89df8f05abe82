"""What the paper's bounds say about one graph: which term dominates, and whether they rank features as scorers do."""

from graphsieve.data.graph import read_graph
from graphsieve.device import limit_threads
from graphsieve.files.reading import collect
from graphsieve.files.writing import write_csv
from graphsieve.jobs.running import run_job
from graphsieve.randomness import generator
from graphsieve.theory import report

SEED = 0


def main(job) -> None:
    limit_threads(job.threads)
    graph = read_graph(job.input.graph)
    write_csv(report.graph_terms(graph, generator(SEED, "graph"), SEED), job.output.terms)
    write_csv(report.rank_agreement(graph, collect(job.input.scores)), job.output.ranks)


if __name__ == "__main__":
    run_job(snakemake, main)
