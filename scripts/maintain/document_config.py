"""Write the table of keys in config/README.md from the schema, so that the two cannot drift apart."""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import yaml

from graphsieve.errors import run_program
from graphsieve.files.writing import write_text
from graphsieve.study.markup import between_markers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schema", type=Path, default=Path("workflow/schemas/config.schema.yaml"))
    parser.add_argument("--page", type=Path, default=Path("config/README.md"))
    arguments = parser.parse_args()
    write_text(with_keys(arguments.page.read_text(), yaml.safe_load(arguments.schema.read_text())), arguments.page)


def with_keys(page: str, schema: dict) -> str:
    """The page with a new table between its two markers."""
    rows = ["| key | default | values | meaning |", "|---|---|---|---|"]
    rows += [f"| `{key}` | {default} | {values} | {text} |" for key, default, values, text in describe(schema)]
    return between_markers(page, "keys", "\n".join(rows))


def describe(schema: dict) -> Iterator[tuple[str, str, str, str]]:
    definitions = schema["$defs"]

    def keys(properties: dict, path: str):
        for name, key in properties.items():
            key = _resolve(key, definitions)
            children = key.get("properties", {})
            default = "" if children or "default" not in key else f"`{json.dumps(key['default'])}`"
            yield f"{path}{name}", default, _values(key), " ".join(key["description"].split())
            yield from keys(children, f"{path}{name}.")
            if isinstance(key.get("additionalProperties"), dict):
                yield from keys(key["additionalProperties"].get("properties", {}), f"{path}{name}.<name>.")

    yield from keys(schema["properties"], "")


def _resolve(key: dict, definitions: dict) -> dict:
    """The key with all that it refers to; what stands nearer to it counts."""
    if "$ref" not in key:
        return key
    referred = _resolve(definitions[key["$ref"].split("/")[-1]], definitions)
    return {**referred, **{name: value for name, value in key.items() if name != "$ref"}}


def _values(key: dict) -> str:
    if "enum" in key:
        return ", ".join(f"`{'null' if value is None else value}`" for value in key["enum"])
    kind = key.get("type")
    if kind == "array":
        return f"list of {_values(key['items'])}" if _values(key["items"]) else "list"
    limits = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    bounds = " and ".join(f"{sign} {key[name]}" for name, sign in limits.items() if name in key)
    names = {"string": "text", "boolean": "`true`, `false`", "object": ""}
    kind = " or ".join(kind) if isinstance(kind, list) else names.get(kind, kind)
    return f"{kind} {bounds}".strip()


if __name__ == "__main__":
    run_program(main)
