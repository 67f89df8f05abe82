"""Train for one task, score its columns, and retrain on fewer of them."""

import pandas as pd

from graphsieve.device import prepare_device
from graphsieve.files.writing import write_csv
from graphsieve.jobs.running import run_job
from graphsieve.options import TaskOptions
from graphsieve.study.tasks.measure import measure


def main(job) -> None:
    options, device = TaskOptions(**job.params.options), prepare_device(job.params.device, job.threads)
    records, scores = measure(job.wildcards.task, int(job.wildcards.seed), options, device, root="data")
    write_csv(pd.DataFrame(records), job.output.records)
    write_csv(pd.DataFrame(scores), job.output.scores)


if __name__ == "__main__":
    run_job(snakemake, main)
