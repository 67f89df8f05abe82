"""A graph in one file: an .npz of arrays, or a PyG `Data` saved with torch.save. Neither may run code when opened.

A file of a few kilobytes may claim to be as large as it likes: sizes are looked at before anything is unpacked.
"""

import contextlib
import math
import pickle
import zipfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from graphsieve.data.graph import EDGE_VALUES
from graphsieve.data.own.memory import check_size
from graphsieve.data.own.raw_graph import RawGraph
from graphsieve.errors import InputError
from graphsieve.files.reading import read_npz
from graphsieve.options import ReadingOptions

CSR_PARTS = ("x_data", "x_indices", "x_indptr", "x_shape")
MASKS = {"train_mask": "train", "val_mask": "val", "test_mask": "test"}
FEATURE_NAMES = ("feature_names", "column_groups")
NAMES = (*FEATURE_NAMES, "edge_names")
WANTED = ("x", "edge_index", "y", *MASKS, *NAMES, *EDGE_VALUES)


def read_arrays(path: Path, options: ReadingOptions) -> RawGraph:
    """x (dense, or the parts of a CSR matrix), edge_index and y; masks, names and values of edges where given."""
    return _raw_graph(read_npz_arrays(path), path)


def read_npz_arrays(path: Path) -> dict[str, np.ndarray]:
    """All arrays of the file, and a dense x in any case where there is one."""
    _check_archive(path)
    try:
        arrays = read_npz(path)
    except MemoryError:
        raise
    except Exception:  # a damaged archive fails in many ways, and none of them is the user's business
        raise InputError(f"{path} is not a readable .npz file of plain arrays: write it using numpy.savez") from None
    if "x" not in arrays and set(CSR_PARTS) <= set(arrays):
        arrays["x"] = _csr(arrays, path)
    return arrays


def _check_archive(path: Path) -> None:
    size = 0
    # What is no archive at all, or a damaged one, is refused by its reader.
    with contextlib.suppress(zipfile.BadZipFile, OSError, ValueError), zipfile.ZipFile(path) as archive:
        size = sum(member.file_size for member in archive.infolist())
    check_size(path, size, "what it unpacks to")


def _csr(arrays: dict[str, np.ndarray], path: Path) -> np.ndarray:
    data, indices, pointers, shape = (arrays[name] for name in CSR_PARTS)
    try:
        rows, columns = (int(size) for size in shape)
        matrix = sp.csr_array((data, indices, pointers), shape=(rows, columns))
        matrix.check_format(full_check=True)
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(f"{path}: {', '.join(CSR_PARTS)} are not the parts of a CSR matrix ({error})") from None
    check_size(path, rows * columns * matrix.dtype.itemsize, "x")
    return matrix.toarray()


def read_pyg(path: Path, options: ReadingOptions) -> RawGraph:
    """The same of a PyG `Data`."""
    entries = load_pyg(path).to_dict()
    return _raw_graph({name: _array(name, value, path) for name, value in entries.items() if name in WANTED}, path)


def load_pyg(path: Path):
    """Only tensors, plain values and PyG's `Data` are let through, whatever else the file asks for."""
    from torch_geometric.data import Data

    _check_archive(path)
    try:
        data = _load_safely(path)
        if isinstance(data, Data):
            data.to_dict()  # a forged one has nothing behind it
    except pickle.UnpicklingError:
        raise InputError(
            f"{path} was not opened because it holds more than a PyG Data of tensors and could run code: "
            "save a Data with x, edge_index and y alone, using torch.save"
        ) from None
    except MemoryError:
        raise
    except Exception as error:  # whatever a damaged or forged file makes torch stumble over
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"{path} is not a readable .pt file ({reason})") from None
    if not isinstance(data, Data):
        raise InputError(f"{path} holds a {type(data).__name__}, not a graph: save a PyG Data using torch.save")
    return data


def _load_safely(path: Path) -> object:
    import torch
    from torch_geometric.data import Data
    from torch_geometric.data.data import DataEdgeAttr, DataTensorAttr
    from torch_geometric.data.storage import GlobalStorage

    # Leaving the context forgets all of its classes, also one that PyG allows for its own loaders: name only new ones.
    needed = [Data, DataEdgeAttr, DataTensorAttr, GlobalStorage]
    not_yet_allowed = [one for one in needed if one not in torch.serialization.get_safe_globals()]
    # Made dense, a sparse tensor with forged indices would write anywhere in memory: have them checked.
    checked = torch.sparse.check_sparse_tensor_invariants()
    with torch.serialization.safe_globals(not_yet_allowed), checked:
        return torch.load(path, map_location="cpu", weights_only=True)


def _array(name: str, value: object, path: Path) -> np.ndarray:
    import torch

    if isinstance(value, torch.Tensor):
        check_size(path, math.prod(value.shape) * value.element_size(), name)
        try:
            dense = value.detach().to_dense() if value.layout != torch.strided else value.detach()
            return (dense.float() if dense.dtype == torch.bfloat16 else dense).numpy()
        except (TypeError, RuntimeError) as error:
            raise InputError(f"{path}: {name} is no plain tensor ({str(error).splitlines()[0]})") from None
    if name in NAMES and isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value):
        return np.array(value, dtype=str)
    raise InputError(f"{path}: {name} is a {type(value).__name__}: give {_expected(name)}")


def _expected(name: str) -> str:
    return "a list of texts" if name in NAMES else "a tensor"


def _raw_graph(arrays: dict[str, np.ndarray], path: Path) -> RawGraph:
    for name in ("x", "edge_index", "y"):
        if name not in arrays:
            also = " (or x_data, x_indices, x_indptr and x_shape)" if name == "x" else ""
            raise InputError(f"{path} has no {name}{also}: a graph needs x, edge_index and y")
    for name in ("x", *EDGE_VALUES):
        if name in arrays and arrays[name].dtype.kind not in "iufb":
            raise InputError(f"{path}: {name} holds {arrays[name].dtype}: give numbers")
    names = {name: tuple(str(one) for one in arrays[name].ravel()) for name in NAMES if name in arrays}
    y, edge_attr = arrays["y"], arrays.get("edge_attr")
    return RawGraph(
        x=arrays["x"],
        edge_index=arrays["edge_index"],
        labels=_labels(y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y, path),
        edge_weight=arrays.get("edge_weight"),
        edge_attr=edge_attr[:, None] if edge_attr is not None and edge_attr.ndim == 1 else edge_attr,
        masks={part: arrays[mask] for mask, part in MASKS.items() if mask in arrays},
        **names,
    )


def _labels(y: np.ndarray, path: Path) -> np.ndarray:
    if y.dtype.kind not in "iufbU":
        raise InputError(f"{path}: y holds {y.dtype}: give class numbers, texts or quantities")
    return y
