"""The config: read, checked, completed; and what jobs are told of it. No rules."""

import os
import re
from dataclasses import fields

import yaml
from graphsieve.data.normalisation import NORMALISATIONS
from graphsieve.data.perturbed import PERTURBED_GRAPHS
from graphsieve.errors import InputError
from graphsieve.jobs.code import fingerprint
from graphsieve.jobs.config_checks import ADAPTIVE_STUDIES, STUDIES, check_files, check_meaning, check_schema
from graphsieve.models.layers import LAYERS
from graphsieve.options import BoundOptions, PerturbationOptions
from graphsieve.scoring.scorers import (
    DATA,
    MODEL_OF_SCORER,
    OPTIONS_OF_SCORER,
    SCORERS,
    TRAINING_SCORERS,
    asked_by,
    depends_on_model,
)
from graphsieve.study.suspects.protocol import BASE, parent_of, protocol_of, trained_by
from graphsieve.study.tasks.names import DESCRIPTIONS
from snakemake.exceptions import WorkflowError
from snakemake.utils import validate

SCHEMA = "../schemas/config.schema.yaml"


def complete_config(config):
    """Check the config, fill in its defaults and let the user's own graphs join their studies."""
    if workflow.is_main_process:
        check_files(workflow.configfiles)
    with open(workflow.source_path(SCHEMA)) as file:
        check_schema(config, yaml.safe_load(file))
    validate(config, SCHEMA)
    for dataset, settings in config["datasets"].items():
        settings["path"] = settings["path"] and absolute_path(dataset, settings["path"])
    add_own_graphs(config)
    check_meaning(config)


def absolute_path(dataset, path):
    """A path of the user's own is relative to the config that names it: the last one that does overrides the others."""
    for file in reversed(workflow.configfiles):
        with open(file) as content:
            settings = (yaml.safe_load(content) or {}).get("datasets", {}).get(dataset) or {}
        if settings.get("path"):
            path = os.path.join(os.path.dirname(file), path)
            break
    if workflow.is_main_process and not os.path.exists(path):
        raise InputError(f"config key datasets.{dataset}.path: {path} does not exist, give a folder, .npz or .pt")
    return os.path.abspath(path)


def add_own_graphs(config):
    """A graph of the user's own takes part in the paper's studies of single graphs unless the config names it itself."""
    named = {dataset for study in STUDIES for dataset in config[study]["datasets"]}
    own = [dataset for dataset, settings in config["datasets"].items() if settings["path"] and dataset not in named]
    for study in ("one_shot", "perturbations", "adaptive", "correlations"):
        config[study]["datasets"] = [*config[study]["datasets"], *own]


try:
    complete_config(config)
except InputError as error:
    raise WorkflowError(str(error)) from None


RUN_FOLDER = f"results/{config['run']}"
RUN_PATHS = {
    "run": "{dataset}/{model}/{split}/seed{seed}",
    "adaptive_run": "{dataset}/{model}/{split}/{scorer}/prune{prune}_repeats{repeats}/seed{seed}",
}


def code_of(script):
    """Changes when code that the script imports does: among a rule's params, it makes Snakemake run its jobs again."""
    return fingerprint(workflow.source_path(f"../../scripts/{script}"))


def one_of(names):
    """A wildcard constraint that admits these names only."""
    return "|".join(re.escape(name) for name in names)


# What jobs are told ----------------------------------------------------------


def dataset_option(name):
    """A job's value of this option of its dataset."""
    return lambda wildcards: config["datasets"][wildcards.dataset][name]


def training_options(wildcards):
    return {
        **config["training"],
        **{name: config["datasets"][wildcards.dataset][name] for name in ("epochs", "metric")},
    }


def scoring_metric(wildcards):
    """The dataset's own, unless all are to be scored by another."""
    return config["scoring"]["metric"] or config["datasets"][wildcards.dataset]["metric"]


def scoring_options(wildcards):
    """How a rule's scorer scores: the options that it reads. Ties are broken later."""
    read = OPTIONS_OF_SCORER.get(wildcards.get("scorer"), config["scoring"])
    options = {**config["scoring"], "metric": scoring_metric(wildcards)}
    return {name: value for name, value in options.items() if name in read and name != "ties"}


def training_of_scorer(wildcards):
    """How a scorer that trains models does so; nothing for the others, whose scores do not depend on it."""
    return training_options(wildcards) if wildcards.scorer in TRAINING_SCORERS else {}


def adaptive_scoring_options(wildcards):
    """The model as it stands is scored, with the number of permutations that the run is named by."""
    options = {**config["scoring"], "n_repeats": int(wildcards.repeats), "metric": scoring_metric(wildcards)}
    del options["scored_model"]
    return options


def pruning_options(wildcards):
    schedule = {name: config["datasets"][wildcards.dataset][name] for name in ("interval", "burn_in")}
    return {"prune": float(wildcards.prune), **schedule, **config["pruning"]}


def perturbation_options():
    return {option.name: config["perturbations"][option.name] for option in fields(PerturbationOptions)}


def train_settings(wildcards):
    return {"training": training_options(wildcards)}


def score_settings(wildcards):
    return {"scoring": scoring_options(wildcards), "training": training_of_scorer(wildcards)}


def retraining_options(wildcards):
    model = {"selection": config["selection"], "scored_model": config["scoring"]["scored_model"]}
    return {"training": training_options(wildcards), **model}


def retrain_settings(wildcards):
    keeping = {"keep": config["datasets"][wildcards.dataset]["keep"], "ties": config["scoring"]["ties"]}
    return {"keeping": keeping, **retraining_options(wildcards)}


def retrain_shares_settings(wildcards):
    return {"shares": shares_of(wildcards), "ties": config["scoring"]["ties"], **retraining_options(wildcards)}


def perturb_settings(wildcards):
    return {"training": training_options(wildcards), "perturbation": perturbation_options()}


def adaptive_settings(wildcards):
    return {
        "training": training_options(wildcards),
        "scoring": adaptive_scoring_options(wildcards),
        "pruning": pruning_options(wildcards),
    }


def suspect_protocol(wildcards):
    return protocol_of(config, wildcards.dataset, wildcards.hypothesis)


def protocol_before(wildcards):
    """Of the hypothesis that this one builds on."""
    if wildcards.hypothesis == BASE:
        return None
    return protocol_of(config, wildcards.dataset, parent_of(config, wildcards.hypothesis))


def suspect_train_settings(wildcards):
    return {"training": suspect_protocol(wildcards)["training"]}


def bound_options():
    return {option.name: config["theory"][option.name] for option in fields(BoundOptions)}
