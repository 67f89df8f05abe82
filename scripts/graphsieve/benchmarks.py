"""What the jobs of a run took, from Snakemake's benchmark files: benchmarks/<rule>/<dataset>/... .tsv."""

from pathlib import Path

import pandas as pd

COLUMNS = {"s": "seconds", "cpu_time": "cpu_seconds", "max_rss": "max_rss_mb"}


def benchmark_files(folder: str | Path) -> list[Path]:
    """In order of their names; those of jobs that were killed while writing are empty and left out."""
    return sorted(file for file in Path(folder).rglob("*.tsv") if file.stat().st_size)


def read_benchmarks(folder: str | Path) -> pd.DataFrame:
    """A row a job: its rule, its dataset (empty if it has none), the rest of its path, and what it took."""
    rows = [_identify(file.relative_to(folder)) | _read(file) for file in benchmark_files(folder)]
    return pd.DataFrame(rows, columns=["rule", "dataset", "job", *COLUMNS.values()])


def _identify(path: Path) -> dict:
    rule, *rest = path.with_suffix("").parts
    return {"rule": rule, "dataset": rest[0] if rest else "", "job": "/".join(rest[1:])}


def _read(file: Path) -> dict:
    """Jobs shorter than a second leave a dash where Snakemake had no time to look."""
    values = pd.read_csv(file, sep="\t", na_values="-").iloc[-1]
    return {name: values[column] for column, name in COLUMNS.items()}


def summarise_benchmarks(jobs: pd.DataFrame) -> pd.DataFrame:
    """Of a rule's jobs on a dataset: the usual seconds (a busy machine stretches some), the most CPU and memory."""
    groups = jobs.groupby(["rule", "dataset"], as_index=False)
    ways = {name: "median" if name == "seconds" else "max" for name in COLUMNS.values()}
    return groups.agg(**{name: (name, way) for name, way in ways.items()}, runs=("job", "size"))
