"""How many copies make a block: as many as fit the memory limit, but no more than the cache likes."""

from torch import Tensor

from graphsieve.importance.engines.lowrank.changes import select, union
from graphsieve.importance.engines.lowrank.plan import Layer, Plan

BLOCK_BYTES = 2**26  # what a block of copies takes at most, even where the memory limit allows more


def bytes_for_any_copy(plan: Plan) -> int:
    """What a copy takes whichever of its rows change: all but the rows of wide layers."""
    slots, cells = plan.problem.largest_item, 4 * plan.base.numel()
    cells += 4 * len(plan.x_nodes) * slots
    if plan.poolings:  # computed part by part: only what the first layers start from is held, and the rows of graphs
        first = [layer.filter for layer in plan.layers.values() if layer.table is not None]
        cells += sum(3 * (1 + known.hops) * len(plan.x_nodes) * slots for known in first)
        graphs = sum(pooling.map.num_graphs * len(pooling.map.weights or [None]) for pooling in plan.poolings.values())
        cells += 3 * graphs * max([plan.problem.x.shape[1], *(layer.base.shape[1] for layer in plan.layers.values())])
        return cells * plan.problem.x.element_size()
    for layer in plan.layers.values():
        known, outputs = layer.filter, layer.base.shape[1]
        if layer.table is not None:
            cells += known.sizes[0] * (6 + 8 * slots * len(known.weights)) + known.sizes[-1] * slots * known.hops
        elif known.transforms_first:
            cells += 3 * outputs * sum(known.sizes) + 12 * known.sizes[-1]
        else:
            cells += 16 * sum(edges.weight.numel() for edges in known.edges) + 12 * sum(known.sizes)
    return cells * plan.problem.x.element_size()


def wide_layers(plan: Plan) -> list[Layer]:
    """Those that hold the rows that change, and no others."""
    return [layer for layer in plan.layers.values() if layer.is_wide]


def bytes_of_rows(plan: Plan, moved: Tensor, by_units: bool) -> int:
    """What the rows of wide layers take that change with the moved rows of x, (nodes, copies).

    by_units: of the last convolution, only those of its input.
    """
    cells, masks, wide = 0, {plan.program.x: moved}, wide_layers(plan)
    for node, layer in plan.layers.items():
        mask = union([select(masks[leaf], layer.reads[leaf]) for leaf in layer.source.leaves])
        if by_units and node is plan.output.leaves[0]:
            cells += layer.reference.shape[1] * int(mask.sum())
            break
        if layer in wide:
            cells += _cells_of_rows(layer, mask)
        masks[node] = layer.filter.reached(mask)
    return cells * plan.problem.x.element_size()


def _cells_of_rows(layer: Layer, mask: Tensor) -> int:
    """The changed rows of the input after each hop, and the outputs that are reached, before and after the product."""
    known, outputs, inputs = layer.filter, layer.base.shape[1], layer.reference.shape[1]
    cells = inputs * int(mask.sum())
    for hop in range(known.hops + 1):
        if hop > 0:
            mask = known.spread(mask, known.hops - hop)
            cells += inputs * int(mask.sum())
        if hop in known.weights:
            cells += (inputs + outputs) * int(mask[: known.sizes[0]].sum())
    return cells
