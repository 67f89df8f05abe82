"""The index page in a browser: nothing broken, tables that sort, and no side-scrolling on a phone."""

import urllib.parse
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure

from browser import look_at, needs_chromium
from graphsieve.pages.index import build_index
from graphsieve.pages.notebook import NotebookPage
from graphsieve.study.headlines import Headline

pytestmark = needs_chromium
DATASETS = ["Cora", "CiteSeer", "PubMed", "Photo", "Computers", "Cornell", "Texas", "Wisconsin"]
SORTED = pd.DataFrame(
    {
        "Value": ["9.5 ± 1.2", "<b>76.5</b><br><small>at 6.25 %</small>", "−8.4 ± 3.9", ""],
        "Size": ["1,797", "500", "24,736", "64"],
    },
    index=pd.Index(["b", "c<sub>1</sub>", "a", "d"], name="Name"),
)


def add(page: NotebookPage, stem: str, cells: pd.DataFrame) -> None:
    page.add_table(pd.DataFrame({"a": [1]}), stem, cells=dict.fromkeys(("html", "markdown", "latex"), cells), title="T")


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> Path:
    """A run of many datasets: a wide table, one to sort, a folded long one, and a picture, all of one notebook."""
    run = tmp_path_factory.mktemp("results") / "small"
    page = NotebookPage(run / "notebooks/all.json", "Table 2: accuracy", "A sentence.")
    rows = pd.Index(["All features", "NPT", "MI", "Rnd."], name="Method")
    add(page, f"{run}/tables/table2", pd.DataFrame("<b>88.38</b> <small>± 10.54</small>", rows, DATASETS))
    add(page, f"{run}/tables/sorting", SORTED)
    long = pd.DataFrame({"step": range(40), "a_long_name_for_a_column_of_words": "word " * 30})
    page.add_table(long, f"{run}/tables/long")
    page.add_figure(Figure(figsize=(8, 4.5)), f"{run}/figures/picture")
    page.add_figure(Figure(figsize=(6.75, 4.75)), f"{run}/figures/leading", leads=True)
    page.close()
    (run / "notebooks/all.html").write_text("<!DOCTYPE html><title>all</title>")
    found = [Headline("97.9 %", "of something", ("A finding with a " + "long" * 30 + " word.",))] * 3
    out = run / "index.html"
    text = build_index(
        [page.manifest],
        title="A run",
        out=out,
        headlines=found,
        notice="Cora is absent.",
        provenance={"Commit": "0123456789abcdef" * 3},
        config="a: 1",
    )
    out.write_text(text)
    return out


def test_nothing_is_broken(index):
    script = """return {
        links: [...page.querySelectorAll("a")].map((link) => link.getAttribute("href")),
        images: [...page.images].map((image) => [image.alt, image.naturalWidth]),
    };"""
    seen = look_at(index, script)
    assert seen.complaints == []
    assert dict(seen.found["images"])["picture"] == 720
    assert [name for name, _ in seen.found["images"]] == ["leading", "picture"]  # once each, the first on top
    anchors = index.read_text()
    for link in map(urllib.parse.unquote, seen.found["links"]):
        if link.startswith("#"):
            assert f'id="{link[1:]}"' in anchors
        else:
            assert (index.parent / link).is_file(), link
    assert "figures/picture.png" in seen.found["links"]


def test_a_first_look_has_the_leading_figure_and_three_findings(index):
    script = """
    const places = [page.images[0], ...page.querySelectorAll(".cards div")].map((one) => one.getBoundingClientRect());
    return places.map((place) => [place.top, place.bottom]);
    """
    figure, *cards = look_at(index, script, 1200).found
    assert len(cards) == 3
    assert all(0 < top < bottom < 850 for top, bottom in (figure, *cards))


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
