"""Keep the best features of one scorer, or of several, and train on them alone: a new model, or one that goes on."""

import functools

import numpy as np
import pandas as pd

from graphsieve.data.graph import Graph, read_graph
from graphsieve.data.splits import choose_split
from graphsieve.device import prepare_device
from graphsieve.files.checks import damaged
from graphsieve.files.reading import read_csv
from graphsieve.files.writing import write_csv, write_record
from graphsieve.jobs.receipts import Result, make_results
from graphsieve.jobs.running import results_of, run_columns, run_job
from graphsieve.models.classifier import load_model
from graphsieve.options import SelectionOptions, TrainingOptions
from graphsieve.selection.random_draws import further_draws, mean_summary
from graphsieve.selection.retraining import retrain_model
from graphsieve.selection.top import count_to_keep, keep_top


def main(job) -> list[dict]:
    results = results_of(job, lambda wildcards: inputs_of(job, wildcards["scorer"]))
    load_graph = functools.cache(lambda: read_graph(job.input.graph))
    return make_results(job.rule, results, lambda result: make(job, result, load_graph()))


def inputs_of(job, scorer: str) -> list[str]:
    """Graph and scores; and the trained model, where retraining goes on with it."""
    return [job.input.graph, job.input[f"scores_{scorer}"], *([job.input.weights] if job.input.weights else [])]


def make(job, result: Result, graph: Graph) -> None:
    run, scorer, settings = run_columns(result), result.wildcards["scorer"], result.settings
    selected = select_features(result.inputs[1], graph.num_features, run["seed"], **settings["keeping"])
    write_csv(selected, result.outputs[1])

    split = choose_split(graph, run["split"], run["seed"])
    options, device = SelectionOptions(**settings["selection"]), prepare_device(settings["device"], job.threads)
    trained = load_model(result.inputs[2], settings["scored_model"]).to(device) if len(result.inputs) > 2 else None

    def retrain(kept: np.ndarray) -> dict:
        training = TrainingOptions(**settings["training"])
        how = {"training": training, "selection": options, "trained": trained, "seed": run["seed"]}
        return retrain_model(run["model"], graph, split, kept, **how, device=device, progress=True).summary()

    kept = selected.loc[selected["kept"], "feature"].to_numpy()
    draws = [kept]
    if scorer == "random":
        draws += further_draws(graph.num_features, len(kept), run["seed"], options.random_draws)
    columns = {"scorer": scorer, "features": graph.num_features, "kept": len(kept), "ties": selected["ties"].iloc[0]}
    write_record({**run, **columns, **mean_summary([retrain(one) for one in draws])}, result.outputs[0])


def select_features(path: str, num_features: int, seed: int, keep: float, ties: str) -> pd.DataFrame:
    """The table of scores, and which features are kept: an exact number, ties broken on purpose."""
    table = read_csv(path, ["feature", "score", "loss"])
    if len(table) != num_features:
        raise damaged(path, f"it has {len(table)} rows for {num_features} features")
    losses = None if table["loss"].isna().all() else table["loss"].to_numpy()
    count = count_to_keep(len(table), keep)
    selection = keep_top(table["score"].to_numpy(), count, losses=losses, ties=ties, seed=seed)
    rank, kept = np.argsort(selection.ranking) + 1, table["feature"].isin(selection.kept)
    return table.assign(rank=rank, kept=kept, ties=selection.ties)


if __name__ == "__main__":
    run_job(snakemake, main)
