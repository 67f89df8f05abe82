"""Checks of the config, target lists, input functions and resources; no rules."""

import csv
import sys

from snakemake.exceptions import WorkflowError
from snakemake.utils import validate

sys.path.insert(0, "scripts")

from graphsieve.data import DATASETS
from graphsieve.layers import LAYERS
from graphsieve.perturbations import PERTURBATIONS
from graphsieve.scorers import MODEL_OF_SCORER, SCORERS

# The config -------------------------------------------------------------------


def check_config(config):
    """Stop before any job when the config breaks the schema or names what does not exist."""
    try:
        validate(config, "../schemas/config.schema.yaml")
    except WorkflowError as error:
        problem = error.__context__  # jsonschema's own error, without a print-out of schema and config
        key = ".".join(map(str, problem.absolute_path)) or "at top level"
        raise WorkflowError(f"config key {key}: {problem.message}") from None
    check_names("datasets", config["datasets"], DATASETS)
    for dataset, settings in config["datasets"].items():
        check_names(f"datasets.{dataset}.model", [settings["model"]], LAYERS)
    for study in ("one_shot", "perturbations", "synthetic"):
        check_names(f"{study}.datasets", config[study]["datasets"], config["datasets"])
        check_names(f"{study}.scorers", config[study].get("scorers", []), SCORERS)


def check_names(key, names, known):
    for name in names:
        if name not in known:
            raise WorkflowError(
                f"config key {key}: '{name}' is unknown, choose from {', '.join(known)}"
            )


check_config(config)


def one_of(names):
    """A wildcard constraint that admits these names only."""
    return "|".join(names)


# What a job needs -------------------------------------------------------------


def model_of(dataset):
    return config["datasets"][dataset]["model"]


def graph_file(dataset, seed):
    """One file a dataset; synthetic graphs are drawn anew for every seed."""
    if dataset.startswith("synthetic_"):
        return f"<results>/graphs/{dataset}/seed{seed}.npz"
    return f"<results>/graphs/{dataset}.npz"


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
        words.append(
            f"--{'no-' * (value is False)}{name}"
            if isinstance(value, bool)
            else f"--{name} {value}"
        )
    return " ".join(words)


def training_flags(wildcards):
    return flags(
        **config["training"], epochs=config["datasets"][wildcards.dataset]["epochs"]
    )


def scoring_flags(wildcards):
    names = ("repeats", "label_nodes", "estimator", "signed", "zscore")
    return flags(**{name: config["scoring"][name] for name in names})


def weights_flags(wildcards, input):
    """Nothing for a scorer that asks no model."""
    return (
        flags(weights=input.weights, moment=config["scoring"]["scored_model"])
        if input.weights
        else ""
    )


def normalisation(wildcards):
    return config["datasets"][wildcards.dataset]["normalise"]


def fraction_to_keep(wildcards):
    return config["datasets"][wildcards.dataset]["keep"]


# What a study makes -----------------------------------------------------------


def study_files(study, pattern, **more):
    """`pattern` for every dataset (with its own model unless another is given) and seed of a study."""
    settings = config[study]
    return [
        path
        for dataset in settings["datasets"]
        for path in expand(
            pattern,
            **{
                "dataset": dataset,
                "model": model_of(dataset),
                "split": settings["split"],
                "seed": range(settings["seeds"]),
                **more,
            },
        )
    ]


TRAINED = "<results>/train/{dataset}/{model}/{split}/seed{seed}/record.csv"
RETRAINED = "<results>/retrain/{dataset}/{model}/{split}/seed{seed}/{scorer}.csv"
SCORED = "<results>/scores/{dataset}/{model}/{split}/seed{seed}/{scorer}.csv"
PERTURBED = "<results>/perturb/{dataset}/{model}/{split}/seed{seed}/{setting}.csv"
REGIMES_SCORED = "<results>/synthetic/{dataset}/{model}/{split}/seed{seed}.csv"


