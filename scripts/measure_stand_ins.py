"""Score the columns of generated graphs by themselves and given all else that is known of them."""

import pandas as pd
from tqdm import tqdm

from graphsieve.device import prepare_device
from graphsieve.files.writing import write_csv
from graphsieve.jobs.running import run_job
from graphsieve.study.stand_ins import measure


def main(job) -> None:
    device = prepare_device(job.params.device, job.threads)
    seeds = tqdm(range(job.params.graphs), desc="graphs", mininterval=2)
    write_csv(pd.concat([measure(seed, device) for seed in seeds]), job.output.records)


if __name__ == "__main__":
    run_job(snakemake, main)
