"""Products by oneDNN are those of torch.mm, and every size, type and way of storing is multiplied."""

import pytest
import torch

from graphsieve.importance.engines.cost import PRODUCT, counted_cost
from graphsieve.models.fast.products import LARGE, ONEDNN, product


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("rows", [0, 1, 31, 1000])
@pytest.mark.parametrize(("inputs", "outputs"), [(128, 128), (133, 256), (7, 128), (512, 3)])
@pytest.mark.parametrize("transposed", [False, True])
def test_products_are_rounded_as_their_type_is(rows, inputs, outputs, transposed, dtype):
    generator = torch.Generator().manual_seed(0)
    one = torch.randn(rows, inputs, generator=generator, dtype=torch.float64).to(dtype)
    other = torch.randn(inputs, outputs, generator=generator, dtype=torch.float64).to(dtype)
    if transposed:
        one, other = one.T.contiguous().T, other.T.contiguous().T
    found, expected = product(one, other), one.double() @ other.double()
    assert found.dtype == dtype
    most = (one.double().abs() @ other.double().abs()).max() if rows else 0
    assert torch.allclose(found.double(), expected, rtol=0, atol=float(4 * torch.finfo(dtype).eps * most))


def test_a_product_keeps_its_gradient():
    one, other = torch.rand(LARGE // 64**2, 64), torch.rand(64, 64, requires_grad=True)
    product(one, other).sum().backward()
    assert torch.allclose(other.grad, one.sum(0)[:, None].expand(64, 64), rtol=1e-4)


@pytest.mark.skipif(ONEDNN is None, reason="this torch has no oneDNN")
def test_operations_of_both_libraries_are_counted():
    one, other = torch.rand(1024, 128), torch.rand(128, 128)
    multiplied = PRODUCT * 2 * 1024 * 128**2
    for multiply in (product, torch.mm):
        assert counted_cost(lambda multiply=multiply: multiply(one, other)) > multiplied
