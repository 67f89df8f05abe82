"""The generator's distribution, not its code: rates, bands, places of signal, independence."""

import numpy as np
import pytest
import scipy.sparse
from scipy import stats

from graphsieve.data import synthetic
from graphsieve.data.synthetic import REGIMES, Parameters, generate, relevant_features
from graphsieve.errors import InputError


def dense_adjacency(graph):
    adjacency = np.zeros((graph.num_nodes, graph.num_nodes))
    adjacency[tuple(graph.edge_index)] = 1
    return adjacency


def edge_rates(graph):
    """(edges, pairs) within classes and across them, by brute force over the upper triangle."""
    upper = np.triu_indices(graph.num_nodes, 1)
    edges = dense_adjacency(graph)[upper]
    same = (graph.y[:, None] == graph.y)[upper]
    return (edges[same].sum(), same.sum()), (edges[~same].sum(), (~same).sum())


def consistent_with(successes, trials, rate):
    return stats.binomtest(int(successes), int(trials), rate).pvalue > 1e-3


def energy_outside_band(x, adjacency, band_edge=0.5):
    values, vectors = np.linalg.eigh(adjacency)
    outside = np.abs(values) > band_edge * np.abs(values).max()
    return (vectors[:, outside].T @ x) ** 2


def permutation_pvalue(statistic, labels, repeats=199, seed=0):
    rng = np.random.default_rng(seed)
    observed = statistic(labels)
    null = [statistic(rng.permutation(labels)) for _ in range(repeats)]
    return (1 + np.sum(np.array(null) >= observed)) / (1 + repeats)


def label_feature_statistic(graph):
    x = graph.x - graph.x.mean(axis=0)
    return lambda y: sum((x[y == c].mean(axis=0) ** 2).sum() for c in range(graph.num_classes))


def graph_label_statistic(graph):
    head, tail = graph.edge_index
    return lambda y: abs(np.mean(y[head] == y[tail]) - np.mean(y[:, None] == y))


@pytest.fixture(scope="module")
def graphs():
    return {regime: generate(regime, seed=1) for regime in REGIMES}


def test_every_combination_of_dependences_is_one_regime():
    assert sorted(REGIMES) == list("abcdefgh")
    assert len(set(REGIMES.values())) == 8


@pytest.mark.parametrize(
    ("regime", "graph_label", "graph_feature", "label_feature"),
    [("a", 0, 0, 0), ("b", 0, 0, 1), ("c", 0, 1, 0), ("d", 0, 1, 1)]
    + [("e", 1, 0, 0), ("f", 1, 0, 1), ("g", 1, 1, 0), ("h", 1, 1, 1)],
)
def test_regimes_depend_as_the_figure_says(graphs, regime, graph_label, graph_feature, label_feature):
    graph = graphs[regime]
    assert (permutation_pvalue(graph_label_statistic(graph), graph.y) < 0.01) == graph_label
    assert (permutation_pvalue(label_feature_statistic(graph), graph.y) < 0.01) == label_feature
    # Label signal is not band-limited, so the graph's mark is looked for in the features without it.
    band_energy = energy_outside_band(graph.x[:, 5:], dense_adjacency(graph)).sum()
    shuffled = np.random.default_rng(0).permutation(graph.x[:, 5:])
    assert (band_energy < 0.01 * energy_outside_band(shuffled, dense_adjacency(graph)).sum()) == graph_feature


@pytest.mark.parametrize("regime", REGIMES)
def test_shape_symmetry_and_name(graphs, regime):
    graph = graphs[regime]
    assert graph.name == f"synthetic_{regime}"
    assert graph.x.shape == (500, 50)
    assert graph.x.dtype == np.float32
    assert graph.edge_index.dtype == graph.y.dtype == np.int64
    assert np.bincount(graph.y).tolist() == [250, 250]
    edges = set(map(tuple, graph.edge_index.T.tolist()))
    assert len(edges) == graph.edge_index.shape[1]
    assert all((v, u) in edges and u != v for u, v in edges)


@pytest.mark.parametrize(("regime", "within", "across"), [("a", 0.1, 0.1), ("c", 0.1, 0.1), ("e", 0.1, 0.05)])
def test_edge_rates(graphs, regime, within, across):
    (edges_in, pairs_in), (edges_out, pairs_out) = edge_rates(graphs[regime])
    assert consistent_with(edges_in, pairs_in, within)
    assert consistent_with(edges_out, pairs_out, across)


