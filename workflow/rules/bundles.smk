"""Which results one process makes, for the rules of many short jobs; what such a job reads and is told. No rules.

Each of those rules stands in a loop over its bundles, the last of which is the rule itself, for any single result.
Outputs are marked `update`: Snakemake leaves them alone when it starts a job again, and the job makes only what its
receipts do not vouch for (`graphsieve.jobs.receipts`).
"""

from graphsieve.jobs.bundles import MOST_SECONDS, bundle
from graphsieve.jobs.resources import work_seconds
from snakemake.iocontainers import Wildcards
from snakemake.settings.types import RerunTrigger


def wanted(rule):
    """The wildcards of every result of a rule that a table of records needs."""
    for table, sources in TABLES.items():
        for source in sources:
            if source.made_by == rule:
                yield from new_runs(table, source)


def wanted_scores():
    """Those of the tables, those that features are selected by, and those beside the bounds."""
    yield from wanted("score")
    yield from map(scoring_run, itertools.chain(wanted("retrain"), wanted("retrain_shares")))
    bounded = {run["dataset"] for run in wanted("apply_bounds")}
    theory = study_runs("theory", scorer=config["theory"]["scorers"])
    yield from (run for run in theory if run["dataset"] in bounded)


def wanted_models():
    """Those of the tables, and those that scorers ask."""
    yield from wanted("train")
    for run in wanted_scores():
        model = model_for_scorer(run)
        if model:
            yield {**run, "model": model}


# The results that are wanted of every rule with bundles, and the wildcards that tell those of one run apart.
BUNDLED = {
    "train": (wanted_models, ["model"]),
    "score": (wanted_scores, ["scorer"]),
    "retrain": (lambda: wanted("retrain"), ["scorer"]),
    "retrain_shares": (lambda: wanted("retrain_shares"), ["asked", "scorer"]),
    "perturb": (lambda: wanted("perturb"), ["setting"]),
    "adaptive": (lambda: wanted("adaptive"), ["scorer", "prune", "repeats"]),
}
BUNDLES = {}  # by the name of the rule


def seconds_of(rule, dataset):
    """An estimate of the work of one result."""
    return work_seconds(MEASURED.get((rule, dataset)), SIZES[dataset], config["datasets"][dataset]["epochs"])


def bundles_of(rule):
    """The bundles of a rule; before the rule itself, where both could make a file."""
    results, named = BUNDLED[rule]

    def seconds(result):
        dataset = result["dataset"]
        trains = rule == "score" and result["scorer"] in TRAINING_SCORERS
        if trains:
            return MOST_SECONDS  # how many models it trains, and how long, is not known here: it is alone
        several = rule == "retrain_shares"
        return len(shares_of(result)) * seconds_of("retrain", dataset) if several else seconds_of(rule, dataset)

    found = bundle(rule, results(), named, seconds)
    workflow.ruleorder(*(one.name for one in found))
    BUNDLES.update({one.name: one for one in found})
    return found


def updated(bundle, pattern):
    """The files of a bundle, for `output:`. Paths are spelt out, as constraints do not reach into path variables."""
    for name, path in RUN_PATHS.items():
        pattern = pattern.replace(f"<{name}>", path)
    return update(bundle.paths(pattern))


def place_of(bundle, single, together="<run>"):
    """Below the folders of logs and benchmarks, where those of a bundle's job are."""
    return f"{bundle.name}/{together if bundle.members else single}"


def results_with(bundle, settings):
    """For a job: the wildcards of the results that it makes, each with its settings."""
    return lambda wildcards: [(dict(result.items()), settings(result)) for result in results_in(bundle, wildcards)]


def inputs_with(bundle, files):
    """For `unpack`: the named inputs of all results of a job."""
    return lambda wildcards: {
        name: file for result in results_in(bundle, wildcards) for name, file in files(result).items()
    }


def settings_count(wildcards, input):
    """Whether results of other settings or code are made again; not where --rerun-triggers lets files alone count.

    It asks for `input` so that Snakemake does not take it for a setting itself.
    """
    return RerunTrigger.PARAMS in workflow.rerun_triggers


def results_in(bundle, wildcards):
    return [Wildcards(fromdict=result) for result in bundle.results(dict(wildcards.items()))]
