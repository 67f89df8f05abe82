"""What a run cost, by study, and what it would have cost with a forward pass for every feature and permutation."""

import pandas as pd

from graphsieve.jobs.resources import memory_mb, minutes, read_measured, size_of
from graphsieve.jobs.usage import summarise_usage
from graphsieve.options import TrainingOptions
from graphsieve.study.labels import PAPER_DATASETS, label_dataset

STUDY_OF_RULE = {
    "train": "Training and one-shot selection (Tables 1, 2, 4)",
    "score": "Training and one-shot selection (Tables 1, 2, 4)",
    "retrain": "Training and one-shot selection (Tables 1, 2, 4)",
    "retrain_shares": "Benchmark of selectors, transfer",
    "test_regime": "False discoveries",
    "perturb": "Perturbed graphs (Table 1)",
    "adaptive": "Adaptive selection (Table 3, Figures 2 to 7, 9, 10)",
    "score_regime": "Synthetic regimes (Figure 12)",
    "measure_motivation": "Motivation (Figure 1)",
    "measure_fairness": "Fairness",
    "train_suspect": "Suspects",
    "suspect": "Suspects",
    "measure_stand_ins": "Conditional importance",
    "check_bounds": "Theory",
    "apply_bounds": "Theory",
}
PUBLIC = "Public splits (Figure 8)"
ABLATION = "Ablation (Figures 4, 13)"
PERMUTING = ("npt", "npt_gaussian", "npt_mask", "npt_loss", "pt", "full")  # full watches with npt
SEEDS = 20  # of everything, as the paper's figures have
NODE_CORES = 32
START_SECONDS = 4.5  # of CPU, to start Python with torch and torch_geometric, of jobs that did not measure it


WILDCARDS = ("dataset", "model", "split", "scorer", "setting")  # of a job, empty where it has none
TITLES = {
    "jobs": "Jobs",
    "core_hours": "Core-hours",
    "start_percent": "Starting, %",
    "longest_job_minutes": "Longest job, minutes",
    "seeds_core_hours": f"Core-hours with {SEEDS} seeds",
    "plain_core_hours": "Core-hours the plain way",
    "plain_seeds_core_hours": f"the plain way with {SEEDS} seeds",
}


def read_jobs(path: str) -> pd.DataFrame:
    """One row per result: the rule that made it, its wildcards, and what it took.

    `start_seconds` of that went into starting the process; none of it if other results came before in the same one,
    and not known of runs before it was measured.
    """
    jobs = pd.read_csv(path).fillna(dict.fromkeys(WILDCARDS, ""))
    return jobs if "start_seconds" in jobs else jobs.assign(start_seconds=float("nan"))


def with_study(jobs: pd.DataFrame) -> pd.DataFrame:
    """The jobs that compute, with their studies; not those that choose, copy or draw, which take seconds.

    Adaptive jobs belong to the public splits or, where r or K is not the usual one, to the ablation.
    """
    jobs = jobs[jobs["rule"].isin(STUDY_OF_RULE)].reset_index(drop=True)
    adaptive = jobs["rule"] == "adaptive"
    settings = jobs["prune"].astype(str) + " " + jobs["repeats"].astype(str)
    usual = settings[adaptive].groupby(jobs["dataset"]).transform(lambda values: values.mode().iloc[0])
    study = jobs["rule"].map(STUDY_OF_RULE)
    study = study.mask(adaptive & (settings != usual.reindex(jobs.index)), ABLATION)
    return jobs.assign(study=study.mask(adaptive & (jobs["split"] == "public"), PUBLIC))


