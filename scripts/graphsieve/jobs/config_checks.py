"""What a config must be before any job starts; every fault is told in one sentence that names the key.

`check_schema` reads the keys as the user wrote them, `check_meaning` the config with all defaults filled in.
"""

import difflib
import math
from collections.abc import Iterable, Iterator
from pathlib import Path

import jsonschema
import yaml

from graphsieve.data.datasets import DATASETS
from graphsieve.errors import InputError
from graphsieve.models.layers import LAYERS
from graphsieve.options import BASE, OVERRIDABLE
from graphsieve.scoring.scorers import SCORERS, depends_on_model

ADAPTIVE_STUDIES = ("adaptive", "public_splits", "ablation")
STUDIES = ("one_shot", "perturbations", "synthetic", *ADAPTIVE_STUDIES, "correlations", "theory", "suspects")
STUDIES += ("benchmark", "transfer")
WITH_PUBLIC_SPLIT = ("cora", "citeseer", "pubmed", "arxiv", "arxiv_standin")


def check_schema(config: dict, schema: dict) -> None:
    """Types, ranges, choices and spelling, as the schema has them."""
    _check_plain_values(config)
    errors = sorted(_Validator(schema).iter_errors(config), key=_depth)
    if errors:
        raise InputError(_sentence(errors[0]))
    for name, hypothesis in config.get("suspects", {}).get("hypotheses", {}).items():
        _check_overrides(name, hypothesis, schema["properties"])


def check_meaning(config: dict) -> None:
    """Names that must exist, and settings that do not go together."""
    for dataset, settings in config["datasets"].items():
        _check_dataset(dataset, settings)
    for study in STUDIES:
        _check_study(study, config[study], config["datasets"])
    _check_suspects(config["suspects"], config["datasets"])
    _check_benchmark(config["benchmark"], config["datasets"])
    if not any(map(depends_on_model, config["transfer"]["scorers"])):
        raise InputError(
            "config key transfer.scorers: none of these asks a model, name one that does, such as npt_loss"
        )
    if "npt" in config["correlations"]["scorers"]:
        raise InputError("config key correlations.scorers: npt is what the others are compared with, name only others")


def check_files(paths: Iterable[str | Path]) -> None:
    """YAML keeps the last of two equal keys without a word; here they are refused."""
    for path in paths:
        for key in _repeated_keys(yaml.compose(Path(path).read_text(encoding="utf-8"))):
            raise InputError(f"config key {key}: it stands twice in {path}, keep one")


# Values -----------------------------------------------------------------------

# As jsonschema has them, but 2.0 is no integer: it could not be given to a program that expects one.
_TYPES = jsonschema.Draft202012Validator.TYPE_CHECKER.redefine(
    "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
)
_Validator = jsonschema.validators.extend(jsonschema.Draft202012Validator, type_checker=_TYPES)


def _depth(error: jsonschema.ValidationError) -> int:
    """A section that is misspelt explains what is missing below it."""
    return len(error.absolute_path)


