"""The cells of Tables 1 and 2 under one hypothesis, on one graph and seed."""

from graphsieve.data.graph import read_graph
from graphsieve.data.splits import choose_split
from graphsieve.device import prepare_device
from graphsieve.files.reading import read_csv
from graphsieve.jobs.running import run_columns, run_job
from graphsieve.models.classifier import NodeClassifier, load_model
from graphsieve.study.suspects.cells import SUMMARY, CellTask
from graphsieve.study.suspects.files import read_finished, write_finished


def main(job) -> None:
    run = {"hypothesis": job.wildcards.hypothesis, **run_columns(job)}
    graph = read_graph(job.input.graph)
    device = prepare_device(job.params.device, job.threads)
    before = None
    if job.params.before:
        before = read_finished(job.params.before, job.input.before_record, job.input.before_scores)

    def load(moment: str) -> NodeClassifier:
        return load_model(job.input.weights, moment).to(device)

    task = CellTask(
        hypothesis=run["hypothesis"],
        protocol=job.params.protocol,
        graph=graph,
        split=choose_split(graph, run["split"], run["seed"]),
        seed=run["seed"],
        original=read_csv(job.input.trained, SUMMARY).iloc[0].to_dict(),
        load_model=load,
        before=before,
        device=device,
    )
    write_finished(task.finish(), run, job.output.record, job.output.scores)


if __name__ == "__main__":
    run_job(snakemake, main)