def with_plain_seconds(
    jobs: pd.DataFrame, timings: pd.DataFrame, scoring: pd.DataFrame, training: pd.DataFrame
) -> pd.DataFrame:
    """CPU seconds of every job had it trained and scored the plain way, by the ratios that `make bench` measured.

    Retraining on few features was not measured and counts as it is. Ratios were measured with all features.
    """
    share = timings.groupby("dataset")[["training_seconds", "scoring_seconds"]].sum()
    share = (share["scoring_seconds"] / share.sum(axis=1)).to_dict()
    scoring, training = _ratios(scoring, "ratio_full"), _ratios(training, "ratio")

    def factor(job: pd.Series) -> float:
        slower_training = _ratio(training, job["dataset"], job["model"])
        slower_scoring = _ratio(scoring, job["dataset"], job["model"]) if job["scorer"] in PERMUTING else 1
        if job["rule"] in ("train", "perturb"):
            return slower_training
        if job["rule"] == "score":
            return slower_scoring
        if job["rule"] == "adaptive":
            scored = share.get(job["dataset"], 0)
            return (1 - scored) * slower_training + scored * slower_scoring
        return 1

    work = (jobs["cpu_seconds"] - jobs["start_seconds"].fillna(START_SECONDS)).clip(lower=0)
    return jobs.assign(plain_seconds=jobs["cpu_seconds"] + work * (jobs.apply(factor, axis=1) - 1))


def _ratios(table: pd.DataFrame, column: str) -> dict[tuple[str, str], float]:
    """By dataset and model; of several measurements the one that suits the study's models, which are trained."""
    for name, value in {"classifier": TrainingOptions.classifier, "weights": "trained"}.items():
        table = table[table[name] == value] if name in table else table
    return {(row["dataset"], row["model"]): row[column] for _, row in table.iterrows()}


def _ratio(ratios: dict[tuple[str, str], float], dataset: str, model: str) -> float:
    """Of this dataset and model; for another of the paper's the smallest of its model; else no gain is claimed."""
    of_model = [value for (_, name), value in ratios.items() if name == model and dataset in PAPER_DATASETS]
    return ratios.get((dataset, model), min(of_model, default=1))


def summarise(jobs: pd.DataFrame) -> pd.DataFrame:
    """Jobs and core-hours of every study, and of all; of the jobs that measured it, the share that went into starting.

    Results of one process are one job, but each counts by itself where the longest is looked for.
    """
    more = seeds_factor(jobs)
    jobs = jobs.assign(
        seeds_seconds=jobs["cpu_seconds"] * more,
        first=jobs["start_seconds"] != 0,
        starting=jobs["start_seconds"].fillna(0),
        measured=jobs["cpu_seconds"].where(jobs["start_seconds"].notna(), 0),
    )
    groups = jobs.groupby("study", sort=False)
    table = groups.agg(jobs=("first", "sum"), core_hours=("cpu_seconds", "sum"), longest=("cpu_seconds", "max"))
    sums = groups[["starting", "measured"]].sum()
    table["longest"] /= 60
    table["core_hours"] /= 3600
    table["seeds_core_hours"] = groups["seeds_seconds"].sum() / 3600
    if "plain_seconds" in jobs:
        table["plain_core_hours"] = groups["plain_seconds"].sum() / 3600
        plain_seeds = (jobs["plain_seconds"] * more).groupby(jobs["study"], sort=False)
        table["plain_seeds_core_hours"] = plain_seeds.sum() / 3600
    total = table.sum().to_frame("All").T.assign(longest=table["longest"].max())
    table, sums = pd.concat([table, total]), pd.concat([sums, sums.sum().to_frame("All").T])
    if sums.loc["All", "measured"]:
        table.insert(2, "start_percent", 100 * sums["starting"] / sums["measured"])
    return table.rename_axis("study").rename(columns={"longest": "longest_job_minutes"})


def seeds_factor(jobs: pd.DataFrame) -> pd.Series:
    """By what a job's cost grows where its rule and dataset get `SEEDS` seeds in its study; without a seed it stays."""
    seeds = jobs.groupby(["study", "rule", "dataset"])["seed"].transform("nunique")
    return (SEEDS / seeds).where(jobs["seed"].notna(), 1.0)


def seeds_sentence(costs: pd.DataFrame) -> str:
    """What as many seeds of everything would take on one machine."""
    total = costs.loc["All"]
    plain = "plain_seeds_core_hours" in costs
    beside = f" (the plain way: {_hours(total['plain_seeds_core_hours'])})" if plain else ""
    return (
        f"With {SEEDS} seeds of everything that this run has, it would be {total['seeds_core_hours']:,.1f} core-hours: "
        f"{_hours(total['seeds_core_hours'])} on a node whose {NODE_CORES} cores are all busy{beside}. What a GPU "
        "would save on top is not measured."
    )


