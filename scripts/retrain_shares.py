"""Keep fewer and fewer of the best features of a scorer, or of several, and train a model on each set alone."""

import functools

import numpy as np
import pandas as pd

from graphsieve.data.graph import Graph, read_graph
from graphsieve.files.writing import write_csv
from graphsieve.jobs.receipts import Result, make_results
from graphsieve.jobs.retraining import read_scores, retrainer
from graphsieve.jobs.running import results_of, run_columns, run_job
from graphsieve.selection.top import Selection, count_to_keep, keep_top

LARGEST_TOP = 0.2  # of the features: the part of a ranking that is kept, to see how it changes from seed to seed


def main(job) -> list[dict]:
    results = results_of(job, lambda wildcards: inputs_of(job, wildcards))
    load_graph = functools.cache(lambda: read_graph(job.input.graph))
    return make_results(job.rule, results, lambda result: make(job, result, load_graph()))


def inputs_of(job, wildcards: dict) -> list[str]:
    """Graph and scores; and the trained model, where retraining goes on with it."""
    scores = job.input[f"scores_{wildcards['asked']}_{wildcards['scorer']}"]
    return [job.input.graph, scores, *([job.input.weights] if job.input.weights else [])]


def make(job, result: Result, graph: Graph) -> None:
    named = {**run_columns(result), **{name: result.wildcards[name] for name in ("scorer", "asked")}}
    _, scores, losses = read_scores(result.inputs[1], graph.num_features)
    breaking = {"losses": losses, "ties": result.settings["ties"], "seed": named["seed"]}
    selections = {
        share: keep_top(scores, count_to_keep(len(scores), share), **breaking) for share in result.settings["shares"]
    }
    retrain = retrainer(result, graph, job.threads)
    summaries = {}  # shares of few features may keep as many, and then are trained once
    for selection in selections.values():
        if len(selection.kept) not in summaries:
            summaries[len(selection.kept)] = retrain(selection.kept)
    records = [
        {
            **named,
            "features": len(scores),
            "kept": len(one.kept),
            "ties": one.ties,
            **summaries[len(one.kept)],
            "share": share,
        }
        for share, one in selections.items()
    ]
    write_csv(pd.DataFrame(records), result.outputs[0])
    write_csv(top_features(next(iter(selections.values())), len(scores)).assign(**named), result.outputs[1])


def top_features(selection: Selection, num_features: int) -> pd.DataFrame:
    """The best features in their order; any selection has them, as all have one ranking."""
    top = selection.ranking[: count_to_keep(num_features, LARGEST_TOP)]
    return pd.DataFrame({"place": np.arange(1, len(top) + 1), "feature": top})


if __name__ == "__main__":
    run_job(snakemake, main)
