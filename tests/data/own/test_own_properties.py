"""Any table either loads to the graph that an independent reader builds of it, or is refused in one sentence.

`GRAPHSIEVE_EXAMPLES=10000` tries so many folders of each kind instead of a few, and others every time.
"""

import math
import os
import tempfile
from pathlib import Path

import numpy as np
from generated_folders import Folder, broken_folders, folders
from hypothesis import HealthCheck, given, settings
from independent_reader import Plain, read_folder
from own_cases import read_with_notes

from graphsieve.data.graph import UNLABELLED, Graph
from graphsieve.errors import InputError

LONGEST = 1000  # signs of a sentence, paths and names of columns included
EXAMPLES = os.environ.get("GRAPHSIEVE_EXAMPLES")
FEW = {"deadline": None, "derandomize": EXAMPLES is None, "database": None, "suppress_health_check": list(HealthCheck)}


def examples(few: int) -> settings:
    return settings(max_examples=int(EXAMPLES or few), **FEW)


def read_both(folder: Folder) -> tuple[Graph | None, Plain | None]:
    """What both readers make of it; None where it is refused."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        folder.write(path)
        graph, sentence = None, ""
        try:
            graph = read_with_notes(path, **folder.options)[0]
        except InputError as error:
            sentence = str(error)
        assert sentence.isprintable()
        assert len(sentence) < LONGEST
        return graph, read_folder(path, **folder.options)


def assert_same(graph: Graph, plain: Plain) -> None:
    assert graph.names() == [name for name, _ in plain.columns]
    assert list(graph.column_groups) == plain.groups
    assert_close(graph.x, np.array([values for _, values in plain.columns]).T)
    assert graph.is_regression == plain.is_regression
    unlabelled = math.nan if plain.is_regression else UNLABELLED
    assert_close(graph.y, np.array([unlabelled if label is None else label for label in plain.y], dtype=float))
    values = graph.edge_attr if graph.edge_attr is not None else graph.edge_weight
    found = dict.fromkeys(zip(*graph.edge_index.tolist(), strict=True), [])
    if values is not None:
        found = dict(zip(found, (values[:, None] if values.ndim == 1 else values).tolist(), strict=True))
    assert found.keys() == plain.edges.keys()
    for ends, wanted in plain.edges.items():
        assert_close(np.array(found[ends]), np.array(wanted))


def assert_close(one: np.ndarray, other: np.ndarray) -> None:
    assert one.shape == other.shape
    np.testing.assert_allclose(one, other.astype(np.float32), rtol=1e-5, atol=1e-30)


@examples(150)
@given(folders())
def test_a_table_is_read_as_another_reader_reads_it(folder):
    graph, plain = read_both(folder)
    assert (graph is None) == (plain is None)
    if graph is not None:
        assert_same(graph, plain)


@examples(100)
@given(broken_folders())
def test_a_broken_table_is_refused_in_one_sentence_or_read_as_it_stands(folder):
    graph, plain = read_both(folder)
    if graph is not None:
        assert plain is not None
        assert_same(graph, plain)
