"""What becomes of the columns of a user's tables: missing values, texts, dates, decimal commas."""

import numpy as np
import pandas as pd
import pytest
from own_cases import NODES, read_with_notes, refused

from graphsieve.data.own.columns import FEW_VALUES, MOST_KEPT, MOST_VALUES, RARE

GAPS = NODES.replace("3,red", ",red").replace("8,red", "8,").replace("4.5,blue,False", "4.5,blue,NA")


def column_of(graph, name: str) -> list[float]:
    return graph.x[:, graph.names().index(name)].tolist()


def write_column(folder, name: str, values) -> None:
    """A table of nodes with one more column, next to a number that varies."""
    values = list(values)
    nodes = pd.DataFrame({"id": range(len(values)), "label": np.arange(len(values)) % 2, "n": range(len(values))})
    nodes.assign(**{name: values}).to_csv(folder / "nodes.csv", index=False)
    (folder / "edges.csv").write_text("source,target\n" + "".join(f"{i},{i + 1}\n" for i in range(len(values) - 1)))


def test_missing_values_are_the_median_and_a_column_says_where(folder):
    (folder / "nodes.csv").write_text(GAPS)
    graph, notes = read_with_notes(folder)
    assert graph.names() == [
        *("age", "age is missing", "colour=blue", "colour=green", "colour=red", "colour is missing"),
        *("member", "member is missing"),
    ]
    assert column_of(graph, "age") == [3.25, 4.5, 1, 2, 0, 7, 8]  # between 2 and 4.5
    assert column_of(graph, "age is missing") == [1, 0, 0, 0, 0, 0, 0]
    assert graph.x[6, 2:6].tolist() == [0, 0, 0, 1]
    assert column_of(graph, "member") == [1, 1, 1, 0, 1, 0, 1]
    assert {name: len(columns) for name, columns in graph.groups().items()} == {"age": 2, "colour": 4, "member": 2}
    assert notes == [
        "missing values are the column's median, and a column says where: 'age' (1), 'colour' (1), 'member' (1)"
    ]


def test_median_alone(folder):
    (folder / "nodes.csv").write_text(GAPS)
    graph, notes = read_with_notes(folder, missing="median")
    assert graph.names() == ["age", "colour=blue", "colour=green", "colour=red", "member"]
    assert (column_of(graph, "age")[0], column_of(graph, "colour=red")[6]) == (3.25, 1)
    assert notes == [
        "missing values are the column's median, or its commonest text: 'age' (1), 'colour' (1), 'member' (1)"
    ]


def test_nodes_with_missing_values_are_dropped_with_their_edges(folder):
    (folder / "nodes.csv").write_text(GAPS.replace("NA", "False"))
    graph, notes = read_with_notes(folder, missing="drop")
    assert column_of(graph, "age") == [4.5, 1, 2, 0, 7]
    assert graph.y.tolist() == [1, 0, -1, 1, 0]
    assert sorted(zip(*graph.edge_index.tolist(), strict=True)) == [(0, 1), (1, 0), (2, 3), (3, 2), (3, 4), (4, 3)]
    assert notes[0] == "2 of 7 nodes are left out because values are missing in 'age', 'colour'"


def test_dropping_every_node_is_refused(folder):
    (folder / "nodes.csv").write_text("id,label,a,b\nx,1,,2\ny,2,3,\n")
    (folder / "edges.csv").write_text("source,target\nx,y\n")
    assert "every node has a missing value: choose another way with --missing" in refused(folder, missing="drop")


def test_zeros_and_ones_stay_what_they_are(folder):
    write_column(folder, "flag", ["True", "False", "", "True", "False", ""])
    assert column_of(read_with_notes(folder)[0], "flag") == [1, 0, 0, 1, 0, 0]


def test_columns_without_a_value_are_left_out(folder):
    write_column(folder, "nothing", ["", "NA", "", "", "?", "-"])
    graph, notes = read_with_notes(folder)
    assert graph.names() == ["n"]
    assert "columns of nodes.csv without any value are left out: 'nothing'" in notes


def test_columns_like_ids_are_left_out_unless_they_are_asked_for(folder):
    names = [f"person {number}" for number in range(40)]
    write_column(folder, "name", names)
    graph, notes = read_with_notes(folder)
    assert graph.names() == ["n"]
    assert notes == [
        "text columns where nearly every node has its own value are left out, unless --keep names them: "
        "'name' (such as 'person 0')"
    ]
    kept, notes = read_with_notes(folder, keep=("name",))
    assert kept.names() == ["n", *(f"name={name}" for name in sorted(names))]
    assert notes == []
    assert "has no feature column 'nme' to keep" in refused(folder, keep=("nme",))


def test_too_many_values_cannot_be_kept(folder):
    write_column(folder, "name", [f"p{number}" for number in range(MOST_KEPT + 1)])
    assert f"column 'name' has {MOST_KEPT + 1} values, too many to keep" in refused(folder, keep=("name",))


def test_numbers_with_a_few_words_name_the_word(folder):
    write_column(folder, "income", [*range(40), "unknown"])
    assert "'income' (such as 'unknown')" in read_with_notes(folder)[1][0]


