"""Stack the records of many runs into one tidy table, with those of the run that this one starts from."""

import pandas as pd

from graphsieve.files.reading import collect
from graphsieve.files.start_from import with_earlier
from graphsieve.files.writing import write_csv
from graphsieve.jobs.running import run_job


def main(job) -> None:
    parts = [
        collect(paths).assign(**columns)
        for paths, columns in zip(grouped(job.input.records, job.params.sizes), job.params.assign, strict=True)
    ]
    table = pd.concat(parts) if parts else pd.DataFrame()
    if job.params.columns and not table.empty:
        table = table.reindex(columns=job.params.columns)
    write_csv(with_earlier(table, job.input.earlier, without=job.params.without), job.output.table)


def grouped(paths: list[str], sizes: list[int]) -> list[list[str]]:
    """The paths of each source, of which `sizes` says how many it has."""
    ends = pd.Series([0, *sizes]).cumsum().tolist()
    return [list(paths[start:end]) for start, end in zip(ends, ends[1:], strict=False)]


if __name__ == "__main__":
    run_job(snakemake, main)
