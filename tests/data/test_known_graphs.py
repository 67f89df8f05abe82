"""Graphs that are known by name and need no files of ours, and the real ones where a copy of them is at hand."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from graphsieve.data.datasets import DATASETS, _import_ogb_dataset, load_graph
from graphsieve.data.graph import Graph
from graphsieve.data.raw_files import MIRROR_VARIABLE
from graphsieve.errors import InputError
from graphsieve.jobs.resources import Size, size_of

PROJECT = Path(__file__).parents[2]
REAL_MIRROR = os.environ.get(MIRROR_VARIABLE) and Path(os.environ[MIRROR_VARIABLE]).resolve()
PUBLISHED = pd.read_csv(PROJECT / "config/published/table5_datasets.csv").set_index("dataset", drop=False)


@pytest.mark.parametrize("regime", "abcdefgh")
def test_synthetic_graph_is_new_for_every_seed(regime):
    name = f"synthetic_{regime}"
    first, again, other = load_graph(name, seed=0), load_graph(name, seed=0), load_graph(name, seed=1)
    assert first.name == name
    np.testing.assert_array_equal(first.x, again.x)
    assert (first.x != other.x).any()


def test_digits_and_synthetic_graphs_do_not_import_torch():
    code = (
        "import sys; from graphsieve import load_graph; load_graph('digits'); load_graph('synthetic_a');"
        "sys.exit('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT / "scripts", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_ogb_is_imported_without_asking_for_a_newer_version(monkeypatch):
    for module in [name for name in sys.modules if name.split(".")[0] in ("ogb", "outdated")]:
        monkeypatch.delitem(sys.modules, module)
    _import_ogb_dataset()
    assert sys.modules["ogb.version"].check_outdated is None
    assert not hasattr(sys.modules["ogb.version"], "thread")
    assert "outdated" not in sys.modules


# The real graphs


@pytest.fixture(scope="module")
def real_root(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


@pytest.mark.skipif(REAL_MIRROR is None, reason=f"{MIRROR_VARIABLE} is not set")
@pytest.mark.parametrize("name", PUBLISHED.index.drop("arxiv"))
def test_real_graph_has_the_published_size(name, real_root):
    graph = load_graph(name, root=real_root, mirror=REAL_MIRROR)
    published = PUBLISHED.loc[name]
    assert (graph.num_nodes, graph.num_features, graph.num_classes) == tuple(
        published[["nodes", "features", "classes"]]
    )
    assert len(np.unique(graph.y)) == graph.num_classes
    if name in ("photo", "computers"):
        assert graph.edge_index.shape[1] == {"photo": 238162, "computers": 491722}[name]
        assert edges_of_largest_component(graph) == published.edges
    else:
        assert graph.edge_index.shape[1] == published.edges
    sizes = graph.public_split and [len(part) for part in vars(graph.public_split).values()]
    assert sizes == {"cora": [140, 500, 1000], "citeseer": [120, 500, 1000], "pubmed": [60, 500, 1000]}.get(name)


# Nodes, features, classes and undirected edges as the authors count them (Platonov et al. 2023); Actor's edges are
# directed, and PyG's documentation counts as many.
BEYOND = {
    "actor": (7_600, 932, 5, 30_019),
    "minesweeper": (10_000, 7, 2, 2 * 39_402),
    "tolokers": (11_758, 10, 2, 2 * 519_000),
    "chameleon_filtered": (890, 2_325, 5, 2 * 8_854),
    "squirrel_filtered": (2_223, 2_089, 5, 2 * 46_998),
}


@pytest.mark.skipif(REAL_MIRROR is None, reason=f"{MIRROR_VARIABLE} is not set")
@pytest.mark.parametrize("name", BEYOND)
def test_real_graph_beyond_the_paper_has_the_size_of_the_literature(name, real_root):
    graph = load_graph(name, root=real_root, mirror=REAL_MIRROR)
    edges = graph.edge_index.shape[1]
    assert (graph.num_nodes, graph.num_features, graph.num_classes, edges) == BEYOND[name]
    assert (graph.x.dtype, graph.y.dtype, graph.edge_index.dtype) == (np.float32, np.int64, np.int64)
    adjacency = csr_matrix((np.ones(edges), graph.edge_index), shape=2 * (graph.num_nodes,))
    assert adjacency.max() == 1  # no edge is there twice
    if name != "actor":
        assert (adjacency != adjacency.T).nnz == adjacency.diagonal().sum() == 0
    assert graph.public_split is None
    assert size_of(name, PUBLISHED) == Size(graph.num_nodes, edges, graph.num_features)  # what jobs ask for


@pytest.mark.skipif(REAL_MIRROR is None, reason=f"{MIRROR_VARIABLE} is not set")
def test_filtered_graphs_are_read_as_pyg_reads_their_format(real_root, monkeypatch):
    """Minesweeper has a class of PyG's and the same format."""
    theirs = load_graph("minesweeper", root=real_root, mirror=REAL_MIRROR)
    monkeypatch.setitem(DATASETS, "minesweeper", DATASETS["chameleon_filtered"])
    ours = load_graph("minesweeper", root=real_root, mirror=REAL_MIRROR)
    for part in ("x", "y", "edge_index"):
        np.testing.assert_array_equal(getattr(ours, part), getattr(theirs, part))


