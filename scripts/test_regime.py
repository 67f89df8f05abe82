"""Draw the graphs of one synthetic regime and give each feature a p-value by every test of the synthetic study."""

import pandas as pd
from tqdm import tqdm

from graphsieve.device import prepare_device
from graphsieve.files.writing import write_csv
from graphsieve.inference.sets import feature_p_values
from graphsieve.jobs.regimes import Trial
from graphsieve.jobs.running import run_job


def main(job) -> None:
    device = prepare_device(job.params.device, job.threads)
    trials = tqdm(range(job.params.seeds), desc="trials", mininterval=2)
    write_csv(pd.concat([test_trial(job, seed, device) for seed in trials]), job.output.p_values)


def test_trial(job, seed: int, device) -> pd.DataFrame:
    trial, tables = Trial(job, seed, device), []
    for test in job.params.tests:
        p_values = feature_p_values(test, trial.task(test), job.wildcards.model)
        columns = {"feature": range(trial.graph.num_features), "p_value": p_values}
        tables.append(pd.DataFrame(columns).assign(**trial.run, scorer=test))
    return pd.concat(tables)


if __name__ == "__main__":
    run_job(snakemake, main)