def test_rare_values_become_other(folder):
    common = [letter for letter in "abcdefghij" for _ in range(RARE)]
    write_column(folder, "city", [*common, "k", "l", "l"])
    graph, notes = read_with_notes(folder)
    assert graph.names() == ["n", *(f"city={letter}" for letter in "abcdefghij"), "city=other"]
    assert column_of(graph, "city=other") == [0] * len(common) + [1, 1, 1]
    assert notes == ["rare values became 'other' in 'city' (2 values)"]
    few = [*common[: RARE * (FEW_VALUES - 2)], "k", "l"]
    write_column(folder, "city", few)
    assert {"city=k", "city=l"} <= set(read_with_notes(folder)[0].names())


def test_of_very_many_values_the_commonest_stay(folder):
    values = [f"v{number:03}" for number in range(MOST_VALUES + 20) for _ in range(RARE + (number < MOST_VALUES))]
    write_column(folder, "city", values)
    graph, _ = read_with_notes(folder)
    assert graph.names()[1:] == ["city=other", *(f"city=v{number:03}" for number in range(MOST_VALUES))]


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["0,5", "1,25", "3"], [0.5, 1.25, 3]),
        (["1.234,5", "-2,75", "+1"], [1234.5, -2.75, 1]),
        (["1,5", "", "2,5"], [1.5, 2, 2.5]),
    ],
)
def test_decimal_commas(folder, texts, numbers):
    write_column(folder, "price", texts)
    graph, notes = read_with_notes(folder)
    assert column_of(graph, "price") == numbers
    assert notes[0] == "decimal commas are read as such in 'price'"


def test_thousands_are_no_decimals(folder):
    write_column(folder, "price", ["1,234", "5,678", "1,234"])
    assert "price=1,234" in read_with_notes(folder)[0].names()


def test_dates_become_days_and_parts(folder):
    dates = ["2020-01-01", "2021-03-05", "", "2020-07-01", "2021-12-31"]
    write_column(folder, "joined", dates)
    graph, notes = read_with_notes(folder)
    assert graph.names()[1:] == [
        *("joined (days)", "joined (month)", "joined (weekday)", "joined is missing"),
    ]
    assert column_of(graph, "joined (days)") == [0, 429, 305.5, 182, 730]
    assert column_of(graph, "joined (month)") == [1, 3, 5, 7, 12]
    assert column_of(graph, "joined (weekday)") == [3, 5, 4, 3, 5]
    assert len(graph.groups()["joined"]) == 4
    assert notes[0] == "dates became numbers: 'joined' (days, month, weekday)"


@pytest.mark.parametrize(
    ("texts", "days", "said"),
    [
        (["2020-01-01T06:00:00Z", "2020-01-01T12:00:00+06:00"], [0, 0], "days)"),
        (["31.12.2019", "1.1.2020"], [0, 1], "days)"),
        (["31/12/2019", "01/01/2020"], [0, 1], "days)"),
        (["12/31/2019", "01/01/2020"], [0, 1], "days)"),
        (["01/02/2020", "02/02/2020"], [0, 1], "days, day before month)"),
        (["2020/01/02 12:00", "2020/01/01 00:00"], [1.5, 0], "days)"),
    ],
)
def test_ways_to_write_dates(folder, texts, days, said):
    write_column(folder, "d", [*texts, texts[0]])
    graph, notes = read_with_notes(folder)
    assert column_of(graph, "d (days)") == [*days, days[0]]
    assert said in next(note for note in notes if note.startswith("dates became numbers"))


def test_what_is_nearly_a_date_is_text(folder):
    write_column(folder, "d", ["2020-01-01", "2020-13-01", "2020-01-01"])
    assert graph_names(folder) == ["n", "d=2020-01-01", "d=2020-13-01"]
    write_column(folder, "d", ["1.2.3", "1.2.3", "1.2.4"])
    assert graph_names(folder) == ["n", "d=1.2.3", "d=1.2.4"]


def graph_names(folder) -> list[str]:
    return read_with_notes(folder)[0].names()


def test_what_a_column_becomes_does_not_depend_on_the_order_of_its_values(folder):
    """Which is why p-values from permutations hold for columns that were filled in, merged or counted from a date."""
    rng = np.random.default_rng(0)
    columns = {
        "number": rng.normal(size=60).round(3).astype(str),
        "city": rng.choice([*"abcdefghijklmnop"], size=60, p=np.r_[[0.09] * 10, [0.1 / 6] * 6]),
        "joined": (np.datetime64("2020-01-01") + rng.integers(900, size=60)).astype(str),
    }
    for name, values in columns.items():
        values[rng.random(60) < 0.1] = ""
        order = rng.permutation(60)
        write_column(folder, name, values)
        straight = read_with_notes(folder)[0]
        write_column(folder, name, values[order])
        shuffled = read_with_notes(folder)[0]
        assert straight.names() == shuffled.names()
        np.testing.assert_array_equal(straight.x[order, 1:], shuffled.x[:, 1:])
