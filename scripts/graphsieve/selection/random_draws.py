"""The row of random features as the mean of several draws of one split, which the published numbers seem to be."""

import numpy as np

from graphsieve.randomness import child
from graphsieve.selection.top import keep_top


def further_draws(num_features: int, count: int, seed: int, draws: int) -> list[np.ndarray]:
    """So many draws of `count` features, without the first, which the scorer `random` makes.

    Examples
    --------
    >>> [len(kept) for kept in further_draws(100, 2, seed=0, draws=3)]
    [2, 2]
    """
    scores = (np.random.default_rng(child(seed, "scoring", draw)).random(num_features) for draw in range(1, draws))
    return [keep_top(one, count, seed=seed).kept for one in scores]


def mean_summary(summaries: list[dict]) -> dict:
    """What a record says of several trainings: their mean accuracies, and a best epoch in whole numbers."""
    if len(summaries) == 1:
        return summaries[0]
    numbers = [key for key in summaries[0] if key != "metric"]
    means = {key: float(np.mean([summary[key] for summary in summaries])) for key in numbers}
    return {**summaries[0], **means, "best_epoch": round(means["best_epoch"])}
