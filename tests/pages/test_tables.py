"""Tables on a page: what cells of a manifest and numbers of a CSV file become."""

import pandas as pd
import pytest
from markupsafe import Markup, escape

from graphsieve.pages.tables import LONG, PageTable, from_cells, from_records, plain

ENTRY = {
    "name": "table",
    "title": "Numbers & **words**",
    "notes": "The row h<sub>attr</sub> is <new>.",
    "header": ["%", "Method", "<script>"],
    "rows": [["6.25", "<b>NPT</b>", "9.5 <small>± 1.2</small>"], ["", "a & b", "<script>x</script>"]],
}


def test_cells_keep_their_marks_and_nothing_else():
    table = from_cells(ENTRY)
    assert table.title == "Numbers & words"
    assert table.note == Markup("The row h<sub>attr</sub> is &lt;new&gt;.")
    assert [escape(name) for name in table.header] == ["%", "Method", "&lt;script&gt;"]
    assert escape(table.rows[0][1]) == "<b>NPT</b>"
    assert [escape(cell) for cell in table.rows[1][1:]] == ["a &amp; b", "&lt;script&gt;x&lt;/script&gt;"]


def test_a_blank_first_cell_is_that_of_the_row_above():
    assert [row[0] for row in from_cells(ENTRY).rows] == ["6.25", "6.25"]


def test_a_table_may_have_no_rows():
    table = from_cells({**ENTRY, "rows": []})
    assert (table.rows, table.kinds) == ([], ["text"] * 3)


def test_records_are_written_as_a_reader_wants_them():
    records = pd.DataFrame(
        {"nodes": [1797, 64], "share": [0.123456, None], "held": [True, False], "a_name": ["<x>", None]}
    )
    table = from_records(records, {"name": "some_table"})
    assert table.title == "some table"
    assert table.header == ["nodes", "share", "held", "a name"]
    assert table.rows == [["1,797", "0.1235", "yes", "<x>"], ["64", "", "no", ""]]
    assert escape(table.rows[0][3]) == "&lt;x&gt;"


def test_records_may_have_a_title_of_their_own():
    table = from_records(pd.DataFrame({"a": [1]}), {"name": "t", "title": "Mine_own", "notes": "A note."})
    assert (table.title, table.note) == ("Mine_own", "A note.")


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["a", "2b"], "text"),
        (["9.5 ± 1.2", "−3", "1,797", "+2e-3", ""], None),
        ([Markup("<b>76.5</b><br><small>at 6.25 %</small>")], None),
        (["word " * 20, ""], "words"),
        ([""], "text"),
    ],
)
def test_words_stand_at_the_left_and_numbers_at_the_right(cells, kind):
    assert PageTable("", ["column"], [[cell] for cell in cells]).kinds == [kind]


def test_a_long_table_is_known_by_its_rows():
    assert PageTable("", ["a"], [["1"]] * (LONG + 1)).is_long
    assert not PageTable("", ["a"], [["1"]] * LONG).is_long


def test_marks_of_markdown_are_dropped():
    assert plain("graph **A** and `y`") == "graph A and y"
