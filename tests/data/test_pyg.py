"""A PyG `Data` as a graph, and what is hidden of it."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from graphsieve.data.graph import Split
from graphsieve.data.own.reader import GraphWarning
from graphsieve.data.pyg import from_pyg, learning_view
from graphsieve.errors import InputError

TRAIN, VAL = torch.tensor([True, True, False, False]), torch.tensor([False, False, True, False])


def data_of(**changes) -> Data:
    """Four nodes in a row; the last one, with the only label 2, is in neither mask."""
    plain = {
        "x": torch.arange(8.0).reshape(4, 2),
        "edge_index": torch.tensor([[0, 1, 2], [1, 2, 3]]),
        "y": torch.tensor([0, 1, 1, 2]),
        "train_mask": TRAIN,
        "val_mask": VAL,
    }
    return Data(**{**plain, **changes})


def test_tensors_and_masks_become_arrays_and_a_split():
    graph = from_pyg(data_of(feature_names=["age", "height"], y=torch.tensor([[0], [1], [1], [2]])))
    assert graph.x.tolist() == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert graph.y.tolist() == [0, 1, 1, 2]
    assert graph.names() == ["age", "height"]
    assert (graph.public_split.train.tolist(), graph.public_split.val.tolist()) == ([0, 1], [2])
    assert from_pyg(data_of(x=data_of().x.double())).x.dtype == np.float64


def test_labels_of_other_nodes_are_hidden():
    graph, split = learning_view(data_of())
    assert graph.y.tolist() == [0, 1, 1, -1]
    assert graph.num_classes == 2
    assert [nodes.tolist() for nodes in vars(split).values()] == [[0, 1], [2], [2]]
    swapped, _ = learning_view(data_of(), Split(np.array([2]), np.array([0]), np.array([3])))
    assert swapped.y.tolist() == [0, -1, 1, -1]


def test_edge_weights_are_not_ignored_in_silence():
    with pytest.warns(GraphWarning, match="edge weights are not used"):
        from_pyg(data_of(edge_weight=torch.ones(3)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"x": None}, "the Data's x is NoneType"),
        ({"x": torch.ones(4, 2, dtype=torch.long)}, "type torch.int64: give floating-point numbers"),
        ({"x": torch.full((4, 2), torch.nan)}, "2 features have NaN"),
        ({"y": None}, "no tensor y"),
        ({"y": torch.ones(4)}, "give one class number per node"),
        ({"y": torch.tensor([0, 1, -1, 2])}, "1 validation nodes have no label"),
        ({"edge_index": torch.tensor([[0], [4]])}, "edge_index names node 4"),
        ({"val_mask": None}, "val_mask is None"),
        ({"val_mask": torch.ones(4, 10, dtype=torch.bool)}, "of several splits, choose one"),
        ({"val_mask": torch.zeros(4, dtype=torch.bool)}, "no validation nodes"),
        ({"val_mask": TRAIN}, "2 nodes are both training and validation nodes"),
        ({"train_mask": None, "val_mask": None}, "there is no split"),
    ],
)
def test_bad_data_are_refused(changes, message):
    with pytest.raises(InputError, match=message):
        learning_view(data_of(**changes))


@pytest.mark.parametrize("num_classes", [0, 3])
def test_quantities_are_refused_and_not_cut_to_classes(num_classes):
    graph = replace(from_pyg(data_of()), y=np.array([0.5, 1.5, 0.2, 2.0]), num_classes=num_classes)
    with pytest.raises(InputError, match=r"y holds quantities \(float64\), and features are selected for classes"):
        learning_view(graph)


def test_a_split_of_another_graph_is_refused():
    with pytest.raises(InputError, match="training nodes run from 0 to 9, but the graph's nodes are 0 to 3"):
        learning_view(data_of(), Split(np.arange(10), np.array([2]), np.array([3])))
