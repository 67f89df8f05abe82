"""Which runs a study consists of; no rules."""

import itertools

from graphsieve.data.hard_regimes import relevant_columns
from graphsieve.data.own.table_files import SUFFIXES

DRAWN_TRIALS = 5  # in Figure 12, as in the paper; its table has all


def model_of(dataset):
    return config["datasets"][dataset]["model"]


def seeds_of(study, dataset):
    """How many a study asks for, or fewer where the dataset allows only so many."""
    return min(config[study]["seeds"], config["datasets"][dataset]["seeds"] or config[study]["seeds"])


def seed_range(study, dataset):
    """The seeds of its runs."""
    first = config[study].get("first_seed", 0)
    return range(first, first + seeds_of(study, dataset))


def models_of(study, dataset):
    """The models that a study trains on a dataset: those that it names, or the dataset's own."""
    return config[study].get("models") or [model_of(dataset)]


def study_runs(study, **values):
    """The wildcards of every run of a study: each dataset with its models and each seed, unless `values` says else.

    A value that is a list stands for one run per entry.
    """
    for dataset in [values["dataset"]] if "dataset" in values else config[study]["datasets"]:
        wildcards = {
            "dataset": dataset,
            "model": models_of(study, dataset),
            "split": config[study]["split"],
            "seed": [] if study == "suspects" else seed_range(study, dataset),
            "prune": config["datasets"][dataset]["prune"],
            "repeats": config["scoring"]["n_repeats"],
            **values,
        }
        lists = [value if isinstance(value, (list, range)) else [value] for value in wildcards.values()]
        for chosen in itertools.product(*lists):
            yield dict(zip(wildcards, chosen, strict=True))


def trials_of(dataset):
    """Of a regime. Where no feature is relevant there is nothing to find, and the figure's trials are enough."""
    trials = seeds_of("synthetic", dataset)
    return trials if len(relevant_columns(dataset.removeprefix("synthetic_"))) else min(trials, DRAWN_TRIALS)


def regime_trials(wildcards):
    return trials_of(wildcards.dataset)


def tested_trials(wildcards):
    """False discoveries are made where nothing is relevant, too."""
    return seeds_of("synthetic", wildcards.dataset)


def regime_runs():
    """Every trial of every regime with every scorer."""
    runs = study_runs("synthetic", scorer=config["synthetic"]["scorers"])
    return (run for run in runs if run["seed"] < trials_of(run["dataset"]))


def tested_runs():
    return study_runs("synthetic", scorer=config["synthetic"]["tests"])


def graph_of_job(wildcards):
    """One file per dataset; synthetic graphs are drawn anew for every seed."""
    if wildcards.dataset.startswith("synthetic_"):
        return rules.generate_graph.output.graph.format(dataset=wildcards.dataset, seed=wildcards.seed)
    return rules.prepare_graph.output.graph.format(dataset=wildcards.dataset)


def first_graph(dataset):
    """A dataset's graph; of synthetic ones the first draw."""
    made = rules.generate_graph if dataset.startswith("synthetic_") else rules.prepare_graph
    return made.output.graph.format(dataset=dataset, seed=0)


def model_for_scorer(run):
    """The trained model that a scorer asks: none, the dataset's own, or an MLP."""
    kind = MODEL_OF_SCORER.get(run["scorer"])
    return run["model"] if kind == "own" else kind


def weights_for_scorer(wildcards):
    """Of that model, by the name that scorers have for it."""
    model = model_for_scorer(wildcards)
    run = {**wildcards, "model": model}
    return {MODEL_OF_SCORER[wildcards.scorer]: rules.train.output.weights.format(**run)} if model else {}


def weights_to_continue(wildcards):
    """The model that retraining goes on with, where it does."""
    return rules.train.output.weights.format(**wildcards) if config["selection"]["retrain"] == "continue" else []


def scoring_run(run):
    """The run whose scores another one selects by; where the data alone were asked, its ranking serves all models."""
    asked = run.get("asked") or asked_by(run["scorer"], run["model"])
    return {**run, "model": model_of(run["dataset"]) if asked == DATA else asked}


def scores_to_select_by(wildcards):
    return {f"scores_{wildcards.scorer}": rules.score.output.scores.format(**scoring_run(wildcards))}


def asked_scores(wildcards):
    """The same, where several models may be asked."""
    return {f"scores_{wildcards.asked}_{wildcards.scorer}": rules.score.output.scores.format(**scoring_run(wildcards))}


def benchmark_runs():
    """The wildcards of every run of the benchmark, and the share of the features that it keeps."""
    study = config["benchmark"]
    for run in study_runs("benchmark", scorer=study["scorers"], share=study["shares"]):
        if run["dataset"] in study["only_on"].get(run["scorer"], [run["dataset"]]):
            yield {**run, "asked": asked_by(run["scorer"], run["model"])}


