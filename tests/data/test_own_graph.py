import os
import pickle
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch
from torch_geometric.data import Data

from graphsieve.data.datasets import load_graph
from graphsieve.data.graph import UNLABELLED, induced_subgraph, keep_columns, read_graph, save_graph
from graphsieve.data.normalisation import NORMALISATIONS
from graphsieve.data.own.reader import GraphWarning, read_own_graph
from graphsieve.data.own.tables import MAX_CATEGORIES
from graphsieve.data.splits import choose_split
from graphsieve.errors import InputError

NODES = """id,label,age,colour,member
a,cat,3,red,True
b,dog,4.5,blue,False
c,cat,1,red,True
d,,2,green,False
e,dog,0,blue,True
f,cat,7,red,False
g,dog,8,red,True
"""
EDGES = """source,target
a,b
b,c
c,b
d,e
e,f
f,g
"""
WEIGHTED_EDGES = EDGES.replace("\n", ",2\n").replace("target,2", "target,weight")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "pets").mkdir()
    (tmp_path / "pets/nodes.csv").write_text(NODES)
    (tmp_path / "pets/edges.csv").write_text(EDGES)
    return tmp_path / "pets"


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


def refused(path) -> str:
    with pytest.raises(InputError) as error:
        read_own_graph(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("nodes.csv", "c,cat", "a,cat", "1 ids are duplicates, the first is 'a'"),
        ("nodes.csv", "c,cat", ",cat", "1 nodes have no id"),
        ("nodes.csv", "3,red", ",red", "column 'age' has 1 missing values"),
        ("nodes.csv", "3,red", "NaN,red", "column 'age' has 1 missing values"),
        ("nodes.csv", "1,red", "1,", "column 'colour' has 1 missing values"),
        ("nodes.csv", "3,red", "inf,red", "column 'age' has 1 missing or infinite values"),
        ("nodes.csv", "3,red", "1e39,red", "column 'age' has 1 missing or infinite values"),
        ("nodes.csv", "dog", "cat", "all 6 labelled nodes are of one class, 'cat'"),
        ("nodes.csv", "id,label", "name,label", "has no column 'id'"),
        ("nodes.csv", "age,colour", "age,age", "more than one column 'age'"),
        ("nodes.csv", NODES, "id,label\na,1\nb,2\n", "no feature columns"),
        ("nodes.csv", NODES, "", "has no column 'id'"),
        ("nodes.csv", "cat,3,red,True", 'cat,3,"red,True', "cannot be read as a CSV file"),
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


def test_tables_without_labels_are_refused(folder):
    nodes = pd.read_csv(folder / "nodes.csv").assign(label=np.nan)
    nodes.to_csv(folder / "nodes.csv", index=False)
    assert "no node has a label" in refused(folder)
    nodes.assign(label=np.linspace(0, 1, len(nodes))).to_csv(folder / "nodes.csv", index=False)
    assert "labels such as 0.166667 are quantities" in refused(folder)


def test_text_with_too_many_values_is_refused(folder):
    count = MAX_CATEGORIES + 1
    nodes = pd.DataFrame({"id": range(count), "label": np.arange(count) % 2, "price": [f"{i},5" for i in range(count)]})
    nodes.to_csv(folder / "nodes.csv", index=False)
    (folder / "edges.csv").write_text("source,target\n0,1\n")
    assert f"column 'price' is text (the first is '0,5') with {count} different values" in refused(folder)


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
        ("edges.csv", EDGES, WEIGHTED_EDGES, "edge weights are not used"),
    ],
)
def test_oddities_are_warned_about(folder, file, old, new, message):
    (folder / file).write_text((folder / file).read_text().replace(old, new))
    with pytest.warns(GraphWarning, match=message) as caught:
        read_own_graph(folder)
    assert len(caught) == 1


