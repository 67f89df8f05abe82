"""Write a run's page: its findings, every figure, table and notebook under results/<run>/, and where it comes from."""

from graphsieve.files.writing import write_text
from graphsieve.jobs.running import run_job


def main(job) -> None:
    write_text("stub", job.output.page)
    write_text("stub", job.output.findings)


if __name__ == "__main__":
    run_job(snakemake, main)
