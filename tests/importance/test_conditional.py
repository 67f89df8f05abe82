"""New values of a column that keep what is known of it."""

import numpy as np
import pytest
import torch
from importance_cases import CLASSES, FEATURES, HIDDEN, HandWritten, compare, make_graph, scored_nodes
from torch import nn

from graphsieve import permutation_importance
from graphsieve.errors import InputError
from graphsieve.importance import Conditional
from graphsieve.importance.columns import Columns, root_sequence
from graphsieve.importance.given import KnownMeans, adjacency_of
from graphsieve.importance.latent import Predictors, keeps_values, latent, orthonormal
from graphsieve.models.classifier import build_model

ROWS, REPEATS = 300, 40
GIVEN = ["degree", "neighbourhood", "class", "graph"]


def drawn(x: np.ndarray, item: list[int], repeats: int = REPEATS, **known) -> np.ndarray:
    """(columns, repeats, nodes)"""
    tensor = torch.as_tensor(x)
    perturbation = Conditional(tensor, **known)
    new = perturbation.draw(Columns(tensor), np.array(item), repeats, root_sequence(0))
    return np.stack([[column.dense(repeat, len(x)) for repeat in range(repeats)] for column in new])


def correlation(left: np.ndarray, right: np.ndarray) -> float:
    return float(np.corrcoef(left, right)[0, 1])


def ring(num_nodes: int) -> torch.Tensor:
    nodes = torch.arange(num_nodes)
    ahead = torch.stack([nodes, (nodes + 1) % num_nodes])
    return torch.cat([ahead, ahead.flip(0)], 1)


@pytest.fixture(scope="module")
def correlated() -> np.ndarray:
    """A number, a copy of it at correlation 0.9, one of its distance from the middle, and noise."""
    rng = np.random.default_rng(0)
    first, *noise = rng.standard_normal((4, ROWS))
    copy = 0.9 * first + np.sqrt(1 - 0.9**2) * noise[0]
    return np.stack([first, copy, np.abs(first) + 0.3 * noise[1], noise[2]], axis=1)


def test_a_draw_keeps_the_correlation_with_the_others_and_moves_the_rest(correlated):
    (draws,) = drawn(correlated, [1])
    assert (np.sort(draws, axis=1) == np.sort(correlated[:, 1])).all()
    before = correlation(correlated[:, 0], correlated[:, 1])
    assert np.abs([correlation(correlated[:, 0], draw) - before for draw in draws]).max() < 0.02
    # two draws share what the first column says, 0.9 squared of the variance, and nothing else
    assert np.mean([correlation(draws[0], draw) for draw in draws[1:]]) == pytest.approx(0.81, abs=0.04)


def test_what_bends_is_kept_too(correlated):
    (draws,) = drawn(correlated, [2])
    away = np.abs(correlated[:, 0])
    before = correlation(away, correlated[:, 2])
    assert abs(correlation(correlated[:, 0], correlated[:, 2])) < 0.2 < before
    assert np.mean([correlation(away, draw) for draw in draws]) == pytest.approx(before, abs=0.02)


def test_a_column_that_nothing_predicts_is_permuted(correlated):
    (draws,) = drawn(correlated, [3], repeats=200)
    assert np.abs([correlation(correlated[:, 3], draw) for draw in draws]).mean() < 0.1
    nothing_known = drawn(correlated[:, 3:], [0], repeats=200)[0]
    assert np.abs([correlation(correlated[:, 3], draw) for draw in nothing_known]).mean() < 0.1


def test_a_column_that_others_determine_stays():
    rng = np.random.default_rng(0)
    numbers = rng.standard_normal((ROWS, 2))
    (draws,) = drawn(np.c_[numbers, numbers.sum(axis=1)], [2])
    np.testing.assert_allclose(draws, np.tile(numbers.sum(axis=1), (REPEATS, 1)))
    zeros_and_ones = np.repeat(numbers[:, :1] > 0, 2, axis=1).astype(float)
    assert (drawn(zeros_and_ones, [1])[0] == zeros_and_ones[:, 1]).all()


@pytest.mark.parametrize("scale", [1.0, 0.37])
def test_zeros_and_ones_stay_so_with_the_probability_that_others_say(scale):
    """As often one as before, wherever the other column is zero and wherever it is one; also if both were scaled."""
    rng = np.random.default_rng(0)
    other = rng.random(ROWS) < 0.4
    column = np.where(rng.random(ROWS) < 0.15, ~other, other)
    (draws,) = drawn(scale * np.c_[other, column].astype(float), [1], repeats=200)
    assert set(np.unique(draws)) == {0, scale}
    for group in (other, ~other):
        np.testing.assert_allclose(draws[:, group].mean() / scale, column[group].mean(), atol=0.03)
    assert (draws[:, other] / scale != column[other]).mean() == pytest.approx(2 * 0.15 * 0.85, abs=0.06)


