"""Products by oneDNN are those of torch.mm, and every size and type is multiplied."""

import pytest
import torch

from graphsieve.importance.engines.cost import PRODUCT, counted_cost
from graphsieve.models.fast.products import LARGE, PART, times_transposed


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("rows", [0, 1, LARGE - 1, LARGE, PART, 2 * PART + 3])
@pytest.mark.parametrize(("inputs", "outputs"), [(LARGE, LARGE), (LARGE + 5, 2 * LARGE), (7, LARGE), (LARGE, 3)])
def test_products_are_rounded_as_their_type_is(rows, inputs, outputs, dtype):
    generator = torch.Generator().manual_seed(0)
    values = torch.randn(rows, inputs, generator=generator, dtype=torch.float64).to(dtype)
    weight = torch.randn(inputs, outputs, generator=generator, dtype=torch.float64).to(dtype).T  # not contiguous
    found, expected = times_transposed(values, weight), values.double() @ weight.double().T
    assert found.dtype == dtype
    most = (values.double().abs() @ weight.double().abs().T).max() if rows else 0
    assert torch.allclose(found.double(), expected, rtol=0, atol=float(4 * torch.finfo(dtype).eps * most))


def test_operations_of_every_library_are_counted():
    values, weight = torch.rand(2 * LARGE, LARGE), torch.rand(LARGE, LARGE)
    multiplied = PRODUCT * 2 * 2 * LARGE**3
    cost = counted_cost(lambda: times_transposed(values, weight))
    assert cost - counted_cost(lambda: (values.to_mkldnn().to_dense(), weight.to_mkldnn())) > multiplied
    assert counted_cost(lambda: values @ weight.T) > multiplied
