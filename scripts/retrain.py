"""Train a new model on the selected features alone."""

import pandas as pd

from graphsieve.data.graph import keep_columns, read_graph
from graphsieve.data.splits import choose_split
from graphsieve.files.checks import damaged
from graphsieve.files.reading import read_csv
from graphsieve.files.writing import write_record
from graphsieve.jobs.running import run_columns, run_job
from graphsieve.jobs.training import train_model_of


def main(job) -> None:
    run = run_columns(job)
    graph = read_graph(job.input.graph)
    split = choose_split(graph, run["split"], run["seed"])
    selection = read_selection(job.input.selection, graph.num_features)
    kept = selection.loc[selection["kept"], "feature"].to_numpy()
    training = train_model_of(job, keep_columns(graph, kept), split)

    columns = {"scorer": job.wildcards.scorer, "features": graph.num_features, "kept": len(kept)}
    columns["ties"] = selection["ties"].iloc[0]
    write_record({**run, **columns, **training.summary()}, job.output.record)


def read_selection(path: str, num_features: int) -> pd.DataFrame:
    selection = read_csv(path, ["feature", "kept", "ties"])
    if len(selection) != num_features:
        raise damaged(path, f"it has {len(selection)} rows for {num_features} features")
    if selection["kept"].dtype != bool or not selection["kept"].any():
        raise damaged(path, "kept must be True or False, and True for some")
    return selection


if __name__ == "__main__":
    run_job(snakemake, main)