# Read from the raw files without PyG, by a program that is not part of the project; the homophily of edges agrees with
# the literature (Zhu et al. 2020; Shchur et al. 2018 for the co-purchase graphs; Platonov et al. 2023 for the last four
# graphs).
FACTS = {
    "cora": (49_216, [351, 217, 418, 818, 426, 298, 180], 0.8100),
    "citeseer": (105_165, [264, 590, 668, 701, 596, 508], 0.7355),
    "pubmed": (38_716.295, [4103, 7739, 7875], 0.8024),
    "photo": (1_979_909, [369, 1686, 703, 915, 882, 823, 1941, 331], 0.8272),
    "computers": (3_675_081, [436, 2142, 1414, 542, 5158, 308, 487, 818, 2156, 291], 0.7772),
    "cornell": (17_240, [38, 16, 30, 82, 17], 0.1309),
    "texas": (15_266, [33, 1, 18, 101, 30], 0.1077),
    "wisconsin": (24_057, [10, 70, 118, 32, 21], 0.1961),
    "actor": (40_977, [853, 1337, 1630, 1815, 1965], 0.2188),
    "minesweeper": (10_000, [8000, 2000], 0.6828),
    "tolokers": (44_970, [9192, 2566], 0.5945),
    "chameleon_filtered": (9_903, [242, 134, 209, 164, 141], 0.2361),
    "squirrel_filtered": (32_481, [756, 516, 397, 321, 233], 0.2072),
}


@pytest.mark.skipif(REAL_MIRROR is None, reason=f"{MIRROR_VARIABLE} is not set")
@pytest.mark.parametrize("name", FACTS)
def test_real_graph_has_the_known_features_labels_and_homophily(name, real_root):
    graph = load_graph(name, root=real_root, mirror=REAL_MIRROR)
    feature_sum, class_counts, homophily = FACTS[name]
    assert graph.x.sum(dtype=np.float64) == pytest.approx(feature_sum, rel=1e-6)
    assert np.bincount(graph.y).tolist() == class_counts
    assert np.mean(graph.y[graph.edge_index[0]] == graph.y[graph.edge_index[1]]) == pytest.approx(homophily, abs=5e-5)


@pytest.mark.skipif(REAL_MIRROR is None, reason=f"{MIRROR_VARIABLE} is not set")
def test_no_two_real_graphs_share_features_or_labels(real_root):
    seen = {}
    for name in FACTS:
        graph = load_graph(name, root=real_root, mirror=REAL_MIRROR)
        for part in (graph.x, graph.y):
            content = hashlib.sha256(np.ascontiguousarray(part)).hexdigest()
            assert content not in seen, f"{name} and {seen.get(content)}"
            seen[content] = name


@pytest.mark.skipif(REAL_MIRROR is None, reason=f"{MIRROR_VARIABLE} is not set")
@pytest.mark.parametrize("place", ["mirror", "root"])
def test_old_cornell_is_refused_by_its_own_sentence(place, tmp_path):
    """The old upstream file of Cornell's features was Texas's, byte for byte."""
    folders = {"mirror": tmp_path / "mirror", "root": tmp_path / "data"}
    shutil.copytree(REAL_MIRROR / "WebKB/cornell", folders["mirror"] / "WebKB/cornell")
    old = folders[place] / "WebKB/cornell/raw/out1_node_feature_label.txt"
    old.parent.mkdir(parents=True, exist_ok=True)
    old.unlink(missing_ok=True)
    shutil.copyfile(REAL_MIRROR / "WebKB/texas/raw/out1_node_feature_label.txt", old)
    with pytest.raises(InputError) as refusal:
        load_graph("cornell", root=folders["root"], mirror=folders["mirror"])
    remedy = {"mirror": "replace it in the mirror by the original", "root": "delete it and run again"}[place]
    assert str(refusal.value) == (
        f"dataset 'cornell': {old}: this is an old upstream state of Cornell, which carries Texas's features and "
        f"labels; PyG's loader downloads the right files today: {remedy}"
    )
    texas = load_graph("texas", root=folders["root"], mirror=REAL_MIRROR)
    assert texas.num_nodes == 183  # the same bytes are right there


def edges_of_largest_component(graph: Graph) -> int:
    """Undirected edges, as the published table counts those of the co-purchase graphs."""
    u, v = graph.edge_index
    adjacency = csr_matrix((np.ones(len(u)), (u, v)), shape=2 * (graph.num_nodes,))
    _, component = connected_components(adjacency, directed=False)
    return int((component[u] == np.bincount(component).argmax()).sum()) // 2
