"""Checks of the config, target lists, input functions and resources; no rules."""

import itertools
import os
import re
import shlex
import sys

import yaml
from snakemake.exceptions import WorkflowError
from snakemake.utils import validate

sys.path.insert(0, "scripts")

from graphsieve.jobs.config_checks import ADAPTIVE_STUDIES, STUDIES, check_files, check_meaning, check_schema
from graphsieve.files.start_from import EarlierRun, settings_of
from graphsieve.errors import InputError
from graphsieve.models.layers import LAYERS
from graphsieve.data.perturbed import PERTURBATIONS
from graphsieve.scoring.scorers import MODEL_OF_SCORER, SCORERS
from graphsieve.data.synthetic import relevant_features

# The config -------------------------------------------------------------------

SCHEMA = "schemas/config.schema.yaml"
DRAWN_TRIALS = 5  # in Figure 12, as in the paper; its table has all


def complete_config(config):
    """Check the config, fill in its defaults and let the user's own graphs join their studies."""
    if workflow.is_main_process:
        check_files(workflow.configfiles)
    with open(os.path.join(workflow.basedir, SCHEMA)) as file:
        check_schema(config, yaml.safe_load(file))
    validate(config, f"../{SCHEMA}")
    add_own_graphs(config)
    check_meaning(config)
    for dataset in config["datasets"]:
        path = path_of(dataset)
        if path and workflow.is_main_process and not os.path.exists(path):
            raise InputError(f"config key datasets.{dataset}.path: {path} does not exist, give a folder, .npz or .pt")


def add_own_graphs(config):
    """A graph of the user's own takes part in the paper's studies of single graphs unless the config names it itself."""
    named = {dataset for study in STUDIES for dataset in config[study]["datasets"]}
    own = [dataset for dataset, settings in config["datasets"].items() if settings["path"] and dataset not in named]
    for study in ("one_shot", "perturbations", "adaptive", "correlations"):
        config[study]["datasets"] = [*config[study]["datasets"], *own]


def folder_of(dataset):
    """Where the config that names an own graph's path lies: the last one that does, as it overrides the others."""
    for path in reversed(workflow.configfiles):
        with open(path) as file:
            settings = (yaml.safe_load(file) or {}).get("datasets", {}).get(dataset) or {}
        if settings.get("path"):
            return os.path.dirname(path)
    return ""


def path_of(dataset):
    """The path of the user's own graph, None for a dataset that is known by name."""
    path = config["datasets"][dataset]["path"]
    return path and os.path.normpath(os.path.join(folder_of(dataset), path))


try:
    complete_config(config)
    earlier = EarlierRun(config["start_from"], f"results/{config['run']}")
    earlier.check_settings(config)
except InputError as error:
    raise WorkflowError(str(error)) from None


def one_of(names):
    """A wildcard constraint that admits these names only."""
    return "|".join(re.escape(name) for name in names)


# What a job needs -------------------------------------------------------------


def model_of(dataset):
    return config["datasets"][dataset]["model"]


def graph_file(dataset, seed):
    """One file a dataset; synthetic graphs are drawn anew for every seed."""
    if dataset.startswith("synthetic_"):
        return f"<results>/graphs/{dataset}/seed{seed}.npz"
    return f"<results>/graphs/{dataset}.npz"


def own_files(wildcards):
    """The files behind a graph of the user's own: when they change, it is prepared again."""
    path = path_of(wildcards.dataset)
    if path is None:
        return []
    return [os.path.join(path, name) for name in ("nodes.csv", "edges.csv")] if os.path.isdir(path) else [path]


def path_flags(wildcards):
    path = path_of(wildcards.dataset)
    return flags(path=shlex.quote(path)) if path else ""


def graph_of_job(wildcards):
    return graph_file(wildcards.dataset, wildcards.seed)


def weights_for_scorer(wildcards):
    """The trained model that a scorer asks: none, the dataset's own, or an MLP."""
    kind = MODEL_OF_SCORER.get(wildcards.scorer)
    if kind is None:
        return []
    model = wildcards.model if kind == "own" else kind
    return f"<results>/train/{wildcards.dataset}/{model}/{wildcards.split}/seed{wildcards.seed}/weights.npz"


