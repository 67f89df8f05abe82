"""Columns perturbed at the scored nodes only, or all by one permutation: against x changed by hand."""

import numpy as np
import pytest
import torch
from importance_cases import CLASSES, FEATURES, HIDDEN, NODES, break_ties, compare, make_graph, scored_nodes

from graphsieve import permutation_importance
from graphsieve.errors import InputError
from graphsieve.importance.columns import PERTURBATIONS, Columns, draw_column
from graphsieve.importance.draws import draw_at, draw_shared
from graphsieve.models.classifier import build_model


def model():
    return build_model("gcn", FEATURES, CLASSES, hidden=HIDDEN, seed=1)


@pytest.mark.parametrize("perturbation", ["permute", "gaussian", "mask"])
@pytest.mark.parametrize("density", [0.1, 0.9])
@pytest.mark.parametrize(("rows", "shared"), [("scored", False), ("all", True), ("scored", True)])
def test_all_engines_give_the_numbers_of_the_reference(perturbation, density, rows, shared):
    options = {"perturbation": perturbation, "perturbed_rows": rows, "shared_permutation": shared}
    assert compare(model(), make_graph(density=density), engine="lowrank", **options) == "lowrank"


def drawn(x, feature, repeats, draw):
    (new,) = draw(Columns(x), np.array([feature]), repeats, np.random.SeedSequence(3))
    return np.stack([new.dense(repeat, NODES) for repeat in range(repeats)])


def recorded_inputs(**options):
    """Every x that the reference engine hands to a model."""
    x, edges, y = make_graph()
    seen, network = [], model()
    network.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0].clone()))
    permutation_importance(network, x, edges, y, scored_nodes(), n_repeats=4, engine="full", **options)
    return x, seen[-4 * FEATURES :]


@pytest.mark.parametrize("layout", [torch.strided, torch.sparse_coo, torch.sparse_csr])
@pytest.mark.parametrize("density", [0.1, 0.9])
def test_only_scored_rows_are_permuted_among_themselves(layout, density):
    x, _, _ = make_graph(density=density)
    nodes, others = scored_nodes(), np.setdiff1d(np.arange(NODES), scored_nodes())

    def plain(*arguments):
        return draw_column(PERTURBATIONS["permute"], *arguments)

    stored = x if layout == torch.strided else x.to_sparse(layout=layout)
    draw = draw_at(plain, stored, nodes)
    moved = False
    for feature in range(FEATURES):
        new = drawn(x, feature, 20, draw)
        assert np.array_equal(new[:, others], np.tile(x[others, feature], (20, 1)))
        assert np.array_equal(np.sort(new[:, nodes], axis=1), np.tile(np.sort(x[nodes, feature]), (20, 1)))
        moved |= bool((new != x[:, feature].numpy()).any())
    assert moved


@pytest.mark.parametrize("rows", ["all", "scored"])
def test_one_permutation_a_repeat_moves_all_columns(rows):
    """The rows of an x whose columns were all moved are rows of the original: a permutation of whole rows."""
    x, inputs = recorded_inputs(shared_permutation=True, perturbed_rows=rows)
    orders = set()
    for repeat in range(4):
        together = np.stack([inputs[4 * feature + repeat][:, feature] for feature in range(FEATURES)], axis=1)
        assert sorted(map(tuple, together)) == sorted(map(tuple, x.numpy()))
        orders.add(together.tobytes())
    assert len(orders) == 4


def test_shared_permutations_are_uniform():
    """Where a row goes, over 4,000 draws of 5 rows: every place within 4 standard deviations of a fifth."""
    x = torch.eye(5)
    draw = draw_shared(np.random.SeedSequence(0))
    (new,) = draw(Columns(x), np.array([2]), 4000, np.random.SeedSequence(1))
    places = np.array([new.dense(repeat, 5).argmax() for repeat in range(4000)])
    counts = np.bincount(places, minlength=5)
    assert np.abs(counts - 800).max() < 4 * np.sqrt(4000 * 0.2 * 0.8)


def test_scored_rows_give_the_difference_that_a_hand_made_x_gives():
    x, edges, y = make_graph()
    network, nodes = model(), scored_nodes()
    break_ties(network)
    found = permutation_importance(
        network, x, edges, y, nodes, perturbation="mask", perturbed_rows="scored", metric="cross_entropy"
    )
    with torch.no_grad():
        losses = []
        for feature in (None, *range(FEATURES)):
            changed = x.clone()
            if feature is not None:
                changed[nodes, feature] = 0
            losses.append(torch.nn.functional.cross_entropy(network(changed, edges)[nodes], y[nodes]).item())
    np.testing.assert_allclose(found.importances_mean, np.array(losses[1:]) - losses[0], atol=1e-6)


def test_unknown_rows_are_refused():
    x, edges, y = make_graph()
    with pytest.raises(InputError, match="perturbed_rows 'some' is unknown: choose one of all, scored"):
        permutation_importance(model(), x, edges, y, scored_nodes(), perturbed_rows="some")
