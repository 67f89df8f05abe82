"""Files that mean harm: code in pickles, archives that unpack to terabytes, shapes and lists without end."""

import os
import pickle
import zipfile

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays, scalar_dtypes
from own_arrays import own_arrays, write_arrays
from own_cases import refused
from test_own_properties import LONGEST, examples
from torch_geometric.data import Data

from graphsieve.data.graph import Graph
from graphsieve.data.own import memory
from graphsieve.data.own.reader import read_own_graph
from graphsieve.errors import InputError

TERABYTES = (10**7, 10**6)


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
    (tmp_path / "plain.pt").write_bytes(pickle.dumps(Trap(sprung), protocol=2))
    refused(tmp_path / "plain.pt")
    for name in ("x", "feature_names", "unheard_of"):
        np.savez(tmp_path / "trap.npz", **own_arrays() | {name: np.array([Trap(sprung)], dtype=object)})
        assert "not a readable .npz file of plain arrays" in refused(tmp_path / "trap.npz")
    (tmp_path / "plain.npz").write_bytes(pickle.dumps(Trap(sprung)))
    refused(tmp_path / "plain.npz")
    assert not sprung.exists()
    with pytest.raises(pickle.UnpicklingError):  # what is let through here is not let through everywhere
        torch.load(tmp_path / "hidden.pt", weights_only=True)


def test_archives_that_unpack_to_more_than_memory_are_refused(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "bomb.npz", x=np.zeros((1000, 1000)))
    torch.save(Data(x=torch.zeros(1000, 1000)), tmp_path / "bomb.pt")
    monkeypatch.setattr(memory, "most_bytes", lambda: 2**20)
    assert (tmp_path / "bomb.npz").stat().st_size < 2**14
    for name in ("bomb.npz", "bomb.pt"):
        assert "what it unpacks to would take" in refused(tmp_path / name)


def test_an_array_that_claims_to_be_larger_than_its_file_is_refused(tmp_path):
    np.savez(tmp_path / "sound.npz", **own_arrays())
    lie = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {TERABYTES}, }}".encode()
    content = b"\x93NUMPY\x01\x00" + len(lie).to_bytes(2, "little") + lie + bytes(64)
    with zipfile.ZipFile(tmp_path / "sound.npz") as sound, zipfile.ZipFile(tmp_path / "lie.npz", "w") as written:
        for name in sound.namelist():
            written.writestr(name, content if name == "x.npy" else sound.read(name))
    refused(tmp_path / "lie.npz")


def test_small_descriptions_of_huge_matrices_are_refused(tmp_path):
    content = own_arrays()
    del content["x"], content["feature_names"]
    empty = {"x_data": np.empty(0), "x_indices": np.empty(0, int), "x_indptr": np.zeros(TERABYTES[0] + 1, int)}
    np.savez_compressed(tmp_path / "csr.npz", **content, **empty, x_shape=TERABYTES)
    assert "x would take" in refused(tmp_path / "csr.npz")
    rest = {name: torch.from_numpy(array) for name, array in content.items()}
    torch.save(Data(x=torch.ones(1, 1).expand(TERABYTES), **rest), tmp_path / "stretched.pt")
    torch.save(Data(x=torch.sparse_coo_tensor(size=TERABYTES), **rest), tmp_path / "sparse.pt")
    for name in ("stretched.pt", "sparse.pt"):
        assert (tmp_path / name).stat().st_size < 2**14
        assert "x would take" in refused(tmp_path / name)


def test_a_sparse_matrix_with_entries_outside_of_itself_is_refused(tmp_path):
    """Made dense, it would write anywhere in memory."""
    outside = torch.tensor([[0, 10**9], [0, 10**9]])
    forged = torch.sparse_coo_tensor(outside, torch.ones(2), (12, 4), check_invariants=False)
    rows = torch.sparse_csr_tensor([0, 10**9], [10**9], [1.0], (1, 4), check_invariants=False)
    for name, x in (("coordinates", forged), ("rows", rows)):
        torch.save(Data(x=x), tmp_path / f"{name}.pt")
        assert "is not a readable .pt file" in refused(tmp_path / f"{name}.pt")


def test_names_that_are_lists_of_lists_are_refused(tmp_path):
    """As text they would be longer than any memory."""
    laughs = ["ha"]
    for _ in range(60):
        laughs = [laughs, laughs]
    torch.save(Data(x=torch.ones(2, 2), feature_names=laughs), tmp_path / "laughs.pt")
    assert "feature_names is a list: give a list of texts" in refused(tmp_path / "laughs.pt")


def read_or_refuse(path) -> Graph | None:
    """Nothing but one sentence may come out of a refusal."""
    sentence = ""
    try:
        return read_own_graph(path)
    except InputError as error:
        sentence = str(error)
    assert sentence.isprintable()
    assert len(sentence) < LONGEST
    return None


PLAIN = {name: st.just(array) for name, array in own_arrays().items()}
ANYTHING = arrays(scalar_dtypes(), array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=12))


@pytest.mark.filterwarnings("ignore")
@examples(100)
@given(
    st.fixed_dictionaries({}, optional=PLAIN),
    st.dictionaries(st.sampled_from([*PLAIN, "edge_weight", "edge_attr"]), ANYTHING, max_size=2),
)
def test_any_arrays_are_refused_in_one_sentence_or_read_as_they_stand(tmp_path_factory, some, others):
    path = tmp_path_factory.mktemp("arrays") / "any.npz"
    np.savez(path, **some | others)
    graph = read_or_refuse(path)
    if graph is not None:
        given_arrays = some | others
        np.testing.assert_array_equal(graph.x, given_arrays["x"].astype(np.float32))
        np.testing.assert_array_equal(graph.edge_index, given_arrays["edge_index"].astype(np.int64))
        for name in ("edge_weight", "edge_attr"):
            wanted = given_arrays.get(name)
            assert (getattr(graph, name) is None) == (wanted is None)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("suffix", [".npz", ".pt"])
def test_a_damaged_file_is_refused_in_one_sentence_or_read(tmp_path, suffix):
    write_arrays(tmp_path / f"sound{suffix}", own_arrays())
    sound = (tmp_path / f"sound{suffix}").read_bytes()

    @examples(60)
    @given(st.integers(0, len(sound)), st.integers(0, 40), st.binary(max_size=40))
    def damage(start: int, length: int, instead: bytes) -> None:
        (tmp_path / f"damaged{suffix}").write_bytes(sound[:start] + instead + sound[start + length :])
        read_or_refuse(tmp_path / f"damaged{suffix}")

    damage()