def transfer_runs():
    """Every model retrained on what every other, or the data alone, selects."""
    study = config["transfer"]
    for scorer in study["scorers"]:
        asked = study["models"] if depends_on_model(scorer) else DATA
        yield from study_runs("transfer", scorer=scorer, asked=asked, share=study["share"])


def transfer_scores():
    """The wildcards of the scores that transfer compares, each once."""
    named = ("dataset", "model", "split", "seed", "scorer")
    runs = dict.fromkeys(tuple(scoring_run(run)[name] for name in named) for run in transfer_runs())
    return [dict(zip(named, run)) for run in runs]


def shares_by_run():
    """Of every run that retrains on several shares of the features, the shares that some study wants."""
    shares = {}
    for run in itertools.chain(benchmark_runs(), transfer_runs()):
        shares.setdefault(shares_key(run), set()).add(run["share"])
    return shares


def shares_key(run):
    return tuple(str(run[name]) for name in ("dataset", "model", "split", "seed", "asked", "scorer"))


def shares_of(wildcards):
    """A run that no study wants, but somebody typed, has those of the benchmark."""
    return sorted(SHARES.get(shares_key(wildcards), config["benchmark"]["shares"]))


def suspect_run(hypothesis, dataset, seed):
    """The wildcards of one run of the study of suspects."""
    model = protocol_of(config, dataset, hypothesis)["model"]
    named = {"hypothesis": hypothesis, "dataset": dataset, "model": model, "seed": seed}
    return {**named, "split": config["suspects"]["split"]}


def with_runs_before(runs):
    """The runs, and those of the hypotheses that they build on, whose scores no records keep."""
    found = {}
    for run in runs:
        hypothesis = run["hypothesis"]
        names = [hypothesis]
        while hypothesis != BASE:
            hypothesis = parent_of(config, hypothesis)
            names.append(hypothesis)
        found |= {(name, run["dataset"], run["seed"]): None for name in names}
    return [suspect_run(*key) for key in found]


def suspect_runs():
    """Every run of the study of suspects, and of its confirmation."""
    study = config["suspects"]
    confirmed, every = study["confirmation"], [BASE, *study["hypotheses"]]
    asked = [
        (study["screening"], every),
        (study["datasets"], every if study["finalists"] is None else [BASE, *study["finalists"]]),
        (confirmed["datasets"], confirmed["hypotheses"]),
    ]
    runs = {}
    for datasets, hypotheses in asked:
        for dataset, hypothesis in itertools.product(datasets, hypotheses):
            if dataset in study["hypotheses"].get(hypothesis, {}).get("datasets", [dataset]):
                runs |= dict.fromkeys((hypothesis, dataset, seed) for seed in datasets[dataset])
    return [suspect_run(*run) for run in runs]


def graph_of_suspect(wildcards):
    """The dataset's own graph, unless the hypothesis scales its features in another way."""
    normalise = suspect_protocol(wildcards)["normalise"]
    if normalise == config["datasets"][wildcards.dataset]["normalise"]:
        return graph_of_job(wildcards)
    return rules.scale_graph.output.graph.format(dataset=wildcards.dataset, normalise=normalise)


def files_for_suspect(wildcards):
    """The model with all features that a hypothesis uses, and the cells and scores of the one that it builds on."""
    owner = trained_by(config, wildcards.dataset, wildcards.hypothesis)
    trained = rules.train.output if owner == BASE else rules.train_suspect.output
    run = {**wildcards, "hypothesis": owner}
    files = {"weights": trained.weights.format(**run), "trained": trained.record.format(**run)}
    if wildcards.hypothesis != BASE:
        model = protocol_before(wildcards)["model"]
        before = {**wildcards, "hypothesis": parent_of(config, wildcards.hypothesis), "model": model}
        files["before_record"] = rules.suspect.output.record.format(**before)
        files["before_scores"] = rules.suspect.output.scores.format(**before)
    return files


def own_files(wildcards):
    """The files behind a graph of the user's own: when they change, it is prepared again."""
    path = config["datasets"][wildcards.dataset]["path"]
    if path is None:
        return []
    if not os.path.isdir(path):
        return [path]
    tables = [os.path.join(path, table) for table in ("nodes", "edges")]
    files = [f"{table}{suffix}" for table in tables for suffix in SUFFIXES]
    return [file for file in files if os.path.exists(file)] or [f"{table}.csv" for table in tables]


def scores_beside_bounds(wildcards):
    runs = study_runs("theory", scorer=config["theory"]["scorers"])
    return [rules.score.output.scores.format(**run) for run in runs if run["dataset"] == wildcards.dataset]


def task_files(kind):
    """A file of every task and seed."""
    runs = itertools.product(config["tasks"]["names"], range(config["tasks"]["seeds"]))
    return [rules.measure_task.output[kind].format(task=task, seed=seed) for task, seed in runs]


SHARES = shares_by_run()
MOST_SHARES = max(map(len, SHARES.values()), default=1)
