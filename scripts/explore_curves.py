"""Make the page on which the training curves of every graph can be looked at."""

from pathlib import Path

from graphsieve.files.writing import write_text
from graphsieve.jobs.running import run_job
from graphsieve.pages.explore import CURVE_PAGE, build_curve_page
from graphsieve.pages.manifest import write_manifest
from graphsieve.study.runs import read_runs


def main(job) -> None:
    write_text(build_curve_page(read_runs(job.input.history)), job.output.page)
    write_manifest(Path(job.output.manifest), **CURVE_PAGE, tables=[], figures=[])


if __name__ == "__main__":
    run_job(snakemake, main)
