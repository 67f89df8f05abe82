"""An executed notebook as a page: prose and outputs, no code, nothing fetched, and slim."""

import nbformat

from execute_notebook import render_executed
from html_page import parse_page, words


def test_a_page_has_prose_and_outputs_and_fetches_nothing(tmp_path):
    output = nbformat.v4.new_output("display_data", {"text/html": "<table><tr><td>96.5</td></tr></table>"})
    picture = nbformat.v4.new_output("display_data", {"image/png": "iVBORw0KGgo=", "text/plain": "a picture"})
    code = nbformat.v4.new_code_cell("secret_code()", outputs=[output, picture])
    heading = nbformat.v4.new_markdown_cell("# A <b>title</b>\n\nSome *prose*.")
    nbformat.write(nbformat.v4.new_notebook(cells=[heading, code]), tmp_path / "one_page.ipynb")
    page = render_executed(tmp_path / "one_page.ipynb")
    tree = parse_page(page)
    assert words(tree.find("head/title")) == "one page"
    assert [words(title).startswith("A title") for title in tree.iter("h1")] == [True]
    assert words(tree.find(".//td")) == "96.5"
    assert [image.get("src")[:22] for image in tree.iter("img")] == ["data:image/png;base64,"]
    assert "secret_code" not in page
    assert "//cdn" not in page
    assert not list(tree.iter("script"))
    assert len(page) < 8000
