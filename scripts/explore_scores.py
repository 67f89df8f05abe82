"""Make the page on which the scores of every feature can be looked at."""

from pathlib import Path

from graphsieve.files.writing import write_text
from graphsieve.jobs.running import run_job
from graphsieve.pages.explore import SCORE_PAGE, build_score_page
from graphsieve.pages.manifest import write_manifest
from graphsieve.study.runs import read_runs


def main(job) -> None:
    write_text(build_score_page(read_runs(job.input.scores)), job.output.page)
    write_manifest(Path(job.output.manifest), **SCORE_PAGE, tables=[], figures=[])


if __name__ == "__main__":
    run_job(snakemake, main)
