"""Train on the selected features alone: a new model, or the trained one that goes on."""

import numpy as np
import pandas as pd

from graphsieve.data.graph import read_graph
from graphsieve.data.splits import choose_split
from graphsieve.device import prepare_device
from graphsieve.files.checks import damaged
from graphsieve.files.reading import read_csv
from graphsieve.files.writing import write_record
from graphsieve.jobs.running import run_columns, run_job
from graphsieve.models.classifier import load_model
from graphsieve.options import SelectionOptions, TrainingOptions
from graphsieve.selection.random_draws import further_draws, mean_summary
from graphsieve.selection.retraining import retrain_model


def main(job) -> None:
    run, scorer = run_columns(job), job.wildcards.scorer
    graph = read_graph(job.input.graph)
    split = choose_split(graph, run["split"], run["seed"])
    selected = read_selection(job.input.selection, graph.num_features)
    options, device = SelectionOptions(**job.params.selection), prepare_device(job.params.device, job.threads)
    trained = load_model(job.input.weights, job.params.scored_model).to(device) if job.input.weights else None

    def retrain(kept: np.ndarray) -> dict:
        training = TrainingOptions(**job.params.training)
        settings = {"training": training, "selection": options, "trained": trained, "seed": run["seed"]}
        return retrain_model(run["model"], graph, split, kept, **settings, device=device, progress=True).summary()

    kept = selected.loc[selected["kept"], "feature"].to_numpy()
    draws = [kept]
    if scorer == "random":
        draws += further_draws(graph.num_features, len(kept), run["seed"], options.random_draws)
    columns = {"scorer": scorer, "features": graph.num_features, "kept": len(kept), "ties": selected["ties"].iloc[0]}
    write_record({**run, **columns, **mean_summary([retrain(one) for one in draws])}, job.output.record)


def read_selection(path: str, num_features: int) -> pd.DataFrame:
    selection = read_csv(path, ["feature", "kept", "ties"])
    if len(selection) != num_features:
        raise damaged(path, f"it has {len(selection)} rows for {num_features} features")
    if selection["kept"].dtype != bool or not selection["kept"].any():
        raise damaged(path, "kept must be True or False, and True for some")
    return selection


if __name__ == "__main__":
    run_job(snakemake, main)
