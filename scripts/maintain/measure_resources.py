"""Update the table of what jobs take from the logs of finished runs; requests are made from it."""

import argparse
from pathlib import Path

import pandas as pd
import yaml

from graphsieve.errors import InputError, run_program
from graphsieve.files.writing import write_csv
from graphsieve.jobs.usage import read_usage, summarise_usage


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path, help="folders results/<run> of runs with config.yaml's epochs")
    parser.add_argument("--config", type=Path, default=Path("config/config.yaml"))
    parser.add_argument("--out", type=Path, default=Path("workflow/measured.csv"))
    arguments = parser.parse_args()
    jobs = pd.concat([read_usage(folder / "logs") for folder in arguments.runs], ignore_index=True)
    if jobs.empty:
        raise InputError(
            f"no logs of finished jobs under {', '.join(map(str, arguments.runs))}: run the workflow first"
        )
    datasets = yaml.safe_load(arguments.config.read_text())["datasets"]
    table = summarise_usage(jobs)
    epochs = [datasets.get(name, {}).get("epochs", 0) for name in table["dataset"]]
    write_csv(updated(arguments.out, table.assign(epochs=epochs).round(1)), arguments.out)


def updated(path: Path, table: pd.DataFrame) -> pd.DataFrame:
    """With the rows of jobs that these runs did not have as they were."""
    before = pd.read_csv(path, keep_default_na=False) if path.exists() else table.iloc[:0]
    both = pd.concat([before, table])
    return both.drop_duplicates(["rule", "dataset"], keep="last").sort_values(["rule", "dataset"])


if __name__ == "__main__":
    run_program(main)
