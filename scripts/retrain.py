"""Keep the best features of one scorer, or of several, and train on them alone: a new model, or one that goes on."""

import functools

import numpy as np
import pandas as pd

from graphsieve.data.graph import Graph, read_graph
from graphsieve.files.writing import write_csv, write_record
from graphsieve.jobs.receipts import Result, make_results
from graphsieve.jobs.retraining import read_scores, retrainer
from graphsieve.jobs.running import results_of, run_columns, run_job
from graphsieve.selection.top import count_to_keep, keep_top


def main(job) -> list[dict]:
    results = results_of(job, lambda wildcards: inputs_of(job, wildcards["scorer"]))
    load_graph = functools.cache(lambda: read_graph(job.input.graph))
    return make_results(job.rule, results, lambda result: make(job, result, load_graph()))


def inputs_of(job, scorer: str) -> list[str]:
    """Graph and scores; and the trained model, where retraining goes on with it."""
    return [job.input.graph, job.input[f"scores_{scorer}"], *([job.input.weights] if job.input.weights else [])]


def make(job, result: Result, graph: Graph) -> None:
    run, scorer = run_columns(result), result.wildcards["scorer"]
    selected = select_features(result.inputs[1], graph.num_features, run["seed"], **result.settings["keeping"])
    write_csv(selected, result.outputs[1])

    kept = selected.loc[selected["kept"], "feature"].to_numpy()
    columns = {"scorer": scorer, "features": graph.num_features, "kept": len(kept), "ties": selected["ties"].iloc[0]}
    write_record({**run, **columns, **retrainer(result, graph, job.threads)(kept)}, result.outputs[0])


def select_features(path: str, num_features: int, seed: int, keep: float, ties: str) -> pd.DataFrame:
    """The table of scores, and which features are kept: an exact number, ties broken on purpose."""
    table, scores, losses = read_scores(path, num_features)
    selection = keep_top(scores, count_to_keep(num_features, keep), losses=losses, ties=ties, seed=seed)
    rank, kept = np.argsort(selection.ranking) + 1, table["feature"].isin(selection.kept)
    return table.assign(rank=rank, kept=kept, ties=selection.ties)


if __name__ == "__main__":
    run_job(snakemake, main)
