"""Every table of records and the runs it consists of; the only place that knows of the run this one starts from.

No rules.
"""

from collections.abc import Callable
from typing import NamedTuple

from graphsieve.data.raw_files import raw_checksum
from graphsieve.files.start_from import EarlierRun, settings_of
from snakemake.logging import logger

CHECKSUMS = {name: checksum for name in config["datasets"] if (checksum := raw_checksum(name))}
try:
    earlier = EarlierRun(config["start_from"], RUN_FOLDER)
    earlier.check_settings(config)
    OUTDATED = earlier.outdated_datasets(CHECKSUMS)
except InputError as error:
    raise WorkflowError(str(error)) from None
if OUTDATED and workflow.is_main_process:
    logger.warning(
        f"{config['start_from']} (start_from) has {', '.join(OUTDATED)} from other raw files than there are today: those"
        " runs are made again."
    )


class Source(NamedTuple):
    """Records of one kind: of every run of a study an output of a rule, and the columns that its rows get as well."""

    study: str
    made_by: str  # the rule
    part: str  # of its output
    values: dict = {}  # wildcards that the study itself does not fix
    assign: dict = {}
    runs: Callable | None = None  # where a study's runs are not every dataset with every seed
    complete: Callable | None = None  # adds to its new runs those that have to be made again for them

    @property
    def pattern(self):
        return getattr(rules, self.made_by).output[self.part]


def training_source(setting, **values):
    """Two settings of Table 1 are trainings on the graph as it is."""
    named = {"setting": setting}
    return [Source("perturbations", "train", "record", {**named, **values}, named)] * (
        setting in config["perturbations"]["settings"]
    )


def adaptive_sources(study, part):
    """One table of every run of an adaptive study. Scores only of the runs that prune nothing: they have them all."""
    if study == "ablation":
        varied = [{"prune": config[study]["prune"]}, {"repeats": config[study]["n_repeats"]}]
    else:
        varied = [{"scorer": ["full"] if part == "scores" else config[study]["scorers"]}]
    return [Source(study, "adaptive", part, {"scorer": "npt", **values}) for values in varied]


def described_sources():
    """Every dataset of a study; of synthetic ones the first draw."""
    makers = {False: "prepare_graph", True: "generate_graph"}
    datasets = dict.fromkeys(dataset for study in STUDIES for dataset in config[study]["datasets"])
    study_of = {dataset: study for study in STUDIES for dataset in config[study]["datasets"]}
    return [
        Source(study_of[name], makers[name.startswith("synthetic_")], "description", {"dataset": name, "seed": 0})
        for name in datasets
    ]


ADAPTIVE_PARTS = ("history", "checkpoints", "scores", "features", "timings")  # of a run of adaptive selection
PERTURBED = [setting for setting in config["perturbations"]["settings"] if setting in PERTURBED_GRAPHS]
ONE_SHOT = {"scorer": config["one_shot"]["scorers"]}
WATCHED = "full" in config["adaptive"]["scorers"]  # whose scores over time are asked what they knew early
PIXELS = {"dataset": "digits", "model": models_of("one_shot", "digits")[0], **ONE_SHOT}
ALL_FEATURES = {"asked": DATA, "share": 1.0}  # of a training that selects nothing

