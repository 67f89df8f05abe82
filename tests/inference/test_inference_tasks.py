"""Rankings where labels are quantities, where edges have values, and of modules of one's own."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.stats import binom
from sklearn.metrics import r2_score
from torch_geometric.nn import GCNConv

from graphsieve.data.graph import Graph, Split
from graphsieve.data.splits import choose_split
from graphsieve.errors import InputError
from graphsieve.inference.ranking import rank_features
from graphsieve.inference.reasons import feature_reasons
from graphsieve.inference.scored import score_sides
from graphsieve.inference.sides import train_sides
from graphsieve.inference.tasks import scale_labels, suited_options, worth_by_node, worth_of_guessing
from graphsieve.options import RankingOptions, TrainingOptions

QUICK = TrainingOptions(hidden=16, classifier="none", dropout=0.5, epochs=30)
FEW = RankingOptions(seeds=1, n_repeats=5, permutations=39, training=QUICK)


def quantities(seed: int, num_nodes: int = 150, num_features: int = 10, relevant: int = 0) -> Graph:
    """A label in thousands: the first columns, and noise; edges join anybody."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((num_nodes, num_features)).astype(np.float32)
    y = 5000 + 1000 * (x[:, :relevant].sum(axis=1) + rng.standard_normal(num_nodes) * (0.5 if relevant else 1))
    pairs = rng.integers(num_nodes, size=(2, 2 * num_nodes))
    return Graph("numbers", x, np.concatenate([pairs, pairs[::-1]], axis=1), y.astype(np.float32), 0)


def test_worth_is_accuracy_or_r2():
    rng = np.random.default_rng(0)
    y, outputs = rng.normal(size=50).astype(np.float32), rng.normal(size=(50, 1))
    assert worth_by_node(outputs, y).mean() == pytest.approx(r2_score(y, outputs[:, 0]))
    assert worth_by_node(np.eye(3), np.array([0, 1, 1])).tolist() == [1, 1, 0]


def test_worth_of_guessing():
    graph = quantities(0)
    split = choose_split(graph, "random", 0)
    y = graph.y.astype(float)
    mean = np.full(len(split.test), y[split.train].mean())
    assert worth_of_guessing(graph, split) == pytest.approx(r2_score(y[split.test], mean))
    classes = replace(graph, y=np.array([0, 0, 1, 1, 1, 0]), num_classes=2, x=graph.x[:6])
    assert worth_of_guessing(classes, Split(np.array([0, 1, 2]), np.array([3]), np.array([4, 5]))) == 0.5


def test_labels_are_scaled_by_those_that_may_be_seen():
    graph = quantities(0)
    split = choose_split(graph, "random", 0)
    seen = np.union1d(split.train, split.val)
    scaled = scale_labels(graph, split).y
    assert (scaled[seen].mean(), scaled[seen].std()) == (pytest.approx(0, abs=1e-5), pytest.approx(1, abs=1e-5))
    other = graph.y.copy()
    other[split.test] += 1e4
    np.testing.assert_array_equal(scale_labels(replace(graph, y=other), split).y[seen], scaled[seen])


def test_relevant_columns_of_quantities_are_found_in_any_unit():
    graph = quantities(1, num_nodes=200, relevant=3)
    ranking = rank_features(graph, options=replace(FEW, permutations=199))
    assert ranking.options.metric == ranking.measure == "r2"
    assert set(ranking.table["feature"].head(3)) == {"0", "1", "2"}
    assert (ranking.table["p_value"].head(3) <= 0.05).all()
    assert ranking.curve["r2"].iloc[-1] > 0.5 > 0.1 > ranking.majority
    assert list(ranking.curve.columns[:2]) == ["kept", "r2"]
    in_thousands = rank_features(replace(graph, y=graph.y / 1000), options=replace(FEW, permutations=199))
    np.testing.assert_allclose(in_thousands.table["importance"], ranking.table["importance"], atol=1e-3)


def test_share_of_false_alarms_for_quantities_is_within_its_interval():
    p_values = []
    for seed in range(12):
        graph = quantities(seed)
        options = replace(FEW, seed=seed, n_repeats=39)
        sides = train_sides(graph, choose_split(graph, "random", seed), options, torch.device("cpu"))
        p_values.append(score_sides(sides, graph.num_features).p_values)
    p_values = np.stack(p_values)
    low, high = binom.interval(0.999, p_values.size, 0.05)
    assert low <= (p_values <= 0.05).sum() <= high


@pytest.mark.parametrize("metric", ["mean_squared_error", "mean_absolute_error"])
def test_errors_rise(metric):
    ranking = rank_features(quantities(1, relevant=2), options=replace(FEW, metric=metric))
    assert ranking.table["importance"].iloc[0] > 0.1


def test_options_suit_the_graph(small_graph):
    edges = small_graph.edge_index.shape[1]
    weighted = replace(small_graph, edge_weight=np.ones(edges, np.float32))
    rich = replace(weighted, edge_attr=np.ones((edges, 2), np.float32))
    models = [suited_options(RankingOptions(), graph).model for graph in (small_graph, weighted, rich)]
    assert models == ["graphsage", "graphconv", "gated"]
    assert suited_options(RankingOptions(model="gcn"), rich).model == "gcn"
    with pytest.raises(InputError, match="metric 'r2' is not for labels that are classes, as those of 'small' are"):
        suited_options(RankingOptions(metric="r2"), small_graph)
    with pytest.raises(InputError, match="metric 'accuracy' is not for labels that are quantities"):
        suited_options(RankingOptions(metric="accuracy"), quantities(0))


def test_what_needs_classes_is_refused_for_quantities():
    with pytest.raises(InputError, match="given names 'class', but y is no vector of class numbers"):
        rank_features(quantities(0), options=replace(FEW, given=("class",)))
    graph = quantities(0)
    split = choose_split(graph, "random", 0)
    y = graph.y.copy()
    y[split.test] = 3
    with pytest.raises(InputError, match="all 30 test nodes have the same label"):
        rank_features(replace(graph, y=y, public_split=split), options=FEW)


@pytest.mark.parametrize(("model", "used"), [(None, ("edge_attr",)), ("gcn", ("edge_weight",)), ("graphsage", ())])
def test_a_ranking_says_which_values_of_edges_were_used(small_graph, model, used):
    edges = small_graph.edge_index.shape[1]
    rng = np.random.default_rng(0)
    graph = replace(
        small_graph, edge_weight=rng.random(edges, np.float32), edge_attr=rng.random((edges, 1), np.float32)
    )
    assert rank_features(graph, options=replace(FEW, model=model)).edge_values == used


class Own(torch.nn.Module):
    def __init__(self, num_features: int):
        super().__init__()
        self.convolution = GCNConv(num_features, 3)

    def forward(self, x, edge_index):
        return self.convolution(x, edge_index)


def test_a_module_of_ones_own_is_ranked_and_explained(small_graph):
    ranking = rank_features(small_graph, options=FEW, make_model=Own)
    assert ranking.options.model == "Own"
    assert set(ranking.table["feature"].head(3)) == {"0", "1", "2"}
    reasons = feature_reasons(small_graph, options=FEW, make_model=Own)
    assert reasons["p_alone"][:3].max() <= 0.05
