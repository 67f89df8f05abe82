"""Prune features of graphs of two groups by accuracy, by its gap between the groups, and by both."""

import pandas as pd
from tqdm import tqdm

from graphsieve.device import prepare_device
from graphsieve.files.writing import write_csv
from graphsieve.jobs.running import run_job
from graphsieve.options import TrainingOptions
from graphsieve.study.fairness import measure


def main(job) -> None:
    options, device = TrainingOptions(**job.params.training), prepare_device(job.params.device, job.threads)
    progress = tqdm(range(job.params.seeds), desc="graphs", mininterval=2)
    records = [record for seed in progress for record in measure(seed, options, device)]
    write_csv(pd.DataFrame(records), job.output.records)


if __name__ == "__main__":
    run_job(snakemake, main)
