"""Tables as text: the same cells in Markdown, in LaTeX and on a notebook's page."""

import re
from html.parser import HTMLParser

import pandas as pd
import pytest

from graphsieve.errors import InputError
from graphsieve.study import markup

CELLS = pd.DataFrame(
    {"Cora": ["88.38", "**7**"], "CiteSeer": ["", "−1"], "my_own": ["1,797", "x"]},
    index=pd.Index(["Full", "h<sub>attr</sub>"], name="Method"),
)


def test_markdown_has_every_cell_in_its_place():
    title, _, *table, _, notes = markup.as_markdown(CELLS, "A title", "Some notes.").splitlines()
    assert (title, notes) == ("# A title", "Some notes.")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table]
    assert rows == [
        ["Method", "Cora", "CiteSeer", "my_own"],
        ["---", "---:", "---:", "---:"],
        ["Full", "88.38", "", "1,797"],
        ["h<sub>attr</sub>", "**7**", "−1", "x"],
    ]


def test_markdown_of_no_rows_is_a_header():
    assert markup.markdown_table(CELLS[:0]).splitlines() == [
        "| Method | Cora | CiteSeer | my_own |",
        "| --- | ---: | ---: | ---: |",
    ]


def latex_lines(**options) -> list[str]:
    cells = CELLS.rename(index={"h<sub>attr</sub>": "$h_a$"})
    return markup.as_latex(cells, "Table 2: the_title", "5 % ± 1.", "table2", **options).splitlines()


def test_latex_has_every_cell_between_booktabs_rules():
    lines = latex_lines()
    table = lines[lines.index(r"\toprule") + 1 : lines.index(r"\bottomrule")]
    rows = [[cell.strip() for cell in line.removesuffix(r"\\").split("&")] for line in table]
    assert rows == [
        [r"\textbf{Method}", r"\textbf{Cora}", r"\textbf{CiteSeer}", r"\textbf{my\_own}"],
        [r"\midrule"],
        ["Full", "88.38", "", "1,797"],
        ["$h_a$", "**7**", "−1", "x"],
    ]
    assert lines[1] == r"\begin{table*}[t]"
    assert r"\scriptsize" in lines
    assert lines[-1] == r"\end{table*}"


def test_latex_opens_what_it_closes_in_order():
    opened = []
    for verb, name in re.findall(r"\\(begin|end)\{(.+?)\}", "\n".join(latex_lines(rules=[1], breaks=[1]))):
        if verb == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert not opened


def test_latex_numbers_its_tables_itself_and_its_caption_is_escaped():
    assert r"\caption{The\_title. 5 \% $\pm$ 1.}" in latex_lines()
    assert r"\label{t:table2}" in latex_lines()


@pytest.mark.parametrize(
    ("breaks", "align", "columns"), [((), "c", "lccc"), ((2,), "c", "l|cc|c"), ((1, 2), "r", "l|r|r|r")]
)
def test_latex_draws_lines_between_groups_of_columns(breaks, align, columns):
    assert rf"\begin{{tabular}}{{{columns}}}" in latex_lines(breaks=breaks, align=align)


def test_latex_rules_lines_below_rows_but_not_below_the_last():
    lines = latex_lines(rules=[1, 2])
    assert lines.count(r"\midrule") == 2
    assert lines[lines.index(r"$h_a$ & **7** & −1 & x \\") - 1] == r"\midrule"


class Headings(HTMLParser):
    def __init__(self, text: str):
        super().__init__()
        self.tags, self.words = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)

    def handle_data(self, data):
        self.words.append(data.strip())


def test_a_name_on_a_page_is_text():
    cells = CELLS.rename(columns={"my_own": "<script>x</script>"}, index={"Full": "<img src=x>"})
    page = Headings(markup.page_table(cells, "own").to_html())
    assert not {"script", "img"} & set(page.tags)
    assert {"<script>x</script>", "<img src=x>"} <= set(page.words)
    assert "sub" in page.tags


def test_only_our_own_tags_count():
    assert markup.only_marks("<b class='far'>−1</b> <b onclick='x'>2</b> a & b") == (
        "<b class='far'>−1</b> &lt;b onclick='x'&gt;2</b> a &amp; b"
    )


def test_text_is_put_between_markers():
    page = "before\n<!-- a: start -->\nold\n<!-- a: end -->\nafter\n"
    assert markup.between_markers(page, "a", "new") == "before\n<!-- a: start -->\n\nnew\n\n<!-- a: end -->\nafter\n"
    with pytest.raises(InputError, match="<!-- b: start -->"):
        markup.between_markers(page, "b", "new")
