"""Train a GCN and an MLP on generated graphs of every kind that Figure 1 shows."""

import pandas as pd
from tqdm import tqdm

from graphsieve.device import prepare_device
from graphsieve.files.writing import write_csv
from graphsieve.jobs.running import run_job
from graphsieve.options import TrainingOptions
from graphsieve.study.motivation import KINDS, measure


def main(job) -> None:
    options, device = TrainingOptions(**job.params.training), prepare_device(job.params.device, job.threads)
    trials = [(kind, seed) for kind in KINDS for seed in range(job.params.seeds)]
    progress = tqdm(trials, desc="graphs", mininterval=2)
    records = [record for kind, seed in progress for record in measure(kind, seed, options, device)]
    write_csv(pd.DataFrame(records), job.output.records)


if __name__ == "__main__":
    run_job(snakemake, main)
