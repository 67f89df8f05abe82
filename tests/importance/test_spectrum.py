"""Random signals that are as smooth on the graph as a given one."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from graphsieve.importance.spectrum import Spectrum

NODES = 400


@pytest.fixture(scope="module")
def adjacency() -> csr_array:
    """A torus of 20 by 20 nodes."""
    place = np.arange(NODES).reshape(20, 20)
    pairs = [(place.ravel(), np.roll(place, 1, axis).ravel()) for axis in (0, 1)]
    head, tail = np.concatenate([np.stack(pair) for pair in pairs], axis=1)
    one_way = csr_array((np.ones(len(head)), (head, tail)), shape=(NODES, NODES))
    return one_way + one_way.T


def smoothed(adjacency: csr_array, times: int, seed: int = 0) -> np.ndarray:
    signal = np.random.default_rng(seed).standard_normal(NODES)
    for _ in range(times):
        signal = (signal + adjacency @ signal) / 5
    return (signal - signal.mean()) / signal.std()


def likeness_of_neighbours(adjacency: csr_array, signals: np.ndarray) -> np.ndarray:
    """Moran's I of every row."""
    return ((adjacency @ signals.T).T * signals).sum(axis=-1) / (4 * (signals**2).sum(axis=-1))


def test_random_signs_keep_every_frequency_exactly(adjacency):
    signal, spectrum = smoothed(adjacency, 3), Spectrum(adjacency)
    draws = spectrum.randomise(signal[None], 30, np.random.default_rng(0))[:, 0]
    matrix = (adjacency.toarray() + np.eye(NODES)) / 5  # normalised: every node has four neighbours and itself
    centring = np.eye(NODES) - 1 / NODES
    vectors = np.linalg.eigh(centring @ matrix @ centring)[1]
    values = np.diag(vectors.T @ matrix @ vectors).round(8)
    for value in np.unique(values):  # where frequencies are equal, only their sum does not depend on the basis
        same = vectors[:, values == value]
        np.testing.assert_allclose(((draws @ same) ** 2).sum(axis=1), ((signal @ same) ** 2).sum(), atol=1e-8)
    own = np.abs(draws @ spectrum.eigenvectors)
    np.testing.assert_allclose(own, np.tile(np.abs(signal @ spectrum.eigenvectors), (30, 1)), atol=1e-9)
    assert np.abs(np.corrcoef(draws)[0, 1:]).mean() < 0.3
    np.testing.assert_allclose(draws.mean(axis=1), 0, atol=1e-10)


@pytest.mark.parametrize("times", [0, 1, 3, 10])
@pytest.mark.parametrize("exact_nodes", [0, NODES])
def test_draws_are_as_smooth_as_the_signal(adjacency, times, exact_nodes):
    spectrum, rng = Spectrum(adjacency, exact_nodes), np.random.default_rng(1)
    for seed in range(3):
        signal = smoothed(adjacency, times, seed)
        draws = spectrum.randomise(signal[None], 50, rng)[:, 0]
        expected = likeness_of_neighbours(adjacency, signal)
        assert likeness_of_neighbours(adjacency, draws).mean() == pytest.approx(expected, abs=0.06)
        np.testing.assert_allclose(np.linalg.norm(draws, axis=1), np.linalg.norm(signal))


def test_rough_signals_stay_rough_on_large_graphs(adjacency):
    signal = smoothed(adjacency, 0) - smoothed(adjacency, 1)
    draws = Spectrum(adjacency, 0).randomise(signal[None], 50, np.random.default_rng(0))[:, 0]
    expected = likeness_of_neighbours(adjacency, signal)
    assert expected < -0.1
    assert likeness_of_neighbours(adjacency, draws).mean() == pytest.approx(expected, abs=0.06)


@pytest.mark.parametrize("exact_nodes", [0, NODES])
def test_signals_drawn_together_correlate_as_before(adjacency, exact_nodes):
    first = smoothed(adjacency, 2)
    signals = np.stack([first, 0.8 * first + 0.6 * smoothed(adjacency, 2, seed=1), np.zeros(NODES)])
    draws = Spectrum(adjacency, exact_nodes).randomise(signals, 50, np.random.default_rng(0))
    found = [np.corrcoef(draw[:2])[0, 1] for draw in draws]
    assert np.mean(found) == pytest.approx(np.corrcoef(signals[:2])[0, 1], abs=0.02 if exact_nodes else 0.1)
    assert (draws[:, 2] == 0).all()


def test_directions_and_isolated_nodes_do_not_matter():
    one_way = csr_array((np.ones(2), ([0, 1], [1, 2])), shape=(5, 5))
    np.testing.assert_allclose(Spectrum(one_way).adjacency.toarray(), Spectrum(one_way + one_way.T).adjacency.toarray())
    assert np.isfinite(Spectrum(one_way).randomise(np.array([[1.0, -1, 2, 0, -2]]), 3, np.random.default_rng(0))).all()
