"""The pages of a run and what their notebooks read and write; no rules.

A page is one use of `execute_notebook`, with a template and named inputs and outputs, which become its parameters.
Every use says again that it is local, because Snakemake does not hand that on.
"""

import json

from graphsieve.study.labels import PAPER_DATASETS, label_metrics

PUBLISHED_TABLES = (
    "table1_perturbations",
    "table2_feature_selection",
    "table3_adaptive_selection",
    "table4_score_correlation",
    "table5_datasets",
)
PAGES = {}  # every page by name, and whether this run has it; in the order of the index


def template(name):
    return workflow.source_path(f"../../notebooks/{name}.ipynb")


def published(table):
    """The paper's numbers."""
    return workflow.source_path(f"../../config/published/{table}.csv")


def page(name, wanted=True):
    """The outputs of a notebook that every page has; a page that is not wanted is left out of the index."""
    PAGES[name] = bool(wanted)
    return page_outputs(name)


def page_outputs(name):
    return {
        "notebook": f"<results>/notebooks/{name}.ipynb",
        "page": report(f"<results>/notebooks/{name}.html", category="Notebooks", labels=label_of(name)),
        "manifest": f"<results>/notebooks/{name}.json",
    }


def table(name, page=None):
    """A table that a notebook writes; `page` is the notebook's name where that is another."""
    formats = multiext(f"<results>/tables/{name}", ".csv", ".md", ".tex")
    return report(formats, category="Tables", labels=label_of(page or name, name))


def plain_table(name, page):
    """A table that only programs read."""
    return report([f"<results>/tables/{name}.csv"], category="Tables", labels=label_of(page, name))


def figure(name, page=None):
    formats = multiext(f"<results>/figures/{name}", ".png", ".pdf")
    return report(formats, category="Figures", labels=label_of(page or name, name))


def label_of(page, product=None):
    """What Snakemake's report says of a product: the title and the sentence that its notebook wrote down."""

    def labels(wildcards):
        name = page.format(**wildcards)
        shown = {"product": (product or page).format(**wildcards)}
        manifest = f"{RUN_FOLDER}/notebooks/{name}.json"
        if os.path.exists(manifest):  # not where the workflow is a module with a prefix, which is not known here
            with open(manifest) as file:
                made = json.load(file)
            shown |= {"page": made["title"], "shows": made["sentence"]}
        return shown

    return labels


def log_of(page):
    return f"<results>/logs/notebook/{page}.log"


def adaptive_datasets(scorer):
    """Datasets of the adaptive study, if this method takes part in it."""
    return config["adaptive"]["datasets"] if scorer in config["adaptive"]["scorers"] else []


def measure(study):
    """What the numbers of a study are: accuracy, or the metrics by which its datasets are reported."""
    datasets = config[study]["datasets"]
    return label_metrics(config["datasets"][dataset]["metric"] for dataset in datasets) if datasets else "accuracy"


# Figures of one kind: their study, the datasets the paper shows in them, and what they are called.
CURVES = {
    "fig02_training_curves": ("adaptive", ["cora"], f"Figure 2: {measure('adaptive')} while features are pruned"),
    "fig05_homophilic_curves": ("adaptive", ["cora", "citeseer", "pubmed"], "Figure 5: homophilic graphs"),
    "fig06_heterophilic_curves": ("adaptive", ["cornell", "texas", "wisconsin"], "Figure 6: heterophilic graphs"),
    "fig07_larger_curves": ("adaptive", ["photo", "computers", "arxiv"], "Figure 7: larger graphs"),
    "fig08_public_split_curves": ("public_splits", ["cora", "citeseer", "pubmed"], "Figure 8: public splits"),
}
EXTRAS = "fig02_training_curves"  # shows the datasets that the paper does not have, too


def curves_wanted(name):
    """Whether this run has anything to show in a figure of curves."""
    study, datasets, _ = CURVES[name]
    paper = {dataset for _, shown, _ in CURVES.values() for dataset in shown}
    ran = set(config[study]["datasets"])
    return bool(ran & set(datasets) or (name == EXTRAS and ran - paper))


def curves_records(wildcards):
    study = CURVES[wildcards.curves][0]
    return records(f"{study}_history.csv.gz")


def curves_settings(wildcards):
    study, datasets, title = CURVES[wildcards.curves]
    where = "the public splits" if config[study]["split"] == "public" else "random splits"
    shown = f"Validation and test {measure(study)} during training on {where}"
    summary = f"{shown}, with all features and while they are pruned."
    return {"datasets": datasets, "extras": wildcards.curves == EXTRAS, "title": title, "summary": summary}


def benchmark_page_settings():
    """What all pages on selectors must know of the config."""
    own = {dataset: models_of("benchmark", dataset)[0] for dataset in config["benchmark"]["datasets"]}
    return {**{name: config["benchmark"][name] for name in ("shares", "tuned_on")}, "models": own}


CLAIMED_STUDIES = ("one_shot", "adaptive", "ablation", "correlations")


# What the paper printed of accuracies, by the study that makes it.
COMPARED_TABLES = {
    "table1_perturbations": "perturbations",
    "table2_feature_selection": "one_shot",
    "table3_adaptive_selection": "adaptive",
}


def published_studies():
    """The tables of accuracies that this run has on one of the paper's datasets."""
    paper = set(PAPER_DATASETS)
    return [name for name, study in COMPARED_TABLES.items() if paper & set(config[study]["datasets"])]


def compared_tables(wildcards):
    return [f"<results>/tables/{name}.csv" for name in published_studies()]


def adaptive_timings():
    return [records(f"{study}_timings.csv.gz") for study in ADAPTIVE_STUDIES if config[study]["datasets"]]


def measured_speedups():
    """Ratios to the plain way, where `make bench` has been run."""
    files = ["results/bench/ratios.csv", "results/bench/training.csv"]
    return files if all(map(os.path.exists, files)) else []


def page_files(kind):
    """A file of every page that this run has, in the order of the index."""

    def files(wildcards):
        return [page_outputs(name)[kind] for name, wanted in PAGES.items() if wanted]

    return files


def everything(wildcards):
    """The index page and what every stage made for it, so that whatever was deleted is made again."""
    return [rules.build_index.output.page, rules.record_settings.output.settings, *made_by_stages(wildcards)]
