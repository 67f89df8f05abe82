"""The user's own table with the best features alone, in the format that it came in."""

import io
from pathlib import Path

import numpy as np
import pandas as pd

from graphsieve.data.graph import Graph
from graphsieve.data.own.arrays import CSR_PARTS, FEATURE_NAMES, load_pyg, read_npz_arrays
from graphsieve.data.own.table_files import find_table, read_table
from graphsieve.options import ReadingOptions


def reduced_files(path: Path, graph: Graph, best: list[int], options: ReadingOptions) -> dict[str, bytes]:
    """What the reduced graph consists of, by file name.

    Parameters
    ----------
    path : Path
        Where the graph was read from.
    graph : Graph
        As it was read.
    best : list of int
        Columns of its x that are to stay. Of a table, whole columns stay: one from which several columns were made,
        as from a text, stays if one of these is among the best.
    options : ReadingOptions
        As it was read with.

    Returns
    -------
    dict of str to bytes
        A table of nodes and the table of edges as it was; or one file of arrays or tensors.
    """
    columns = np.sort(best)
    if path.is_dir():
        return _reduced_tables(path, {graph.column_groups[column] for column in columns}, options)
    reduce = _reduced_arrays if path.suffix == ".npz" else _reduced_data
    return {f"{path.stem}{path.suffix}": reduce(path, columns)}


def _reduced_tables(folder: Path, kept: set[str], options: ReadingOptions) -> dict[str, bytes]:
    nodes, edges = find_table(folder, "nodes"), find_table(folder, "edges")
    table = read_table(nodes, {"id": options.id, "label": options.label}, as_text=True)
    stays = [name for name in table.columns if name in kept or name in table.roles.values()]
    reduced = table.columns[stays]
    if nodes.suffix == ".parquet":
        return {"nodes.parquet": _parquet_bytes(reduced), edges.name: edges.read_bytes()}
    return {"nodes.csv": reduced.to_csv(index=False).encode(), edges.name: edges.read_bytes()}


def _parquet_bytes(table: pd.DataFrame) -> bytes:
    return table.to_parquet(None, index=False)


def _reduced_arrays(path: Path, columns: np.ndarray) -> bytes:
    arrays = read_npz_arrays(path)
    reduced = {name: array for name, array in arrays.items() if name not in CSR_PARTS}
    reduced |= {name: arrays[name][columns] for name in FEATURE_NAMES if name in arrays}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **(reduced | {"x": arrays["x"][:, columns]}))
    return buffer.getvalue()


def _reduced_data(path: Path, columns: np.ndarray) -> bytes:
    import torch

    data = load_pyg(path)
    x = data.x if data.x.layout == torch.strided else data.x.to_dense()
    data.x = x[:, torch.from_numpy(columns)]
    for name in FEATURE_NAMES:
        if name in data:
            data[name] = [data[name][column] for column in columns]
    buffer = io.BytesIO()
    torch.save(data, buffer)
    return buffer.getvalue()
