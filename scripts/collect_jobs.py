"""One table of what every job of a run took: the page on cost is made from it."""

from pathlib import Path

from graphsieve.files.start_from import with_earlier
from graphsieve.files.writing import write_csv
from graphsieve.jobs.running import run_job
from graphsieve.jobs.usage import read_usage


def main(job) -> None:
    jobs = read_usage(Path(job.params.run_folder, "logs"))
    write_csv(with_earlier(jobs, job.input.earlier, without=job.params.without), job.output.table)


if __name__ == "__main__":
    run_job(snakemake, main)
