"""One function for nodes, edges and graphs: the numbers of a plain loop with scikit-learn's metrics."""

import numpy as np
import pytest
import torch
from sklearn import metrics as sk
from task_cases import (
    FEATURES,
    GRAPHS,
    NODES,
    PAIRS,
    TOLERANCE,
    Head,
    LinkPredictor,
    batched_graphs,
    label_pairs,
    lively,
    plain_loop,
)
from torch_geometric.nn import global_add_pool, global_max_pool, global_mean_pool

from graphsieve import permutation_importance
from graphsieve.errors import InputError

DTYPES = [torch.float32, torch.float64]
SCORES = {
    "roc_auc": lambda y, p, **w: sk.roc_auc_score(y, p, **w),
    "average_precision": lambda y, p, **w: sk.average_precision_score(y, p, **w),
    "cross_entropy": lambda y, p, **w: -sk.log_loss(y, p.double().sigmoid(), **w),
    "accuracy": lambda y, p, **w: sk.accuracy_score(y, p > 0, **w),
    "r2": lambda y, p, **w: sk.r2_score(y, p, **w),
    "mean_squared_error": lambda y, p, **w: -sk.mean_squared_error(y, p, **w),
    "mean_absolute_error": lambda y, p, **w: -sk.mean_absolute_error(y, p, **w),
}
BINARY, NUMBERS = list(SCORES)[:4], list(SCORES)[4:]


def zeros_and_ones(size: int) -> torch.Tensor:
    return torch.arange(size) % 3 % 2


def numbers(size: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.linspace(-1, 2, size, dtype=dtype).square()


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


def check(model, x, edges, y, metrics, engine="full", dtype=torch.float64, weight=None, **options):
    """Against the loop, for every metric; returns the results."""
    by_name = {name: value for name, value in options.items() if name in ("batch", "edge_label_index")}
    model = lively(model, dtype, x, edges, **by_name)
    nodes = options.get("nodes", slice(None))
    results = permutation_importance(
        model, x, edges, y, metric=metrics, n_repeats=3, engine=engine, sample_weight=weight, **options
    )
    weights = {} if weight is None else {"sample_weight": weight[nodes]}
    for name in metrics:
        expected = plain_loop(
            lambda changed: model(changed, edges, **by_name),
            x,
            lambda output, name=name: SCORES[name](y[nodes], output[nodes], **weights),
        )
        np.testing.assert_allclose(results[name].importances, expected, rtol=0, atol=TOLERANCE[dtype])
    return results


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("metrics", "labels"), [(BINARY, zeros_and_ones), (NUMBERS, numbers)])
def test_links_are_predicted_and_rated(metrics, labels, dtype):
    x, edges, _ = batched_graphs(dtype)
    options = {"task_level": "edge", "edge_label_index": label_pairs()}
    results = check(LinkPredictor(), x, edges, labels(PAIRS), metrics, "auto", dtype, **options)
    assert results[metrics[0]].engine == "full"