def arrays() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    masks = {f"{part}_mask": np.arange(12) % 4 == number for number, part in enumerate(("train", "val", "test"))}
    return {
        "x": rng.integers(3, size=(12, 4)).astype(float),
        "edge_index": np.stack([np.arange(12), np.roll(np.arange(12), 1)]),
        "y": np.array([0, 1, 0, -1, 1, 0, 1, -1, 0, 1, 0, 1]),
        "feature_names": np.array(["p", "q", "r", "s"]),
        **masks,
    }


def write(path, content) -> None:
    """An .npz of these arrays, or a .pt of a Data with the same."""
    if path.suffix == ".npz":
        np.savez(path, **content)
        return
    names = {"feature_names": content["feature_names"].tolist()} if "feature_names" in content else {}
    tensors = {name: torch.from_numpy(array) for name, array in content.items() if name != "feature_names"}
    torch.save(Data(**tensors, **names), path)


@pytest.mark.parametrize("suffix", [".npz", ".pt"])
def test_graph_in_one_file(tmp_path, suffix):
    content = arrays()
    write(tmp_path / f"ring{suffix}", content)
    graph = read_own_graph(tmp_path / f"ring{suffix}")
    assert (graph.name, graph.num_classes, graph.feature_names) == ("ring", 2, ("p", "q", "r", "s"))
    np.testing.assert_array_equal(graph.x, content["x"])
    np.testing.assert_array_equal(graph.edge_index, content["edge_index"])
    np.testing.assert_array_equal(graph.y, content["y"])
    assert graph.public_split.train.tolist() == [0, 4, 8]
    assert graph.public_split.val.tolist() == [1, 5, 9]
    assert graph.public_split.test.tolist() == [2, 6, 10]


def test_compressed_sparse_rows(tmp_path):
    content = arrays()
    matrix = sp.csr_array(content.pop("x"))
    parts = {"x_data": matrix.data, "x_indices": matrix.indices, "x_indptr": matrix.indptr, "x_shape": matrix.shape}
    np.savez(tmp_path / "sparse.npz", **content, **parts)
    np.testing.assert_array_equal(read_own_graph(tmp_path / "sparse.npz").x, matrix.toarray())
    np.savez(tmp_path / "broken.npz", **content, **{**parts, "x_indices": matrix.indices + 4})
    assert "not the parts of a CSR matrix" in refused(tmp_path / "broken.npz")


def test_sparse_tensor_and_column_of_labels(tmp_path):
    content = arrays()
    data = Data(
        x=torch.from_numpy(content["x"]).to_sparse(),
        edge_index=torch.from_numpy(content["edge_index"]),
        y=torch.from_numpy(content["y"])[:, None],
    )
    torch.save(data, tmp_path / "sparse.pt")
    graph = read_own_graph(tmp_path / "sparse.pt")
    np.testing.assert_array_equal(graph.x, content["x"])
    np.testing.assert_array_equal(graph.y, content["y"])


@pytest.mark.parametrize("suffix", [".npz", ".pt"])
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"x": None}, "has no x"),
        ({"edge_index": None}, "has no edge_index"),
        ({"y": np.full(12, -1)}, "no node has a label"),
        ({"y": np.zeros(12, int)}, "all 12 labelled nodes are of one class"),
        ({"y": np.zeros(5, int)}, r"labels have shape \(5,\) for 12 nodes"),
        ({"x": np.full((12, 4), [1, np.nan, np.inf, 1])}, "'q' has 12 missing or infinite values .and 1 more col"),
        ({"edge_index": np.array([[0], [12]])}, "names node 12"),
        ({"edge_index": np.zeros((3, 2), int)}, r"edge_index has shape \(3, 2\)"),
        ({"edge_weight": np.array([1.0, np.nan] * 6)}, "6 edge weights are not finite"),
        ({"val_mask": None}, "has masks but no val_mask"),
        ({"val_mask": np.zeros(12, bool)}, "val_mask names no node"),
        ({"val_mask": np.zeros((12, 10), bool)}, r"val_mask has shape \(12, 10\)"),
        ({"val_mask": np.arange(12) < 2}, "1 nodes are in more than one mask"),
        ({"val_mask": np.arange(12) == 3}, "1 val nodes of the public split have no label"),
        ({"feature_names": np.array(["p"])}, "1 feature_names for 4 columns"),
    ],
)
def test_unsound_arrays_are_refused(tmp_path, suffix, changes, message):
    content = {name: array for name, array in (arrays() | changes).items() if array is not None}
    write(tmp_path / f"bad{suffix}", content)
    with pytest.raises(InputError, match=message):
        read_own_graph(tmp_path / f"bad{suffix}")


