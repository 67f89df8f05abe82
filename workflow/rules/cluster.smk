"""What a job may use: threads, memory, time and GPUs, and how jobs share submissions on a cluster. No rules.

A job of seconds is not worth a submission: rules that read tables and draw pages are local rules, trainings and
scorings of one kind and size go together. How many of them share a submission is set in profiles/slurm.
"""

import pandas as pd
from graphsieve.jobs.resources import memory_mb, minutes, read_measured, size_of
from graphsieve.study.suspects.protocol import CELLS

MEASURED_FILE = workflow.source_path("../measured.csv")
MEASURED = read_measured(pd.read_csv(MEASURED_FILE, keep_default_na=False))
PUBLISHED_SIZES = pd.read_csv(workflow.source_path("../../config/published/table5_datasets.csv"))
SIZES = {name: size_of(name, PUBLISHED_SIZES) for name in config["datasets"]}
MEASURED_TRIALS = 20  # of one regime, in the table above
MEDIUM_WORK = 30_000_000  # of one epoch: features of all nodes, and hidden units along the edges


def job_threads(wildcards):
    """Two jobs of one thread finish sooner than one of two after another; only large graphs are worth more."""
    return 1 if SIZES[wildcards.dataset].edges < 100_000 else 4


def memory_for(rule):
    """MB for a job of this rule; a second attempt asks for twice as much."""

    def mem_mb(wildcards, attempt):
        return memory_mb(MEASURED.get((rule, wildcards.dataset)), SIZES[wildcards.dataset], attempt)

    return mem_mb


def minutes_for(rule, bundle=None):
    """Minutes for a job of this rule, or of a bundle of its results; a second attempt asks for twice as many."""
    results = max(1, len(bundle.members)) if bundle else 1

    def runtime(wildcards, attempt):
        epochs = config["datasets"][wildcards.dataset]["epochs"]
        return minutes(MEASURED.get((rule, wildcards.dataset)), SIZES[wildcards.dataset], epochs, attempt, results)

    return runtime


def share_minutes(bundle):
    """For a job that retrains with several shares of the features, or a bundle of such results."""

    def runtime(wildcards, attempt):
        return MOST_SHARES * minutes_for("retrain", bundle)(wildcards, attempt)

    return runtime


def regime_minutes(wildcards, attempt):
    """One job has all trials of a regime."""
    share = max(1, regime_trials(wildcards) / MEASURED_TRIALS)
    return round(share * minutes_for("score_regime")(wildcards, attempt))


def suspect_minutes(wildcards, attempt):
    """One job has a training for every cell of Tables 1 and 2, and the scores."""
    return len(CELLS) * minutes_for("train")(wildcards, attempt)


def job_gpus(wildcards):
    return 1 if config["device"] == "cuda" else 0


def job_size(wildcards):
    """Small: a job of seconds. Medium: of a minute or two. Large: worth several threads and its own submission."""
    size = SIZES[wildcards.dataset]
    if job_threads(wildcards) > 1:
        return "large"
    work = size.nodes * size.features + config["training"]["hidden"] * size.edges
    return "medium" if work > MEDIUM_WORK else "small"


def shared(kind):
    """Jobs of this kind go together when their graphs are of one size; members that need a GPU take turns on it."""

    def group(wildcards):
        size = job_size(wildcards)
        return None if size == "large" else f"{kind}_{size}" + "_gpu" * job_gpus(wildcards)

    return group
