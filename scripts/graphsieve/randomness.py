"""One seed a run; every consumer of randomness draws from its own child of that seed.

Consumers are numbered by their place in `CONSUMERS`: append new ones at the end, so that old results stay the same.
"""

import numpy as np

CONSUMERS = ("graph", "split", "initialisation", "perturbation", "scoring", "ties", "dropout", "folds", "neighbours")


def child(seed: int, consumer: str, *occasion: int) -> np.random.SeedSequence:
    """`occasion` tells apart the times at which one consumer draws in the same run, as at every checkpoint."""
    return np.random.SeedSequence(seed, spawn_key=(CONSUMERS.index(consumer), *occasion))


def generator(seed: int, consumer: str) -> np.random.Generator:
    return np.random.default_rng(child(seed, consumer))


def child_integer(seed: int, consumer: str) -> int:
    """A 32-bit seed for libraries that do not take a SeedSequence (torch, scikit-learn)."""
    return int(child(seed, consumer).generate_state(1)[0])
