"""A user's graph in one file of arrays or tensors."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from own_arrays import own_arrays, write_arrays
from own_cases import refused
from torch_geometric.data import Data

from graphsieve.data.own.reader import read_own_graph
from graphsieve.errors import InputError


@pytest.mark.parametrize("suffix", [".npz", ".pt"])
def test_graph_in_one_file(tmp_path, suffix):
    content = own_arrays()
    write_arrays(tmp_path / f"ring{suffix}", content)
    graph = read_own_graph(tmp_path / f"ring{suffix}")
    assert (graph.name, graph.num_classes, graph.feature_names) == ("ring", 2, ("p", "q", "r", "s"))
    np.testing.assert_array_equal(graph.x, content["x"])
    np.testing.assert_array_equal(graph.edge_index, content["edge_index"])
    np.testing.assert_array_equal(graph.y, content["y"])
    assert graph.public_split.train.tolist() == [0, 4, 8]
    assert graph.public_split.val.tolist() == [1, 5, 9]
    assert graph.public_split.test.tolist() == [2, 6, 10]


def test_compressed_sparse_rows(tmp_path):
    content = own_arrays()
    matrix = sp.csr_array(content.pop("x"))
    parts = {"x_data": matrix.data, "x_indices": matrix.indices, "x_indptr": matrix.indptr, "x_shape": matrix.shape}
    np.savez(tmp_path / "sparse.npz", **content, **parts)
    np.testing.assert_array_equal(read_own_graph(tmp_path / "sparse.npz").x, matrix.toarray())
    np.savez(tmp_path / "broken.npz", **content, **{**parts, "x_indices": matrix.indices + 4})
    assert "not the parts of a CSR matrix" in refused(tmp_path / "broken.npz")


def test_sparse_tensor_and_column_of_labels(tmp_path):
    content = own_arrays()
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
        ({"edge_weight": np.array([1.0, np.nan] * 6)}, "6 edge weights or attributes are not finite"),
        ({"val_mask": None}, "has masks but no val_mask"),
        ({"val_mask": np.zeros(12, bool)}, "val_mask names no node"),
        ({"val_mask": np.zeros((12, 10), bool)}, r"val_mask has shape \(12, 10\)"),
        ({"val_mask": np.arange(12) < 2}, "1 nodes are in more than one mask"),
        ({"val_mask": np.arange(12) == 3}, "1 val nodes of the public split have no label"),
        ({"feature_names": np.array(["p"])}, "1 feature_names for 4 columns"),
    ],
)
def test_unsound_arrays_are_refused(tmp_path, suffix, changes, message):
    content = {name: array for name, array in (own_arrays() | changes).items() if array is not None}
    write_arrays(tmp_path / f"bad{suffix}", content)
    with pytest.raises(InputError, match=message):
        read_own_graph(tmp_path / f"bad{suffix}")


def test_reading_leaves_the_classes_that_torch_may_load_as_they_were(tmp_path):
    """PyG's own loaders rely on some of them."""
    before = set(torch.serialization.get_safe_globals())
    write_arrays(tmp_path / "ring.pt", own_arrays())
    read_own_graph(tmp_path / "ring.pt")
    assert set(torch.serialization.get_safe_globals()) == before


def test_file_that_is_no_graph_is_refused(tmp_path):
    torch.save({"x": torch.ones(2, 2)}, tmp_path / "dict.pt")
    assert "holds a dict, not a graph" in refused(tmp_path / "dict.pt")
    torch.save(torch.ones(3), tmp_path / "tensor.pt")
    assert "holds a Tensor, not a graph" in refused(tmp_path / "tensor.pt")
    for name in ("text.pt", "text.npz"):
        (tmp_path / name).write_text("hello")
        refused(tmp_path / name)
