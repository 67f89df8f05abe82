"""The index page: every notebook, table and figure is linked, under what wrote it, and no link is dead."""

import json
import sys
import urllib.parse
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image

import build_index
from graphsieve.pages.results_page import build_page, list_tables
from graphsieve.study.headlines import Headline


def notebook(*texts: str, **parameters: str) -> dict:
    """An executed notebook: the first text is the result of a cell, the others are prose."""
    shown = {"cell_type": "code", "source": [], "outputs": [{"output_type": "execute_result", "data": {}}]}
    shown["outputs"][0]["data"]["text/markdown"] = texts[0].splitlines(keepends=True)
    prose = [{"cell_type": "markdown", "source": text.splitlines(keepends=True)} for text in texts[1:]]
    return {"cells": [shown, *prose], "metadata": {"papermill": {"parameters": parameters}}}


@pytest.fixture
def run(tmp_path, monkeypatch) -> Path:
    """A run of two notebooks, one with a table and one with a figure, beside a table that belongs to neither."""
    monkeypatch.chdir(tmp_path)
    run = Path("results/default")
    for name in ("tables/table1.csv", "tables/table1.md", "tables/table1.tex", "tables/table1_more.csv",
                 "tables/table10.csv", "tables/stray.csv", "figures/fig 1.png", "figures/fig 1.pdf",
                 "notebooks/one.html", "notebooks/two.html"):  # fmt: skip
        (run / name).parent.mkdir(parents=True, exist_ok=True)
        (run / name).touch()
    for path in run.glob("tables/*.csv"):
        path.write_text("scorer,accuracy\nnpt,96.5\n")
    Image.new("RGB", (1200, 300)).save(run / "figures/fig 1.png")
    one = notebook(
        "# Table 1: <mine>\n\nFirst sentence\nof **two**. Second.", table=f"{run}/tables/table1", row="scorer"
    )
    two = notebook("No heading.", "# Figure\n\nA picture.\n\nMore.", figure=f"{run}/figures/fig 1", runs=3)
    (run / "notebooks/one.ipynb").write_text(json.dumps(one))
    (run / "notebooks/two.ipynb").write_text(json.dumps(two))
    return run


class Page(HTMLParser):
    def __init__(self, text: str):
        super().__init__()
        self.links, self.pictures, self.words = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "a" and not attributes["href"].startswith("#"):
            self.links.append(urllib.parse.unquote(attributes["href"]))
        if tag == "img":
            self.pictures.append(attributes["src"])

    def handle_data(self, data):
        self.words.append(data.strip())


def build(run: Path, *names: str) -> str:
    return build_page([run / "notebooks" / f"{name}.html" for name in names], "My run", run / "index.html")


def test_everything_is_linked_and_every_link_leads_somewhere(run):
    page = Page(build(run, "one", "two"))
    files = {path.relative_to(run).as_posix() for path in run.rglob("*") if path.is_file() and path.suffix != ".ipynb"}
    assert set(page.links) == files
    (picture,) = page.pictures
    assert picture.startswith("data:image/webp;base64,")


def test_products_are_listed_under_their_notebook_in_the_given_order(run):
    page = Page(build(run, "two", "one"))
    assert list(dict.fromkeys(page.links)) == [
        "notebooks/two.html", "figures/fig 1.png", "figures/fig 1.pdf",
        "notebooks/one.html", "tables/table1.csv", "tables/table1.md", "tables/table1.tex", "tables/table1_more.csv",
        "tables/stray.csv", "tables/table10.csv",
    ]  # fmt: skip


def test_lines_come_from_the_notebooks(run):
    text = build(run, "one", "two")
    words = Page(text).words
    assert "Table 1: <mine>" in words
    assert "First sentence of two." in words
    assert "A picture." in words
    assert "Second" not in text
    assert "More." not in text


def test_findings_rest_on_the_tables_of_the_given_notebooks_alone(run):
    (run / "tables/.table1_half-written.csv").touch()
    tables = list_tables([run / "notebooks/one.html"], run)
    assert [path.name for path in tables] == ["table1.csv", "table1_more.csv"]


def test_nothing_is_loaded_from_elsewhere(run):
    assert "http" not in build(run, "one", "two")


def test_a_notebook_without_heading_goes_by_its_name(run):
    (run / "notebooks/one.ipynb").write_text(json.dumps(notebook("Just text.")))
    assert "one" in Page(build(run, "one")).words


def test_findings_notice_and_origin_are_on_the_page(run):
    found = [Headline(f"{n} %", f"words {n}", (f"Sentence {n}.", f"More of {n}.")) for n in range(4)]
    page = build_page(
        [], "My run", run / "index.html", found, "A & B are absent.", {"Made": "<now>", "Commit": ""}, "a: 1"
    )
    words = Page(page).words
    assert [word for word in words if word.endswith(" %")] == ["0 %", "1 %", "2 %"]
    assert "Sentence 3." in words
    assert "A & B are absent." in words
    assert "<now>" in words
    assert "a: 1" in words
    assert "Commit" not in words


def test_command_line_writes_the_page(run, monkeypatch):
    (run / "published").mkdir()
    arguments = ["--pages", f"{run}/notebooks/one.html", "--title", "A & B", "--out", f"{run}/index.html"]
    arguments += ["--config", json.dumps({"run": "default", "device": "auto"}), "--published", f"{run}/published"]
    monkeypatch.setattr(sys, "argv", ["build_index.py", *arguments])
    build_index.main()
    page = Page((run / "index.html").read_text())
    assert {"A & B", "run: default\ndevice: auto", "Versions", "Machine"} <= set(page.words)
    assert any(word.startswith("This run has none of the paper's nine datasets") for word in page.words)
