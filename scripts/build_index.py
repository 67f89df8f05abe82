"""Write a run's page: its findings, every figure, table and notebook under results/<run>/, and where it comes from."""

import argparse
import json
import time
from pathlib import Path

import yaml

import command
from graphsieve.files.reading import read_csv
from graphsieve.files.writing import write_text
from graphsieve.pages import provenance
from graphsieve.pages.index import build_index
from graphsieve.pages.manifest import list_tables
from graphsieve.study import headlines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=Path, nargs="+", required=True, help="rendered notebooks, in this order")
    parser.add_argument("--title", required=True, help="the page's title")
    parser.add_argument("--config", type=json.loads, required=True, help="the run's settings, as JSON")
    parser.add_argument("--published", type=Path, required=True, help="the folder of the paper's tables")
    parser.add_argument("--out", type=Path, required=True, help="the page to write: results/<run>/index.html")
    arguments = parser.parse_args()
    run = arguments.out.parent
    manifests = [page.with_suffix(".json") for page in arguments.pages]
    tables = list_tables(manifests)
    text = build_index(
        manifests,
        title=arguments.title,
        out=arguments.out,
        headlines=headlines.read_headlines(tables, run, arguments.published),
        notice=headlines.absent_datasets(headlines.read_tables(tables)),
        provenance=facts(run),
        config=yaml.safe_dump(arguments.config, sort_keys=False, allow_unicode=True, width=100),
    )
    write_text(text, arguments.out)


def facts(run: Path) -> dict[str, str]:
    jobs = run / "records/jobs.csv"
    return {
        "Made": time.strftime("%Y-%m-%d %H:%M"),
        "Versions": provenance.versions(),
        "Commit": provenance.commit(),
        "Duration": provenance.durations(read_csv(jobs)) if jobs.exists() else "",
        "Machine": provenance.machine(),
    }


if __name__ == "__main__":
    command.run(main)
