"""The files that a user's tables come in: separators, headers, encodings, compression, Parquet."""

import gzip
import sys

import numpy as np
import pandas as pd
import pytest
from own_cases import EDGES, NODES, read_with_notes, refused

from graphsieve.data.own import memory
from graphsieve.data.own.reader import read_own_graph


@pytest.fixture
def plain(folder):
    return read_own_graph(folder)


def assert_same(one, other) -> None:
    assert (one.names(), one.num_classes) == (other.names(), other.num_classes)
    for name in ("x", "y", "edge_index"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("separator", [";", "\t", ", "])
def test_separators(folder, plain, separator):
    for name, text in (("nodes", NODES), ("edges", EDGES)):
        (folder / f"{name}.csv").write_text(text.replace(",", separator))
    graph, notes = read_with_notes(folder)
    assert_same(graph, plain)
    assert notes == []


def test_each_table_has_its_own_format(folder, plain):
    (folder / "nodes.csv").unlink()
    (folder / "nodes.tsv.gz").write_bytes(gzip.compress(NODES.replace(",", "\t").encode()))
    (folder / "edges.csv").write_text(EDGES.replace(",", ";").replace("\n", "\r\n"))
    assert_same(read_with_notes(folder)[0], plain)


def test_headers_in_capitals_and_with_blanks(folder, plain):
    (folder / "nodes.csv").write_text(NODES.replace("id,label", " ID ,Label"))
    (folder / "edges.csv").write_text(EDGES.replace("source,target", "SOURCE,Target"))
    assert_same(read_with_notes(folder)[0], plain)


def test_columns_by_other_names(folder, plain):
    (folder / "nodes.csv").write_text(NODES.replace("id,label", "Pet,kind"))
    (folder / "edges.csv").write_text(EDGES.replace("source,target", "from,to"))
    assert "has no column 'id', only 'Pet', 'kind', 'age', 'colour', 'member'" in refused(folder)
    assert "name it with --source" in refused(folder, id="pet", label="kind")
    graph, notes = read_with_notes(folder, id="pet", label="kind", source="from", target="to")
    assert_same(graph, plain)
    assert notes == []


def test_a_column_that_only_looks_like_the_id_is_a_feature(folder):
    (folder / "nodes.csv").write_text("id,label,ID\na,1,5\nb,2,6\nc,1,5\n")
    (folder / "edges.csv").write_text("source,target\na,b\n")
    graph, _ = read_with_notes(folder)
    assert graph.names() == ["ID"]
    assert graph.x[:, 0].tolist() == [5, 6, 5]
    assert "has columns 'id' and 'ID': say which one it is with --id" in refused(folder, id="Id")
    assert "column 'ID' cannot be both id and label" in refused(folder, id="ID", label="ID")


def test_columns_without_a_name_are_left_out(folder, plain):
    pd.read_csv(folder / "nodes.csv").to_csv(folder / "nodes.csv")  # with row numbers, as pandas does by itself
    graph, notes = read_with_notes(folder)
    assert_same(graph, plain)
    assert notes == ["columns of nodes.csv without a name are left out"]
    (folder / "nodes.csv").write_text(NODES.replace("\n", ",\n"))  # as spreadsheets do
    graph, notes = read_with_notes(folder)
    assert_same(graph, plain)
    assert notes == []


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-8", []),
        ("utf-8-sig", []),
        ("utf-16", []),
        ("latin-1", ["nodes.csv is not in UTF-8 and was read as Latin-1 (cp1252)"]),
        ("cp1252", ["nodes.csv is not in UTF-8 and was read as Latin-1 (cp1252)"]),
    ],
)
def test_encodings(folder, encoding, said):
    text = NODES.replace("colour", "größe").replace("blue", "42 €" if encoding != "latin-1" else "ß")
    (folder / "nodes.csv").write_bytes(text.encode(encoding))
    graph, notes = read_with_notes(folder)
    assert "größe=ß" in graph.names() or "größe=42 €" in graph.names()
    assert notes == said


