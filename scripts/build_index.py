"""Write a run's page: its findings, every figure, table and notebook under results/<run>/, and where it comes from."""

import time
from pathlib import Path

import yaml

from graphsieve.files.reading import read_csv
from graphsieve.files.writing import write_text
from graphsieve.jobs.running import run_job
from graphsieve.pages import provenance
from graphsieve.pages.index import build_index
from graphsieve.pages.manifest import list_tables
from graphsieve.study import headlines


def main(job) -> None:
    manifests = [Path(path) for path in job.input.manifests]
    ours = headlines.read_tables(list_tables(manifests))
    published = headlines.read_tables(map(Path, job.input.published))
    records = {"one_shot": read_csv(job.input.one_shot)} if job.input.one_shot else {}
    found = headlines.headlines(ours, records, published)
    page = build_index(
        manifests,
        title=job.params.title,
        out=Path(job.output.page),
        headlines=found,
        notice=" ".join(filter(None, [modified_notice(provenance.commit()), headlines.absent_datasets(ours)])),
        provenance=facts(job.input.jobs),
        config=yaml.safe_dump(job.params.config, sort_keys=False, allow_unicode=True, width=100),
    )
    write_text(page, job.output.page)
    write_text("".join(f"{headlines.plain(f'{one.number} {one.words}')}\n" for one in found), job.output.findings)


def modified_notice(commit: str) -> str:
    """What nobody could make again is marked as such."""
    modified = commit.endswith(provenance.MODIFIED)
    return "Made with code that was modified since its commit: not for publication." if modified else ""


def facts(jobs: str) -> dict[str, str]:
    return {
        "Made": time.strftime("%Y-%m-%d %H:%M"),
        "Versions": provenance.versions(),
        "Commit": provenance.commit(),
        "Duration": provenance.durations(read_csv(jobs)),
        "Machine": provenance.machine(),
    }


if __name__ == "__main__":
    run_job(snakemake, main)
