"""Against scikit-learn, to the last bit: where it builds trees, and in small classes, where it expands squares."""

import numpy as np
import pytest
from sklearn.feature_selection import mutual_info_classif

from graphsieve.errors import InputError
from graphsieve.scoring.mutual_information import mutual_information

COLUMNS = {
    "numbers": lambda rng, shape: rng.normal(size=shape),
    "words": lambda rng, shape: (rng.random(shape) < 0.1).astype(np.float32),
    "ties": lambda rng, shape: np.round(rng.random(shape), 1).astype(np.float32),
    "large": lambda rng, shape: 1e6 + rng.normal(size=shape),
}


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("sizes", [[40, 60, 80], [7, 8, 9], [2, 3, 4, 5, 6], [1, 1, 12], [30]])
def test_the_values_are_those_of_scikit_learn(kind, sizes):
    rng = np.random.default_rng(len(sizes))
    y = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    x = COLUMNS[kind](rng, (len(y), 12))
    x[:, 0] = 1  # a column that says nothing
    x[:, 1] = y  # and one that says all
    expected = mutual_info_classif(x, y, discrete_features=False, random_state=3)
    assert np.array_equal(mutual_information(x, y, 3), expected)


def test_labels_of_which_none_repeats_are_refused():
    with pytest.raises(InputError, match="no two labelled nodes"):
        mutual_information(np.ones((3, 2)), np.arange(3), 0)
