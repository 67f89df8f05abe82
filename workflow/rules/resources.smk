"""What a job may use: threads, memory, time and GPUs, from the size of its dataset; no rules."""

import csv


def read_sizes():
    """Nodes, edges and features of the known datasets, to ask for memory and time before a graph is loaded."""
    with open("config/published/table5_datasets.csv") as table:
        rows = {row["dataset"]: row for row in csv.DictReader(table)}
    sizes = {name: tuple(int(row[key]) for key in ("nodes", "edges", "features")) for name, row in rows.items()}
    small = {name: (2_000, 30_000, 64) for name in DATASETS if name == "digits" or name.startswith("synthetic_")}
    return sizes | small


SIZES = read_sizes()
UNKNOWN_SIZE = (20_000, 200_000, 500)


def size_of(dataset):
    """Of a graph of the user's own nothing is known yet; a second attempt asks for more."""
    return SIZES.get(dataset, UNKNOWN_SIZE)


def job_threads(wildcards):
    """Two jobs of one thread finish sooner than one of two after another; only large graphs are worth more."""
    _, edges, _ = size_of(wildcards.dataset)
    return 1 if edges < 100_000 else 4


def job_memory(wildcards, attempt):
    """MB: the libraries, dense features with copies, hidden layers, and messages along edges."""
    nodes, edges, features = size_of(wildcards.dataset)
    megabytes = 1500 + (40 * nodes * features + 40_000 * nodes + 8_000 * edges) // 1_000_000
    return attempt * megabytes


def job_minutes(wildcards, attempt):
    """Time of one training on CPU grows with features and edges, both times epochs."""
    nodes, edges, features = size_of(wildcards.dataset)
    millions = (nodes * features + 512 * edges) / 1_000_000
    return attempt * (15 + round(0.3 * millions * config["datasets"][wildcards.dataset]["epochs"] / 400))


def regime_minutes(wildcards, attempt):
    """A minute for every trial is a lot."""
    return attempt * (15 + regime_trials(wildcards))


def job_gpus(wildcards):
    return 1 if config["device"] == "cuda" else 0
