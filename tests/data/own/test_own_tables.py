"""A user's graph as a folder of two tables."""

import warnings

import numpy as np
import pandas as pd
import pytest
from own_cases import EDGES, NODES, refused

from graphsieve.data.datasets import load_graph
from graphsieve.data.graph import UNLABELLED, read_graph, save_graph
from graphsieve.data.own.reader import GraphWarning, read_own_graph
from graphsieve.errors import InputError


def pairs(graph) -> set[tuple[int, int]]:
    return set(map(tuple, graph.edge_index.T.tolist()))


def test_folder_of_tables(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graph = read_own_graph(folder)
    assert (graph.name, graph.num_classes) == ("pets", 2)
    assert graph.feature_names == ("age", "colour=blue", "colour=green", "colour=red", "member")
    np.testing.assert_array_equal(
        graph.x,
        [[3, 0, 0, 1, 1], [4.5, 1, 0, 0, 0], [1, 0, 0, 1, 1], [2, 0, 1, 0, 0], [0, 1, 0, 0, 1], [7, 0, 0, 1, 0],
         [8, 0, 0, 1, 1]],
    )  # fmt: skip
    assert graph.y.tolist() == [0, 1, 0, UNLABELLED, 1, 0, 1]
    edges = [(0, 1), (1, 2), (3, 4), (4, 5), (5, 6)]
    assert pairs(graph) == {*edges, *((target, source) for source, target in edges)}
    assert graph.edge_index.shape == (2, 10)
    assert {name: columns.tolist() for name, columns in graph.groups().items()} == {"colour": [1, 2, 3]}
    assert (graph.x.dtype, graph.edge_index.dtype, graph.y.dtype) == (np.float32, np.int64, np.int64)


def test_name_of_a_folder_is_kept_whole(folder):
    assert read_own_graph(folder.rename(folder.with_name("v1.2"))).name == "v1.2"


def test_load_graph_takes_a_path(folder):
    graph = load_graph("renamed", path=folder)
    assert (graph.name, graph.num_features) == ("renamed", 5)


def test_groups_names_and_unlabelled_nodes_survive_a_file(folder, tmp_path):
    graph = read_own_graph(folder)
    save_graph(graph, tmp_path / "graph.npz")
    again = read_graph(tmp_path / "graph.npz")
    assert (again.column_groups, again.feature_names) == (graph.column_groups, graph.feature_names)
    np.testing.assert_array_equal(again.y, graph.y)
    np.testing.assert_array_equal(read_own_graph(tmp_path / "graph.npz").y, graph.y)


def test_ids_are_texts_and_classes_in_numerical_order(folder):
    (folder / "nodes.csv").write_text("id,label,f\n01,10,1\n1,2,2\n1.0,10,3\nNA,2,4\n5,2,1\n6,10,1\n")
    (folder / "edges.csv").write_text("source,target\n01,1\n1.0,NA\n5,6\n")
    graph = read_own_graph(folder)
    assert graph.y.tolist() == [1, 0, 1, 0, 0, 1]
    assert pairs(graph) == {(0, 1), (1, 0), (2, 3), (3, 2), (4, 5), (5, 4)}


def test_label_that_pandas_takes_for_missing_is_a_class(folder):
    (folder / "nodes.csv").write_text(NODES.replace("cat", "None"))
    assert read_own_graph(folder).y.tolist() == [0, 1, 0, UNLABELLED, 1, 0, 1]


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("nodes.csv", "c,cat", "a,cat", "1 ids are duplicates, the first is 'a'"),
        ("nodes.csv", "c,cat", ",cat", "1 nodes have no id"),
        ("nodes.csv", "3,red", "inf,red", "column 'age' has 1 missing or infinite values"),
        ("nodes.csv", "3,red", "1e39,red", "column 'age' has 1 missing or infinite values"),
        ("nodes.csv", "dog", "cat", "all 6 labelled nodes are of one class, 'cat'"),
        ("nodes.csv", "id,label", "name,label", "has no column 'id'"),
        ("nodes.csv", "age,colour", "age,age", "more than one column 'age'"),
        ("nodes.csv", NODES, "id,label\na,1\nb,2\n", "no feature columns"),
        ("nodes.csv", NODES, "", "nodes.csv is empty"),
        ("nodes.csv", "cat,3,red,True", 'cat,3,"red,True', "cannot be read as a table of text"),
        ("nodes.csv", "cat,3,red,True", "cat,3,red,True,more", "its first line names 5 columns, but rows have more"),
        ("nodes.csv", "cat,7,red,False", "cat,7,red,False,more", "Expected 5 fields in line 7, saw 6"),
        ("edges.csv", "a,b", "a,zebra", "1 edges lead to unknown nodes, the first is target 'zebra' in line 2"),
        ("edges.csv", "f,g", "yak,g", "the first is source 'yak' in line 7"),
        ("edges.csv", "f,g", "f,", "1 edges lead to unknown nodes"),
        ("edges.csv", "source", "from", "has no column 'source'"),
        ("edges.csv", EDGES, "source,target,weight\na,b,1\nb,c,inf\n", "1 weights are not finite.*first in line 3"),
        ("edges.csv", EDGES, "source,target,weight\na,b,\n", "1 weights are not finite numbers"),
        ("edges.csv", EDGES, "source,target,weight\na,b,heavy\n", "1 weights are not finite numbers"),
    ],
)  # fmt: skip
def test_unsound_tables_are_refused(folder, file, old, new, message):
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))
    with pytest.raises(InputError, match=message) as error:
        read_own_graph(folder)
    assert str(folder) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_table_of_nothing_but_names_is_told_why_none_is_used(folder):
    nodes = pd.read_csv(folder / "nodes.csv")[["id", "label"]].assign(name=[f"person {n}" for n in range(7)])
    several = pd.concat([nodes.assign(id=nodes["id"] + part, name=nodes["name"] + part) for part in "12"])
    pd.concat([nodes, several]).to_csv(folder / "nodes.csv", index=False)
    assert "unless --keep names them: 'name' (such as 'person 0')): add some beside id and label" in refused(folder)


def test_tables_without_labels_are_refused(folder):
    nodes = pd.read_csv(folder / "nodes.csv").assign(label=np.nan)
    nodes.to_csv(folder / "nodes.csv", index=False)
    assert "no node has a label" in refused(folder)


def test_missing_files_are_refused(folder, tmp_path):
    assert "does not exist: give a folder with nodes.csv" in refused(tmp_path / "nowhere")
    (folder / "edges.csv").unlink()
    assert "edges.csv does not exist" in refused(folder)
    (tmp_path / "graph.txt").write_text("")
    assert "neither a folder" in refused(tmp_path / "graph.txt")


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("nodes.csv", "f,cat", "f,bird", "fewer than 3 nodes are labelled 'bird', 'cat'"),
        ("nodes.csv", "False", "True", "constant columns cannot matter: 'member'"),
        ("edges.csv", "f,g", "g,g", "1 of 7 nodes have no edge"),
    ],
)
def test_oddities_are_warned_about(folder, file, old, new, message):
    (folder / file).write_text((folder / file).read_text().replace(old, new))
    with pytest.warns(GraphWarning, match=message) as caught:
        read_own_graph(folder)
    assert len(caught) == 1
