from dataclasses import replace

import numpy as np
import pytest
import torch

from graphsieve.data.graph import Graph, Split
from graphsieve.data.synthetic import generate
from graphsieve.models import sampled
from graphsieve.models.classifier import model_factory
from graphsieve.models.sampled import SAMPLED_MODELS, BlockPasses, Neighbours, RunningMean, train_sampled
from graphsieve.models.training import predict
from graphsieve.options import TrainingOptions

CPU = torch.device("cpu")
OPTIONS = TrainingOptions(hidden=8, classifier="none", dropout=0.5, epochs=20)


@pytest.fixture(scope="module")
def graph() -> Graph:
    """With weights and attributes of edges, and a node that nobody leads to."""
    made = generate("d", 0, num_nodes=120, num_features=6)
    rng, kept = np.random.default_rng(0), made.edge_index[1] != 3
    edges = made.edge_index[:, kept]
    weights, attributes = rng.random(edges.shape[1]), rng.random((edges.shape[1], 2))
    return replace(
        made, edge_index=edges, edge_weight=weights.astype(np.float32), edge_attr=attributes.astype(np.float32)
    )


@pytest.mark.parametrize("name", SAMPLED_MODELS)
def test_passes_that_read_all_neighbours_are_those_of_the_model(name, graph, monkeypatch):
    monkeypatch.setattr(sampled, "PART_BYTES", 2000)  # several parts
    monkeypatch.setattr(sampled, "MOST_NEIGHBOURS", 1000)
    model = model_factory(name, graph, OPTIONS, 0)(6).eval()
    neighbours = Neighbours(graph.edge_index, 120)
    passes, nodes = BlockPasses(model, graph, neighbours, CPU), np.array([3, 70, 5, 119])
    expected = predict(model, graph)[nodes]
    torch.testing.assert_close(passes.exact(nodes), expected)
    blocks = neighbours.blocks(nodes, 2, np.random.default_rng(0))
    with torch.no_grad():
        torch.testing.assert_close(passes.logits(blocks, torch.Generator()), expected)


def test_neighbours_are_drawn_once_each_and_equally_often():
    """Node 0 has seven neighbours, node 1 two, node 2 none."""
    edges = np.array([[3, 4, 5, 6, 7, 8, 9, 3, 4], [0, 0, 0, 0, 0, 0, 0, 1, 1]])
    neighbours, rng, drawn = Neighbours(edges, 10), np.random.default_rng(0), []
    for _ in range(4000):
        block = neighbours.block(np.array([1, 0, 2]), 3, rng)
        assert block.edge_index[1].tolist() == [0, 0, 1, 1, 1]
        assert block.nodes[:5].tolist() == [1, 0, 2, 3, 4]
        assert len(set(block.nodes[5:])) == 3
        np.testing.assert_array_equal(edges[:, block.edges], [block.nodes[3:], [1, 1, 0, 0, 0]])
        drawn.extend(block.nodes[5:])
    shares = np.bincount(drawn, minlength=10)[3:] / 4000
    np.testing.assert_allclose(shares, 3 / 7, atol=0.04)


def test_weights_are_means_over_the_later_half():
    model = torch.nn.Linear(1, 1)
    mean = RunningMean(model)
    for epoch in range(1, 6):
        torch.nn.init.constant_(model.weight, epoch)
        mean.add(epoch)
    assert mean.state["weight"].item() == 4.5


def test_a_sampled_training_learns_stops_and_is_the_same_again(graph):
    split = Split(np.arange(80), np.arange(80, 100), np.arange(100, 120))
    neighbours = Neighbours(graph.edge_index, 120)
    how = {"options": OPTIONS, "seed": 0, "device": CPU}
    one, same = (train_sampled("graphsage", graph, split, neighbours, **how) for _ in range(2))
    for before, after in zip(one.model.parameters(), same.model.parameters(), strict=True):
        assert torch.equal(before, after)
    outputs = BlockPasses(one.model, graph, neighbours, CPU).exact(split.test)
    assert (outputs.argmax(1).numpy() == graph.y[split.test]).mean() > 0.7
    short = train_sampled("graphsage", graph, split, neighbours, **how, stop=lambda epochs: epochs == 3)
    assert short.history["epoch"].tolist() == [1, 2, 3]