def test_parquet(folder, plain):
    nodes, edges = pd.read_csv(folder / "nodes.csv"), pd.read_csv(folder / "edges.csv")
    dates = pd.to_datetime([f"2020-01-0{day}" for day in range(1, 8)])
    nodes["colour"] = nodes["colour"].astype("category")
    nodes["age"] = nodes["age"].where(nodes["age"] > 0)
    nodes.assign(joined=dates).to_parquet(folder / "nodes.parquet", index=False)
    edges.assign(weight=1.5).to_parquet(folder / "edges.parquet")
    assert "has both nodes.csv and nodes.parquet: keep one of them" in refused(folder)
    for name in ("nodes.csv", "edges.csv"):
        (folder / name).unlink()
    graph, notes = read_with_notes(folder)
    assert graph.names() == [
        *("age", "age is missing", "colour=blue", "colour=green", "colour=red", "member", "joined (days)")
    ]
    assert graph.x[:, 6].tolist() == list(range(7))
    np.testing.assert_array_equal(graph.x[:, 2:6], plain.x[:, 1:])
    np.testing.assert_array_equal(graph.edge_index, plain.edge_index)
    assert graph.edge_weight.tolist() == [1.5] * 10
    assert any("dates became numbers: 'joined' (days)" in note for note in notes)


def test_parquet_with_numbers_as_ids_or_an_index(folder, plain):
    nodes = pd.read_csv(folder / "nodes.csv").set_index("id")
    nodes.to_parquet(folder / "nodes.parquet")
    (folder / "nodes.csv").unlink()
    assert_same(read_with_notes(folder)[0], plain)
    nodes.set_axis(range(10, 17)).rename_axis("id").to_parquet(folder / "nodes.parquet")
    (folder / "edges.csv").write_text("source,target\n10,11\n")
    assert read_with_notes(folder)[0].edge_index.tolist() == [[0, 1], [1, 0]]


def test_parquet_that_cannot_be_read(folder, monkeypatch):
    (folder / "nodes.csv").unlink()
    (folder / "nodes.parquet").write_bytes(b"PAR1 and nothing else")
    assert "cannot be read as a Parquet file" in refused(folder)
    pd.DataFrame({"id": ["a", "b"], "label": [1, 2], "f": [[1, 2], [3]]}).to_parquet(folder / "nodes.parquet")
    assert "column 'f' holds values of type ndarray: give numbers, texts or dates" in refused(folder)
    for name in [name for name in sys.modules if name.split(".")[0] == "pyarrow"]:
        monkeypatch.setitem(sys.modules, name, None)  # as if it were not installed
    assert "needs the package pyarrow, which is not installed: pip install pyarrow" in refused(folder)


def test_a_compressed_table_that_unpacks_to_more_than_memory_is_refused(folder, monkeypatch):
    (folder / "edges.csv").unlink()
    with gzip.open(folder / "edges.csv.gz", "wt") as file:
        file.write(EDGES + "a,b\n" * 100_000)
    monkeypatch.setattr(memory, "most_bytes", lambda: 10_000)
    assert "edges.csv.gz: what it unpacks to would take" in refused(folder)


def test_a_column_of_a_thousand_million_rows_is_refused(folder, monkeypatch):
    (folder / "nodes.csv").unlink()
    pd.DataFrame({"id": ["a"] * 1000, "label": 1, "f": 0}).to_parquet(folder / "nodes.parquet")
    monkeypatch.setattr(memory, "most_bytes", lambda: 10_000)
    assert "nodes.parquet: what it unpacks to would take" in refused(folder)


def test_damaged_compression_is_refused(folder):
    (folder / "edges.csv").unlink()
    whole = gzip.compress(EDGES.encode())
    for damaged in (whole[:-5], b"no gzip", whole[:15] + bytes(10) + whole[25:]):
        (folder / "edges.csv.gz").write_bytes(damaged)
        assert "edges.csv.gz cannot be read as a table of text" in refused(folder)


def test_names_in_messages_stay_on_one_line(folder):
    (folder / "nodes.csv").write_text('id,label,"a\nb\x1b[31m",n\nx,1,1,1\ny,2,1,2\nz,1,1,3\n')
    (folder / "edges.csv").write_text("source,target\nx,y\n")
    graph, notes = read_with_notes(folder)
    assert graph.names()[0] == "a\nb\x1b[31m"
    assert "constant columns cannot matter: 'a b [31m'" in notes
