"""A PyG `Data` as a `Graph`, and what a selection of features may see of either."""

import copy
import warnings
from dataclasses import replace

import numpy as np
import torch
from torch_geometric.data import Data

from graphsieve.data.graph import EDGE_VALUES, UNLABELLED, Graph, Split, check_graph, keep_columns
from graphsieve.data.own.arrays import FEATURE_NAMES
from graphsieve.data.own.reader import GraphWarning
from graphsieve.errors import InputError


def learning_view(data: Data | Graph, split: Split | None = None) -> tuple[Graph, Split]:
    """The graph with the labels of training and validation nodes alone, and these nodes.

    Trainings report on test nodes, too; the validation nodes take their place.
    """
    graph = data if isinstance(data, Graph) else from_pyg(data)
    split = graph.public_split if split is None else split
    if split is None:
        raise InputError("there is no split: give one to fit, or a Data with train_mask and val_mask")
    graph = check_graph(replace(graph, public_split=None))
    if graph.is_regression or graph.y.dtype.kind not in "iu":
        raise InputError(
            f"y holds quantities ({graph.y.dtype}), and features are selected for classes of nodes: rank them by "
            "graphsieve.inference.ranking.rank_features"
        )
    train, val = _nodes("training", split.train, graph), _nodes("validation", split.val, graph)
    if shared := len(np.intersect1d(train, val)):
        raise InputError(f"{shared} nodes are both training and validation nodes: a node is in one of them")
    seen = np.concatenate([train, val])
    y = np.full(graph.num_nodes, UNLABELLED)
    y[seen] = graph.y[seen]
    return replace(graph, y=y, num_classes=int(y.max()) + 1), Split(train, val, val)


def _nodes(part: str, nodes: np.ndarray, graph: Graph) -> np.ndarray:
    nodes = np.asarray(nodes)
    if nodes.size == 0:
        raise InputError(f"the split has no {part} nodes: name at least one")
    if nodes.min() < 0 or nodes.max() >= graph.num_nodes:
        raise InputError(
            f"the split's {part} nodes run from {nodes.min()} to {nodes.max()}, but the graph's nodes are 0 to "
            f"{graph.num_nodes - 1}: give a split of this graph"
        )
    if unlabelled := np.sum(graph.y[nodes] == UNLABELLED):
        raise InputError(f"{unlabelled} {part} nodes have no label: take them out of the split")
    return nodes


def from_pyg(data: Data) -> Graph:
    """A graph whose public split are the masks of training and validation nodes, where the data has them.

    Examples
    --------
    >>> import torch
    >>> from torch_geometric.data import Data
    >>> from graphsieve.data.pyg import from_pyg
    >>> edge_index = torch.tensor([[0, 1], [1, 0]])
    >>> graph = from_pyg(Data(x=torch.ones(2, 3), edge_index=edge_index, y=torch.tensor([0, 1])))
    >>> graph.x.shape, graph.num_classes, graph.public_split
    ((2, 3), 2, None)
    """
    check_features(data)
    for name in ("edge_index", "y"):
        if not isinstance(data.get(name), torch.Tensor):
            raise InputError(f"the Data has no tensor {name}: give x, edge_index and y")
    y = data.y.detach().cpu().numpy()
    y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
    if y.ndim != 1 or y.dtype.kind not in "iu":
        raise InputError(f"y has shape {tuple(data.y.shape)} and type {data.y.dtype}: give one class number per node")
    if any(data.get(name) is not None for name in EDGE_VALUES):
        warnings.warn("edge weights are not used: every edge counts alike", GraphWarning, stacklevel=4)
    x = data.x.detach()
    graph = Graph(
        name="data",
        x=(x if x.layout == torch.strided else x.to_dense()).cpu().numpy(),
        edge_index=data.edge_index.cpu().numpy(),
        y=y.astype(np.int64),
        num_classes=int(y.max(initial=0)) + 1,
        **{name: tuple(map(str, data[name])) for name in FEATURE_NAMES if data.get(name) is not None},
    )
    return replace(graph, public_split=_split_of_masks(data))


def check_features(data: object) -> None:
    """Refuse what has no matrix of features."""
    if isinstance(data, Graph):
        return
    if not isinstance(data, Data):
        raise InputError(f"data is a {type(data).__name__}: give a PyG Data or a graphsieve Graph")
    x = data.get("x")
    if not isinstance(x, torch.Tensor) or x.dim() != 2 or not x.is_floating_point():
        found = f"of shape {tuple(x.shape)} and type {x.dtype}" if isinstance(x, torch.Tensor) else type(x).__name__
        raise InputError(f"the Data's x is {found}: give floating-point numbers, one row per node")


def _split_of_masks(data: Data) -> Split | None:
    """The test mask is not read: nothing that selects features may know more than the other two."""
    masks = [data.get("train_mask"), data.get("val_mask")]
    if all(mask is None for mask in masks):
        return None
    for name, mask in zip(("train_mask", "val_mask"), masks, strict=True):
        if not isinstance(mask, torch.Tensor) or mask.dtype != torch.bool or mask.shape != (len(data.x),):
            found = f"shape {tuple(mask.shape)}, {mask.dtype}" if isinstance(mask, torch.Tensor) else mask
            raise InputError(f"{name} is {found}: give one true or false per node (of several splits, choose one)")
    nodes = (mask.cpu().numpy().nonzero()[0] for mask in masks)
    return Split(*nodes, test=np.empty(0, dtype=np.int64))


def keep_columns_of(data: Data | Graph, columns: np.ndarray) -> Data | Graph:
    """The same with these columns of x alone; what was given stays as it is."""
    if isinstance(data, Graph):
        return keep_columns(data, columns)
    reduced = copy.copy(data)
    reduced.x = data.x.index_select(1, torch.from_numpy(columns).to(data.x.device))
    for name in FEATURE_NAMES:
        if (names := data.get(name)) is not None:
            reduced[name] = [names[column] for column in columns]
    return reduced