@pytest.mark.parametrize("given", [None, *GIVEN])
def test_counts_stay_counts(given):
    rng = np.random.default_rng(0)
    level = rng.integers(1, 9, ROWS)
    counts = np.stack([level, rng.poisson(level)], axis=1).astype(float)
    y, nodes = torch.from_numpy(level % 3), torch.arange(ROWS)
    (draws,) = drawn(counts, [1], given=given, edge_index=ring(ROWS), y=y, nodes=nodes)
    assert (np.sort(draws, axis=1) == np.sort(counts[:, 1])).all()
    before = correlation(*counts.T)
    assert np.mean([correlation(counts[:, 0], draw) for draw in draws]) == pytest.approx(before, abs=0.05)
    assert np.mean(draws != counts[:, 1]) > 0.5


def test_sparse_columns_are_drawn_sparse_whatever_the_layout():
    rng = np.random.default_rng(0)
    x = torch.from_numpy((rng.random((ROWS, 30)) < 0.05).astype(np.float32))
    results = []
    for one in (x, x.to_sparse_coo(), x.to_sparse_csr()):
        (new,) = Conditional(one).draw(Columns(one), np.array([4]), 5, root_sequence(0))
        assert new.rows.shape == (5, int(x[:, 4].sum()))
        results.append(np.stack([new.dense(repeat, ROWS) for repeat in range(5)]))
    assert (results[0] == results[1]).all()
    assert (results[0] == results[2]).all()


def test_a_group_is_drawn_together_given_the_columns_outside_it(correlated):
    draws = drawn(correlated, [0, 1])
    within = correlation(correlated[:, 0], correlated[:, 1])
    assert np.mean([correlation(*pair) for pair in draws.swapaxes(0, 1)]) == pytest.approx(within, abs=0.03)
    away, outside = np.abs(correlated[:, 0]), correlated[:, 2]
    assert np.mean([correlation(correlated[:, 0], draw) for draw in draws[0]]) < 0.5  # alone it would stay at 0.9
    assert abs(correlation(away, outside)) > 0.8


def test_values_of_one_text_column_stay_exclusive():
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 3, ROWS)
    x = np.c_[np.eye(3)[kind], kind + rng.standard_normal(ROWS), rng.standard_normal(ROWS)]
    draws = drawn(x, [0, 1, 2])
    assert (draws.sum(axis=0) == 1).all()
    new_kind = draws.argmax(axis=0)
    before = correlation(kind, x[:, 3])
    assert np.mean([correlation(one, x[:, 3]) for one in new_kind]) == pytest.approx(before, abs=0.06)
    assert (new_kind != kind).mean() > 0.2


def test_degree_and_class_are_kept():
    rng = np.random.default_rng(0)
    targets = (ROWS * rng.random(1500) ** 2).astype(int)
    edges = torch.from_numpy(np.stack([np.arange(1500) % ROWS, targets]))
    different = np.unique(edges.numpy(), axis=1)
    degree = np.bincount(different[1, different[0] != different[1]], minlength=ROWS)
    y = torch.from_numpy(rng.integers(0, 3, ROWS))
    x = np.c_[np.log1p(degree) + 0.2 * rng.standard_normal(ROWS), y.numpy() + 0.5 * rng.standard_normal(ROWS)]
    for column, known, value in ((0, "degree", np.log1p(degree)), (1, "class", y.numpy())):
        details = {"edge_index": edges, "y": y, "nodes": torch.arange(ROWS)}
        free, kept = (drawn(x, [column], given=names, others=False, **details)[0] for names in ([], [known]))
        assert abs(np.mean([correlation(value, draw) for draw in free])) < 0.1
        before = correlation(value, x[:, column])
        assert np.mean([correlation(value, draw) for draw in kept]) == pytest.approx(before, abs=0.03)


def test_only_labels_of_scored_nodes_are_read():
    x, edges, y = make_graph(torch.float64, 0.7)
    others = torch.ones(len(y), dtype=torch.bool)
    others[scored_nodes()] = False
    hidden, lied_to = y.clone(), (y + 1) % CLASSES
    hidden[others] = (y[others] + 1) % CLASSES
    model = HandWritten().double()
    honest, same, changed = (
        permutation_importance(
            model, x, edges, labels, scored_nodes(), given="class", metric=lambda logits, _: float(logits[:, 0].sum())
        ).importances
        for labels in (y, hidden, torch.where(torch.arange(len(y)) % 2 == 0, y, lied_to))
    )
    assert (honest == same).all()
    assert (honest != changed).any()


