"""Products of dense matrices, with the faster of torch's two libraries.

Large matrices of single precision are multiplied by oneDNN twice as fast as by MKL, which `torch.mm` calls, on an AMD
EPYC with AVX-512 (200 against 97 billion operations a second on one core). Both round as single precision does.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

PART = 512  # rows at a time: their copies should stay in the cache
LARGE = 128  # rows, inputs and outputs from which on oneDNN's own layout is worth the way there and back (measured)


def times_transposed(rows: Tensor, weight: Tensor) -> Tensor:
    """rows @ weight.T"""
    if not _suits_onednn(rows, weight):
        return rows @ weight.T
    products, weight = rows.new_empty(len(rows), len(weight)), weight.to_mkldnn()
    for part, target in zip(rows.split(PART), products.split(PART), strict=True):
        target.copy_(F.linear(part.to_mkldnn(), weight).to_dense())
    return products


def _suits_onednn(rows: Tensor, weight: Tensor) -> bool:
    return (
        rows.device.type == "cpu"
        and rows.dtype == weight.dtype == torch.float32
        and min(*rows.shape, len(weight)) >= LARGE
        and torch.backends.mkldnn.is_available()
    )