def flags(**values):
    """Command-line flags; True and False become --flag and --no-flag."""
    words = []
    for name, value in values.items():
        name = name.replace("_", "-")
        words.append(f"--{'no-' * (value is False)}{name}" if isinstance(value, bool) else f"--{name} {value}")
    return " ".join(words)


def training_settings():
    """What is off is not said."""
    return {name: value for name, value in config["training"].items() if value is not False}


def training_flags(wildcards):
    return flags(**training_settings(), epochs=config["datasets"][wildcards.dataset]["epochs"])


def scoring_flags(wildcards):
    """How to score; a rule with a wildcard {repeats} takes the number from there."""
    names = ("repeats", "metric", "label_nodes", "estimator", "signed", "zscore")
    settings = {name: config["scoring"][name] for name in names}
    return flags(**settings | {name: value for name, value in wildcards.items() if name == "repeats"})


def pruning_flags(wildcards):
    settings = {name: value for name, value in config["pruning"].items() if value is not None}
    schedule = {name: config["datasets"][wildcards.dataset][name] for name in ("interval", "burn_in")}
    return flags(**schedule, **settings, ties=config["scoring"]["ties"])


def weights_flags(wildcards, input):
    """Nothing for a scorer that asks no model."""
    return flags(weights=input.weights, moment=config["scoring"]["scored_model"]) if input.weights else ""


def motivation_flags(wildcards):
    return flags(**training_settings(), epochs=config["motivation"]["epochs"])


def bound_flags(wildcards):
    return flags(**{name: config["theory"][name] for name in ("cases", "permuted_cases", "search_steps")})


def normalisation(wildcards):
    return config["datasets"][wildcards.dataset]["normalise"]


def fraction_to_keep(wildcards):
    return config["datasets"][wildcards.dataset]["keep"]


# What a study makes -----------------------------------------------------------


def seeds_of(study, dataset):
    """How many a study asks for, or fewer where the dataset allows only so many."""
    return min(config[study]["seeds"], config["datasets"][dataset]["seeds"] or config[study]["seeds"])


def study_runs(study, **more):
    """The wildcards of every run of a study: each dataset with its own model (unless another is given) and each seed."""
    for dataset in config[study]["datasets"]:
        values = {
            "dataset": dataset,
            "model": model_of(dataset),
            "split": config[study]["split"],
            "seed": range(seeds_of(study, dataset)),
            "prune": config["datasets"][dataset]["prune"],
            "repeats": config["scoring"]["repeats"],
            **more,
        }
        lists = [value if isinstance(value, (list, range)) else [value] for value in values.values()]
        for chosen in itertools.product(*lists):
            yield dict(zip(values, chosen, strict=True))


def study_files(study, pattern, records=None, **more):
    """`pattern` for every run of a study, except those that `start_from` has in its table `records`."""
    return [pattern.format(**run) for run in study_runs(study, **more) if not earlier.has_run(records, run)]


SETTINGS = "<results>/records/settings.json"
TRAINED = "<results>/train/{dataset}/{model}/{split}/seed{seed}/record.csv"
RETRAINED = "<results>/retrain/{dataset}/{model}/{split}/seed{seed}/{scorer}.csv"
SELECTED = "<results>/selection/{dataset}/{model}/{split}/seed{seed}/{scorer}.csv"
SCORED = "<results>/scores/{dataset}/{model}/{split}/seed{seed}/{scorer}.csv"
PERTURBED = "<results>/perturb/{dataset}/{model}/{split}/seed{seed}/{setting}.csv"
REGIMES_SCORED = "<results>/synthetic/{dataset}/{model}/{split}.csv"
ADAPTED = "<results>/adaptive/{dataset}/{model}/{split}/{scorer}/prune{prune}_repeats{repeats}/seed{seed}/{part}.csv"


def one_shot_records(wildcards):
    """Trainings on all features, and retrainings on those that each scorer kept."""
    scorers = config["one_shot"]["scorers"]
    trained = study_files("one_shot", TRAINED, "one_shot.csv", scorer="all")
    return trained + study_files("one_shot", RETRAINED, "one_shot.csv", scorer=scorers)


