"""Train one model on all features of one graph."""

from graphsieve.data.graph import read_graph
from graphsieve.data.splits import choose_split, classes_without_training_node
from graphsieve.files.writing import write_csv, write_record
from graphsieve.jobs.running import run_columns, run_job
from graphsieve.jobs.training import train_model_of
from graphsieve.models.classifier import save_weights


def main(job) -> None:
    run = run_columns(job)
    graph = read_graph(job.input.graph)
    split = choose_split(graph, run["split"], run["seed"])
    missing = classes_without_training_node(graph, split)
    if missing:
        print(f"note: no training node has class {missing}: nodes of that class cannot be classified")
    training = train_model_of(job, graph, split)

    save_weights(training.model, {"best": training.best_state, "early": training.early_state}, job.output.weights)
    write_csv(training.history, job.output.history)
    kept = {"scorer": "all", "features": graph.num_features, "kept": graph.num_features, "ties": 0}
    write_record({**run, **kept, **training.summary()}, job.output.record)


if __name__ == "__main__":
    run_job(snakemake, main)