def test_neighbours_say_what_they_said():
    rng = np.random.default_rng(0)
    x = np.cumsum(rng.standard_normal(ROWS))[:, None]
    edges = ring(ROWS)
    means = (np.roll(x[:, 0], 1) + np.roll(x[:, 0], -1)) / 2
    before = correlation(means, x[:, 0])
    (draws,) = drawn(x, [0], given="neighbourhood", edge_index=edges)
    assert np.mean([correlation(means, draw) for draw in draws]) == pytest.approx(before, abs=0.02)
    (free,) = drawn(x, [0])
    assert abs(np.mean([correlation(means, draw) for draw in free])) < 0.05


def test_means_of_known_nodes_by_hand():
    """A path of five nodes, of which the first and the last are known; 27 others have no edge."""
    edges = torch.tensor([[0, 1, 2, 3, 1, 2, 3, 4], [1, 2, 3, 4, 0, 1, 2, 3]])
    values = torch.randn(32, 1, generator=torch.Generator().manual_seed(0))
    drawn_anew = np.array([1, 2, 3, *range(5, 32)])
    found = KnownMeans(Columns(values), adjacency_of(edges, 32), drawn_anew)(0)
    assert (found[3:] == 0).all()
    found, centred = found[:3], latent(values[:, 0].numpy())
    first, last = centred[[0, 4]] - (centred[0] + centred[4]) / 2
    np.testing.assert_allclose(found[:, 0], [first, 0, last])
    np.testing.assert_allclose(found[:, 1], [0, 0, 0], atol=1e-12)  # two steps: both ends at once, or none
    np.testing.assert_allclose(found[:, 2], [first / 2, 0, last / 2])


def test_scored_rows_alone_are_drawn_and_the_others_predict_them():
    """On a ring every second value is known: a walk's other values follow from those beside them."""
    rng = np.random.default_rng(0)
    walk = np.convolve(np.tile(rng.standard_normal(ROWS), 3), np.ones(20), "same")[ROWS : 2 * ROWS, None]
    x, rows = torch.from_numpy(walk), torch.arange(0, ROWS, 2)
    some = Conditional(x, others=False, given="graph", edge_index=ring(ROWS), rows=rows)
    (new,) = some.draw(Columns(x[rows]), np.array([0]), REPEATS, root_sequence(0))
    assert np.mean([correlation(walk[::2, 0], draw) for draw in new.values]) > 0.9
    (free,) = drawn(walk, [0], others=False, given="graph", edge_index=ring(ROWS))
    assert abs(np.mean([correlation(walk[:, 0], draw) for draw in free])) < 0.2

    class Seen(nn.Module):
        inputs = []

        def forward(self, x, edge_index):
            self.inputs.append(x.clone())
            return torch.cat([x, -x], 1)

    model, y = Seen(), torch.zeros(ROWS, dtype=torch.long)
    options = {"given": "graph", "perturbed_rows": "scored", "n_repeats": 3, "engine": "full"}
    permutation_importance(model, x, ring(ROWS), y, rows, **options)
    before, *after = model.inputs
    for one, draw in zip(after, new.values, strict=False):
        assert torch.equal(one[1::2], before[1::2])
        np.testing.assert_array_equal(one[::2, 0], draw)


MODELS = {
    "gcn": lambda: build_model("gcn", FEATURES, CLASSES, hidden=HIDDEN),
    "tagcn": lambda: build_model("tagcn", FEATURES, CLASSES, hidden=HIDDEN),
    "hand-written": HandWritten,
}


@pytest.mark.parametrize("given", [None, "graph", ["degree", "class"]])
@pytest.mark.parametrize("name", MODELS)
def test_engines_agree_on_conditional_draws(name, given):
    torch.manual_seed(0)
    model = MODELS[name]().double()
    groups = {"pair": [0, 3], "one": [1]}
    for options in ({}, {"groups": groups}, {"perturbed_rows": "scored"}):
        ran = compare(
            model, make_graph(torch.float64, 0.7), "restricted" if name == "hand-written" else "lowrank",
            perturbation="conditional", given=given, **options,
        )  # fmt: skip
        assert ran != "full"


def test_sparse_conditional_draws_are_the_same_on_every_engine():
    compare(build_model("gcn", FEATURES, CLASSES, hidden=HIDDEN).double(), make_graph(torch.float64, 0.15), "lowrank",
            perturbation="conditional")  # fmt: skip


def test_a_subset_of_features_gets_the_same_numbers():
    x, edges, y = make_graph(torch.float64, 0.7)
    model = build_model("gcn", FEATURES, CLASSES, hidden=HIDDEN).double()
    options = {"metric": "cross_entropy", "perturbation": "conditional", "given": "graph"}
    everything = permutation_importance(model, x, edges, y, scored_nodes(), **options)
    some = permutation_importance(model, x, edges, y, scored_nodes(), features=[3, 1], **options)
    np.testing.assert_allclose(some.importances, everything.importances[[3, 1]], atol=1e-12)


