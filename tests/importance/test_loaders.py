"""Mini-batches give the numbers of the whole graph."""

import numpy as np
import pytest
import torch
from sklearn.metrics import roc_auc_score
from task_cases import FEATURES, GRAPHS, NODES, PAIRS, Head, LinkPredictor, batched_graphs, label_pairs, lively
from torch import nn
from torch_geometric.data import Data, HeteroData
from torch_geometric.loader import DataLoader, RandomNodeLoader
from torch_geometric.utils import k_hop_subgraph

from graphsieve import permutation_importance
from graphsieve.errors import InputError

Y = torch.arange(NODES) % 3 % 2


class Neighbourhoods:
    """As a NeighborLoader that takes all neighbours: seeds first, then whatever two layers read."""

    def __init__(self, seeds, size=7, shuffle=False, **given):
        self.seeds, self.size, self.shuffle = torch.as_tensor(seeds), size, shuffle
        self.x, self.edges, _ = batched_graphs()
        self.given, self.passes = given, 0

    def __iter__(self):
        self.passes += 1
        order = torch.randperm(len(self.seeds)) if self.shuffle else torch.arange(len(self.seeds))
        for seeds in self.seeds[order].split(self.size):
            inside, edges, _, _ = k_hop_subgraph(seeds.tolist(), 2, self.edges, num_nodes=NODES)
            nodes = torch.cat([seeds, inside[~torch.isin(inside, seeds)]])
            place = torch.full((NODES,), -1)
            place[nodes] = torch.arange(len(nodes))
            edges = self.edges[:, (place[self.edges] >= 0).all(0)]
            yield Data(
                x=self.x[nodes],
                edge_index=place[edges],
                y=Y[nodes],
                n_id=nodes,
                batch_size=len(seeds),
                **{name: value[nodes] for name, value in self.given.items()},
            )


@pytest.fixture
def model():
    x, edges, _ = batched_graphs()
    return lively(Head("graphsage"), x.dtype, x, edges)


def whole(model, nodes=range(NODES), **options):
    x, edges, _ = batched_graphs()
    return permutation_importance(model, x, edges, Y, nodes, metric="cross_entropy", n_repeats=3, **options)


@pytest.mark.parametrize(
    "options", [{}, {"groups": {"a": [0, 3], "b": [1]}}, {"perturbation": "gaussian"}, {"features": [4, 0]}]
)
@pytest.mark.parametrize("shuffle", [False, True])
def test_the_numbers_of_the_whole_graph(model, options, shuffle):
    loader = Neighbourhoods(range(NODES), shuffle=shuffle)
    found = permutation_importance(model, loader, metric="cross_entropy", n_repeats=3, **options)
    assert found.engine == "batched"
    np.testing.assert_allclose(found.importances, whole(model, **options).importances, rtol=0, atol=1e-10)


def test_few_seeds_permute_over_the_nodes_of_the_loaders_data(model):
    seeds, loader = [3, 17, 30], Neighbourhoods([3, 17, 30])
    loader.data = Data(x=loader.x)
    found = permutation_importance(model, loader, metric="cross_entropy", n_repeats=3)
    np.testing.assert_allclose(found.importances, whole(model, seeds).importances, rtol=0, atol=1e-10)
    del loader.data  # now only the nodes that batches hold are known
    others = permutation_importance(model, loader, metric="cross_entropy", n_repeats=3)
    assert not np.allclose(others.importances, found.importances, atol=1e-6)
    assert others.baseline == pytest.approx(found.baseline)


def test_named_nodes_and_weights(model):
    nodes, weight = torch.tensor([5, 2, 33]), torch.linspace(1, 2, NODES, dtype=torch.float64)
    loader = Neighbourhoods(range(NODES), weight=weight)
    found = permutation_importance(
        model, loader, nodes=nodes, metric="cross_entropy", n_repeats=3, sample_weight="weight"
    )
    expected = whole(model, nodes, sample_weight=weight)
    np.testing.assert_allclose(found.importances, expected.importances, rtol=0, atol=1e-10)


def test_a_pass_for_as_many_pairs_as_memory_allows(model):
    loader = Neighbourhoods(range(NODES))
    many = permutation_importance(model, loader, metric="cross_entropy", n_repeats=3)
    assert loader.passes == 3  # a look, the unperturbed model, all pairs
    few = permutation_importance(model, loader, metric="cross_entropy", n_repeats=3, memory_limit=1)
    assert loader.passes == 3 + 2 + 3 * FEATURES
    np.testing.assert_allclose(few.importances, many.importances, rtol=0, atol=1e-12)