def test_edge_rates_follow_the_parameters():
    graph = generate("f", 3, num_nodes=300, num_classes=3, p_within=0.02, p_across=0.3)
    (edges_in, pairs_in), (edges_out, pairs_out) = edge_rates(graph)
    assert consistent_with(edges_in, pairs_in, 0.02)
    assert consistent_with(edges_out, pairs_out, 0.3)
    assert np.bincount(graph.y).tolist() == [100, 100, 100]


def test_edges_sampled_in_many_blocks_have_the_same_rates(monkeypatch):
    monkeypatch.setattr(synthetic, "ENTRIES_PER_BLOCK", 300 * 7)
    (edges_in, pairs_in), (edges_out, pairs_out) = edge_rates(generate("e", 5, num_nodes=300))
    assert consistent_with(edges_in, pairs_in, 0.1)
    assert consistent_with(edges_out, pairs_out, 0.05)


def test_white_noise_has_variance_sigma(graphs):
    x = graphs["a"].x.astype(float)
    assert stats.kstest(x.ravel() / np.sqrt(3), "norm").pvalue > 1e-3
    low, high = stats.chi2.interval(0.999, x.size)
    assert low < (x**2).sum() / 3 < high


@pytest.mark.parametrize("regime", ["c", "g"])
def test_band_limited_features_have_no_energy_outside_the_band(graphs, regime):
    graph = graphs[regime]
    energy = energy_outside_band(graph.x.astype(float), dense_adjacency(graph))
    assert energy.size >= 50
    assert energy.max() < 1e-9


def test_band_limited_features_are_white_inside_the_band():
    graph = generate("c", 2, num_nodes=120, num_features=400, band_edge=0.2, p_independent=0.3)
    values, vectors = np.linalg.eigh(dense_adjacency(graph))
    inside = np.abs(values) <= 0.2 * np.abs(values).max()
    assert 0.2 < inside.mean() < 0.9
    coefficients = vectors.T @ graph.x
    assert np.abs(coefficients[~inside]).max() < 1e-4
    assert stats.kstest(coefficients[inside].ravel() / np.sqrt(3), "norm").pvalue > 1e-3
    covariance = np.cov(coefficients[inside])
    assert np.abs(covariance - 3 * np.eye(inside.sum())).max() < 5 * 3 * np.sqrt(2 / 400)


def test_projected_noise_is_distributed_as_the_paper_writes_it():
    """V_B V_B^T E against V_B W, on the same graph: per-node variances agree."""
    rng = np.random.default_rng(0)
    adjacency = dense_adjacency(generate("a", 0, num_nodes=40, p_independent=0.3))
    values, vectors = np.linalg.eigh(adjacency)
    inside = vectors[:, np.abs(values) <= 0.3 * np.abs(values).max()]
    written = inside @ rng.normal(scale=np.sqrt(3), size=(inside.shape[1], 20000))
    noise = rng.normal(scale=np.sqrt(3), size=(40, 20000))
    projected = synthetic.remove_outside_band(noise, scipy.sparse.csr_array(adjacency), 0.3, np.ones(40))
    assert np.allclose(np.cov(written), np.cov(projected), atol=0.15)


def test_two_equal_cliques_leave_signals_that_sum_to_zero_in_each(monkeypatch):
    """Both have the same top frequency: a solver that finds it once would leave one class with a mean."""
    for small in (1000, 10):
        monkeypatch.setattr(synthetic, "SMALL_NODES", small)
        graph = generate("g", 4, num_nodes=60, p_within=1.0, p_across=0.0)
        for label in range(2):
            assert np.allclose(graph.x[graph.y == label].sum(axis=0), 0, atol=1e-4)


@pytest.mark.parametrize("regime", ["c", "h"])
def test_sparse_solver_agrees_with_all_eigenvectors(monkeypatch, regime):
    dense = generate(regime, 7, num_nodes=400)
    monkeypatch.setattr(synthetic, "SMALL_NODES", 10)
    sparse = generate(regime, 7, num_nodes=400)
    assert np.allclose(dense.x, sparse.x, atol=1e-5)


def test_many_frequencies_outside_the_band_need_all_eigenvectors_or_are_refused(monkeypatch):
    tiny_degree = {"num_nodes": 600, "p_independent": 0.005}
    expected = generate("c", 0, **tiny_degree)
    monkeypatch.setattr(synthetic, "SMALL_NODES", 10)
    monkeypatch.setattr(synthetic, "MAX_OUTSIDE_BAND", 4)
    assert np.array_equal(generate("c", 0, **tiny_degree).x, expected.x)
    monkeypatch.setattr(synthetic, "DENSE_NODES", 500)
    with pytest.raises(InputError, match="raise band_edge"):
        generate("c", 0, **tiny_degree)


