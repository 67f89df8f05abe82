"""What people see of a run: its words in the terminal, its page in a browser, Snakemake's report, and a failure."""

import json
import shutil
import urllib.parse
import zipfile
from pathlib import Path

import nbformat
import pytest
import yaml

from browser import look_at, needs_chromium
from workflow_runs import PROJECT, make_project, snakemake

CATEGORIES = {
    "Figures": ["digits_pixel_importance.png"],
    "Tables": ["table2_feature_selection.csv", "table5_datasets.csv"],
    "Notebooks": ["digits_pixel_importance.html", "table2_feature_selection.html", "table5_datasets.html"],
}


def small_config(folder: Path) -> Path:
    """One study of the digits, with two scorers that need no model."""
    none = {"datasets": []}
    studies = ("perturbations", "synthetic", "adaptive", "public_splits", "ablation", "correlations", "theory")
    settings = {"run": "small", "training": {"hidden": 8}, "datasets": {"digits": {"epochs": 3}}}
    settings |= {"one_shot": {"datasets": ["digits"], "scorers": ["mi", "random"], "seeds": 1}}
    settings |= {"motivation": {"seeds": 0}, "fairness": {"seeds": 0}, "stand_ins": {"graphs": 0}}
    settings |= {"tutorial": {"nodes": 0}}
    settings |= dict.fromkeys(studies, none)
    path = folder / "small.yaml"
    path.write_text(yaml.safe_dump(settings))
    return path


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> tuple[Path, str]:
    """A project in which a small study has run, and what it said."""
    project = make_project(tmp_path_factory.mktemp("small"))
    result = snakemake(project, configs=(small_config(project),))
    assert result.returncode == 0, result.stdout + result.stderr
    return project, result.stderr


@pytest.mark.long
def test_a_run_says_what_it_will_do_and_what_it_found(small):
    _, said = small
    before, after = said.split("About to make results/small:")[1].split("Done. Open results/small/index.html")
    assert "datasets: Digits\n" in before
    assert "studies: one_shot\n" in before
    assert "time: about" in before
    assert "of the accuracy with all features is left with the few that MI keeps (Digits)" in after


@pytest.mark.long
@needs_chromium
def test_its_page_has_no_fault_in_a_browser(small):
    index = small[0] / "results/small/index.html"
    script = """
    for (const one of page.querySelectorAll("details")) one.open = true;
    return {
        links: [...page.querySelectorAll("a")].map((link) => link.getAttribute("href")),
        images: [...page.images].map((image) => image.naturalWidth),
        tables: page.querySelectorAll("th button").length,
        width: page.documentElement.scrollWidth,
    };"""
    seen = look_at(index, script, width=390)
    assert seen.complaints == []
    assert seen.found["width"] <= 390
    assert seen.found["tables"] > 0
    assert seen.found["images"]
    assert all(seen.found["images"])
    files = [urllib.parse.unquote(link) for link in seen.found["links"] if not link.startswith("#")]
    assert all((index.parent / file).is_file() for file in files)
    assert "notebooks/table2_feature_selection.html" in files


def make_report(project: Path, name: str) -> Path:
    result = snakemake(project, "--report", name, configs=(project / "small.yaml",))
    assert result.returncode == 0, result.stdout + result.stderr
    return project / name


@pytest.mark.long
def test_the_report_holds_every_product_in_its_category(small):
    text = make_report(small[0], "report.html").read_text()
    for category, names in CATEGORIES.items():
        assert f'"{category}"' in text
        assert all(name in text for name in names)
    manifest = json.loads((small[0] / "results/small/notebooks/table5_datasets.json").read_text())
    assert manifest["sentence"] in text


@pytest.mark.long
def test_the_report_comes_as_a_zip_too(small):
    packed = {Path(name).name for name in zipfile.ZipFile(make_report(small[0], "report.zip")).namelist()}
    assert {"report.html", *(name for names in CATEGORIES.values() for name in names)} <= packed


TEMPLATE = [
    'records = manifest = figure = ""',
    "import matplotlib.pyplot as plt\n"
    "from graphsieve.files.reading import read_csv\n"
    "from graphsieve.pages.notebook import NotebookPage\n"
    'page = NotebookPage(manifest, "Kept features", "How many features each method kept.")\n'
    "drawing, axis = plt.subplots()\n"
    'read_csv(records).plot.bar("scorer", "kept", ax=axis)\n'
    "page.add_figure(drawing, figure)",
    "page.close()",
]
RULE = """

use rule execute_notebook as draw_kept with:
    input:
        template=template("kept"),
        records=records("one_shot.csv"),
    output:
        **page("kept"),
        figure=figure("kept"),
    log:
        log_of("kept"),
    localrule: True
"""


@pytest.mark.long
def test_a_figure_is_added_by_a_template_and_one_short_rule(small, tmp_path):
    """And nothing else: it is made, rendered, linked from the index page and shown there."""
    project = make_project(tmp_path)
    for name in ("workflow", "notebooks"):
        (project / name).unlink()
        shutil.copytree(PROJECT / name, project / name)
    for name in ("results", ".snakemake"):
        shutil.copytree(small[0] / name, project / name)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in TEMPLATE])
    notebook.cells[0].metadata["tags"] = ["parameters"]
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, project / "notebooks/kept.ipynb")
    with (project / "workflow/rules/figures.smk").open("a") as rules:
        rules.write(RULE)
    assert len(RULE.strip().splitlines()) <= 10
    result = snakemake(project, configs=(small_config(project),))
    assert result.returncode == 0, result.stdout + result.stderr
    assert (project / "results/small/figures/kept.png").exists()
    index = (project / "results/small/index.html").read_text()
    assert "notebooks/kept.html" in index
    assert "How many features each method kept." in index


def test_a_failed_job_shows_the_end_of_its_log_and_where_it_is(tmp_path, monkeypatch):
    project = make_project(tmp_path / "project")
    monkeypatch.setenv("GRAPHSIEVE_MIRROR", str(tmp_path / "nowhere"))
    graph = "results/small/graphs/texas.npz"
    result = snakemake(project, graph, configs=(small_config(tmp_path),))
    assert result.returncode != 0
    assert f"Failed: prepare_graph, which makes {graph}\n" in result.stderr
    shown = result.stderr.split("lines of results/small/logs/prepare_graph/texas.log:\n")[1].splitlines()
    assert shown[0].startswith("    To repeat this job: snakemake")
    assert shown[1].startswith("    error: ")
    assert "Some jobs failed" in result.stderr
    assert "CalledProcessError" not in result.stderr