def pixel_scores(wildcards):
    """Score files of the digits, whose features can be looked at."""
    files = study_files("one_shot", SCORED, "scores_digits.csv", scorer=config["one_shot"]["scorers"])
    return [file for file in files if "/scores/digits/" in file]


def original_records(wildcards):
    return trainings_as("original")


def mlp_records(wildcards):
    return trainings_as("mlp", model="mlp")


def trainings_as(setting, **more):
    """Two settings of Table 1 are trainings on the graph as it is."""
    if setting not in config["perturbations"]["settings"]:
        return []
    return study_files("perturbations", TRAINED, "perturbations.csv", setting=setting, **more)


def perturbed_records(wildcards):
    settings = [setting for setting in config["perturbations"]["settings"] if setting in PERTURBATIONS]
    return study_files("perturbations", PERTURBED, "perturbations.csv", setting=settings)


def regime_scores(wildcards):
    return study_files("synthetic", REGIMES_SCORED, seed=0)


def regime_trials(wildcards):
    """Where no feature is relevant there is nothing to find, and the figure's trials are enough."""
    trials = seeds_of("synthetic", wildcards.dataset)
    return trials if len(relevant_features(wildcards.dataset.removeprefix("synthetic_"))) else min(trials, DRAWN_TRIALS)


def adaptive_runs(wildcards):
    return adaptive_files(wildcards.study, wildcards.part)


def earlier_adaptive(wildcards):
    return earlier.records(f"{wildcards.study}_{wildcards.part}.csv.gz")


def adaptive_files(study, part):
    """One table of every run of an adaptive study. Scores only of the runs that prune nothing: they have them all."""
    if study == "ablation":
        varied = [{key: config[study][key]} for key in ("prune", "repeats")]
    else:
        varied = [{"scorer": ["full"] if part == "scores" else config[study]["scorers"]}]
    records = f"{study}_{part}.csv.gz"
    files = [
        path
        for values in varied
        for path in study_files(study, ADAPTED, records, **{"scorer": "npt", "part": part, **values})
    ]
    return list(dict.fromkeys(files))


def correlated_scores(wildcards):
    scorers = ["npt", *config["correlations"]["scorers"]]
    return study_files("correlations", SCORED, "correlated_scores.csv.gz", scorer=scorers)


BOUNDS = "<results>/theory/{dataset}_{part}.csv"


def scores_beside_bounds(wildcards):
    files = study_files("theory", SCORED, scorer=config["theory"]["scorers"])
    return [file for file in files if f"/scores/{wildcards.dataset}/" in file]


def earlier_bounds(wildcards):
    return earlier.records(f"bound_{wildcards.part}.csv")


def bounds_of_graphs(wildcards):
    """Of the graphs that `start_from` does not have."""
    records = f"bound_{wildcards.part}.csv"
    datasets = [name for name in config["theory"]["datasets"] if not earlier.has_run(records, {"dataset": name})]
    return expand(BOUNDS, dataset=datasets, part=wildcards.part)


def graphs_to_describe(wildcards):
    """Every dataset of a study, once; of synthetic ones the first draw."""
    datasets = dict.fromkeys(dataset for study in STUDIES for dataset in config[study]["datasets"])
    return [graph_file(name, 0) for name in datasets if not earlier.has_run("datasets.csv", {"dataset": name})]


def everything(wildcards):
    """The index page and what every stage made for it, so that whatever was deleted is made again."""
    scorers = config["one_shot"]["scorers"]
    return [
        "<results>/index.html",
        SETTINGS,
        *study_files("one_shot", SCORED, "one_shot.csv", scorer=scorers),
        *study_files("one_shot", SELECTED, "one_shot.csv", scorer=scorers),
        *one_shot_records(wildcards),
        *original_records(wildcards),
        *mlp_records(wildcards),
        *perturbed_records(wildcards),
        *regime_scores(wildcards),
        *correlated_scores(wildcards),
        *(file for study in ADAPTIVE_STUDIES for file in adaptive_files(study, "history")),
    ]
