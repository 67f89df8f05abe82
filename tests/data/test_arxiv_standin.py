"""The stand-in for ogbn-arxiv: its labels, years and split as they are, and citations and features as they are said to
be."""

from dataclasses import replace

import numpy as np
import pytest
from small_datasets import make_small

from graphsieve.data.arxiv_standin import NUM_FEATURES, NUM_RELEVANT, draw_citations
from graphsieve.data.graph import Graph, Split
from graphsieve.data.raw_files import read_manifest
from graphsieve.errors import InputError
from raw_formats import write_arxiv

NODES, EDGES, CLASSES = 600, 2000, 4
pytestmark = pytest.mark.usefixtures("no_mirror_from_outside")


@pytest.fixture
def standin(tmp_path):
    """Of ogbn-arxiv's files, those that say nothing of edges and features."""
    y = np.random.default_rng(2).integers(0, CLASSES, NODES)
    parts = Split(np.arange(0, 300), np.arange(300, 400), np.arange(400, NODES))
    nothing = np.zeros((NODES, 1), dtype=np.float32), np.zeros((2, EDGES), dtype=np.int64)
    small = make_small(tmp_path, Graph("arxiv_standin", *nothing, y, CLASSES, public_split=parts), write_arxiv)
    needed = {row.file for row in read_manifest() if row.dataset == "arxiv_standin"}
    return replace(small, manifest=[row for row in small.manifest if row.file in needed])


def test_labels_and_split_are_the_real_ones_and_features_tell_of_the_class(standin):
    graph = standin.load()
    np.testing.assert_array_equal(graph.y, standin.graph.y)
    for part, nodes in vars(standin.graph.public_split).items():
        np.testing.assert_array_equal(getattr(graph.public_split, part), nodes)
    assert (graph.x.shape, graph.x.dtype) == ((NODES, NUM_FEATURES), np.float32)
    between = np.stack([graph.x[graph.y == label].mean(axis=0) for label in range(CLASSES)]).std(axis=0)
    strong = np.array([name in {f"relevant_{rank}" for rank in range(1, 9)} for name in graph.feature_names])
    relevant = np.array([name.startswith("relevant") for name in graph.feature_names])
    assert (strong.sum(), relevant.sum()) == (8, NUM_RELEVANT)
    assert between[strong].mean() > 3 * between[~relevant].mean()
    again = standin.load()
    np.testing.assert_array_equal(again.x, graph.x)
    np.testing.assert_array_equal(again.edge_index, graph.edge_index)


def test_citations_are_distinct_go_back_in_time_and_mostly_stay_in_the_class(standin):
    graph, years = standin.load(), 2010 + np.arange(NODES) % 11
    citing, cited = graph.edge_index
    assert len({*map(tuple, graph.edge_index.T.tolist())}) == EDGES
    assert (citing != cited).all()
    assert (years[citing] >= years[cited]).all()
    assert (graph.y[citing] == graph.y[cited]).sum() == 0.65 * EDGES
    assert np.bincount(cited).max() > 3 * np.bincount(citing).max()  # some are cited much more than others


def test_more_citations_than_papers_allow_are_refused():
    with pytest.raises(InputError, match="cannot have 65 citations within .* only 20 pairs .* num-edge-list.csv.gz"):
        draw_citations(np.arange(10) % 2, np.arange(10), 100, np.random.default_rng(0))


def test_without_its_files_the_sentence_names_them(standin, tmp_path):
    with pytest.raises(InputError, match=r"'arxiv_standin': raw file ogbn_arxiv/raw/node-label.csv.gz \(and 5 more\)"):
        standin.load(root=tmp_path / "empty", mirror=None)


def test_the_manifest_knows_one_checksum_for_a_file_of_two_datasets():
    rows = {(row.dataset, row.file): row for row in read_manifest()}
    shared = [row for row in rows.values() if row.dataset == "arxiv_standin"]
    assert len(shared) == 6
    for row in shared:
        assert rows["arxiv", row.file] == replace(row, dataset="arxiv")
