"""A name in, many small graphs out, each with a label of its own: for tasks on whole graphs."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from graphsieve.data.datasets import make_request
from graphsieve.data.raw_files import RawFile
from graphsieve.errors import InputError

if TYPE_CHECKING:
    from torch_geometric.data import Data

GRAPH_SETS = {"enzymes": "ENZYMES", "mutag": "MUTAG"}  # and their names in the collection TUDataset


def load_graphs(
    name: str,
    *,
    root: str | Path = "data",
    mirror: str | Path | None = None,
    manifest: Sequence[RawFile] | None = None,
) -> list["Data"]:
    """All graphs of a set, from checked raw files.

    Parameters
    ----------
    name : one of `GRAPH_SETS`.
    root, mirror, manifest : where raw files are kept, copied from and listed, as for `load_graph`.

    Returns
    -------
    list of torch_geometric.data.Data with `x` (numeric attributes first, then a column for every kind of node),
    `edge_index`, `y` (one label a graph) and, where the set has them, `edge_attr`.

    Examples
    --------
    >>> load_graphs("proteins")
    Traceback (most recent call last):
    graphsieve.errors.InputError: graph set 'proteins' is unknown: choose one of enzymes, mutag
    """
    if name not in GRAPH_SETS:
        raise InputError(f"graph set '{name}' is unknown: choose one of {', '.join(GRAPH_SETS)}")
    from torch_geometric.datasets import TUDataset

    with make_request(name, root=root, mirror=mirror, manifest=manifest).raw_files() as folder:
        return list(TUDataset(f"{folder}/TUDataset", GRAPH_SETS[name], use_node_attr=True))
