"""What a computation costs, counted and not timed: the same call takes the same engine on a busy machine.

Every tensor operation is counted with the entries it reads and writes; a matrix product also with its multiplications.
"""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

# In entries read or written (measured): what it takes to start an operation, and one operation of a matrix product.
START = 10_000
PRODUCT = 1 / 50


class _Counter(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.total = 0.0

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        result = operation(*args, **(kwargs or {}))
        packet = operation.overloadpacket
        if operation.is_view:
            return result
        self.total += START + sum(map(_entries, tree_leaves((args, kwargs, result))))
        if packet in flop_registry:
            self.total += PRODUCT * flop_registry[packet](*args, **(kwargs or {}), out_val=result)
        return result


def _entries(value: object) -> int:
    if not isinstance(value, Tensor):
        return 0
    return value.numel() if value.layout == torch.strided else value._nnz()


def counted_cost(call: Callable[[], object]) -> float:
    """The cost of all tensor operations in the call, in entries that are read or written."""
    with _Counter() as counter:
        call()
    return counter.total
