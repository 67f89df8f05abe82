"""What a run does and says beside its jobs: a lock that a killed run left, words in the terminal. No rules."""

import socket
import sys
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import yaml
from graphsieve.jobs import estimates, terminal
from graphsieve.jobs.bundles import single_rule
from graphsieve.jobs.receipts import receipt_of
from graphsieve.jobs.running import listed, write_run_config
from graphsieve.jobs.snakemake_internals import forced_jobs, lift_rate_limit, lock_files
from graphsieve.jobs.usage import read_usage
from graphsieve.pages import origins
from graphsieve.study.labels import DATASETS as DATASET_LABELS
from graphsieve.study.labels import in_order, label_dataset
from snakemake.logging import logger

RUNNER = Path(".snakemake/runners", config["run"])  # names the machine and process that make this run
TOLD = 3  # findings at the end
progress = None


# Going on after a Snakemake that was killed outright and so could not take back its lock --------


def is_running(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # somebody else's, but running
    return True


def release_dead_lock():
    """Remove a lock whose Snakemake is surely gone; of any other say whose it is, and let Snakemake refuse."""
    if not RUNNER.exists() or not lock_files(RUN_FOLDER):
        return
    host, process = RUNNER.read_text().split()
    if host != socket.gethostname():
        tell(
            f"Process {process} on {host} started this run: if it has ended there, type `snakemake --unlock` with the"
            " same --configfile, then start again."
        )
    elif is_running(int(process)):
        tell(f"Process {process} is making this run in this folder: wait until it has ended, or stop it.")
    else:
        try:
            claimed = RUNNER.rename(RUNNER.with_suffix(f".{os.getpid()}"))
        except FileNotFoundError:
            return  # another one that started at the same moment does it
        for path in lock_files(RUN_FOLDER):
            path.unlink()
        claimed.unlink()
        tell(
            f"The last run was killed (process {process} is gone): its lock is removed, its unfinished jobs run again."
            + " Jobs that it left on the cluster must have ended first: see squeue --me." * (not workflow.local_exec)
        )


def remember_runner():
    RUNNER.parent.mkdir(parents=True, exist_ok=True)
    unfinished = RUNNER.with_suffix(f".{os.getpid()}")
    unfinished.write_text(f"{socket.gethostname()} {os.getpid()}")
    unfinished.rename(RUNNER)


def tell(message):
    print(message, file=sys.stderr)


if workflow.is_main_process:
    release_dead_lock()
    terminal.shorten_messages(logger)


# Before, meanwhile and afterwards ----------------------------------------------------------------


def start_session():
    remember_runner()
    forget_receipts()
    write_run_config(yaml.safe_dump(dict(config), sort_keys=False, allow_unicode=True), Path(RUN_FOLDER))
    origins.start_session(Path(RUN_FOLDER), session_threads())
    lift_rate_limit(workflow)
    announce_run()


def forget_receipts():
    """Of what the user wants made again whatever it is like (--force): its jobs would keep what is up to date."""
    for job in forced_jobs(workflow):
        for output in job.output:
            receipt_of(output).unlink(missing_ok=True)


def session_threads():
    """How many threads a training or scoring of each dataset of this run has."""
    datasets = dict.fromkeys(dataset for study in STUDIES for dataset in config[study]["datasets"])
    wanted = {dataset: job_threads(SimpleNamespace(dataset=dataset)) for dataset in datasets}
    return {dataset: min(count, workflow.cores or count) for dataset, count in wanted.items()}


def job_to_estimate(job):
    wildcards = job.wildcards_dict
    kinds = [kind_of(result) for result in results_to_make(job)]
    return estimates.Job(single_rule(job.rule.name), wildcards.get("dataset", ""), tuple(kinds), job.threads)


def results_to_make(job):
    """The wildcards of a job's results: those whose files are missing, or all where none is."""
    if job.rule.name not in BUNDLES:
        return [job.wildcards_dict]
    results = BUNDLES[job.rule.name].results(job.wildcards_dict)
    files = {name: listed(files) for name, files in job.output.items()}
    missing = [
        result
        for place, result in enumerate(results)
        if not all(os.path.exists(paths[place]) for paths in files.values())
    ]
    return missing or results


def kind_of(wildcards):
    return next((wildcards[name] for name in estimates.KINDS if name in wildcards), "")


def measured_here():
    """What jobs took in this run, then in others, one table each."""
    own = Path(RUN_FOLDER, "logs")
    others = [folder for folder in sorted(Path("results").glob("*/logs")) if folder != own]
    return [read_usage(folder) for folder in (own, *others)]


def announce_run():
    """Datasets, studies and an estimate of time, below Snakemake's table of jobs; then the bar."""
    global progress
    jobs = list(workflow.dag.needrun_jobs())
    described = [job_to_estimate(job) for job in jobs]
    elsewhere = pd.read_csv(MEASURED_FILE, keep_default_na=False)
    estimated = estimates.estimate(described, measured_here(), elsewhere)
    at_once = workflow.cores if workflow.local_exec else workflow.nodes
    where = f"on {at_once} core{'s' * (at_once > 1)}" if workflow.local_exec else f"with {at_once} jobs at a time"
    datasets = in_order({job.dataset for job in described if job.dataset}, DATASET_LABELS)
    studies = [study for study in STUDIES if config[study]["datasets"]]
    lines = [
        f"About to make {RUN_FOLDER}:",
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
    if built:
        found = Path(built.output.findings).read_text(encoding="utf-8").splitlines()[:TOLD]
        logger.info("\n".join(["", f"Done. Open {built.output.page}", *(f"  {line}" for line in found)]))


def tell_failure():
    close_bar()
    logger.info(
        f"Some jobs failed: how their logs end is shown above; they are in {RUN_FOLDER}/logs. Run again to go on."
    )