# Every table of records and where its rows come from.
TABLES = {
    "one_shot.csv": [
        Source("one_shot", "train", "record", {"scorer": "all"}),
        Source("one_shot", "retrain", "record", ONE_SHOT),
    ],
    "perturbations.csv": [
        *training_source("original"),
        *training_source("mlp", model="mlp"),
        Source("perturbations", "perturb", "record", {"setting": PERTURBED}),
    ],
    "scores_digits.csv": [Source("one_shot", "score", "scores", PIXELS)] * ("digits" in config["one_shot"]["datasets"]),
    "scores_synthetic.csv.gz": [Source("synthetic", "score_regime", "scores", runs=regime_runs)],
    "synthetic_tests.csv.gz": [Source("synthetic", "test_regime", "p_values", runs=tested_runs)],
    "benchmark.csv": [
        Source("benchmark", "train", "record", {"scorer": "all", **ALL_FEATURES}, ALL_FEATURES),
        Source("benchmark", "retrain_shares", "record", runs=benchmark_runs),
    ],
    "benchmark_tops.csv.gz": [Source("benchmark", "retrain_shares", "top", runs=benchmark_runs)],
    "transfer.csv": [
        Source("transfer", "train", "record", {"scorer": "all", **ALL_FEATURES}, ALL_FEATURES),
        Source("transfer", "retrain_shares", "record", runs=transfer_runs),
    ],
    "transfer_scores.csv.gz": [Source("transfer", "score", "scores", runs=transfer_scores)],
    "correlated_scores.csv.gz": [
        Source("correlations", "score", "scores", {"scorer": ["npt", *config["correlations"]["scorers"]]})
    ],
    **{
        f"{study}_{part}.csv.gz": adaptive_sources(study, part) for study in ADAPTIVE_STUDIES for part in ADAPTIVE_PARTS
    },
    "suspects.csv": [Source("suspects", "suspect", "record", runs=suspect_runs, complete=with_runs_before)],
    "bound_terms.csv": [Source("theory", "apply_bounds", "terms", {"seed": 0})],
    "bound_ranks.csv": [Source("theory", "apply_bounds", "ranks", {"seed": 0})],
    "datasets.csv": described_sources(),
    "features.csv.gz": [Source("adaptive", "describe_features", "features", {"seed": 0})] * WATCHED,
}
COLUMNS = {
    "perturbations.csv": "dataset model setting split seed best_epoch metric val_accuracy test_accuracy".split(),
}


def new_runs(table, source):
    """The wildcards of the runs that this run must make: those that `start_from` has not got in its table."""
    runs = source.runs() if source.runs else study_runs(source.study, **source.values)
    new = [run for run in runs if run["dataset"] in OUTDATED or not earlier.has_run(table, run)]
    return new if source.complete is None else source.complete(new)


def new_regime_scorers(wildcards):
    """Those of the synthetic study that the run to start from lacks in this regime."""
    return new_scorers("scores_synthetic.csv.gz", config["synthetic"]["scorers"], wildcards)


def new_tests(wildcards):
    return new_scorers("synthetic_tests.csv.gz", config["synthetic"]["tests"], wildcards)


def new_scorers(table, names, wildcards):
    (source,) = TABLES[table]
    new = {run["scorer"] for run in new_runs(table, source) if run["dataset"] == wildcards.dataset}
    return [name for name in names if name in new]


def new_records(table):
    """For every source of a table the files of its new runs; a file that two sources share stands with the first."""
    seen, files = set(), []
    for source in TABLES[table]:
        paths = dict.fromkeys(source.pattern.format(**run) for run in new_runs(table, source))
        files.append([path for path in paths if path not in seen])
        seen |= set(paths)
    return files


def records(table):
    """The path of a table of records."""
    return rules.collect.output.table.format(table=table)


def made_by_stages(wildcards):
    """What every stage makes, so that whatever was deleted is made again.

    Runs of adaptive selection write all their parts together, so one of them stands for all.
    """
    others = tuple(f"_{part}.csv.gz" for part in ADAPTIVE_PARTS if part != "history")
    tables = [table for table in TABLES if not table.endswith(others)]
    chosen = list(wanted("retrain"))
    scored = map(scoring_run, itertools.chain(chosen, wanted("retrain_shares")))
    files = dict.fromkeys(rules.score.output.scores.format(**run) for run in scored)
    files |= dict.fromkeys(rules.retrain.output.selection.format(**run) for run in chosen)
    return [*task_files("records"), *files] + [
        file for table in tables for source in new_records(table) for file in source
    ]
