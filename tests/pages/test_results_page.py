"""The results page in a browser: nothing broken, tables that sort, and no side-scrolling on a phone."""

import json
import urllib.parse
from pathlib import Path

import pandas as pd
import pytest
from PIL import Image

from browser import look_at, needs_chromium
from graphsieve.pages.results_page import build_page
from graphsieve.study.accuracy import summarise, write_accuracy_table
from graphsieve.study.headlines import Headline

pytestmark = needs_chromium
TABLE = """# Numbers and words

| Name | Value | Size |
| --- | ---: | ---: |
| b | 9.5 ± 1.2 | 1,797 |
| c<sub>1</sub> | **76.5** ± 1.2 | 500 |
| a | −8.4 ± 3.9 | 24,736 |
| d |  | 64 |

A note.
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> Path:
    """A run of many datasets: a wide table, a folded long one, a picture, and one notebook for all."""
    run = tmp_path_factory.mktemp("results") / "small"
    for folder in ("tables", "figures", "notebooks"):
        (run / folder).mkdir(parents=True)
    datasets = ["cora", "citeseer", "pubmed", "photo", "computers", "cornell", "texas", "wisconsin"]
    records = [
        {"dataset": dataset, "model": "gcn", "split": "random", "scorer": scorer, "test_accuracy": 0.5 + number / 40}
        for dataset in datasets
        for number, scorer in enumerate(["all", "npt", "mi", "random"])
    ]
    summary = summarise(pd.DataFrame(records), "scorer")
    write_accuracy_table(summary, "scorer", str(run / "tables/table2"), "Table 2: accuracy", "all")
    (run / "tables/sorting.md").write_text(TABLE)
    pd.DataFrame({"step": range(40), "a_long_name_for_a_column_of_words": "word " * 30}).to_csv(
        run / "tables/long.csv", index=False
    )
    Image.new("RGBA", (1600, 900), (200, 80, 0, 128)).save(run / "figures/picture.png")
    parameters = {name: f"{run}/{name}" for name in ("tables/table2", "tables/sorting", "tables/long")}
    parameters["figure"] = f"{run}/figures/picture"
    cell = {"cell_type": "markdown", "source": ["# Table 2: accuracy\n\nA sentence."]}
    notebook = {"cells": [cell], "metadata": {"papermill": {"parameters": parameters}}}
    (run / "notebooks/all.ipynb").write_text(json.dumps(notebook))
    (run / "notebooks/all.html").write_text("<!DOCTYPE html><title>all</title>")
    found = [Headline("97.9 %", "of something", ("A finding with a " + "long" * 30 + " word.",))] * 3
    page = run / "index.html"
    facts = {"Commit": "0123456789abcdef" * 3}
    page.write_text(build_page([run / "notebooks/all.html"], "A run", page, found, "Cora is absent.", facts, "a: 1"))
    return page


def test_nothing_is_broken(index):
    script = """return {
        links: [...page.querySelectorAll("a")].map((link) => link.getAttribute("href")),
        images: [...page.images].map((image) => [image.alt, image.naturalWidth]),
    };"""
    seen = look_at(index, script)
    assert seen.complaints == []
    assert seen.found["images"] == [["picture", 720]]
    anchors = index.read_text()
    for link in map(urllib.parse.unquote, seen.found["links"]):
        if link.startswith("#"):
            assert f'id="{link[1:]}"' in anchors
        else:
            assert (index.parent / link).is_file(), link
    assert "figures/picture.png" in seen.found["links"]


SORT = """
const table = [...page.querySelectorAll("table")].find((one) => one.textContent.includes("Size"));
const button = table.tHead.rows[0].cells[{column}].querySelector("button");
const read = () => [...table.tBodies[0].rows].map((row) => row.cells[0].textContent);
const state = () => table.tHead.rows[0].cells[{column}].getAttribute("aria-sort");
button.focus();
const result = [page.activeElement === button, state()];
button.click();
result.push(read(), state());
button.click();
result.push(read(), state());
return result;
"""


@pytest.mark.parametrize(
    ("column", "ascending", "descending"),
    [
        (0, ["a", "b", "c1", "d"], ["d", "c1", "b", "a"]),
        (1, ["a", "b", "c1", "d"], ["c1", "b", "a", "d"]),  # 9.5 before 76.5; the empty cell of d stays last
        (2, ["d", "c1", "b", "a"], ["a", "b", "c1", "d"]),
    ],
)
def test_a_header_sorts_its_column(index, column, ascending, descending):
    seen = look_at(index, SORT.replace("{column}", str(column)))
    assert seen.found == [True, "none", ascending, "ascending", descending, "descending"]


@pytest.mark.parametrize("width", [390, 1200])
def test_only_tables_scroll_sideways(index, width):
    script = """
    for (const one of page.querySelectorAll("details")) one.open = true;
    const wide = [...page.querySelectorAll(".scroll")].filter((box) => box.scrollWidth > box.clientWidth);
    return [page.documentElement.scrollWidth, wide.length];
    """
    scrolled, wide_tables = look_at(index, script, width).found
    assert scrolled <= width
    assert wide_tables > 0 or width > 390