class Trap:
    """Runs code when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_pickle_that_runs_code_is_refused_and_does_not_run(tmp_path):
    sprung = tmp_path / "sprung"
    torch.save(Trap(sprung), tmp_path / "trap.pt")
    assert "was not opened because it holds more than a PyG Data" in refused(tmp_path / "trap.pt")
    torch.save(Data(x=torch.ones(2, 1), note=Trap(sprung)), tmp_path / "hidden.pt")
    assert "was not opened" in refused(tmp_path / "hidden.pt")
    (tmp_path / "plain.pt").write_bytes(pickle.dumps(Trap(sprung)))
    refused(tmp_path / "plain.pt")
    np.savez(tmp_path / "trap.npz", x=np.array([Trap(sprung)], dtype=object))
    assert "not a readable .npz file of plain arrays" in refused(tmp_path / "trap.npz")
    assert not sprung.exists()
    with pytest.raises(pickle.UnpicklingError):  # what is let through here is not let through everywhere
        torch.load(tmp_path / "hidden.pt", weights_only=True)


def test_file_that_is_no_graph_is_refused(tmp_path):
    torch.save({"x": torch.ones(2, 2)}, tmp_path / "dict.pt")
    assert "holds a dict, not a graph" in refused(tmp_path / "dict.pt")
    torch.save(torch.ones(3), tmp_path / "tensor.pt")
    assert "holds a Tensor, not a graph" in refused(tmp_path / "tensor.pt")
    for name in ("text.pt", "text.npz"):
        (tmp_path / name).write_text("hello")
        refused(tmp_path / name)


def test_unlabelled_nodes_never_enter_a_split(folder):
    graph = read_own_graph(folder)
    for seed in range(5):
        split = choose_split(graph, "random", seed)
        nodes = np.concatenate([split.train, split.val, split.test])
        assert sorted(nodes) == [0, 1, 2, 4, 5, 6]


def test_induced_subgraph_and_kept_columns(folder):
    graph = read_own_graph(folder)
    part = induced_subgraph(graph, np.array([1, 2, 4, 5]))
    assert pairs(part) == {(0, 1), (1, 0), (2, 3), (3, 2)}
    assert part.y.tolist() == [1, 0, 1, 0]
    np.testing.assert_array_equal(part.x, graph.x[[1, 2, 4, 5]])
    kept = keep_columns(graph, np.array([0, 3]))
    assert (kept.feature_names, kept.column_groups) == (("age", "colour=red"), ("age", "colour"))
    np.testing.assert_array_equal(kept.x, graph.x[:, [0, 3]])
    assert keep_columns(replace(graph, feature_names=None, column_groups=None), np.array([1])).names() == ["0"]


def test_columns_are_standardised_but_for_zeros_and_ones():
    x = np.array([[1, 0, 1e6], [2, 1, 1e6], [6, 1, 1e6]], dtype=np.float32)
    scaled = NORMALISATIONS["columns"](x)
    assert scaled.dtype == np.float32
    np.testing.assert_allclose(scaled[:, 0], np.array([-2, -1, 3]) / np.sqrt(14 / 3), rtol=1e-6)
    np.testing.assert_array_equal(scaled[:, 1:], [[0, 0], [1, 0], [1, 0]])
