"""The graph of the default study: real images, planted edges, and both matter."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from graphsieve.data.datasets import load_graph
from graphsieve.data.graph import describe
from graphsieve.data.perturbed import PERTURBED_GRAPHS
from graphsieve.data.splits import choose_split
from graphsieve.options import TrainingOptions
from graphsieve.randomness import generator


@pytest.fixture(scope="module")
def digits():
    return load_graph("digits")


def test_images_and_labels_are_real_and_a_fifth_of_the_pixels_is_lost(digits):
    images, labels = load_digits(return_X_y=True)
    np.testing.assert_array_equal(digits.y, labels)
    shown = digits.x * 16 == images
    assert (digits.x[~shown] == 0).all()
    assert shown[images > 0].mean() == pytest.approx(0.8, abs=0.01)
    # Pixels are lost by chance: in every image and every place about equally often.
    drawn = np.where(images > 0, shown, np.nan)
    assert np.nanmean(drawn, axis=1).min() > 0.5
    often = (images > 0).sum(axis=0) > 300
    assert np.abs(np.nanmean(drawn[:, often], axis=0) - 0.8).max() < 0.08
    assert (digits.x.dtype, digits.x.min(), digits.x.max()) == (np.float32, 0, 1)


def test_names_are_places_in_the_image(digits):
    assert (digits.names()[0], digits.names()[9], digits.names()[63]) == ("r0c0", "r1c1", "r7c7")


def test_edges_are_planted_with_the_stated_degree_and_homophily(digits):
    edges = set(map(tuple, digits.edge_index.T.tolist()))
    assert len(edges) == digits.edge_index.shape[1]
    assert all((v, u) in edges and u != v for u, v in edges)
    degrees = np.bincount(digits.edge_index[0], minlength=digits.num_nodes)
    assert degrees.mean() == pytest.approx(5, abs=0.15)
    assert describe(digits)["homophily"] == pytest.approx(0.7, abs=0.02)
    # No class and no pair of classes is special: 70 % within each, a ninth of the rest to each other one.
    counts = np.zeros((10, 10))
    np.add.at(counts, tuple(digits.y[digits.edge_index]), 1)
    shares = counts / counts.sum(axis=1, keepdims=True)
    assert np.abs(np.diag(shares) - 0.7).max() < 0.06
    assert np.abs(shares[~np.eye(10, dtype=bool)] - 0.3 / 9).max() < 0.03


def test_edges_do_not_depend_on_the_pixels(digits):
    """Joined images of a digit are no more alike than any two images of it."""
    source, target = digits.edge_index
    same = digits.y[source] == digits.y[target]
    joined = np.abs(digits.x[source[same]] - digits.x[target[same]]).mean()
    rng = np.random.default_rng(0)
    partner = np.array([rng.choice(np.flatnonzero(digits.y == label)) for label in digits.y[source[same]]])
    assert joined == pytest.approx(np.abs(digits.x[source[same]] - digits.x[partner]).mean(), rel=0.03)


@pytest.mark.parametrize("seed", [0, 1])
def test_there_is_one_such_graph_whatever_the_seed(digits, seed):
    again = load_graph("digits", seed=seed)
    np.testing.assert_array_equal(again.x, digits.x)
    np.testing.assert_array_equal(again.edge_index, digits.edge_index)


@pytest.mark.long
def test_pixels_and_edges_both_matter(digits):
    """Noise instead of pixels costs 15 points of test accuracy or more, leaving out the edges one point or more.

    A smaller model than the default run's, and two of its three seeds, tell the same story in a tenth of the time.
    """

    from graphsieve.models.training import train_model

    options = TrainingOptions(hidden=64, epochs=150)

    def accuracy(model: str, setting: str | None = None) -> float:
        results = []
        for seed in range(2):
            graph = PERTURBED_GRAPHS[setting](digits, generator(seed, "perturbation")) if setting else digits
            split = choose_split(digits, "random", seed)
            training = train_model(model, graph, split, options=options, seed=seed)
            results.append(100 * training.summary()["test_accuracy"])
        return np.mean(results)

    with_both = accuracy("gcn")
    assert accuracy("gcn", "gaussian_noise") < with_both - 15
    assert accuracy("mlp") < with_both - 1
    assert accuracy("gcn", "random_graph") < with_both - 15