@pytest.mark.parametrize(("plain", "with_signal"), [("a", "b"), ("c", "d"), ("e", "f"), ("g", "h")])
def test_label_signal_sits_in_the_first_five_features_and_nowhere_else(graphs, plain, with_signal):
    added = graphs[with_signal].x.astype(float) - graphs[plain].x
    assert np.array_equal(graphs[with_signal].edge_index, graphs[plain].edge_index)
    assert not added[:, 5:].any()
    y = graphs[plain].y
    means = np.array([added[y == label][0, :5] for label in range(2)])
    assert np.allclose(added[:, :5], means[y], atol=1e-5)
    assert np.allclose(means.sum(axis=0), 0, atol=1e-5)
    assert np.allclose(np.abs(means).sum(axis=1), 5, atol=1e-5)


def test_only_relevant_features_differ_between_classes(graphs):
    """Without the paired draws: a t-test per feature, Bonferroni over the irrelevant ones."""
    graph = graphs["f"]
    pvalues = stats.ttest_ind(graph.x[graph.y == 0], graph.x[graph.y == 1]).pvalue
    assert pvalues[5:].min() > 1e-3 / 45
    assert pvalues[:5].min() < 1e-10


def test_more_classes_and_fewer_relevant_features():
    signal = generate("b", 3, num_classes=4, num_relevant=2, signal=8.0).x.astype(float)
    plain = generate("a", 3, num_classes=4, num_relevant=2, signal=8.0)
    added = signal - plain.x
    assert np.allclose(np.abs(added[:, :2]).sum(axis=1), 8, atol=1e-5)
    assert len(np.unique(added[:, 0].round(4))) == 4
    assert not added[:, 2:].any()


def test_relevant_features_follow_regime_and_parameters():
    assert relevant_features("a").tolist() == []
    assert relevant_features("h").tolist() == [0, 1, 2, 3, 4]
    assert relevant_features("d", Parameters(num_relevant=2)).tolist() == [0, 1]


def test_same_seed_same_bytes_and_seeds_differ():
    first, again, other = generate("h", 11), generate("h", 11), generate("h", 12)
    for name in ("x", "y", "edge_index"):
        assert getattr(first, name).tobytes() == getattr(again, name).tobytes()
        assert getattr(first, name).tobytes() != getattr(other, name).tobytes()


def test_no_edges_at_all_is_a_graph_too():
    graph = generate("c", 0, num_nodes=20, p_independent=0.0)
    assert graph.edge_index.shape == (2, 0)
    assert np.isfinite(graph.x).all()
    assert graph.x.any()


@pytest.mark.parametrize(
    "wrong",
    [{"num_classes": 1}, {"num_nodes": 1}, {"num_features": 0}, {"num_relevant": 51}, {"num_relevant": 0}]
    + [{"p_within": 1.1}, {"p_across": -0.1}, {"p_independent": float("nan")}, {"sigma": 0}]
    + [{"band_edge": 0}, {"band_edge": 1.5}, {"signal": float("inf")}, {"colour": 3}],
)
def test_wrong_parameters_are_named(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        generate("a", 0, **wrong)


def test_unknown_regime_names_those_that_exist():
    with pytest.raises(InputError, match="a, b, c, d, e, f, g, h"):
        generate("i", 0)


@pytest.mark.long
def test_twenty_thousand_nodes_of_realistic_degree():
    graph = generate("h", 0, num_nodes=20000, num_features=10, p_within=0.004, p_across=0.002)
    head, tail = graph.edge_index
    same = graph.y[head] == graph.y[tail]
    assert consistent_with(same.sum() // 2, 2 * (10000 * 9999 // 2), 0.004)
    assert consistent_with((~same).sum() // 2, 10000 * 10000, 0.002)
    adjacency = scipy.sparse.csr_array((np.ones(len(head)), (head, tail)), shape=(20000, 20000))
    # Power iteration, an independent way to the top frequency, which lies outside the band.
    top = np.ones(20000)
    for _ in range(30):
        top = adjacency @ top
        top /= np.linalg.norm(top)
    assert np.abs(top @ graph.x[:, 5:]).max() < 1e-3
