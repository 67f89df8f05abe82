from dataclasses import replace

import numpy as np
import pytest

from graphsieve.data.graph import UNLABELLED, Split
from graphsieve.data.splits import choose_split, classes_without_training_node, random_split
from graphsieve.errors import InputError

PARTS = ("train", "val", "test")


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


def test_unlabelled_nodes_never_enter_a_random_split(graph):
    partly = replace(graph, y=np.where(np.arange(10) == 3, UNLABELLED, graph.y))
    for seed in range(5):
        split = choose_split(partly, "random", seed)
        assert sorted(np.concatenate([split.train, split.val, split.test])) == [0, 1, 2, 4, 5, 6, 7, 8, 9]
