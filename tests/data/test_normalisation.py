import numpy as np
from sklearn.preprocessing import StandardScaler, normalize

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


X = np.array([[1, 0, 5], [2, 1, 5], [6, 1, 5], [0, 0, 0]], dtype=np.float32)


def test_all_columns_are_standardised_as_scikit_learn_does_it():
    scaled = NORMALISATIONS["all_columns"](X)
    assert scaled.dtype == np.float32
    np.testing.assert_allclose(scaled, StandardScaler().fit_transform(X.astype(np.float64)), rtol=1e-6, atol=1e-6)
    assert NORMALISATIONS["all_columns"](np.full((3, 1), 7, np.float32)).tolist() == [[0], [0], [0]]


def test_the_matrix_gets_one_mean_and_one_deviation():
    scaled = NORMALISATIONS["matrix"](X)
    assert scaled.dtype == np.float32
    flat = X.astype(np.float64).ravel()
    np.testing.assert_allclose(scaled.ravel(), (flat - flat.mean()) / flat.std(), rtol=1e-6)
    assert NORMALISATIONS["matrix"](np.full((2, 2), 3, np.float32)).tolist() == [[0, 0], [0, 0]]


def test_rows_get_length_one_as_scikit_learn_does_it():
    scaled = NORMALISATIONS["length"](X)
    assert scaled.dtype == np.float32
    np.testing.assert_allclose(scaled, normalize(X), rtol=1e-6)
    assert not scaled[3].any()