def _hours(core_hours: float) -> str:
    return f"{core_hours / NODE_CORES:,.1f} hours"


def start_sentence(costs: pd.DataFrame) -> str:
    """How much of the CPU time went into starting processes."""
    if "start_percent" not in costs:
        return "How much of it went into starting was not measured."
    share = costs.loc["All", "start_percent"]
    return (
        f"Starting Python with its libraries took {share:.1f} % of the CPU time, as every job measured it before its "
        "work began. Results of one run that take seconds each are made by one process."
    )


def cells(costs: pd.DataFrame) -> pd.DataFrame:
    """The summary as a reader sees it."""
    formats = {"jobs": "{:,.0f}", "start_percent": "{:.1f}"}
    texts = {name: costs[name].map(formats.get(name, "{:,.2f}").format) for name in costs}
    return pd.DataFrame(texts).replace("nan", "–").rename(columns=TITLES).rename_axis("Study")


def plain_sentence(costs: pd.DataFrame) -> str:
    """How much longer the plain way would have taken, and how that is known."""
    if "plain_core_hours" not in costs:
        return "What the plain way would have needed is not shown: `make bench` has not been run here (results/bench)."
    total = costs.loc["All"]
    return (
        "The plain way is extrapolated, not run: the ratios that `make bench` measured with all features on each "
        "dataset (on another of the paper's: the smallest of its model), times what each job trained and scored. It "
        f"would have taken {total['plain_core_hours'] / total['core_hours']:.1f} times as long. Retraining on few "
        "features was not measured and counts as it is."
    )


def requested_and_used(
    jobs: pd.DataFrame, measured: pd.DataFrame, sizes: pd.DataFrame, epochs: dict[str, int]
) -> pd.DataFrame:
    """Of every rule and dataset: what a job asks of a cluster, beside the most that one took in this run.

    Parameters
    ----------
    jobs : one row per job.
    measured : what jobs took when they were measured, from which requests are made.
    sizes : of datasets, with the columns of the paper's Table 5.
    epochs : of training, by dataset.
    """
    measured, used = read_measured(measured), summarise_usage(jobs)
    rows = []
    for row in used[used["dataset"] != ""].itertuples():
        known, size = measured.get((row.rule, row.dataset)), size_of(row.dataset, sizes)
        asked = memory_mb(known, size, attempt=1), minutes(known, size, epochs[row.dataset], attempt=1)
        rows.append(
            {"rule": row.rule, "dataset": row.dataset, "measured": known is not None, "requested_mb": asked[0]}
            | {"used_mb": row.max_rss_mb, "requested_minutes": asked[1], "used_minutes": row.seconds / 60}
            | {"cpu_minutes": row.cpu_seconds / 60, "runs": row.runs}
        )
    return pd.DataFrame(rows)


def request_cells(requests: pd.DataFrame) -> pd.DataFrame:
    """Requests beside use, as a reader sees them."""
    columns = {
        "Rule": requests["rule"],
        "Memory asked, MB": requests["requested_mb"].map("{:,.0f}".format),
        "used": requests["used_mb"].map("{:,.0f}".format),
        "Minutes asked": requests["requested_minutes"].map("{:.0f}".format),
        "used (CPU)": requests["cpu_minutes"].map("{:.1f}".format),
        "Jobs": requests["runs"].astype(str),
        "Measured": requests["measured"].map({True: "yes", False: "–"}),
    }
    return pd.DataFrame(columns).set_axis(requests["dataset"].map(label_dataset)).rename_axis("Dataset")


def request_sentence(requests: pd.DataFrame) -> str:
    """How many kinds of jobs took more than they asked for."""
    more_memory = requests["used_mb"] > requests["requested_mb"]
    more_time = requests["cpu_minutes"] > requests["requested_minutes"]
    return f"{(more_memory | more_time).sum()} of {len(requests)} took more than was asked for."
