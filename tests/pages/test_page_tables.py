"""Tables on a page: what Markdown and CSV become."""

import pandas as pd

from graphsieve.pages.page_tables import LONG, from_records, parse_markdown, read_tables, render_table

MARKDOWN = """# Numbers and words

| Name | Value |
| --- | ---: |
| b | 9.5 ± 1.2 |
| c<sub>1</sub> | **76.5** ± <ins>1.2</ins> |

A note.

# Another

| Name |
| --- |
"""


def test_markdown_becomes_tables_with_their_marks_and_notes():
    first, second = parse_markdown(MARKDOWN)
    assert first.header == ["Name", "Value"]
    assert first.rows == [["b", "9.5 ± 1.2"], ["c<sub>1</sub>", "<b>76.5</b> ± <u>1.2</u>"]]
    assert first.note == "A note."
    assert (second.title, second.rows) == ("Another", [])


def test_a_title_is_not_said_twice():
    table = parse_markdown(MARKDOWN)[0]
    assert "<h3>Numbers and words</h3>" in render_table(table, "Something else")
    assert "<h3>" not in render_table(table, "Numbers and words")


def test_a_blank_first_cell_is_that_of_the_row_above():
    (table,) = parse_markdown("| % | Method |\n| --- | ---: |\n| 6.25 | NPT |\n|  | <b>MI |\n")
    assert table.rows == [["6.25", "NPT"], ["6.25", "&lt;b&gt;MI"]]


def test_records_are_written_as_a_reader_wants_them():
    records = pd.DataFrame(
        {"nodes": [1797, 64], "share": [0.123456, None], "held": [True, False], "a_name": ["<x>", None]}
    )
    table = from_records(records, "some_table")
    assert table.title == "some table"
    assert table.header == ["nodes", "share", "held", "a name"]
    assert table.rows == [["1,797", "0.1235", "yes", "&lt;x&gt;"], ["64", "", "no", ""]]


def test_words_stand_at_the_left_and_numbers_at_the_right():
    records = pd.DataFrame({"name": ["a", "2b"], "value": ["9.5 ± 1.2", "−3"], "story": ["word " * 20, ""]})
    text = render_table(from_records(records, "table"), "")
    assert '<th class="text">name</th><th>value</th><th class="words">story</th>' in text


def test_a_long_table_starts_folded():
    records = pd.DataFrame({"step": range(LONG + 1)})
    assert render_table(from_records(records, "steps"), "").startswith("<details><summary>steps: 17 rows")
    assert "<details>" not in render_table(from_records(records[:LONG], "steps"), "")


def test_markdown_is_preferred_to_csv(tmp_path):
    stem = tmp_path / "table"
    stem.with_suffix(".csv").write_text("a\n1\n")
    assert [table.title for table in read_tables(stem)] == ["table"]
    stem.with_suffix(".md").write_text(MARKDOWN)
    assert [table.title for table in read_tables(stem)] == ["Numbers and words", "Another"]
