"""Templates: text is escaped, what is missing is an error, and files of the package are found."""

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from graphsieve.pages.rendering import ENVIRONMENT, read_static, render
from html_page import parse_page, words


def test_text_is_escaped_and_markup_is_not():
    page = parse_page(render("frame.html.j2", title="<b>A & B</b>"))
    assert words(page.find("body/h1")) == "<b>A & B</b>"
    assert parse_page(render("frame.html.j2", title=Markup("<b>A</b>"))).find("body/h1/b").text == "A"


def test_what_is_missing_is_an_error():
    with pytest.raises(UndefinedError, match="title"):
        render("frame.html.j2")


def test_every_template_can_be_read():
    names = ENVIRONMENT.list_templates()
    assert {"frame.html.j2", "index.html.j2", "ranking.html.j2"} <= set(names)
    for name in names:
        ENVIRONMENT.get_template(name)


def test_style_is_in_the_page_as_it_is():
    style = read_static("page.css")
    assert style in parse_page(render("frame.html.j2", title="")).find("head/style").text
    assert "url(" not in style
