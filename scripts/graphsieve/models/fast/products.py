"""Products of dense matrices, with the faster of torch's two libraries.

`torch.mm` calls MKL, which does not use the widest instructions of an AMD processor: of single precision, oneDNN takes
half as long there (190 against 87 billion operations a second on one core of an EPYC), whichever way the matrices are
stored. It is called by the operation that torch's compiler uses, because the public ones first change the layout of
their input. Both round as single precision does.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

LARGE = 2**19  # multiplications from which on it pays (measured)
ROWS = 64  # where their number varies from product to product, it is rounded up to a multiple of this
ONEDNN = getattr(torch.ops.mkldnn, "_linear_pointwise", None) if torch.backends.mkldnn.is_available() else None


def product(one: Tensor, other: Tensor) -> Tensor:
    """one @ other, without a gradient."""
    if _suits_onednn(one, other):
        return ONEDNN(one, other.T, None, "none", [], "")
    return one @ other


def rectified(rows: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """relu(rows @ weight.T + bias), without a gradient."""
    if _suits_onednn(rows, weight.T):
        return ONEDNN(rows, weight, bias, "relu", [], "")
    return torch.addmm(bias, rows, weight.T).relu_()


def filled_up(index: Tensor, value: int) -> Tensor:
    """The index of rows, or of where their terms begin, and the value behind it until ROWS divides the length.

    For each number of rows that it has not met, oneDNN first prepares for a quarter of a millisecond (measured).
    """
    return F.pad(index, (0, -len(index) % ROWS), value=value)


def _suits_onednn(one: Tensor, other: Tensor) -> bool:
    return (
        ONEDNN is not None
        and one.device.type == "cpu"
        and one.dtype == other.dtype == torch.float32
        and one.numel() * other.shape[1] >= LARGE
        and not (torch.is_grad_enabled() and (one.requires_grad or other.requires_grad))
    )