def test_kinds_of_edges_are_predicted():
    x, edges, _ = batched_graphs()
    y = torch.arange(PAIRS) % 4
    pairs = label_pairs()
    model = lively(LinkPredictor(outputs=4), x.dtype, x, edges, pairs)
    found = permutation_importance(model, x, edges, y, n_repeats=3, task_level="edge", edge_label_index=pairs)
    expected = plain_loop(
        lambda changed: model(changed, edges, pairs), x, lambda logits: sk.accuracy_score(y, logits.argmax(1))
    )
    np.testing.assert_allclose(found.importances, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("engine", ["auto", "full"])
@pytest.mark.parametrize(("metrics", "labels"), [(BINARY, zeros_and_ones), (NUMBERS, numbers)])
def test_whole_graphs_are_predicted(metrics, labels, engine, dtype):
    x, edges, batch = batched_graphs(dtype)
    check(Head(), x, edges, labels(GRAPHS), metrics, engine, dtype, task_level="graph", batch=batch)


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("engine", ["auto", "full", "restricted"])
def test_numbers_of_nodes_are_predicted(engine, flat):
    x, edges, _ = batched_graphs()
    nodes = torch.tensor([5, 3, 39, 12, 0, 21])
    check(Head(flat=flat), x, edges, numbers(NODES), NUMBERS, engine, nodes=nodes)


@pytest.mark.parametrize("engine", ["auto", "full"])
def test_several_labels_of_a_node(engine):
    x, edges, _ = batched_graphs()
    y = torch.stack([torch.arange(NODES) % k == 0 for k in (2, 3, 4)], 1).long()
    model = Head(outputs=3).double().eval()
    found = permutation_importance(
        model, x, edges, y, range(NODES), n_repeats=3, metric=["roc_auc", "average_precision"], engine=engine
    )
    for name, score in (("roc_auc", sk.roc_auc_score), ("average_precision", sk.average_precision_score)):
        expected = plain_loop(lambda changed: model(changed, edges), x, lambda logits, score=score: score(y, logits))
        np.testing.assert_allclose(found[name].importances, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("engine", ["auto", "full"])
@pytest.mark.parametrize("level", ["node", "edge", "graph"])
def test_weights_of_what_is_scored(level, engine):
    x, edges, batch = batched_graphs()
    model, size, options = {
        "node": (Head(), NODES, {"nodes": torch.arange(5, 30)}),
        "edge": (LinkPredictor(), PAIRS, {"edge_label_index": label_pairs()}),
        "graph": (Head(), GRAPHS, {"batch": batch}),
    }[level]
    weight = torch.arange(size) % 4 / 3 + 0.5
    for metrics, y in ((BINARY, zeros_and_ones(size)), (NUMBERS, numbers(size))):
        check(model, x, edges, y, metrics, engine, weight=weight, task_level=level, **options)


def test_a_function_sees_what_the_model_returns():
    x, edges, _ = batched_graphs()
    y, weight, seen = numbers(NODES), torch.ones(NODES), []

    def minus_error(output, y, sample_weight=None):
        seen.append((tuple(output.shape), sample_weight is None))
        return -float((output.flatten() - y).abs().mean())

    for flat in (False, True):
        model = Head(flat=flat).double()
        options = {"n_repeats": 2, "engine": "full"}
        by_name = permutation_importance(
            model, x, edges, y, range(NODES), metric="mean_absolute_error", sample_weight=weight, **options
        )
        for given in (None, weight):
            seen.clear()
            own = permutation_importance(
                model, x, edges, y, range(NODES), metric=minus_error, sample_weight=given, **options
            )
            assert set(seen) == {((NODES,) if flat else (NODES, 1), given is None)}
            np.testing.assert_allclose(own.importances, by_name.importances, atol=1e-12)


def test_values_change_places_within_graphs():
    x, edges, batch = batched_graphs()
    seen = []

    class Watching(Head):
        def forward(self, x, edge_index, batch):
            seen.append(x.clone())
            return super().forward(x, edge_index, batch)

    order = torch.randperm(NODES, generator=torch.Generator().manual_seed(9))  # nodes of a graph need not be neighbours
    place = order.argsort()
    options = {"task_level": "graph", "batch": batch[order], "metric": "r2", "n_repeats": 4, "within": "graph"}
    arguments = (Watching().double(), x[order], place[edges], numbers(GRAPHS))
    for named, moved in (({"features": [3]}, [3]), ({"groups": {"pair": [1, 4]}}, [1, 4])):
        seen.clear()
        permutation_importance(*arguments, engine="full", **named, **options)
        original, *copies = seen
        assert len({tuple(copy.flatten().tolist()) for copy in copies}) == 4
        for copy in copies:
            kept = [column for column in range(FEATURES) if column not in moved]
            assert torch.equal(copy[:, kept], original[:, kept])
            for graph in range(GRAPHS):
                rows = batch[order] == graph
                one, other = (sorted(map(tuple, of[rows][:, moved].tolist())) for of in (copy, original))
                assert one == other


@pytest.mark.parametrize("named", [{}, {"groups": {"a": [0, 1], "b": [2, 3, 4]}}])
def test_within_graphs_the_fast_engine_gives_the_same(named):
    x, edges, batch = batched_graphs()
    model = lively(Head(), x.dtype, x, edges, batch)
    options = {"task_level": "graph", "batch": batch, "metric": "r2", "within": "graph", **named}
    found, expected = (
        permutation_importance(model, x, edges, numbers(GRAPHS), engine=engine, **options)
        for engine in ("auto", "full")
    )
    assert found.engine == "lowrank"
    np.testing.assert_allclose(found.importances, expected.importances, rtol=0, atol=1e-10)


POOLS = {"sum": global_add_pool, "mean": global_mean_pool, "max": global_max_pool}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("name", ["gcn", "gin", "graphsage"])
def test_pooled_models_are_on_the_fast_engine(name, pool, dtype):
    x, edges, batch = batched_graphs(dtype)
    options = {"task_level": "graph", "batch": batch}
    model = Head(name, pool=POOLS[pool], flat=True)
    results = check(model, x, edges, numbers(GRAPHS), NUMBERS, "auto", dtype, **options)
    assert results["r2"].engine == "lowrank"


def score(**changed):
    """Graphs, unless changed."""
    x, edges, batch = batched_graphs()
    given = {"x": x, "edge_index": edges, "y": numbers(GRAPHS), "task_level": "graph", "batch": batch, "metric": "r2"}
    model = changed.pop("model", None) or Head().double()
    given = {name: value for name, value in {**given, **changed}.items() if value is not None}
    return permutation_importance(model, n_repeats=1, **given)


def test_slopes_know_that_values_stay_within_their_graph():
    """Many plain repeats and few with a control variate agree; one that expects values to go anywhere is off by far."""
    x, edges, batch = batched_graphs()
    x = x + batch[:, None] / 2
    model = lively(Head(), x.dtype, x, edges, batch)
    options = {"task_level": "graph", "batch": batch, "metric": "mean_squared_error"}
    plain = permutation_importance(model, x, edges, numbers(GRAPHS), n_repeats=2000, within="graph", **options)
    few = permutation_importance(
        model, x, edges, numbers(GRAPHS), n_repeats=50, within="graph", control_variate=True, random_state=1, **options
    )
    error = plain.importances_std / 2000**0.5 + few.importances_std / 50**0.5
    assert (np.abs(plain.importances_mean - few.importances_mean) < 4 * error + 1e-9).all()


PAIR_TASK = {"task_level": "edge", "batch": None, "model": LinkPredictor().double(), "y": numbers(PAIRS)}
NODE_TASK = {"task_level": "node", "batch": None, "y": numbers(NODES), "nodes": range(NODES)}
BROKEN = torch.zeros(NODES, FEATURES, dtype=torch.float64).index_fill(0, torch.tensor([7]), torch.nan)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"task_level": "cell"}, "task_level 'cell' is unknown: choose one of node, edge, graph"),
        ({"y": None}, "y is missing: give one label per graph of batch"),
        ({"y": numbers(GRAPHS + 1)}, r"y must hold one label per graph of batch: it has shape \(7,\), and there are 6"),
        ({"y": numbers(GRAPHS), "metric": "accuracy"}, "y must hold zeros and ones for accuracy"),
        ({"nodes": [1]}, "nodes is given, but task_level 'graph' scores every label in y"),
        ({"batch": None}, "task_level 'graph' needs batch="),
        ({"batch": torch.zeros(0, dtype=torch.long)}, "batch has 0 entries, and must have one per row of x"),
        ({"batch": torch.zeros(3, dtype=torch.long)}, "batch has 3 entries, and must have one per row of x"),
        ({"batch": torch.arange(NODES) % GRAPHS - 1}, "batch holds -1: number the graphs from 0"),
        ({"groups": {"a": [[0], [1, 2]]}}, "group 'a' must be a list of column numbers of x"),
        ({"batch": torch.zeros(NODES)}, "task_level 'graph' needs batch="),
        ({"x": torch.zeros(0, FEATURES)}, "x has no rows: there is nothing to permute"),
        ({"x": BROKEN}, "x holds NaN or infinity at row 7: fill in the values that are missing"),
        ({"x": BROKEN.to_sparse()}, "x holds NaN or infinity: fill in"),
        ({"groups": {"a": [FEATURES]}}, "group 'a' names column 5, but x has columns 0 to 4"),
        ({"within": "node"}, "within 'node' is unknown"),
        ({"within": "graph", "perturbation": "mask"}, "within='graph' goes with perturbation 'permute' only"),
        ({**NODE_TASK, "within": "graph"}, "within='graph' needs batch=, the graph of each node, for the 40 rows of x"),
        ({"perturbed_rows": "scored"}, "perturbed_rows='scored' is for features of nodes that are scored themselves"),
        ({**NODE_TASK, "nodes": None}, "nodes is missing"),
        ({**NODE_TASK, "sample_weight": torch.ones(3)}, "sample_weight must hold one weight per label: 40, not"),
        ({"sample_weight": -torch.ones(GRAPHS)}, "sample_weight must hold finite weights, none negative"),
        ({"sample_weight": torch.zeros(GRAPHS)}, "some positive where it is scored"),
        ({"sample_weight": torch.full((GRAPHS,), torch.nan)}, "sample_weight must hold finite weights"),
        ({"features_of": "edge_attr"}, "features_of is 'edge_attr', but no edge_attr is given: pass it by name"),
        ({"features_of": "batch"}, r"batch must be \(rows, features\) of float32 or float64"),
        ({"features_of": "scale", "scale": 2.0}, "scale must be a tensor, not float"),
        ({"scale": 2.0}, r"model raised TypeError when called as model\(x, edge_index, batch=..., scale=...\)"),
        ({"engine": "restricted"}, "engine 'restricted' cannot score this model"),
        (PAIR_TASK, "task_level 'edge' needs edge_label_index="),
        ({**PAIR_TASK, "edge_label_index": torch.zeros(2, 0)}, "edge_label_index is empty"),
        ({**PAIR_TASK, "edge_label_index": label_pairs()[:, :4]}, "y must hold one label per column of edge_label"),
        ({**PAIR_TASK, "edge_label_index": label_pairs(), "model": Head().double()}, "model raised TypeError"),
        ({"model": LinkPredictor().double(), "edge_label_index": label_pairs(), "batch": torch.arange(NODES) // 7},
         "model raised TypeError"),
    ],
)  # fmt: skip
def test_bad_input_is_named(changed, message):
    with pytest.raises(InputError, match=message):
        score(**changed)


def test_rows_that_do_not_fit_the_level():
    with pytest.raises(InputError, match=r"model returned shape \(6, 1\) .* must return 40 rows, one per node"):
        score(**{**NODE_TASK, "batch": batched_graphs()[2]})
