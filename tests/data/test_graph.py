from dataclasses import replace

import numpy as np
import pytest

from graphsieve.data.graph import (
    Graph,
    Split,
    check_graph,
    describe_features,
    induced_subgraph,
    keep_columns,
    read_graph,
    save_graph,
)
from graphsieve.data.own.reader import read_own_graph
from graphsieve.errors import InputError


def test_names_fall_back_on_column_numbers(graph):
    assert graph.names() == ["age", "größe", "c"]
    assert replace(graph, feature_names=None).names() == ["0", "1", "2"]


def test_sound_graph_is_handed_back(graph):
    assert check_graph(graph) is graph
    no_edges = replace(graph, edge_index=np.empty((2, 0), dtype=int), public_split=None)
    assert check_graph(no_edges) is no_edges


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_non_finite_features_are_refused(graph, value):
    graph.x[4, 1] = value
    with pytest.raises(InputError, match="'toy': 1 features have NaN or infinite values, the first is 'größe'"):
        check_graph(graph)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"edge_index": np.array([[0, 10], [1, 2]])}, r"names node 10 \(lowest 0\) but the nodes are 0 to 9"),
        ({"edge_index": np.array([[0, -1], [1, 2]])}, r"names node 2 \(lowest -1\)"),
        ({"y": np.zeros(9, dtype=int)}, "9 labels for 10 nodes"),
        ({"num_classes": 1}, "labels run from 0 to 1 but the 1 classes"),
        ({"y": np.arange(10) - 2, "num_classes": 10}, "labels run from -2 to 7"),
        (
            {"public_split": Split(np.array([0]), np.array([1]), np.array([2, 10]))},
            "public split's test nodes run",
        ),
    ],
)
def test_inconsistent_graph_is_refused(graph, changes, message):
    with pytest.raises(InputError, match=message):
        check_graph(replace(graph, **changes))


@pytest.mark.parametrize("bare", [False, True])
def test_saved_graph_is_read_back_whole(graph, tmp_path, bare):
    if bare:
        graph = replace(graph, feature_names=None, public_split=None)
    save_graph(graph, tmp_path / "new" / "graph.npz")
    again = read_graph(tmp_path / "new" / "graph.npz")
    assert (again.name, again.num_classes, again.feature_names) == (graph.name, graph.num_classes, graph.feature_names)
    for field in ("x", "edge_index", "y"):
        np.testing.assert_array_equal(getattr(again, field), getattr(graph, field))
        assert getattr(again, field).dtype == getattr(graph, field).dtype
    if bare:
        assert again.public_split is None
    else:
        for part in ("train", "val", "test"):
            np.testing.assert_array_equal(getattr(again.public_split, part), getattr(graph.public_split, part))


def test_same_graph_same_bytes_and_nothing_else_in_the_folder(graph, tmp_path):
    save_graph(graph, tmp_path / "a.npz")
    save_graph(graph, tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npz", "b.npz"]


def test_file_that_is_no_graph_is_refused(tmp_path):
    path = tmp_path / "graph.npz"
    with pytest.raises(InputError, match="graph.npz does not exist"):
        read_graph(path)
    path.write_text("u,v\n0,1\n")
    with pytest.raises(InputError, match="graph.npz is not a readable .npz file"):
        read_graph(path)


def test_induced_subgraph_and_kept_columns(folder):
    graph = read_own_graph(folder)
    part = induced_subgraph(graph, np.array([1, 2, 4, 5]))
    assert set(map(tuple, part.edge_index.T.tolist())) == {(0, 1), (1, 0), (2, 3), (3, 2)}
    assert part.y.tolist() == [1, 0, 1, 0]
    np.testing.assert_array_equal(part.x, graph.x[[1, 2, 4, 5]])
    kept = keep_columns(graph, np.array([0, 3]))
    assert (kept.feature_names, kept.column_groups) == (("age", "colour=red"), ("age", "colour"))
    np.testing.assert_array_equal(kept.x, graph.x[:, [0, 3]])
    assert keep_columns(replace(graph, feature_names=None, column_groups=None), np.array([1])).names() == ["0"]


def test_features_are_described_by_name_and_by_the_share_of_nodes_that_have_them():
    x = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, -3.0], [0.5, 0.0]])
    graph = Graph("mine", x, np.zeros((2, 0), int), np.zeros(4, int), 1, feature_names=("age", "income"))
    table = describe_features(graph)
    assert table.to_dict("list") == {
        "feature": [0, 1], "name": ["age", "income"], "frequency": [0.75, 0.25], "dataset": ["mine", "mine"]
    }  # fmt: skip
