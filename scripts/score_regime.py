"""Draw the graphs of one synthetic regime, train on each and score its features with several scorers.

One job for all trials and scorers: these graphs are so small that starting a process takes longer than the work.
"""

import pandas as pd
from tqdm import tqdm

from graphsieve.device import prepare_device
from graphsieve.files.writing import write_csv
from graphsieve.jobs.regimes import Trial
from graphsieve.jobs.running import run_job
from graphsieve.scoring.scorers import score_features, scores_table


def main(job) -> None:
    device = prepare_device(job.params.device, job.threads)
    trials = tqdm(range(job.params.seeds), desc="trials", mininterval=2)
    write_csv(pd.concat([score_trial(job, seed, device) for seed in trials]), job.output.scores)


def score_trial(job, seed: int, device) -> pd.DataFrame:
    """Every scorer's scores on the graph of this seed."""
    trial, tables = Trial(job, seed, device), []
    for scorer in job.params.scorers:
        scores = score_features(scorer, trial.task(scorer))
        tables.append(scores_table(trial.graph, scores).assign(**trial.run, scorer=scorer))
    return pd.concat(tables)


if __name__ == "__main__":
    run_job(snakemake, main)
