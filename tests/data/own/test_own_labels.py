"""Labels: classes or quantities, and which of them is guessed."""

import numpy as np
import pytest
from own_cases import NODES, read_with_notes, refused

from graphsieve.data.graph import UNLABELLED
from graphsieve.data.own.labels import MANY_CLASSES, guess_task


@pytest.mark.parametrize(
    ("labels", "task"),
    [
        (["a", "b", ""], "classification"),
        ([1.0, 2.0, np.nan], "classification"),
        ([1.0, 2.5, np.nan], "regression"),
        (np.arange(MANY_CLASSES) * 7, "classification"),
        (np.arange(MANY_CLASSES + 1) * 7, "regression"),
        (np.arange(100), "classification"),  # numbered without gaps
        (np.arange(1, 101), "classification"),
        (np.r_[-1, np.arange(100)], "classification"),  # and some nodes without a label
        (np.arange(18, 90), "regression"),
        ([True, False], "classification"),
    ],
)
def test_guess(labels, task):
    assert guess_task(np.array(labels)) == task


def with_labels(folder, labels: list[str]) -> None:
    lines = NODES.splitlines()
    rows = [line.split(",") for line in lines[1:]]
    new = [",".join([row[0], label, *row[2:]]) for row, label in zip(rows, labels, strict=True)]
    (folder / "nodes.csv").write_text("\n".join([lines[0], *new]) + "\n")


QUANTITIES = ["1.5", "-2", "", "0", "7e3", "-1", "1"]


def test_quantities_are_announced_and_kept(folder):
    with_labels(folder, QUANTITIES)
    graph, notes = read_with_notes(folder)
    np.testing.assert_array_equal(graph.y, np.float32([1.5, -2, np.nan, 0, 7e3, -1, 1]))
    assert (graph.is_regression, graph.num_classes, graph.num_outputs) == (True, 0, 1)
    assert graph.labelled().tolist() == [0, 1, 3, 4, 5, 6]
    assert notes == [
        "labels such as 1.5 are taken for a quantity, and predicted as one (regression): "
        "--task classification makes classes of them"
    ]


@pytest.mark.parametrize("word", ["NA", "?", "None"])
def test_a_word_for_missing_among_numbers_is_no_label(folder, word):
    with_labels(folder, ["1.5", "-2", word, "0", "", word, "1"])
    graph, notes = read_with_notes(folder)
    assert graph.is_regression
    np.testing.assert_array_equal(graph.y, np.float32([1.5, -2, np.nan, 0, np.nan, np.nan, 1]))
    assert f"2 nodes are unlabelled, because their label is '{word}'" in notes
    with_labels(folder, ["10", "2", word, "10", "2", "10", "2"])
    graph, notes = read_with_notes(folder)
    assert graph.y.tolist() == [1, 0, UNLABELLED, 1, 0, 1, 0]
    assert notes == [f"1 nodes are unlabelled, because their label is '{word}'"]


def test_only_words_for_missing_are_classes(folder):
    with_labels(folder, ["NA", "None", "", "NA", "None", "NA", "None"])
    graph, notes = read_with_notes(folder)
    assert graph.y.tolist() == [0, 1, UNLABELLED, 0, 1, 0, 1]
    assert notes == []


def test_the_task_can_be_said(folder):
    with_labels(folder, QUANTITIES)
    graph, notes = read_with_notes(folder, task="classification")
    assert graph.y.tolist() == [4, 0, UNLABELLED, 2, 5, 1, 3]
    assert all("quantity" not in note for note in notes)
    with_labels(folder, ["1", "2", "", "1", "2", "2", "1"])
    graph, notes = read_with_notes(folder, task="regression")
    np.testing.assert_array_equal(graph.y, np.float32([1, 2, np.nan, 1, 2, 2, 1]))
    assert notes == []


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["1", "x", "", "2", "2", "2", "1"], "the label 'x' is no number: regression needs numbers"),
        (["1_0", "2_0", "", "2", "2", "2", "1"], "the label '1_0' is no number"),
        (["1", "inf", "", "2", "2", "2", "1"], "1 labels are infinite or too large"),
        (["1", "1e39", "", "2", "2", "2", "1"], "1 labels are infinite or too large"),
        (["3"] * 7, "all 7 labelled nodes have the label 3"),
        ([""] * 7, "no node has a label"),
    ],
)
def test_unsound_quantities_are_refused(folder, labels, message):
    with_labels(folder, labels)
    assert message in refused(folder, task="regression")
