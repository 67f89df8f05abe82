"""Which pages a run has, and what their notebooks read and write; no rules."""


def notebook_pages(wildcards):
    """One page a table or figure, of the studies that this run has."""
    pages = {
        "table1_perturbations": config["perturbations"]["datasets"],
        "table2_feature_selection": config["one_shot"]["datasets"],
        "table3_adaptive_selection": config["adaptive"]["datasets"],
        "table4_score_correlation": config["correlations"]["datasets"],
        "table5_datasets": any(config[study]["datasets"] for study in STUDIES),
        "digits_pixel_importance": "digits" in config["one_shot"]["datasets"],
        "fig01_motivation": config["motivation"]["seeds"],
        "fig02_training_curves": curves_wanted("fig02_training_curves"),
        "fig03_importance_heatmaps": adaptive_datasets("full"),
        "fig04_method_performance": config["ablation"]["datasets"],
        **{name: curves_wanted(name) for name in CURVES},
        "fig09_last_checkpoints": adaptive_datasets("npt"),
        "fig12_regime_scores": config["synthetic"]["datasets"],
        "rank_stability": adaptive_datasets("full"),
        "theory_bounds": config["theory"]["datasets"],
        "claims": all(config[study]["datasets"] for study in CLAIMED_STUDIES),
        "cost": config["adaptive"]["datasets"],
    }
    return [f"<results>/notebooks/{name}.html" for name, wanted in pages.items() if wanted]


CLAIMED_STUDIES = ("one_shot", "perturbations", "adaptive", "ablation", "correlations")
ACCURACY_TABLES = ("table1_perturbations", "table2_feature_selection", "table3_adaptive_selection")


def finished_jobs(wildcards):
    """What the costly jobs made: the table of what jobs took is read from their benchmark files, so it waits for them."""
    return [path for path in everything(wildcards) if path not in ("<results>/index.html", SETTINGS)]


def adaptive_timings(wildcards):
    studies = [study for study in ADAPTIVE_STUDIES if config[study]["datasets"]]
    return expand("<results>/records/{study}_timings.csv.gz", study=studies)


def measured_speedups(wildcards):
    """Ratios to the plain way, where `make bench` has been run."""
    files = ["results/bench/ratios.csv", "results/bench/training.csv"]
    return files if all(map(os.path.exists, files)) else []


def benchmark_folder(wildcards, output):
    return os.path.join(os.path.dirname(os.path.dirname(output.jobs)), "benchmarks")


def epochs_by_dataset(wildcards):
    """As YAML on one line."""
    return ", ".join(f"{name}: {settings['epochs']}" for name, settings in config["datasets"].items()).join("{}")


def claims_stem(wildcards, output):
    return output.best.removesuffix("_best_one_shot.csv")


def adaptive_datasets(scorer):
    """Datasets of the adaptive study, if this method takes part in it."""
    return config["adaptive"]["datasets"] if scorer in config["adaptive"]["scorers"] else []


# Figures of one kind: their study, the datasets the paper shows in them, and what they are called.
CURVES = {
    "fig02_training_curves": ("adaptive", ["cora"], "Figure 2: accuracy while features are pruned"),
    "fig05_homophilic_curves": ("adaptive", ["cora", "citeseer", "pubmed"], "Figure 5: homophilic graphs"),
    "fig06_heterophilic_curves": ("adaptive", ["cornell", "texas", "wisconsin"], "Figure 6: heterophilic graphs"),
    "fig07_larger_curves": ("adaptive", ["photo", "computers", "arxiv"], "Figure 7: larger graphs"),
    "fig08_public_split_curves": ("public_splits", ["cora", "citeseer", "pubmed"], "Figure 8: public splits"),
}


def curves_extras(wildcards):
    """Datasets that the paper does not have are shown in Figure 2."""
    return wildcards.curves == "fig02_training_curves"


def curves_wanted(name):
    """Whether this run has anything to show in a figure of curves."""
    study, datasets, _ = CURVES[name]
    paper = {dataset for _, shown, _ in CURVES.values() for dataset in shown}
    ran = set(config[study]["datasets"])
    return ran & set(datasets) or (name == "fig02_training_curves" and ran - paper)


def curves_records(wildcards):
    study = CURVES[wildcards.curves][0]
    return f"<results>/records/{study}_history.csv.gz"


def curves_datasets(wildcards):
    return " ".join(CURVES[wildcards.curves][1])


def curves_title(wildcards):
    return CURVES[wildcards.curves][2]


def curves_summary(wildcards):
    where = "the public splits" if wildcards.curves.startswith("fig08") else "random splits"
    return f"Validation and test accuracy during training on {where}, with all features and while they are pruned."


def scoring_timings(wildcards):
    """Nothing when no run of the adaptive study was timed."""
    return "<results>/records/adaptive_timings.csv.gz" if adaptive_datasets("npt") else []


def table_stem(wildcards, output):
    """Notebooks write a table in several formats beside each other."""
    return output.table.removesuffix(".csv")


def figure_stem(wildcards, output):
    return output.figure.removesuffix(".png")


def heatmap_stem(wildcards, output):
    return output.heatmap.removesuffix(".png")


def tables_stem(wildcards, output):
    """A notebook that writes several tables gives them names that begin alike."""
    return output.cases.removesuffix("_cases.csv")


def second_figure_stem(wildcards, output):
    """Of a notebook that draws two figures."""
    second = output.get("ranking_figure") or output.get("grid_figure")
    return second.removesuffix(".png")
