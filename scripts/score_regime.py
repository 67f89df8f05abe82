"""Draw the graphs of one synthetic regime, train on each and score its features with several scorers.

One job for all trials and scorers: these graphs are so small that starting a process takes longer than the work.
"""

from dataclasses import replace

import pandas as pd
from tqdm import tqdm

from graphsieve.data.datasets import load_graph
from graphsieve.data.normalisation import NORMALISATIONS
from graphsieve.data.splits import choose_split
from graphsieve.device import prepare_device
from graphsieve.files.writing import write_csv
from graphsieve.jobs.running import run_job
from graphsieve.models.classifier import model_factory
from graphsieve.models.training import train_model
from graphsieve.options import ScoringOptions, TrainingOptions
from graphsieve.scoring.scorers import MODEL_OF_SCORER, ScoringTask, score_features, scores_table


def main(job) -> None:
    device = prepare_device(job.params.device, job.threads)
    trials = tqdm(range(job.params.seeds), desc="trials", mininterval=2)
    write_csv(pd.concat([score_trial(job, seed, device) for seed in trials]), job.output.scores)


def score_trial(job, seed: int, device) -> pd.DataFrame:
    """Every scorer's scores on the graph of this seed."""
    run = {name: job.wildcards[name] for name in ("dataset", "model", "split")} | {"seed": seed}
    graph = load_graph(run["dataset"], seed=seed)
    graph = replace(graph, x=NORMALISATIONS[job.params.normalise](graph.x))
    split = choose_split(graph, run["split"], seed)
    kinds = sorted({MODEL_OF_SCORER[scorer] for scorer in job.params.scorers if scorer in MODEL_OF_SCORER})
    models = {kind: trained_model(job, graph, split, seed, kind, device) for kind in kinds}
    options, training = ScoringOptions(**job.params.scoring), TrainingOptions(**job.params.training)
    make_model = model_factory(run["model"], graph, training, seed)
    means = {"make_model": make_model, "training": training, "device": device}
    tables = []
    for scorer in job.params.scorers:
        model = models.get(MODEL_OF_SCORER.get(scorer))
        scores = score_features(scorer, ScoringTask(graph, split, seed, options, model, **means))
        tables.append(scores_table(graph, scores).assign(**run, scorer=scorer))
    return pd.concat(tables)


def trained_model(job, graph, split, seed: int, kind: str, device):
    name = job.wildcards.model if kind == "own" else kind
    options = TrainingOptions(**job.params.training)
    training = train_model(name, graph, split, options=options, seed=seed, device=device)
    if job.params.scoring["scored_model"] == "best":
        training.model.load_state_dict(training.best_state)
    return training.model.eval()


if __name__ == "__main__":
    run_job(snakemake, main)
