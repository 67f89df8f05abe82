"""Sets of small graphs: written in their raw format, and the real ones where a copy of them is at hand."""

import os
from pathlib import Path

import numpy as np
import pytest
import torch

from graphsieve.data.graph_sets import GRAPH_SETS, load_graphs
from graphsieve.data.raw_files import MIRROR_VARIABLE, read_manifest
from graphsieve.errors import InputError
from raw_formats import manifest_of

REAL_MIRROR = os.environ.get(MIRROR_VARIABLE) and Path(os.environ[MIRROR_VARIABLE]).resolve()


def write_two_graphs(mirror: Path) -> None:
    """A triangle of nodes 1 to 3 and an edge between 4 and 5; three kinds of nodes, and one attribute."""
    folder = mirror / "TUDataset/ENZYMES/raw"
    folder.mkdir(parents=True)
    edges = [(1, 2), (2, 1), (2, 3), (3, 2), (1, 3), (3, 1), (4, 5), (5, 4)]
    tables = {
        "A": [f"{u}, {v}" for u, v in edges],
        "graph_indicator": [1, 1, 1, 2, 2],
        "graph_labels": [2, 1],
        "node_labels": [1, 2, 3, 1, 1],
        "node_attributes": [0.5, 1.5, 2.5, 3.5, 4.5],
    }
    for name, rows in tables.items():
        (folder / f"ENZYMES_{name}.txt").write_text("".join(f"{row}\n" for row in rows))


def test_small_graphs_are_read_one_by_one(tmp_path):
    write_two_graphs(tmp_path / "mirror")
    places = {"root": tmp_path / "data", "mirror": tmp_path / "mirror"}
    triangle, pair = load_graphs("enzymes", **places, manifest=manifest_of(tmp_path / "mirror", "enzymes"))
    assert triangle.x.tolist() == [[0.5, 1, 0, 0], [1.5, 0, 1, 0], [2.5, 0, 0, 1]]
    assert pair.x.tolist() == [[3.5, 1, 0, 0], [4.5, 1, 0, 0]]
    assert sorted(pair.edge_index.T.tolist()) == [[0, 1], [1, 0]]
    assert triangle.num_edges == 6
    assert [int(graph.y) for graph in (triangle, pair)] == [1, 0]


def test_damaged_and_unknown_sets_are_refused(tmp_path):
    write_two_graphs(tmp_path / "mirror")
    places = {"root": tmp_path / "data", "mirror": tmp_path / "mirror"}
    with pytest.raises(InputError, match="ENZYMES_A.txt: sha256 is .* but 5553c84f.* was expected: replace it"):
        load_graphs("enzymes", **places)
    with pytest.raises(InputError, match="graph set 'core' is unknown: choose one of enzymes, mutag"):
        load_graphs("core")


def test_sources_are_the_archives_that_pyg_downloads():
    from torch_geometric.datasets import TUDataset

    for row in read_manifest():
        if row.dataset in GRAPH_SETS:
            pyg_name, file = GRAPH_SETS[row.dataset], Path(row.file).name
            assert row.file == f"TUDataset/{pyg_name}/raw/{file}"
            assert row.sources == (f"{TUDataset.url}/{pyg_name}.zip#{pyg_name}/{file}",)


# Graphs, nodes, edges in both directions, columns, classes by size, and the sum of the attributes: counted in the raw
# files without PyG; the literature has the same.
FACTS = {
    "enzymes": (600, 19_580, 74_564, 18 + 3, [100] * 6, 2_691_805.4744),
    "mutag": (188, 3_371, 7_442, 7, [63, 125], 0),
}


@pytest.mark.skipif(REAL_MIRROR is None, reason=f"{MIRROR_VARIABLE} is not set")
@pytest.mark.parametrize("name", FACTS)
def test_real_sets_have_the_known_sizes_features_and_labels(name, tmp_path):
    graphs = load_graphs(name, root=tmp_path, mirror=REAL_MIRROR)
    count, nodes, edges, columns, classes, attributes = FACTS[name]
    x = torch.cat([graph.x for graph in graphs])
    assert (len(graphs), *x.shape, sum(graph.num_edges for graph in graphs)) == (count, nodes, columns, edges)
    assert np.bincount([int(graph.y) for graph in graphs]).tolist() == classes
    kinds = x[:, 18:] if name == "enzymes" else x
    assert (kinds.sum(1) == 1).all()
    assert float(x.double().sum() - kinds.double().sum()) == pytest.approx(attributes, rel=1e-6)
