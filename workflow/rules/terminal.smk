"""What a run says in the terminal before, meanwhile and afterwards; no rules."""

from pathlib import Path

import pandas as pd
from graphsieve.jobs import terminal
from graphsieve.jobs import estimates
from graphsieve.study import headlines
from graphsieve.jobs.usage import read_benchmarks
from graphsieve.study.labels import DATASETS as DATASET_LABELS
from graphsieve.study.labels import in_order, label_dataset
from graphsieve.pages.manifest import list_tables
from snakemake.logging import logger

TOLD = 3  # headlines at the end
progress = None

terminal.shorten_messages(logger)


def job_to_estimate(job):
    wildcards = job.wildcards_dict
    kind = next((wildcards[name] for name in ("scorer", "setting", "model") if name in wildcards), "")
    return estimates.Job(job.rule.name, wildcards.get("dataset", ""), kind, job.threads)


def measured_here():
    """What jobs took in this run, then in others, one table each."""
    own = Path("results", config["run"], "benchmarks")
    others = [folder for folder in sorted(Path("results").glob("*/benchmarks")) if folder != own]
    return [read_benchmarks(folder) for folder in (own, *others)]


def announce_run():
    """Datasets, studies and an estimate of time, below Snakemake's table of jobs; then the bar."""
    global progress
    jobs = list(workflow.dag.needrun_jobs())
    described = [job_to_estimate(job) for job in jobs]
    elsewhere = pd.read_csv("workflow/measured.csv", keep_default_na=False)
    estimated = estimates.estimate(described, measured_here(), elsewhere)
    at_once = workflow.cores if workflow.local_exec else workflow.nodes
    where = f"on {at_once} core{'s' * (at_once > 1)}" if workflow.local_exec else f"with {at_once} jobs at a time"
    datasets = in_order({job.dataset for job in described if job.dataset}, DATASET_LABELS)
    studies = [study for study in STUDIES if config[study]["datasets"]]
    lines = [
        f"About to make results/{config['run']}:",
        f"  datasets: {', '.join(map(label_dataset, datasets)) or 'none, only tables and pages'}",
        f"  studies: {', '.join(studies)}",
        f"  jobs: {len(jobs):,}, by rule in the table above",
        f"  time: {estimates.time_sentence(described, estimated, at_once, where)}",
    ]
    logger.info("\n".join(lines))
    if {"ALL", "PROGRESS"} & {one.name for one in workflow.output_settings.quiet or ()}:
        return
    seconds = {job.jobid: time for job, time in zip(jobs, estimated.seconds)}
    progress = terminal.start_bar(logger, seconds, estimates.wall_seconds(described, estimated, at_once))


def close_bar():
    if progress:
        progress.close()


def tell_success():
    """Where the page is and what it says first; a run for a single file has made no page."""
    close_bar()
    built = next((job for job in workflow.dag.jobs if job.rule.name == "build_index"), None)
    if not built:
        return
    run = Path("results", config["run"])
    tables = list_tables([Path(page).with_suffix(".json") for page in built.input.pages])
    found = headlines.read_headlines(tables, run, Path("config/published"))[:TOLD]
    lines = [f"  {headlines.plain(f'{one.number} {one.words}')}" for one in found]
    logger.info("\n".join(["", f"Done. Open {run / 'index.html'}", *lines]))


def tell_failure():
    close_bar()
    logger.info(
        f"Some jobs failed: how their logs end is shown above; they are in results/{config['run']}/logs. Run again to go on."
    )