def one_shot_records(wildcards):
    """Trainings on all features, and retrainings on those that each scorer kept."""
    scorers = config["one_shot"]["scorers"]
    return study_files("one_shot", TRAINED) + study_files(
        "one_shot", RETRAINED, scorer=scorers
    )


def pixel_scores(wildcards):
    """Score files of the digits, whose features can be looked at."""
    files = study_files("one_shot", SCORED, scorer=config["one_shot"]["scorers"])
    return [file for file in files if "/scores/digits/" in file]


def original_records(wildcards):
    return (
        study_files("perturbations", TRAINED)
        if "original" in config["perturbations"]["settings"]
        else []
    )


def mlp_records(wildcards):
    return (
        study_files("perturbations", TRAINED, model="mlp")
        if "mlp" in config["perturbations"]["settings"]
        else []
    )


def perturbed_records(wildcards):
    settings = [
        setting
        for setting in config["perturbations"]["settings"]
        if setting in PERTURBATIONS
    ]
    return study_files("perturbations", PERTURBED, setting=settings)


def regime_scores(wildcards):
    return study_files("synthetic", REGIMES_SCORED)


def graphs_to_describe(wildcards):
    """Every dataset of a study, once; of synthetic ones the first draw."""
    studies = ("one_shot", "perturbations", "synthetic")
    datasets = dict.fromkeys(
        dataset for study in studies for dataset in config[study]["datasets"]
    )
    return [graph_file(dataset, 0) for dataset in datasets]


# What the notebooks make -------------------------------------------------------


def notebook_pages(wildcards):
    """One page a table or figure, of the studies that this run has."""
    pages = {
        "table1_perturbations": config["perturbations"]["datasets"],
        "table2_feature_selection": config["one_shot"]["datasets"],
        "table5_datasets": graphs_to_describe(wildcards),
        "digits_pixel_importance": pixel_scores(wildcards),
        "fig12_regime_scores": config["synthetic"]["datasets"],
    }
    return [
        f"<results>/notebooks/{name}.html" for name, wanted in pages.items() if wanted
    ]


def table_stem(wildcards, output):
    """Notebooks write a table in several formats beside each other."""
    return output.table.removesuffix(".csv")


def figure_stem(wildcards, output):
    return output.figure.removesuffix(".png")


# What a job may use -----------------------------------------------------------


def read_sizes():
    """Nodes, edges and features of the known datasets, to ask for memory and time before a graph is loaded."""
    with open("config/published/table5_datasets.csv") as table:
        rows = {row["dataset"]: row for row in csv.DictReader(table)}
    sizes = {
        name: tuple(int(row[key]) for key in ("nodes", "edges", "features"))
        for name, row in rows.items()
    }
    small = {
        name: (2_000, 30_000, 64)
        for name in DATASETS
        if name == "digits" or name.startswith("synthetic_")
    }
    return sizes | small


SIZES = read_sizes()


def job_threads(wildcards):
    nodes, _, features = SIZES[wildcards.dataset]
    return 1 if nodes * features < 1_000_000 else 4


def job_memory(wildcards, attempt):
    """MB: the libraries, dense features with copies, hidden layers, and messages along edges."""
    nodes, edges, features = SIZES[wildcards.dataset]
    megabytes = (
        1500 + (40 * nodes * features + 40_000 * nodes + 8_000 * edges) // 1_000_000
    )
    return attempt * megabytes


def job_minutes(wildcards, attempt):
    """Time of one training on CPU grows with features and edges, both times epochs."""
    nodes, edges, features = SIZES[wildcards.dataset]
    millions = (nodes * features + 512 * edges) / 1_000_000
    return attempt * (
        15
        + round(0.3 * millions * config["datasets"][wildcards.dataset]["epochs"] / 400)
    )


def job_gpus(wildcards):
    return 1 if config["device"] == "cuda" else 0
