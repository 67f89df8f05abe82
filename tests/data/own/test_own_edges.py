"""The table of edges: direction, weights, attributes, rows that join the same nodes."""

import numpy as np
import pytest
from own_cases import EDGES, read_with_notes, refused

from graphsieve.data.graph import induced_subgraph, read_graph, save_graph
from graphsieve.data.normalisation import normalise

RICH = """source,target,weight,kind,since
a,b,2,friend,2020-01-01
b,a,4,friend,2020-01-03
b,c,1,colleague,2020-01-02
c,d,0.5,,2020-01-01
e,f,1,friend,2020-01-05
f,g,1,friend,2020-01-05
"""


def edges_of(graph) -> dict[tuple[int, int], list[float]]:
    values = graph.edge_weight[:, None] if graph.edge_attr is None else graph.edge_attr
    return dict(zip(zip(*graph.edge_index.tolist(), strict=True), values.tolist(), strict=True))


def test_both_directions_have_the_mean_of_the_rows_that_join_the_same_nodes(folder):
    (folder / "edges.csv").write_text(RICH)
    graph, notes = read_with_notes(folder)
    assert graph.edge_names == ("weight", "kind=colleague", "kind=friend", "kind is missing", "since (days)")
    found = edges_of(graph)
    assert found[0, 1] == found[1, 0] == [3, 0, 1, 0, 1]
    assert found[1, 2] == found[2, 1] == [1, 1, 0, 0, 1]
    assert found[2, 3] == [0.5, 0, 0, 1, 0]
    np.testing.assert_array_equal(graph.edge_weight, graph.edge_attr[:, 0])
    assert any("dates became numbers: 'since' (days)" in note for note in notes)
    assert any("a column says where: 'kind' (1)" in note for note in notes)


def test_directed_edges_stand_as_they_are(folder):
    (folder / "edges.csv").write_text(RICH)
    graph, _ = read_with_notes(folder, directed=True)
    found = edges_of(graph)
    assert sorted(found) == [(0, 1), (1, 0), (1, 2), (2, 3), (4, 5), (5, 6)]
    assert (found[0, 1][0], found[1, 0][0]) == (2, 4)


def test_edges_with_missing_values_are_dropped(folder):
    (folder / "edges.csv").write_text(RICH)
    graph, notes = read_with_notes(folder, missing="drop", directed=True)
    assert (2, 3) not in edges_of(graph)
    assert len(edges_of(graph)) == 5
    assert notes[1] == "1 of 6 edges are left out because values are missing in 'kind'"


def test_weights_alone_and_by_another_name(folder):
    (folder / "edges.csv").write_text("source,target,Amount\na,b,1\nc,d,3\n")
    graph, _ = read_with_notes(folder, weight="amount")
    assert (graph.edge_weight.tolist(), graph.edge_attr, graph.edge_names) == ([1, 1, 3, 3], None, None)
    assert list(normalise(graph, "none").edge_weight) == [0.5, 0.5, 1.5, 1.5]
    attribute, _ = read_with_notes(folder)
    assert attribute.edge_weight is None
    assert attribute.edge_names == ("Amount",)
    np.testing.assert_allclose(normalise(attribute, "none").edge_attr[:, 0], [-1, -1, 1, 1])


def test_values_of_edges_go_with_their_edges(folder, tmp_path):
    (folder / "edges.csv").write_text(RICH)
    graph, _ = read_with_notes(folder)
    part = induced_subgraph(graph, np.array([1, 2, 6]))
    assert part.edge_index.tolist() == [[0, 1], [1, 0]]
    assert part.edge_weight.tolist() == [1, 1]
    assert part.edge_attr[:, 1].tolist() == [1, 1]
    save_graph(graph, tmp_path / "graph.npz")
    again = read_graph(tmp_path / "graph.npz")
    np.testing.assert_array_equal(again.edge_attr, graph.edge_attr)
    assert again.edge_names == graph.edge_names
    as_own, _ = read_with_notes(tmp_path / "graph.npz")
    np.testing.assert_array_equal(as_own.edge_weight, graph.edge_weight)


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ("source,target,weight\na,b,1\nb,c,inf\n", "1 weights are not finite numbers, the first in line 3"),
        ("source,target,weight\na,b,1e39\n", "1 weights are not finite numbers"),
        (
            "source,target,age\na,b,1\nb,c,-inf\n",
            "column 'age' has values that are infinite or too large, the first in",
        ),
        (EDGES.replace("a,b", "a,B"), "the first is target 'B' in line 2"),
    ],
)
def test_unsound_edges_are_refused(folder, edges, message):
    (folder / "edges.csv").write_text(edges)
    assert message in refused(folder)


def test_a_table_without_edges_is_a_graph_without_edges(folder):
    (folder / "edges.csv").write_text("source,target,weight,kind\n")
    graph, notes = read_with_notes(folder)
    assert graph.edge_index.shape == (2, 0)
    assert graph.edge_weight.shape == (0,)
    assert "7 of 7 nodes have no edge to another node" in notes
