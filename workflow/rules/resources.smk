"""What a job may use: threads, memory, time and GPUs, from what was measured or else from its dataset's size; no rules."""

import pandas as pd

from graphsieve.jobs.resources import memory_mb, minutes, read_measured, size_of

MEASURED = read_measured(pd.read_csv("workflow/measured.csv", keep_default_na=False))
PUBLISHED_SIZES = pd.read_csv("config/published/table5_datasets.csv")
SIZES = {name: size_of(name, PUBLISHED_SIZES) for name in config["datasets"]}
MEASURED_TRIALS = 20  # of one regime, in the table above


def job_threads(wildcards):
    """Two jobs of one thread finish sooner than one of two after another; only large graphs are worth more."""
    return 1 if SIZES[wildcards.dataset].edges < 100_000 else 4


def memory_for(rule):
    """MB for a job of this rule; a second attempt asks for twice as much."""

    def mem_mb(wildcards, attempt):
        return memory_mb(MEASURED.get((rule, wildcards.dataset)), SIZES[wildcards.dataset], attempt)

    return mem_mb


def minutes_for(rule):
    """Minutes for a job of this rule; a second attempt asks for twice as many."""

    def runtime(wildcards, attempt):
        epochs = config["datasets"][wildcards.dataset]["epochs"]
        return minutes(MEASURED.get((rule, wildcards.dataset)), SIZES[wildcards.dataset], epochs, attempt)

    return runtime


def regime_minutes(wildcards, attempt):
    """One job has all trials of a regime."""
    share = max(1, regime_trials(wildcards) / MEASURED_TRIALS)
    return round(share * minutes_for("score_regime")(wildcards, attempt))


def job_gpus(wildcards):
    return 1 if config["device"] == "cuda" else 0


def lift_rate_limit():
    """Let a local run start jobs as they come.

    Snakemake allows 100 starts a second, and to keep to it looks at all jobs again every second, once for every job that
    has finished: after some hundred jobs that takes half a core.
    """
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None
