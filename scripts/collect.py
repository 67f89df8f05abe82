"""Stack the records of many runs into one tidy table, with those of the run that this one starts from.

Beside the table lies what it came from.
"""

from pathlib import Path

import pandas as pd

from graphsieve.files.reading import collect
from graphsieve.files.start_from import with_earlier
from graphsieve.files.writing import write_csv, write_text
from graphsieve.jobs.running import run_job
from graphsieve.pages import origins
from graphsieve.study.scores import rounded_scores


def main(job) -> None:
    parts = [
        collect(paths).assign(**columns)
        for paths, columns in zip(grouped(job.input.records, job.params.sizes), job.params.assign, strict=True)
    ]
    table = pd.concat(parts) if parts else pd.DataFrame()
    if job.params.columns and not table.empty:
        table = table.reindex(columns=job.params.columns)
    table = rounded_scores(with_earlier(table, job.input.earlier, without=job.params.without))
    write_csv(table, job.output.table)
    write_text(describe(job, table), job.output.origins)


def describe(job, table: pd.DataFrame) -> str:
    """Where the rows come from: those of this run, and those of the run that it started from."""
    sessions = origins.read_sessions(Path(job.params.run_folder, origins.SESSIONS))
    datasets = set(table["dataset"]) if "dataset" in table else set()
    raw_files = {name: checksum for name, checksum in job.params.raw_files.items() if name in datasets}
    found = origins.origins_of(map(Path, job.input.records), sessions, raw_files)
    found += origins.earlier_origins(job.input.earlier, job.input.earlier_origins)
    return origins.describe_table(Path(job.output.table), len(table), found)


def grouped(paths: list[str], sizes: list[int]) -> list[list[str]]:
    """The paths of each source, of which `sizes` says how many it has."""
    ends = pd.Series([0, *sizes]).cumsum().tolist()
    return [list(paths[start:end]) for start, end in zip(ends, ends[1:], strict=False)]


if __name__ == "__main__":
    run_job(snakemake, main)
