"""What a notebook writes through its page, and that the index page shows it."""

import pandas as pd
import pytest
from matplotlib.figure import Figure

from graphsieve.pages.index import build_index
from graphsieve.pages.manifest import read_manifest
from graphsieve.pages.notebook import NotebookPage
from html_page import parse_page, table_texts

RECORDS = pd.DataFrame({"scorer": ["h_attr", "npt"], "accuracy": [0.5, 0.75]})
CELLS = {
    "html": ["50 <small>± 1</small>", "<b>75</b>"],
    "markdown": ["50 ± 1", "**75**"],
    "latex": [r"50 $\pm$ 1", r"\textbf{75}"],
}


@pytest.fixture
def page(tmp_path) -> NotebookPage:
    page = NotebookPage(tmp_path / "notebooks/one.json", "A page", "It shows **things**.")
    index = pd.Index(["h<sub>attr</sub>", "NPT"], name="Method")
    cells = {markup: pd.DataFrame({"Cora": texts}, index=index) for markup, texts in CELLS.items()}
    page.add_table(RECORDS, f"{tmp_path}/tables/shown", cells=cells, title="Shown", notes="A note.", align="r")
    page.add_table(RECORDS, f"{tmp_path}/tables/numbers")
    page.add_table(RECORDS, f"{tmp_path}/tables/named", page_cells=cells["html"])
    page.add_figure(Figure(), f"{tmp_path}/figures/figure")
    page.close()
    return page


def test_the_manifest_names_every_file_that_was_written(page, tmp_path):
    made = read_manifest(page.manifest)
    named = {file for product in (*made["tables"], *made["figures"]) for file in product["files"]}
    assert named == {path for path in tmp_path.rglob("*.*") if path != page.manifest}
    assert {file.name for file in named} == {
        "shown.csv", "shown.md", "shown.tex", "numbers.csv", "named.csv", "figure.png", "figure.pdf"
    }  # fmt: skip


def test_a_table_is_written_for_every_reader(page, tmp_path):
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "tables/shown.csv"), RECORDS)
    assert "| NPT | **75** |" in (tmp_path / "tables/shown.md").read_text()
    latex = (tmp_path / "tables/shown.tex").read_text()
    assert r"NPT & \textbf{75} \\" in latex
    assert r"\begin{tabular}{lr}" in latex


def test_the_index_shows_the_cells_or_else_the_numbers(page, tmp_path):
    index = parse_page(build_index([page.manifest], title="A run", out=tmp_path / "index.html"))
    shown, numbers, named = [table_texts(table) for table in index.iter("table")]
    assert shown == named == [["Method", "Cora"], ["hattr", "50 ± 1"], ["NPT", "75"]]
    assert numbers == [["scorer", "accuracy"], ["h_attr", "0.5"], ["npt", "0.75"]]
    assert index.find(".//td/sub").text == "attr"
    assert index.find(".//td/b").text == "75"


def test_the_heading_is_title_and_sentence(page):
    assert page.heading().data == "# A page\n\nIt shows **things**."
