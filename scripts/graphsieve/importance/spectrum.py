"""Random signals that are as smooth on the graph as a given one.

Small graphs: Moran spectral randomisation (Wagner and Dray, Methods in Ecology and Evolution, 2015). A signal is
written in the eigenvectors of the normalised adjacency, and every coefficient gets a random sign: what the signal
holds of each frequency stays exactly as it was.

Large graphs, whose eigenvectors cannot be had: Gaussian signals whose covariance is a sum of powers of a smoothing
operator S = (1 + A) / 2 and of its opposite 1 - S. The weights, none negative, are chosen such that the expected
products z' S^k z and z' (1 - S)^k z are those of the signal. A draw takes some thirty sparse products.
"""

from functools import cached_property

import numpy as np
import scipy.linalg
from scipy.optimize import nnls
from scipy.sparse import csr_array, diags_array, eye_array

EXACT_NODES = 2000  # up to here all eigenvectors are computed, in seconds
SMOOTH, ROUGH = 1, -1  # S smooths, 1 - S does the opposite
# The powers that multiply noise; its covariances have twice as high ones.
POWERS = {SMOOTH: (0, 1, 2, 4, 8, 16, 32), ROUGH: (1, 2, 4)}
STEPS = 8  # products z' S^k z up to k = 2 * STEPS
PROBED_VALUES = 2**18  # of random signals that estimate the products of every covariance
MOST_PROBES = 32


class Spectrum:
    """Randomises signals on one graph, whose edges count in both directions."""

    def __init__(self, adjacency: csr_array, exact_nodes: int = EXACT_NODES):
        either = adjacency.maximum(adjacency.T) + eye_array(adjacency.shape[0])
        root = diags_array(either.sum(axis=1) ** -0.5)
        self.adjacency = (root @ either @ root).tocsr()
        self.is_exact = adjacency.shape[0] <= exact_nodes

    def randomise(self, signals: np.ndarray, repeats: int, rng: np.random.Generator) -> np.ndarray:
        """(repeats, signals, nodes); signals have mean zero; those drawn together keep (nearly) their correlation."""
        return (self._signed if self.is_exact else self._matched)(signals, repeats, rng)

    @cached_property
    def eigenvectors(self) -> np.ndarray:
        """Of the normalised adjacency, centred so that one of them is constant."""
        matrix = self.adjacency.toarray()
        matrix -= matrix.mean(axis=0)
        matrix -= matrix.mean(axis=1, keepdims=True)
        return scipy.linalg.eigh(matrix, overwrite_a=True)[1]

    def _signed(self, signals: np.ndarray, repeats: int, rng: np.random.Generator) -> np.ndarray:
        signs = rng.choice((-1.0, 1.0), size=(repeats, 1, signals.shape[1]))
        return signs * (signals @ self.eigenvectors) @ self.eigenvectors.T

    def _matched(self, signals: np.ndarray, repeats: int, rng: np.random.Generator) -> np.ndarray:
        number, nodes = signals.shape
        together = _root(_correlations(signals))
        amplitudes = np.sqrt([self._weights(signal) for signal in signals]).T
        drawn = np.zeros((nodes, repeats, number))
        for way, powers in POWERS.items():
            of_way, amplitudes = amplitudes[: len(powers)], amplitudes[len(powers) :]
            terms = {
                power: amplitude * (rng.standard_normal(drawn.shape) @ together)
                for power, amplitude in zip(powers, of_way, strict=True)
                if amplitude.any()
            }
            drawn += self._sum_of_powers(terms, way, drawn.shape)
        drawn = (drawn - drawn.mean(axis=0)).transpose(1, 2, 0)
        sizes = np.linalg.norm(drawn, axis=2, keepdims=True)
        return drawn * np.linalg.norm(signals, axis=1)[:, None] / np.where(sizes > 0, sizes, 1)

    def _sum_of_powers(self, terms: dict[int, np.ndarray], way: int, shape: tuple[int, ...]) -> np.ndarray:
        """The sum over k of S^k terms[k], by Horner's rule."""
        total = np.zeros(shape)
        for power in range(max(terms, default=0), -1, -1):
            total = self._smoothed(total, way) + terms.get(power, 0)
        return total

    def _smoothed(self, signals: np.ndarray, way: int) -> np.ndarray:
        """S, or 1 - S, times signals whose first axis are the nodes."""
        return (signals + way * (self.adjacency @ signals.reshape(len(signals), -1)).reshape(signals.shape)) / 2

    def _weights(self, signal: np.ndarray) -> np.ndarray:
        """How much of each covariance, in the order of POWERS, makes up the signal's products."""
        sizes = np.linalg.norm(self._products_of_noise, axis=0)
        return nnls(self._products_of_noise / sizes, self._products(signal[:, None]), maxiter=1000)[0] / sizes

    @cached_property
    def _products_of_noise(self) -> np.ndarray:
        """A column for each covariance: what noise of it gives. The probes are no part of any draw."""
        nodes = self.adjacency.shape[0]
        probes = min(MOST_PROBES, 1 + PROBED_VALUES // nodes)
        found = []
        for way, powers in POWERS.items():
            noise = np.random.default_rng(0).standard_normal((nodes, probes))
            for steps in np.diff(powers, prepend=0):
                for _ in range(steps):
                    noise = self._smoothed(noise, way)
                found.append(self._products(noise))
        return np.stack(found, axis=1)

    def _products(self, signals: np.ndarray) -> np.ndarray:
        """z' S^k z and z' (1 - S)^k z for k up to 2 STEPS, on average over the columns z, per node."""
        found = []
        for way in POWERS:
            now = signals
            for _ in range(STEPS):
                found.append((now * now).mean())
                now, before = self._smoothed(now, way), now
                found.append((now * before).mean())
            found.append((now * now).mean())
        return np.array(found)


def _correlations(signals: np.ndarray) -> np.ndarray:
    """A signal of zeros correlates with none."""
    sizes = np.linalg.norm(signals, axis=1, keepdims=True)
    directions = signals / np.where(sizes > 0, sizes, 1)
    return directions @ directions.T


def _root(matrix: np.ndarray) -> np.ndarray:
    """The symmetric square root."""
    values, vectors = np.linalg.eigh(matrix)
    return vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T
