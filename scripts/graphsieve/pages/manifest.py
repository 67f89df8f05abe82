"""The manifest of a notebook: its title, a sentence, and the tables and figures that it made, as JSON."""

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from graphsieve.files.writing import write_text


def write_manifest(path: Path, *, title: str, sentence: str, tables: Sequence[dict], figures: Sequence[dict]) -> None:
    """Every table and figure names its `files`, which are written relative to the manifest: a run can be moved."""
    made = {"title": title, "sentence": sentence}
    for kind, products in (("tables", tables), ("figures", figures)):
        made[kind] = [
            {**product, "files": [os.path.relpath(file, path.parent) for file in product["files"]]}
            for product in products
        ]
    write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", path)


def read_manifest(path: Path) -> dict:
    """As it was written, with `files` as paths again."""
    made = json.loads(path.read_text(encoding="utf-8"))
    for product in (*made["tables"], *made["figures"]):
        product["files"] = [Path(os.path.normpath(path.parent / file)) for file in product["files"]]
    return made


def list_tables(manifests: Iterable[Path]) -> list[Path]:
    """The CSV files that these notebooks wrote; a study that the config no longer has may have left others."""
    tables = [table for path in manifests for table in read_manifest(path)["tables"]]
    return [file for table in tables for file in table["files"] if file.suffix == ".csv"]