def test_batches_that_are_sampled_anew_are_judged_by_the_same_sample():
    """A model that sees no neighbours gives the same whichever nodes are thrown together."""
    x, edges, _ = batched_graphs()
    data = Data(x=x, edge_index=edges, y=Y, n_id=torch.arange(NODES))

    class Alone(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(FEATURES, 1)

        def forward(self, x, edge_index):
            return self.linear(x).flatten()

    model = lively(Alone(), x.dtype, x, edges)
    found = permutation_importance(model, RandomNodeLoader(data, num_parts=4, shuffle=True), metric="roc_auc")
    expected = permutation_importance(model, x, edges, Y, range(NODES), metric="roc_auc", engine="full")
    np.testing.assert_allclose(found.importances, expected.importances, rtol=0, atol=1e-12)
    with torch.no_grad():
        assert found.baseline == pytest.approx(roc_auc_score(Y, model(x, edges)))


def test_pairs_and_graphs_in_batches():
    x, edges, batch = batched_graphs()
    pairs, labels = label_pairs(), torch.arange(PAIRS) % 2
    model = lively(LinkPredictor(), x.dtype, x, edges, pairs)
    loader = [
        Data(x=x, edge_index=edges, n_id=torch.arange(NODES), edge_label_index=pairs[:, part], edge_label=labels[part])
        for part in (slice(0, 11), slice(11, PAIRS))
    ]
    options = {"task_level": "edge", "metric": "roc_auc", "n_repeats": 3}
    found = permutation_importance(model, loader, edge_label_index="edge_label_index", **options)
    expected = permutation_importance(model, x, edges, labels, edge_label_index=pairs, **options)
    np.testing.assert_allclose(found.importances, expected.importances, rtol=0, atol=1e-10)
    model = lively(Head(), x.dtype, x, edges, batch)
    y, loader = torch.linspace(0, 1, GRAPHS, dtype=torch.float64), []
    for part in (batch < 2, batch >= 2):
        nodes = part.nonzero()[:, 0]
        inside = edges[:, part[edges[0]]] - int(nodes[0])
        graphs = batch[nodes] - batch[nodes[0]]
        loader.append(Data(x=x[nodes], edge_index=inside, n_id=nodes, batch=graphs, y=y[batch[nodes].unique()]))
    options = {"task_level": "graph", "metric": "r2", "n_repeats": 3}
    found = permutation_importance(model, loader, batch="batch", **options)
    expected = permutation_importance(model, x, edges, y, batch=batch, **options)
    np.testing.assert_allclose(found.importances, expected.importances, rtol=0, atol=1e-10)


def graphs_of_their_own() -> tuple[list[Data], torch.Tensor]:
    """The graphs of `batched_graphs` one by one, as a dataset has them, and their numbers."""
    x, edges, batch = batched_graphs()
    y, found = torch.linspace(0, 1, GRAPHS, dtype=torch.float64), []
    for graph in range(GRAPHS):
        nodes = (batch == graph).nonzero()[:, 0]
        inside = edges[:, batch[edges[0]] == graph] - int(nodes[0])
        found.append(Data(x=x[nodes], edge_index=inside, y=y[graph : graph + 1]))
    return found, y


def test_a_dataset_of_graphs_needs_no_numbers():
    x, edges, batch = batched_graphs()
    graphs, y = graphs_of_their_own()
    model = lively(Head(), x.dtype, x, edges, batch)
    options = {"task_level": "graph", "metric": "r2", "n_repeats": 3}
    found = permutation_importance(model, DataLoader(graphs, batch_size=4), batch="batch", **options)
    expected = permutation_importance(model, x, edges, y, batch=batch, engine="full", **options)
    np.testing.assert_allclose(found.importances, expected.importances, rtol=0, atol=1e-10)
    torch.manual_seed(0)
    with pytest.raises(InputError, match="set shuffle=False where batches have no n_id"):
        permutation_importance(model, DataLoader(graphs, batch_size=4, shuffle=True), batch="batch", **options)


def batches(**changed) -> list[Data]:
    first, *others = Neighbourhoods(range(NODES))
    for name, value in changed.items():
        first[name] = value
    return [first, *others]


class OtherFeatures(Neighbourhoods):
    def __iter__(self):
        for batch in super().__iter__():
            batch.x = batch.x + self.passes
            yield batch


class OtherSeeds(Neighbourhoods):
    def __iter__(self):
        self.seeds = (self.seeds + 1) % NODES
        return super().__iter__()


@pytest.mark.parametrize(
    ("loader", "options", "message"),
    [
        ([], {}, "the loader yields no batch"),
        (iter(batches()), {}, "the loader can be iterated once only"),
        (3, {}, "x is no loader of batches but int"),
        (batches(n_id=None), {}, "batch 0 of the loader has no tensor n_id"),
        (batches(y=None), {}, "has no tensor y"),
        (batches(edge_index=None), {}, "batch 0 of the loader has no edge_index"),
        (batches(x=torch.zeros(0, FEATURES)), {}, "batch 0 of the loader is empty"),
        (batches(x=torch.zeros(3)), {}, "batch 0 of the loader has x of shape"),
        (batches(n_id=torch.arange(3)), {}, "but n_id has shape"),
        ([*batches(), Data(x=torch.zeros(2, 9), edge_index=torch.zeros(2, 0), y=Y[:2], n_id=torch.arange(2))], {},
         "batch 6 of the loader has 9 features of torch.float32, but those before had 5"),
        (batches() + batches()[:1], {}, "yields a scored node more than once"),
        (batches(x=torch.full((len(batches()[0].x), FEATURES), torch.nan)), {}, "holds NaN or infinity in x"),
        (batches(x=torch.zeros(len(batches()[0].x), FEATURES).double()), {}, "has other features for a node"),
        (batches(y=Y[:3]), {}, "batch 0 of the loader has 3 labels in y for 7 scored nodes"),
        (batches(n_id=batches()[0].n_id.double()), {}, "has torch.float64 from 0.0 in n_id: number the nodes"),
        (batches(n_id=batches()[0].n_id - 3), {}, "has torch.int64 from -3 in n_id: number the nodes"),
        (OtherFeatures(range(NODES)), {}, "yields other features for a node than in its first pass"),
        (Data(x=torch.zeros(3, FEATURES)), {}, "x is a whole Data: give its x, edge_index and y"),
        (HeteroData(), {}, "x is a whole HeteroData: give its x, edge_index and y"),
        ([HeteroData()], {}, "batch 0 of the loader is a HeteroData: nodes by type are scored on a whole graph only"),
        (batches(), {"nodes": torch.ones(NODES - 1) > 0}, "mask of 39 nodes, but the loader has node 39"),
        (batches(), {"given": "class"}, "given=.'class',. needs the whole graph"),
        (OtherSeeds([1, 2, 3]), {}, "the loader scores other nodes in one pass|the loader yields node"),
        (batches(), {"nodes": [NODES + 1]}, "the loader yields nothing that is scored"),
        (batches(), {"edge_weight": torch.ones(3)}, "edge_weight must be the name of an attribute"),
        (batches(), {"edge_weight": "weight"}, "batch 0 of the loader has no weight"),
        (batches(), {"sample_weight": torch.ones(3)}, "sample_weight must be the name of an attribute"),
        (batches(), {"features_of": "edge_attr"}, "features_of='edge_attr' needs the whole graph"),
        (batches(), {"within": "graph"}, "within='graph' needs the whole graph"),
        (batches(), {"engine": "lowrank"}, "engine='lowrank' needs the whole graph"),
        (batches(), {"keep": 2}, "keep needs the whole graph"),
        (batches(), {"task_level": "graph", "nodes": [1]}, "scores every label"),
        (batches(y=Y[:3]), {"task_level": "graph"}, "model returned .* for an unperturbed batch, and must return 3"),
    ],
)  # fmt: skip
def test_what_a_loader_may_not_do(model, loader, options, message):
    with pytest.raises(InputError, match=message):
        permutation_importance(model, loader, n_repeats=1, **options)


def test_labels_of_graphs_must_come_in_one_order():
    x, edges, _ = batched_graphs()

    class Shuffled:
        passes = 0

        def __iter__(self):
            self.passes += 1
            y = torch.arange(2.0).roll(self.passes)
            yield Data(x=x, edge_index=edges, n_id=torch.arange(NODES), batch=torch.arange(NODES) % 2, y=y)

    with pytest.raises(InputError, match="the loader yields labels in another order"):
        permutation_importance(Head().double(), Shuffled(), task_level="graph", metric="r2", batch="batch")
