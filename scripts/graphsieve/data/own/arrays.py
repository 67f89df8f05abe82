"""A graph in one file: an .npz of arrays, or a PyG `Data` saved with torch.save. Neither may run code when opened."""

import pickle
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from graphsieve.data.own.raw_graph import WEIGHTS_NOTE, RawGraph
from graphsieve.errors import InputError
from graphsieve.files.reading import read_npz

CSR_PARTS = ("x_data", "x_indices", "x_indptr", "x_shape")
MASKS = {"train_mask": "train", "val_mask": "val", "test_mask": "test"}
NAMES = ("feature_names", "column_groups")
WEIGHTS = ("edge_weight", "edge_attr")


def read_arrays(path: Path) -> RawGraph:
    """x (dense, or the parts of a CSR matrix), edge_index and y; masks and names where given."""
    try:
        arrays = read_npz(path)
    except InputError:
        raise InputError(f"{path} is not a readable .npz file of plain arrays: write it using numpy.savez") from None
    if "x" not in arrays and set(CSR_PARTS) <= set(arrays):
        arrays["x"] = _csr(arrays, path)
    return _raw_graph(arrays, path)


def _csr(arrays: dict[str, np.ndarray], path: Path) -> np.ndarray:
    data, indices, pointers, shape = (arrays[name] for name in CSR_PARTS)
    try:
        matrix = sp.csr_array((data, indices, pointers), shape=tuple(int(size) for size in shape))
        matrix.check_format(full_check=True)
    except (ValueError, TypeError) as error:
        raise InputError(f"{path}: {', '.join(CSR_PARTS)} are not the parts of a CSR matrix ({error})") from None
    return matrix.toarray()


def read_pyg(path: Path) -> RawGraph:
    """Only tensors, plain values and PyG's `Data` are let through, whatever else the file asks for."""
    import torch
    from torch_geometric.data import Data
    from torch_geometric.data.data import DataEdgeAttr, DataTensorAttr
    from torch_geometric.data.storage import GlobalStorage

    # Leaving the context forgets all of its classes, also one that PyG allows for its own loaders: name only new ones.
    needed = [Data, DataEdgeAttr, DataTensorAttr, GlobalStorage]
    not_yet_allowed = [one for one in needed if one not in torch.serialization.get_safe_globals()]
    try:
        with torch.serialization.safe_globals(not_yet_allowed):
            data = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError:
        raise InputError(
            f"{path} was not opened because it holds more than a PyG Data of tensors and could run code: "
            "save a Data with x, edge_index and y alone, using torch.save"
        ) from None
    except (OSError, EOFError, RuntimeError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise InputError(f"{path} is not a readable .pt file ({str(error).splitlines()[0]})") from None
    if not isinstance(data, Data):
        raise InputError(f"{path} holds a {type(data).__name__}, not a graph: save a PyG Data using torch.save")
    arrays = {name: _array(name, value, path) for name, value in data.to_dict().items() if name in WANTED}
    return _raw_graph(arrays, path)


WANTED = ("x", "edge_index", "y", *MASKS, *NAMES, *WEIGHTS)


def _array(name: str, value: object, path: Path) -> np.ndarray:
    import torch

    if isinstance(value, torch.Tensor):
        dense = value.detach().to_dense() if value.layout != torch.strided else value.detach()
        return (dense.float() if dense.dtype == torch.bfloat16 else dense).numpy()
    if name in NAMES and isinstance(value, (list, tuple)):
        return np.array([str(one) for one in value])
    raise InputError(f"{path}: {name} is a {type(value).__name__}: give a tensor")


def _raw_graph(arrays: dict[str, np.ndarray], path: Path) -> RawGraph:
    for name in ("x", "edge_index", "y"):
        if name not in arrays:
            also = " (or x_data, x_indices, x_indptr and x_shape)" if name == "x" else ""
            raise InputError(f"{path} has no {name}{also}: a graph needs x, edge_index and y")
    x, y = arrays["x"], arrays["y"]
    if x.dtype.kind not in "iufb":
        raise InputError(f"{path}: x holds {x.dtype}: give numbers")
    weights = [arrays[name] for name in WEIGHTS if name in arrays]
    for values in weights:
        if not np.isfinite(values).all():
            raise InputError(f"{path}: {np.sum(~np.isfinite(values))} edge weights are not finite: mend or drop them")
    names = {name: tuple(str(one) for one in arrays[name].ravel()) for name in NAMES if name in arrays}
    return RawGraph(
        x=x,
        edge_index=arrays["edge_index"],
        labels=y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y,
        masks={part: arrays[mask] for mask, part in MASKS.items() if mask in arrays},
        notes=(WEIGHTS_NOTE,) if weights else (),
        **names,
    )