def test_a_copy_matters_by_itself_and_not_given_its_original():
    rng = np.random.default_rng(0)
    original, noise = rng.standard_normal((2, 400))
    x = torch.from_numpy(np.stack([original, 0.95 * original + 0.31 * noise], 1)).float()
    y = torch.from_numpy((original > 0).astype(int))

    class Sum(nn.Module):
        def forward(self, x, edge_index):
            total = x.sum(1, keepdim=True)
            return torch.cat([-total, total], 1)

    marginal, conditional = (
        permutation_importance(Sum(), x, None, y, range(400), perturbation=name, metric="cross_entropy")
        for name in ("permute", "conditional")
    )
    assert marginal.importances_mean[1] > 10 * conditional.importances_mean[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"given": "planet"},
            "given names 'planet', which is unknown: choose from degree, neighbourhood, class, graph",
        ),
        ({"given": ["degree", "rank"]}, "given names 'rank'"),
        ({"perturbation": "mask", "given": "degree"}, "given has no meaning for perturbation 'mask'"),
        ({"perturbation": "shuffle"}, "perturbation 'shuffle' is unknown: choose one of permute, .*conditional"),
        ({"given": "graph", "edge_index": None}, "given asks for the graph, so edge_index must be a tensor"),
        ({"given": "class", "y": torch.rand(40)}, "given names 'class', but y is no vector of class numbers"),
        ({"given": "degree", "shared_permutation": True}, "shared_permutation moves all columns alike"),
        ({"given": "degree", "perturbation": "made"}, "given is settled by the perturbation"),
        ({"perturbation": "made", "perturbed_rows": "scored"}, "perturbation was made for 40 rows, and 7 are drawn"),
        ({"control_variate": True}, "control_variate needs draws whose mean is known"),
        ({"perturbation": "permute", "given": "degree", "control_variate": True}, "control_variate needs draws"),
        ({"within": "graph", "batch": torch.zeros(40, dtype=torch.long)}, "within='graph' goes with .*'permute' only"),
        ({"given": "class", "task_level": "graph"}, "given names 'class', but labels belong to a graph"),
        ({"given": "graph", "features_of": "edge_weight"}, "given is for features of nodes of one type"),
    ],
)
def test_bad_input_is_named(options, message):
    x, edges, y = make_graph()
    chosen = {"edge_index": edges, "y": y, "nodes": scored_nodes(), "perturbation": "conditional", **options}
    if chosen["perturbation"] == "made":
        chosen["perturbation"] = Conditional(x)
    if chosen.get("task_level") == "graph":
        chosen |= {"nodes": None, "y": y[:2], "batch": torch.arange(len(x)) % 2}
    if "features_of" in chosen:
        chosen["edge_weight"] = torch.ones(edges.shape[1])
    with pytest.raises(InputError, match=message):
        permutation_importance(HandWritten(), x, metric=lambda logits, y: 0.0, **chosen)


def test_which_columns_keep_their_values():
    rng = np.random.default_rng(0)
    assert keeps_values(np.array([0.0, 1.0, 5.0]))
    assert keeps_values(rng.choice([0.1, 0.2, 0.3], 20))
    assert not keeps_values(rng.standard_normal(20))


def test_scales_on_which_columns_predict():
    rng = np.random.default_rng(0)
    normal = rng.standard_normal(1000)
    np.testing.assert_allclose(latent(normal), normal - normal.mean())
    assert correlation(latent(np.exp(2 * normal)), normal) > 0.99  # which 0.5 would be without scores
    np.testing.assert_allclose(latent(np.array([0.0, 4.0, 9.0, 4.0])), [-1.75, 0.25, 1.25, 0.25])


def test_the_most_correlated_predictors_are_chosen_and_span_what_they_should():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((200, 60))
    x[:, 7] += 2 * x[:, 3]
    x[:, 11] += x[:, 3]
    predictors = Predictors(Columns(torch.from_numpy(x)))
    chosen = predictors.most_correlated(latent(x[:, 3])[None], np.array([3]), 2)
    np.testing.assert_allclose(chosen, x[:, [7, 11]] - x[:, [7, 11]].mean(axis=0), atol=1e-6)
    basis = orthonormal(np.c_[chosen, chosen.sum(axis=1), np.ones(200)])
    assert basis.shape == (200, 3)
    np.testing.assert_allclose(basis.T @ basis, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(basis @ (basis.T @ chosen), chosen, atol=1e-6)
