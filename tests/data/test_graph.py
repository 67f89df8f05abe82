from dataclasses import replace

import numpy as np
import pytest

from graphsieve.data.graph import Graph, Split, check_graph, read_graph, save_graph
from graphsieve.data.normalisation import NORMALISATIONS
from graphsieve.data.splits import choose_split, classes_without_training_node, random_split
from graphsieve.errors import InputError

PARTS = ("train", "val", "test")


@pytest.fixture
def graph() -> Graph:
    rng = np.random.default_rng(0)
    edge_index = np.array([[0, 1, 2, 9], [1, 0, 3, 9]])
    split = Split(np.array([0, 1, 2]), np.array([3, 4]), np.array([5, 8]))
    names = ("age", "größe", "c")
    return Graph("toy", rng.random((10, 3), dtype=np.float32), edge_index, np.arange(10) % 2, 2, names, split)


def test_names_fall_back_on_column_numbers(graph):
    assert graph.names() == ["age", "größe", "c"]
    assert replace(graph, feature_names=None).names() == ["0", "1", "2"]


@pytest.mark.parametrize(("num_nodes", "sizes"), [(10, (7, 1, 2)), (183, (128, 18, 37)), (2708, (1896, 270, 542))])
def test_random_split_is_a_partition_of_70_10_20(num_nodes, sizes):
    split = random_split(num_nodes, seed=3)
    assert tuple(len(getattr(split, part)) for part in PARTS) == sizes
    assert sorted(np.concatenate([split.train, split.val, split.test])) == list(range(num_nodes))
    assert all((np.diff(getattr(split, part)) > 0).all() for part in PARTS)


def test_random_split_depends_on_the_seed_alone():
    first, again, other = random_split(100, 0), random_split(100, 0), random_split(100, 1)
    assert all((getattr(first, part) == getattr(again, part)).all() for part in PARTS)
    assert (first.train != other.train).any()


def test_choose_split(graph):
    assert choose_split(graph, "public", seed=0) is graph.public_split
    assert (choose_split(graph, "random", seed=5).train == random_split(10, 5).train).all()


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"public_split": None}, "public", "'toy' has no public split"),
        ({}, "stratified", "split 'stratified' is unknown: choose random or public"),
        ({"public_split": Split(np.array([0, 1]), np.array([], int), np.array([2]))}, "public", "leaves no val nodes"),
        ({"public_split": Split(np.array([0, 2]), np.array([1]), np.array([3]))}, "public", "fewer than two classes"),
        ({"y": np.zeros(10, dtype=int)}, "random", "fewer than two classes among the 7 training nodes"),
        ({"x": np.zeros((2, 3), np.float32), "y": np.arange(2)}, "random", "random split leaves no test nodes"),
    ],
)
def test_split_nothing_can_be_learnt_from_is_refused(graph, changes, kind, message):
    with pytest.raises(InputError, match=message):
        choose_split(replace(graph, **changes), kind, seed=0)


def test_class_without_training_node_is_only_named(graph):
    rare = replace(graph, y=np.array([0, 1, 0, 2, 3, 0, 0, 0, 0, 0]), num_classes=4)
    assert classes_without_training_node(rare, choose_split(rare, "public", seed=0)) == [2, 3]
    assert classes_without_training_node(graph, graph.public_split) == []


def test_row_normalisation():
    x = np.array([[1, 3], [0, 0], [2, -5], [0.5, 0]], dtype=np.float32)
    normalised = NORMALISATIONS["row"](x)
    assert normalised.dtype == np.float32
    np.testing.assert_array_equal(normalised, [[0.25, 0.75], [0, 0], [2, -5], [1, 0]])
    assert NORMALISATIONS["none"](x) is x


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
        for part in PARTS:
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
