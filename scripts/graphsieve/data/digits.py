"""The graph of the default study: real images and labels, planted edges, nothing to download.

Neither pixels nor edges should tell everything, so that scores and perturbations have something to show. Each image
lost a fifth of its pixels, and its edges, five on average, lead to an image of the same digit seven times out of ten.
Test accuracy with the default run's models:

                                     seeds 0 to 2    seeds 3 to 8
    GCN                              95.1 %          95.2 %
    GCN, noise instead of pixels     76.2 %          78.4 %
    MLP: pixels without edges        89.9 %          88.9 %

The graph was chosen on seeds 0 to 2, the default run's, among some fifteen with lost pixels; seeds 3 to 8 had no say:
there noise costs less, 16.8 points instead of 18.9. Whole images are too easy. On them an MLP reaches 98.1 %, and of
nine planted graphs with 4 to 10 edges per node and a homophily of 0.4 to 0.8 none let a GCN gain a point on that while
noise cost 15: the best reached 98.1 %, with noise at 84.3 %.
"""

import numpy as np

from graphsieve.data.graph import Graph
from graphsieve.data.synthetic import sample_adjacency
from graphsieve.randomness import generator

SIDE = 8
NUM_CLASSES = 10
BRIGHTEST = 16
SEED = 0  # there is one such graph, as there is one Cora
MEAN_DEGREE = 5
HOMOPHILY = 0.7
SHOWN_PIXELS = 0.8


def make_digits(name: str) -> Graph:
    """Scikit-learn's images of handwritten digits; a pixel is between 0 (also where it is lost) and 1."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    y = digits.target.astype(np.int64)
    rng = generator(SEED, "graph")
    class_size = len(y) / NUM_CLASSES
    p_within = MEAN_DEGREE * HOMOPHILY / class_size
    p_across = MEAN_DEGREE * (1 - HOMOPHILY) / (len(y) - class_size)
    adjacency = sample_adjacency(y, p_within, p_across, rng)
    pixels = digits.data / BRIGHTEST
    x = np.where(rng.random(pixels.shape) < SHOWN_PIXELS, pixels, 0)
    edge_index = np.stack(adjacency.nonzero()).astype(np.int64)
    names = tuple(f"r{row}c{column}" for row in range(SIDE) for column in range(SIDE))
    return Graph(name, x.astype(np.float32), edge_index, y, NUM_CLASSES, names)
