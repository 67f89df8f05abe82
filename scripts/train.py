"""Train a model on all features of one graph, or several."""

import functools

from graphsieve.data.graph import read_graph
from graphsieve.data.splits import choose_split, classes_without_training_node
from graphsieve.files.writing import write_csv, write_record
from graphsieve.jobs.receipts import Result, make_results
from graphsieve.jobs.running import results_of, run_columns, run_job
from graphsieve.jobs.training import train_model_of
from graphsieve.models.classifier import save_weights


def main(job) -> list[dict]:
    load_graph = functools.cache(lambda: read_graph(job.input.graph))

    def make(result: Result) -> None:
        run, graph = run_columns(result), load_graph()
        split = choose_split(graph, run["split"], run["seed"])
        missing = classes_without_training_node(graph, split)
        if missing:
            print(f"note: no training node has class {missing}: nodes of that class cannot be classified")
        training = train_model_of(result, graph, split, job.threads)

        weights, history, record = result.outputs
        save_weights(training.model, {"best": training.best_state, "early": training.early_state}, weights)
        write_csv(training.history, history)
        kept = {"scorer": "all", "features": graph.num_features, "kept": graph.num_features, "ties": 0}
        write_record({**run, **kept, **training.summary()}, record)

    return make_results(job.rule, results_of(job, lambda wildcards: [job.input.graph]), make)


if __name__ == "__main__":
    run_job(snakemake, main)