def _check_plain_values(value: object, key: tuple = ()) -> None:
    """What YAML allows and a schema cannot refuse: keys that are no texts, numbers that are none."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if not isinstance(name, str):
                raise InputError(f"config key {_dotted(key)}: the name {name} is no text, put it in quotes")
            _check_plain_values(inner, (*key, name))
    elif isinstance(value, list):
        for inner in value:
            _check_plain_values(inner, key)
    elif isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"config key {_dotted(key)}: {value} is not allowed, give a finite number")


def _check_overrides(name: str, hypothesis: dict, sections: dict) -> None:
    """The keys that a hypothesis changes are those of the sections themselves; epochs stand with the training here."""
    of_datasets = sections["datasets"]["additionalProperties"]["properties"]
    known = {section: sections[section]["properties"] for section in OVERRIDABLE}
    known["training"] = {**known["training"], "epochs": of_datasets["epochs"]}
    known["perturbations"] = {"random_graph": known["perturbations"]["random_graph"]}
    allowed = {
        section: {"type": "object", "additionalProperties": False, "properties": keys}
        for section, keys in known.items()
    }
    allowed["normalise"] = of_datasets["normalise"]
    for section in [section for section in allowed if section in hypothesis]:
        place = ("suspects", "hypotheses", name, section)
        for error in _Validator(allowed[section]).iter_errors(hypothesis[section]):
            raise InputError(_sentence(error, place))


def _sentence(error: jsonschema.ValidationError, place: tuple = ()) -> str:
    """place: the keys that lead to what was checked."""
    path = (*place, *(part for part in error.absolute_path if isinstance(part, str)))
    key = f"config key {_dotted(path)}"
    value, schema = error.instance, error.schema
    if error.validator == "additionalProperties":
        unknown = next(name for name in value if name not in schema["properties"])
        prefix = "" if key.endswith("at top level") else f"{key.removeprefix('config key ')}."
        return f"config key {prefix}{unknown} is unknown{_choices(unknown, schema['properties'])}"
    if error.validator == "required":
        return f"{key}: {' and '.join(error.validator_value)} must be given"
    if error.validator == "uniqueItems":
        repeated = next(item for item in value if value.count(item) > 1)
        return f"{key}: {_shown(repeated)} is listed twice, name each once"
    if error.validator == "minItems":
        return f"{key}: the list is empty, name at least {error.validator_value}"
    if error.validator == "enum":
        return f"{key}: {_shown(value)} is unknown{_choices(value, _named(schema['enum']))}"
    return f"{key}: {_shown(value)} is not allowed, {_wanted(schema)}{_number_hint(value, schema)}"


def _wanted(schema: dict) -> str:
    """The values that a key may have, in words."""
    if "title" in schema:
        return f"give {schema['title']}"
    if "enum" in schema:
        return f"choose from {', '.join(_named(schema['enum']))}"
    if "properties" in schema:
        return f"give a mapping with any of the keys {', '.join(schema['properties'])}"
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    words = {"integer": "an integer", "number": "a number", "string": "text", "boolean": "true or false"}
    words |= {"array": "a list", "object": "a mapping", "null": "null"}
    limits = {"minimum": "at least", "exclusiveMinimum": "above", "maximum": "at most", "exclusiveMaximum": "below"}
    bounds = " and ".join(f"{word} {schema[name]}" for name, word in limits.items() if name in schema)
    wanted = f"give {f'{words[kinds[0]]} {bounds}'.strip()}" + "".join(f" or {words[kind]}" for kind in kinds[1:])
    explained = kinds[0] in ("string", "array", "object") and "description" in schema
    return f"{wanted} ({' '.join(schema['description'].split()).rstrip('.')})" if explained else wanted


def _number_hint(value: object, schema: dict) -> str:
    """YAML takes 1e-3 for a text, because it has no point."""
    if not isinstance(value, str) or not {"number", "integer"} & set(_as_list(schema.get("type"))):
        return ""
    try:
        return f"; YAML reads {value} as text, write {float(value)}"
    except ValueError:
        return ""


def _named(choices: list) -> list[str]:
    return ["null" if choice is None else choice for choice in choices]


def _as_list(value: object) -> list:
    return value if isinstance(value, list) else [value]


def _dotted(key: Iterable[object]) -> str:
    return ".".join(map(str, key)) or "at top level"


def _shown(value: object) -> str:
    """As it may stand in YAML."""
    if isinstance(value, str):
        return f"'{value}'"
    return yaml.safe_dump(value, default_flow_style=True, width=1000).removesuffix("...\n").strip()


# Names ------------------------------------------------------------------------


def _check_dataset(dataset: str, settings: dict) -> None:
    if settings["path"] is None and dataset not in DATASETS:
        choices = _choices(dataset, DATASETS)
        raise InputError(f"config key datasets: '{dataset}' is unknown{choices}, or give it the path of your own graph")
    if settings["path"] is not None and (dataset in DATASETS or dataset.startswith("synthetic_")):
        raise InputError(f"config key datasets.{dataset}.path: this name is taken, call your own graph something else")
    _check_known(f"datasets.{dataset}.model", [settings["model"]], LAYERS)


def _check_study(study: str, settings: dict, datasets: dict) -> None:
    _check_known(f"{study}.datasets", settings["datasets"], datasets)
    known = ["full", *SCORERS] if study in ADAPTIVE_STUDIES else SCORERS
    _check_known(f"{study}.scorers", settings.get("scorers", []), known)
    _check_known(f"{study}.models", settings.get("models", []), LAYERS)
    for dataset in settings["datasets"]:
        if settings["split"] == "public" and dataset not in WITH_PUBLIC_SPLIT and not datasets[dataset]["path"]:
            raise InputError(
                f"config key {study}.split: '{dataset}' has no public split, set it to random or name only "
                f"{', '.join(WITH_PUBLIC_SPLIT)} and graphs of your own"
            )
        if study in ADAPTIVE_STUDIES and settings.get("scorers") != ["full"]:
            _check_schedule(dataset, datasets[dataset], study)


def _check_benchmark(settings: dict, datasets: dict) -> None:
    for key in ("only_on", "tuned_on"):
        _check_known(f"benchmark.{key}", settings[key], SCORERS)
        for scorer, names in settings[key].items():
            _check_known(f"benchmark.{key}.{scorer}", names, datasets)


def _check_suspects(settings: dict, datasets: dict) -> None:
    hypotheses, confirmation = settings["hypotheses"], settings["confirmation"]
    if BASE in hypotheses:
        raise InputError(f"config key suspects.hypotheses.{BASE}: this name is taken, call your own something else")
    known = [BASE, *hypotheses]
    for name, hypothesis in hypotheses.items():
        key = f"suspects.hypotheses.{name}"
        _check_known(f"{key}.datasets", hypothesis.get("datasets", []), datasets)
        if "model" in hypothesis:
            _check_known(f"{key}.model", [hypothesis["model"]], LAYERS)
        seen = [name]
        while seen[-1] != BASE:
            parent = hypotheses[seen[-1]].get("builds_on", BASE)
            _check_known(f"suspects.hypotheses.{seen[-1]}.builds_on", [parent], known)
            if parent in seen:
                raise InputError(
                    f"config key {key}.builds_on: {' on '.join([*seen, parent])} is a circle, build on {BASE}"
                )
            seen.append(parent)
    _check_known("suspects.finalists", settings["finalists"] or [], hypotheses)
    _check_known("suspects.screening", settings["screening"], datasets)
    _check_known("suspects.confirmation.hypotheses", confirmation["hypotheses"], known)
    _check_known("suspects.confirmation.datasets", confirmation["datasets"], datasets)
    if settings["datasets"]:
        _check_known("suspects.chosen_on.datasets", settings["chosen_on"]["datasets"], settings["datasets"])


def _check_schedule(dataset: str, settings: dict, study: str) -> None:
    first = max(settings["interval"], settings["burn_in"])
    if first >= settings["epochs"]:
        name = "burn_in" if settings["burn_in"] >= settings["interval"] else "interval"
        raise InputError(
            f"config key datasets.{dataset}.{name}: {study} prunes '{dataset}' first after {first} epochs, but its "
            f"training has {settings['epochs']}: give interval and burn_in less than epochs"
        )


def _check_known(key: str, names: Iterable[str], known: Iterable[str]) -> None:
    for name in names:
        if name not in known:
            raise InputError(f"config key {key}: '{name}' is unknown{_choices(name, known)}")


def _choices(name: object, known: Iterable[str]) -> str:
    """What may be meant, and what else there is."""
    near = difflib.get_close_matches(str(name), known, n=1, cutoff=0.7)
    return f"{f' (do you mean {near[0]}?)' if near else ''}, choose from {', '.join(known)}"


# Files ------------------------------------------------------------------------


def _repeated_keys(node: yaml.Node | None, key: tuple = ()) -> Iterator[str]:
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _repeated_keys(item, key)
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for name, inner in node.value:
            if name.value in seen:
                yield _dotted((*key, name.value))
            seen.add(name.value)
            yield from _repeated_keys(inner, (*key, name.value))
