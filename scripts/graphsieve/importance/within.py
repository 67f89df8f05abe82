"""Permutations within graphs: values of a column change places only among the rows of one graph."""

from collections.abc import Mapping

import numpy as np
from torch import Tensor

from graphsieve.errors import InputError
from graphsieve.importance.columns import Columns, NewColumn, child_generator
from graphsieve.importance.groups import in_orders
from graphsieve.importance.inputs import Inputs


def read_blocks(within: str | None, perturbation: str, inputs: Inputs) -> np.ndarray | None:
    """The graph of each row of the features, or None where values may go anywhere."""
    if within is None:
        return None
    if within != "graph":
        raise InputError(f"within {within!r} is unknown: choose 'graph', or None to permute over all graphs")
    if perturbation != "permute":
        raise InputError(f"within='graph' goes with perturbation 'permute' only, not with {perturbation!r}")
    batch, edges = inputs.model_kwargs.get("batch"), inputs.edge_index
    if inputs.features_of.startswith("edge"):
        if isinstance(batch, Tensor) and isinstance(edges, Tensor):
            batch = batch[edges[0]]
    elif isinstance(batch, Mapping):
        batch = batch.get(inputs.of_type)
    rows = inputs.values.shape[0]
    if not isinstance(batch, Tensor) or batch.shape != (rows,):
        raise InputError(f"within='graph' needs batch=, the graph of each node, for the {rows} rows of {inputs.name}")
    return batch.cpu().numpy()


def draw_within(
    blocks: np.ndarray, columns: Columns, item: np.ndarray, repeats: int, root: np.random.SeedSequence
) -> list[NewColumn]:
    """New values of a column, or of a group whose rows move together, each row staying in its block."""
    key = (int(item[0]),) if len(item) == 1 else (int(item[0]), len(item))
    rng = child_generator(root, *key)
    by_block = np.argsort(blocks, kind="stable")
    orders = np.empty((repeats, len(blocks)), dtype=np.int64)
    for order in orders:
        order[by_block] = np.lexsort((rng.random(len(blocks)), blocks))
    places = np.argsort(orders, axis=1)
    return [in_orders(columns, column, orders, places) for column in item]
