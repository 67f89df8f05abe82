import numpy as np

from graphsieve.data.normalisation import NORMALISATIONS


def test_row_normalisation():
    x = np.array([[1, 3], [0, 0], [2, -5], [0.5, 0]], dtype=np.float32)
    normalised = NORMALISATIONS["row"](x)
    assert normalised.dtype == np.float32
    np.testing.assert_array_equal(normalised, [[0.25, 0.75], [0, 0], [2, -5], [1, 0]])
    assert NORMALISATIONS["none"](x) is x


def test_columns_are_standardised_but_for_zeros_and_ones():
    x = np.array([[1, 0, 1e6], [2, 1, 1e6], [6, 1, 1e6]], dtype=np.float32)
    scaled = NORMALISATIONS["columns"](x)
    assert scaled.dtype == np.float32
    np.testing.assert_allclose(scaled[:, 0], np.array([-2, -1, 3]) / np.sqrt(14 / 3), rtol=1e-6)
    np.testing.assert_array_equal(scaled[:, 1:], [[0, 0], [1, 0], [1, 0]])
