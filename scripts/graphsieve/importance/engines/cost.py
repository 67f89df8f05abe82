"""What a computation costs, counted and not timed: the same call takes the same engine on a busy machine.

Every tensor operation is counted with the entries it reads and writes; a matrix product also with its multiplications.
An operation that picks rows of a table, or writes some, is counted with these rows and not with the table.
"""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry, register_flop_formula

from graphsieve.models.fast.products import ONEDNN

# In entries read or written (measured): what it takes to start an operation, and one operation of a matrix product.
START = 10_000
PRODUCT = 1 / 50
aten = torch.ops.aten
PICKING = {aten.index, aten.index_select, aten.gather, aten.embedding}
WRITING = {aten.index_put_, aten.index_copy_, aten.index_add_, aten.scatter_, aten.scatter_add_}
BAGS = {aten._embedding_bag, aten._embedding_bag_forward_only}


if ONEDNN is not None:

    @register_flop_formula(ONEDNN)
    def _operations_of_onednn(rows: torch.Size, weight: torch.Size, *_: object, **__: object) -> int:
        return 2 * rows.numel() * weight[0]


class _Counter(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.total = 0.0

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        result = operation(*args, **(kwargs or {}))
        packet = operation.overloadpacket
        if operation.is_view:
            return result
        self.total += START + _touched(packet, args, kwargs, result)
        if packet in flop_registry:
            self.total += PRODUCT * flop_registry[packet](*args, **(kwargs or {}), out_val=result)
        return result


def _touched(operation: object, args: tuple, kwargs: dict | None, result: object) -> int:
    if operation in WRITING:
        return sum(map(_entries, tree_leaves((args[1:], kwargs))))
    if operation in PICKING:
        return sum(map(_entries, tree_leaves((args[1:], kwargs)))) + 2 * _entries(result)
    if operation in BAGS:
        table, entries = args[:2]
        return entries.numel() * (1 + table.shape[1]) + _entries(result[0])
    return sum(map(_entries, tree_leaves((args, kwargs, result))))


def _entries(value: object) -> int:
    if not isinstance(value, Tensor):
        return 0
    return value.numel() if value.layout == torch.strided else value._nnz()


def counted_cost(call: Callable[[], object]) -> float:
    """The cost of all tensor operations in the call, in entries that are read or written."""
    with _Counter() as counter:
        call()
    return counter.total
