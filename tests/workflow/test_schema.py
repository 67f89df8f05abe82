"""Every key of the config: described, with the defaults and choices that the options have."""

from dataclasses import fields

import pytest
import yaml

from graphsieve import options
from workflow_runs import PROJECT

SCHEMA = yaml.safe_load((PROJECT / "workflow/schemas/config.schema.yaml").read_text())


def test_every_key_of_the_schema_is_described_and_has_a_default():
    definitions = SCHEMA["$defs"]

    def check(properties, path):
        for name, key in properties.items():
            known = {**definitions.get(key.get("$ref", "").split("/")[-1], {}), **key}
            assert known.get("description"), f"{path}{name} has no description"
            if name != "datasets":
                assert "default" in known, f"{path}{name} has no default"
            check(known.get("properties", {}), f"{path}{name}.")

    check(SCHEMA["properties"], "")
    check(SCHEMA["properties"]["datasets"]["additionalProperties"]["properties"], "datasets.*.")


SECTIONS = {
    "training": (options.TrainingOptions, SCHEMA["properties"]["training"]["properties"]),
    "scoring": (options.ScoringOptions, SCHEMA["properties"]["scoring"]["properties"]),
    "selection": (options.SelectionOptions, SCHEMA["properties"]["selection"]["properties"]),
    "perturbations": (options.PerturbationOptions, SCHEMA["properties"]["perturbations"]["properties"]),
    "pruning": (options.PruningOptions, SCHEMA["properties"]["pruning"]["properties"]),
    "datasets": (options.DatasetOptions, SCHEMA["properties"]["datasets"]["additionalProperties"]["properties"]),
    "theory": (options.BoundOptions, SCHEMA["properties"]["theory"]["properties"]),
    "tasks": (options.TaskOptions, SCHEMA["properties"]["tasks"]["properties"]),
}
# Options that a dataset or a study has instead of the section of their own.
ELSEWHERE = {"training": {"epochs", "metric"}, "pruning": {"prune", "interval", "burn_in"}}


@pytest.mark.parametrize("section", SECTIONS)
def test_the_schema_has_the_defaults_of_the_options(section):
    """One default stands in two languages; in the schema it is what a reader of the config sees."""
    kind, keys = SECTIONS[section]
    defaults = {field.name: field.default for field in fields(kind)}
    for name in ELSEWHERE.get(section, ()):
        del defaults[name]
    written = {name: key["default"] for name, key in keys.items() if name in defaults}
    assert {name: (type(value), value) for name, value in written.items()} == {
        name: (type(value), value) for name, value in defaults.items()
    }
    if section not in ("theory", "perturbations", "tasks"):  # these have keys of the study beside the options
        assert set(keys) == set(defaults)


@pytest.mark.parametrize(
    ("path", "choices"),
    [
        (("device",), options.DEVICES),
        (("scoring", "metric"), (*options.METRIC_NAMES, None)),
        (("datasets", "*", "metric"), options.REPORTED_METRICS),
        (("scoring", "scored_model"), options.SCORED_MODELS),
        (("scoring", "label_nodes"), options.LABEL_NODES),
        (("scoring", "estimator"), options.ESTIMATORS),
        (("scoring", "ties"), options.TIE_RULES),
        (("scoring", "perturbed_rows"), options.PERTURBED_ROWS),
        (("scoring", "edges"), options.EDGES),
        (("training", "best_epoch"), options.BEST_EPOCHS),
        (("selection", "retrain"), options.RETRAININGS),
        (("selection", "pruned"), options.PRUNED_COLUMNS),
        (("perturbations", "random_graph"), options.RANDOM_GRAPHS),
        (("pruning", "rule"), options.PRUNING_RULES),
    ],
)
def test_the_schema_has_the_choices_of_the_options(path, choices):
    key = SCHEMA
    for name in path:
        key = key["additionalProperties"] if name == "*" else key["properties"][name]
    assert set(key["enum"]) == set(choices)


def test_the_default_config_repeats_no_default():
    config = yaml.safe_load((PROJECT / "config/config.yaml").read_text())
    for name, settings in config["datasets"].items():
        defaults = vars(options.DatasetOptions())
        assert not {key for key, value in settings.items() if value == defaults[key]}, name
    assert not {"training", "scoring", "pruning", "device"} & set(config)
