"""Every notebook template: stored clean, and executed whole on a few made-up records."""

import json
import os
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import papermill
import pytest

from graphsieve.synthetic import REGIMES

ROOT = Path(__file__).parents[1]
TEMPLATES = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_template_is_stored_clean(path):
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert notebook.metadata.kernelspec.name == "python3"
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    assert [cell.metadata.get("tags") for cell in code].count(["parameters"]) == 1


@pytest.fixture
def execute(tmp_path, monkeypatch):
    """Execute a template on `records` as the workflow does, and return all that a reader sees."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "scripts"), os.environ.get("PYTHONPATH", "")]))

    def run(template: str, records: list[dict], source: str = "records", **parameters) -> str:
        pd.DataFrame(records).to_csv(tmp_path / "records.csv", index=False)
        notebook = papermill.execute_notebook(
            ROOT / "notebooks" / f"{template}.ipynb", tmp_path / "executed.ipynb", progress_bar=False, cwd=ROOT,
            parameters={source: str(tmp_path / "records.csv"), **parameters},
        )  # fmt: skip
        assert "error" not in json.dumps([cell.get("outputs") for cell in notebook.cells])
        return "\n".join(_shown(notebook))

    return run


def _shown(notebook):
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            yield cell.source
        for output in cell.get("outputs", []):
            assert output.output_type != "stream", output
            data = output.data
            yield data.get("text/markdown") or data.get("text/html") or str(list(data))


def one_shot(datasets: list[str]) -> list[dict]:
    return [
        {"dataset": dataset, "model": "gcn", "scorer": scorer, "seed": seed, "split": "random",
         "features": 64, "kept": 3, "ties": 7, "test_accuracy": accuracy + 0.01 * seed}
        for dataset in datasets for scorer, accuracy in {"all": 0.9, "npt": 0.8, "pt": 0.7}.items() for seed in (0, 1)
    ]  # fmt: skip


def test_accuracy_table_beside_published_numbers(execute, tmp_path):
    shown = execute(
        "accuracy_table", one_shot(["cora", "digits"]), table=str(tmp_path / "table2"), title="Table 2: mine",
        published=str(ROOT / "config/published/table2_feature_selection.csv"), row="scorer", reference="all",
        summary="One sentence.",
    )  # fmt: skip
    assert shown.startswith("# Table 2: mine\n\nOne sentence.")
    assert "<b>80.50</b> <small>± 0.71</small>" in shown
    assert "Nothing was published for Digits." in shown
    assert "+1.31" in shown  # npt on cora: 80.50 less 79.19
    # all features on cora: 90.50 less 85.83 is over ten times 0.46; npt is within two of its 2.45
    assert "1 of the 2 cells that both tables have lies further" in shown
    assert "3 of 64 on Cora and 3 of 64 on Digits" in shown
    assert {path.suffix for path in tmp_path.glob("table2.*")} == {".csv", ".md", ".tex"}


def test_accuracy_table_without_published_numbers(execute, tmp_path):
    records = [
        {
            "dataset": "digits",
            "model": "gcn",
            "setting": "original",
            "seed": 0,
            "split": "random",
            "test_accuracy": 0.905,
        }
    ]
    shown = execute(
        "accuracy_table", records, table=str(tmp_path / "table1"), title="Table 1: mine", summary="One sentence.",
        published=str(ROOT / "config/published/table1_perturbations.csv"), row="setting", reference="",
    )  # fmt: skip
    assert "<b>90.50</b>" in shown
    assert "So there is nothing to compare here." in shown


def test_datasets_table(execute, tmp_path):
    columns = ["dataset", "nodes", "edges", "features", "classes", "undirected_edges", "component_edges"]
    rows = [("photo", 7650, 238162, 745, 8, 119081, 119043), ("digits", 1797, 20000, 64, 10, 10000, 10000)]
    records = [dict(zip(columns, row, strict=True), homophily=0.83, isolated_nodes=115) for row in rows]
    shown = execute(
        "datasets_table", records, table=str(tmp_path / "table5"),
        published=str(ROOT / "config/published/table5_datasets.csv"),
    )  # fmt: skip
    assert "+119,119" in shown
    assert "undirected edges of the largest component, once" in shown
    assert "83%" in shown
    assert {path.suffix for path in tmp_path.glob("table5.*")} == {".csv", ".md", ".tex"}


def scores(datasets: list[str], scorers: list[str], features: int) -> list[dict]:
    rng = np.random.default_rng(0)
    return [
        {"dataset": dataset, "model": "gcn", "scorer": scorer, "seed": seed, "feature": feature, "name": str(feature),
         "score": 10 * (feature < 5) + rng.random(), "std": 0.1}
        for dataset in datasets for scorer in scorers for seed in (0, 1) for feature in range(features)
    ]  # fmt: skip


def test_pixel_importance(execute, tmp_path):
    shown = execute(
        "pixel_importance", scores(["digits"], ["npt", "random"], 64), "scores", figure=str(tmp_path / "pixels")
    )
    assert "image/png" in shown
    assert "Averages are over 2 runs." in shown
    assert {path.suffix for path in tmp_path.glob("pixels.*")} == {".png", ".pdf"}


def test_regime_scores(execute, tmp_path):
    records = scores([f"synthetic_{regime}" for regime in REGIMES], ["npt", "mi"], 20)
    shown = execute(
        "regime_scores", records, "scores", figure=str(tmp_path / "fig12"), table=str(tmp_path / "found"), relevant=5
    )
    assert "image/png" in shown
    assert "Choosing at random would find 25%." in shown
    found = pd.read_csv(tmp_path / "found.csv")
    assert found["dataset"].tolist() == [f"synthetic_{regime}" for regime in "bdfh"] * 2
    assert (found["share"] == 1).all()
    assert {path.suffix for path in tmp_path.glob("fig12.*")} == {".png", ".pdf"}
