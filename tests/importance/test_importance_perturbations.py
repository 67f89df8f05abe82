import itertools
from collections import Counter

import numpy as np
import pytest
import torch
from scipy import stats

from graphsieve.importance.columns import (
    Columns,
    child_generator,
    gaussian,
    mask,
    ordered_samples,
    permute,
    root_sequence,
)


def column(values) -> Columns:
    return Columns(torch.tensor(values, dtype=torch.float64)[:, None])


def test_ordered_samples_are_uniform_over_all_ordered_samples():
    samples = ordered_samples(np.random.default_rng(0), 5, 3, 60_000)
    counts = Counter(map(tuple, samples))
    assert set(counts) == set(itertools.permutations(range(5), 3))
    assert stats.chisquare(list(counts.values())).pvalue > 1e-3


def test_ordered_samples_can_exhaust_the_population():
    samples = ordered_samples(np.random.default_rng(0), 4, 4, 100)
    assert (np.sort(samples, axis=1) == np.arange(4)).all()


@pytest.mark.parametrize("values", [[0, 0, 0, 0, 0, 0, 0, 3.0], [1.0, 2, 0, 3, 4, 0, 5, 6]])
def test_permuting_keeps_the_values_and_moves_them_everywhere(values):
    new = permute(column(values), 0, 4000, np.random.default_rng(0))
    dense = np.array([new.dense(repeat, 8) for repeat in range(4000)])
    assert (np.sort(dense, axis=1) == np.sort(values)).all()
    where_largest = dense.argmax(1)
    assert stats.chisquare(np.bincount(where_largest, minlength=8)).pvalue > 1e-3


def test_gaussian_noise_has_the_mean_and_deviation_of_the_column():
    new = gaussian(column([1.0, 5, 5, 1]), 0, 20_000, np.random.default_rng(0))
    assert new.values.mean() == pytest.approx(3, abs=0.05)
    assert new.values.std() == pytest.approx(2, abs=0.05)


def test_mask_is_zero():
    assert (mask(column([1.0, 2, 3]), 0, 2, np.random.default_rng(0)).dense(1, 3) == 0).all()


@pytest.mark.parametrize("layout", [torch.strided, torch.sparse_coo, torch.sparse_csr, torch.sparse_csc])
def test_columns_of_any_layout(layout):
    x = torch.tensor([[0.0, 2, 0], [1, 0, 0], [0, 3, 0]])
    columns = Columns(x if layout == torch.strided else x.to_sparse(layout=layout))
    rows, values = columns.nonzeros(1)
    assert rows.tolist() == [0, 2]
    assert values.tolist() == [2, 3]
    assert columns.dense(0).tolist() == [0, 1, 0]
    assert columns.nonzeros(2)[0].size == 0


def test_every_feature_has_a_stream_of_its_own():
    root = root_sequence(5)
    draws = {feature: child_generator(root, feature).integers(2**60) for feature in range(20)}
    assert len(set(draws.values())) == 20
    assert child_generator(root_sequence(np.random.SeedSequence(5)), 3).integers(2**60) == draws[3]
    assert child_generator(root_sequence(np.random.SeedSequence(5).spawn(1)[0]), 3).integers(2**60) != draws[3]
