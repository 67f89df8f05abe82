"""The kinds of graphs of Figure 1: what their captions say of them must be true of what is drawn."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import torch
from scipy import stats

from graphsieve.data.motivation import DEGREE, DRAWN, KINDS, LIKE, generate
from graphsieve.options import TrainingOptions
from graphsieve.plots import motivation_panels
from graphsieve.study import motivation


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def pooled(kind: str):
    """Several graphs of a kind: labels, features and the ends of every undirected edge."""
    graphs = [generate(kind, seed) for seed in range(10)]
    edges = [graph.edge_index[:, graph.edge_index[0] < graph.edge_index[1]] for graph in graphs]
    labels = np.concatenate([graph.y[ends] for graph, ends in zip(graphs, edges, strict=True)], axis=1)
    features = np.concatenate([graph.x[ends, 0] for graph, ends in zip(graphs, edges, strict=True)], axis=1)
    return graphs, labels, features


def assert_share(hits: np.ndarray, expected: float) -> None:
    assert stats.binomtest(int(hits.sum()), len(hits), expected).pvalue > 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_edges_join_like_labels_and_their_number_does_not_grow_with_the_graph(kind):
    graphs, labels, _ = pooled(kind)
    # A node is not its own neighbour, which takes one of its own group's places: far less than the error of the test.
    assert_share(labels[0] == labels[1], LIKE)
    degree = np.mean([graph.edge_index.shape[1] / graph.num_nodes for graph in graphs])
    assert degree == pytest.approx(DEGREE, abs=0.15)
    small = np.mean([generate(kind, seed, 24).edge_index.shape[1] / 24 for seed in range(200)])
    assert small == pytest.approx(DEGREE, rel=0.15)


def test_features_are_alike_along_edges_where_they_should_be():
    _, labels, features = pooled("homophilic")
    assert np.corrcoef(features)[0, 1] > 0.5
    _, labels, features = pooled("heterophilic")
    assert np.corrcoef(features)[0, 1] < -0.5
    assert np.corrcoef(features[:, labels[0] == labels[1]])[0, 1] < -0.5
    _, _, features = pooled("high_variance")
    assert_share(np.sign(features[0]) == np.sign(features[1]), LIKE)


@pytest.mark.parametrize("kind", ["homophilic", "heterophilic"])
def test_without_the_graph_both_are_equally_hard(kind):
    graphs, _, _ = pooled(kind)
    x, y = np.concatenate([graph.x[:, 0] for graph in graphs]), np.concatenate([graph.y for graph in graphs])
    best_rule = x > 0 if kind == "homophilic" else np.abs(x) > 2
    assert_share(best_rule == y, stats.norm.cdf(2))


def test_high_variance_is_of_the_magnitude_alone():
    graphs, _, _ = pooled("high_variance")
    x, y = np.concatenate([graph.x[:, 0] for graph in graphs]), np.concatenate([graph.y for graph in graphs])
    assert ((x > 0) == y).all()
    assert np.log(np.abs(x)).std() == pytest.approx(1.5, rel=0.05)


def test_overlapping_classes_are_normal_around_their_centres():
    graphs, _, _ = pooled("overlapping")
    x, y = np.concatenate([graph.x[:, 0] for graph in graphs]), np.concatenate([graph.y for graph in graphs])
    for label, centre in enumerate((-1, 1)):
        assert stats.kstest(x[y == label], stats.norm(centre, 3).cdf).pvalue > 1e-3


@pytest.mark.parametrize("num_nodes", [24, 25])
def test_groups_are_balanced_and_seeds_differ(num_nodes):
    graph = generate("heterophilic", 0, num_nodes)
    assert abs(2 * graph.y.sum() - num_nodes) <= 2
    assert np.array_equal(graph.edge_index, generate("heterophilic", 0, num_nodes).edge_index)
    assert not np.array_equal(graph.x, generate("heterophilic", 1, num_nodes).x)


def test_an_mlp_learns_what_a_node_tells_of_itself():
    options = TrainingOptions(hidden=32, epochs=60)
    records = pd.DataFrame(motivation.measure("high_variance", 0, options, torch.device("cpu")))
    assert records["model"].tolist() == ["gcn", "mlp"]
    assert records.set_index("model")["test_accuracy"]["mlp"] > 0.97
    assert records["same_class"].between(0.85, 0.95).all()


def records(gcn: list[float], mlp: list[float]) -> pd.DataFrame:
    return pd.DataFrame(
        {"kind": kind, "seed": seed, "model": model, "test_accuracy": value, "same_class": 0.9, "same_sign": 0.8}
        for kind in DRAWN
        for model, values in {"gcn": gcn, "mlp": mlp}.items()
        for seed, value in enumerate(values)
    )


def test_differences_are_paired_by_seed():
    summary = motivation.summarise(records([0.9, 0.7], [0.8, 0.6]))
    row = summary.iloc[0]
    assert (row["gcn_mean"], row["mlp_mean"], row["gain_mean"], row["gain_std"]) == pytest.approx((80, 70, 10, 0))
    assert row["gcn_std"] == pytest.approx(20 / np.sqrt(2), abs=1e-3)
    assert "the GCN is ahead by 10.0 points" in motivation.findings(summary)
    printed = motivation.printed_table(summary)
    cells = {markup: table.loc["Homophilic features"].tolist() for markup, table in printed["cells"].items()}
    assert cells["html"] == cells["markdown"] == ["80.0 ± 14.1", "70.0 ± 14.1", "10.0 ± 0.0", "90%", "80%"]
    assert cells["latex"] == [
        r"80.0 $\pm$ 14.1", r"70.0 $\pm$ 14.1", r"10.0 $\pm$ 0.0", r"90\%", r"80\%"
    ]  # fmt: skip
    assert "over 2 graphs of 500 nodes" in printed["notes"]


def test_chance_is_called_chance():
    assert "no difference" in motivation.findings(motivation.summarise(records([0.9, 0.7], [0.7, 0.9])))
    single = motivation.summarise(records([0.9], [0.7]))
    assert "no difference" in motivation.findings(single)
    assert motivation.accuracy_text(single.iloc[0], "gcn") == "90.0"


def test_figure_draws_every_node_and_edge_and_the_measured_accuracies():
    figure = motivation_panels.motivation(motivation.summarise(records([0.9, 0.8], [0.6, 0.7])), seed=3)
    for axis, kind in zip(figure.axes, DRAWN, strict=False):
        graph = generate(kind, 3, motivation_panels.DRAWN_NODES)
        (nodes,) = axis.collections
        assert len(nodes.get_offsets()) == graph.num_nodes
        assert len(axis.lines) == graph.edge_index.shape[1] // 2
        *labels, accuracies = [text.get_text() for text in axis.texts]
        assert labels == [str(label) for label in graph.y]
        assert accuracies == "GCN 85.0 ± 7.1 %\nMLP 65.0 ± 7.1 %"


def test_colour_tells_sign_and_magnitude():
    shades = motivation_panels.depth(np.array([-100.0, -1.0, 0.0, 2.0, 10.0]))
    assert (shades[0], shades[2], shades[4]) == (-1, 0, 1)
    assert shades[1] == pytest.approx(-np.log(2) / np.log(11))
    red, _, blue, _ = motivation_panels.FEATURES(0.95)
    assert red > blue
