"""A notebook template executed as the workflow does it."""

import json
import os
from pathlib import Path

import pandas as pd
import papermill
import pytest

from notebook_records import CLAIMS

ROOT = Path(__file__).parents[2]
TABLES = ["table", "spearman_table", "requests", "cells_table", *CLAIMS]  # parameters that are stems of what is written
FIGURES = ["figure", "columns_figure", "others_figure", "grid_figure", "ranking_figure", "heatmap"]
# whose tables are written for machines alone, as is that of all suspects' cells
UNPRINTED = ("claims", "cost", "agreement")


@pytest.fixture
def execute(tmp_path, monkeypatch):
    """Execute a template on `records` as the workflow does, and return all that a reader sees.

    The manifest must name all tables and figures that were written, and nothing else.
    """
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "scripts"), os.environ.get("PYTHONPATH", "")]))

    def run(template: str, records: list[dict], source: str = "records", **parameters) -> str:
        pd.DataFrame(records).to_csv(tmp_path / "records.csv", index=False)
        notebook = papermill.execute_notebook(
            ROOT / "notebooks" / f"{template}.ipynb", tmp_path / "executed.ipynb", progress_bar=False, cwd=ROOT,
            parameters={source: str(tmp_path / "records.csv"), "manifest": str(tmp_path / "made.json"), **parameters},
        )  # fmt: skip
        assert "error" not in json.dumps([cell.get("outputs") for cell in notebook.cells])
        shown = "\n".join(_shown(notebook))
        made = json.loads((tmp_path / "made.json").read_text())
        assert shown.startswith(f"# {made['title']}\n\n{made['sentence']}")
        _check_files(made, template, parameters)
        return shown

    return run


def _check_files(made: dict, template: str, parameters: dict) -> None:
    tables, figures = ([Path(parameters[name]) for name in stems if name in parameters] for stems in (TABLES, FIGURES))
    assert {table["name"] for table in made["tables"]} == {stem.name for stem in tables}
    assert len(made["figures"]) == len(figures)
    assert all(f'"{stem.name}"' in json.dumps(made["figures"]) for stem in figures)
    for stem in tables + figures:
        written = {path.suffix for path in stem.parent.glob(f"{stem.name}.*")}
        plain = template in UNPRINTED or stem.name.endswith("cells_table")
        formats = {".csv"} if plain else {".csv", ".md", ".tex"}
        assert written == ({".png", ".pdf"} if stem in figures else formats)


def _shown(notebook):
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            yield cell.source
        for output in cell.get("outputs", []):
            assert output.output_type != "stream", output
            data = output.data
            yield data.get("text/markdown") or data.get("text/html") or str(list(data))
