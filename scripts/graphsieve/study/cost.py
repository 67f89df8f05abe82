"""What a run cost, by study, and what it would have cost with a forward pass for every feature and permutation."""

import pandas as pd

from graphsieve.jobs.resources import Measured, Size, memory_mb, minutes
from graphsieve.study.labels import PAPER_DATASETS

STUDIES = {
    "train": "Training and one-shot selection (Tables 1, 2, 4)",
    "score": "Training and one-shot selection (Tables 1, 2, 4)",
    "retrain": "Training and one-shot selection (Tables 1, 2, 4)",
    "perturb": "Perturbed graphs (Table 1)",
    "adaptive": "Adaptive selection (Table 3, Figures 2 to 7, 9, 10)",
    "score_regime": "Synthetic regimes (Figure 12)",
    "measure_motivation": "Motivation (Figure 1)",
    "check_bounds": "Theory",
    "apply_bounds": "Theory",
}
PUBLIC = "Public splits (Figure 8)"
ABLATION = "Ablation (Figures 4, 13)"
PERMUTING = ("npt", "npt_gaussian", "npt_mask", "npt_loss", "pt", "full")  # full watches with npt
START_SECONDS = 4.5  # of CPU, to start Python with torch and torch_geometric: the plain way needs them too


def with_study(jobs: pd.DataFrame) -> pd.DataFrame:
    """The jobs that compute, with their studies; not those that choose, copy or draw, which take seconds.

    Adaptive jobs belong to the public splits or, where r or K is not the usual one, to the ablation.
    """
    jobs = jobs[jobs["rule"].isin(STUDIES)].reset_index(drop=True)
    study = jobs["rule"].map(STUDIES)
    adaptive = jobs["rule"] == "adaptive"
    settings = jobs["job"].str.extract(r"/(prune[^/]*)/")[0]
    usual = settings[adaptive].groupby(jobs["dataset"]).transform(lambda values: values.mode().iloc[0])
    study = study.mask(adaptive & (settings != usual.reindex(jobs.index)), ABLATION)
    study = study.mask(adaptive & jobs["job"].str.contains("/public/"), PUBLIC)
    return jobs.assign(study=study)


def with_plain_seconds(jobs: pd.DataFrame, timings: pd.DataFrame, scoring: pd.DataFrame, training: pd.DataFrame):
    """CPU seconds of every job had it trained and scored the plain way, by the ratios that `make bench` measured.

    Retraining on few features was not measured and counts as it is. Ratios were measured with all features.
    """
    share = timings.groupby("dataset")[["training_seconds", "scoring_seconds"]].sum()
    share = (share["scoring_seconds"] / share.sum(axis=1)).to_dict()
    scoring, training = _ratios(scoring, "ratio_full"), _ratios(training, "ratio")

    def factor(job: pd.Series) -> float:
        model, scorer = _model_and_scorer(job)
        slower_training = _ratio(training, job["dataset"], model)
        slower_scoring = _ratio(scoring, job["dataset"], model) if scorer in PERMUTING else 1
        if job["rule"] in ("train", "perturb"):
            return slower_training
        if job["rule"] == "score":
            return slower_scoring
        if job["rule"] == "adaptive":
            scored = share.get(job["dataset"], 0)
            return (1 - scored) * slower_training + scored * slower_scoring
        return 1

    work = (jobs["cpu_seconds"] - START_SECONDS).clip(lower=0)
    return jobs.assign(plain_seconds=jobs["cpu_seconds"] + work * (jobs.apply(factor, axis=1) - 1))


def _model_and_scorer(job: pd.Series) -> tuple[str, str]:
    """From the path below the dataset: model/split/seed/scorer, or model/split/scorer/settings/seed."""
    parts = job["job"].split("/")
    if job["rule"] == "adaptive":
        return parts[0], parts[2]
    return parts[0], parts[-1]


def _ratios(table: pd.DataFrame, column: str) -> dict[tuple[str, str], float]:
    return {(row["dataset"], row["model"]): row[column] for _, row in table.iterrows()}


def _ratio(ratios: dict[tuple[str, str], float], dataset: str, model: str) -> float:
    """Of this dataset and model; for another of the paper's the smallest of its model; else no gain is claimed."""
    of_model = [value for (_, name), value in ratios.items() if name == model and dataset in PAPER_DATASETS]
    return ratios.get((dataset, model), min(of_model, default=1))


def summarise(jobs: pd.DataFrame) -> pd.DataFrame:
    """Jobs and core-hours of every study, and of all."""
    groups = jobs.groupby("study", sort=False)
    table = groups.agg(jobs=("cpu_seconds", "size"), core_hours=("cpu_seconds", "sum"), longest=("cpu_seconds", "max"))
    table["longest"] /= 60
    table["core_hours"] /= 3600
    if "plain_seconds" in jobs:
        table["plain_core_hours"] = groups["plain_seconds"].sum() / 3600
    total = table.sum().to_frame("All").T.assign(longest=table["longest"].max())
    return pd.concat([table, total]).rename_axis("study").rename(columns={"longest": "longest_job_minutes"})


def requested_and_used(
    used: pd.DataFrame, measured: dict[tuple[str, str], Measured], sizes: dict[str, Size], epochs: dict[str, int]
) -> pd.DataFrame:
    """Of every rule and dataset: what a job asks of a cluster, beside the most that one took in this run."""
    rows = []
    for row in used[used["dataset"] != ""].itertuples():
        known, size = measured.get((row.rule, row.dataset)), sizes[row.dataset]
        asked = memory_mb(known, size, attempt=1), minutes(known, size, epochs[row.dataset], attempt=1)
        rows.append(
            {"rule": row.rule, "dataset": row.dataset, "measured": known is not None, "requested_mb": asked[0]}
            | {"used_mb": row.max_rss_mb, "requested_minutes": asked[1], "used_minutes": row.seconds / 60}
            | {"cpu_minutes": row.cpu_seconds / 60, "runs": row.runs}
        )
    return pd.DataFrame(rows)
