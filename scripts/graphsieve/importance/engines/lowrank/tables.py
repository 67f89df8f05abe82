"""Changes of few rows, as a table of them, and what a convolution makes of them."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from graphsieve.importance.engines.lowrank.filters import RestrictedFilter
from graphsieve.models.fast.nonzero_columns import MOST, nonzero_columns
from graphsieve.models.fast.products import filled_up, product


@dataclass(frozen=True)
class Lineage:
    """Which copies of a block are parents: the first `parents` of them; each later one has that in `parent`.

    The parents, and all copies where there are none, start from the unperturbed model.
    """

    parents: int
    parent: Tensor

    def total(self, changes: Tensor) -> Tensor:
        """Changes against the unperturbed values, from those against the parents; copies are the last dimension."""
        if not self.parents:
            return changes
        own = changes[..., self.parents :]
        return torch.cat([changes[..., : self.parents], own + changes[..., self.parent]], -1)

    def row_numbers(self, mask: Tensor, keys: Tensor) -> Tensor:
        """Where in a table of the masked rows, which are `keys`, each row's change stands: its own or its parent's.

        They are counted from 1; 0 where neither has changed.
        """
        numbers = torch.zeros(mask.shape, dtype=torch.long, device=mask.device)
        own = torch.arange(1, len(keys) + 1, device=mask.device)
        numbers.view(-1)[keys] = own
        if self.parents:
            numbers[:, self.parents :] = numbers.index_select(1, self.parent)
            numbers.view(-1)[keys] = own
        return numbers


@dataclass(frozen=True)
class Table:
    """Changes against the unperturbed value.

    rows: first a row of zeros, then those of the masked (node, copy) pairs in their order.
    mask: (nodes, copies), where a copy differs from its parent.
    numbers: (nodes, copies), which of `rows` holds the change.
    """

    rows: Tensor
    mask: Tensor
    numbers: Tensor


@dataclass(frozen=True)
class Sums:
    """Weighted sums of rows: into sum `target`, `factor` times the row `source`. Sorted by target; counted from 1."""

    target: Tensor
    source: Tensor
    factor: Tensor

    def select(self, chosen: Tensor) -> "Sums":
        """The terms in this mask."""
        places = chosen.nonzero()[:, 0]
        return Sums(self.target[places], self.source[places], self.factor[places])

    def into(self, chosen: Tensor) -> "Sums":
        """The sums in this mask alone."""
        own = self.select(chosen[self.target - 1])
        return Sums(chosen.cumsum(0)[own.target - 1], own.source, own.factor)

    def bounds(self, number: int) -> Tensor:
        """Where the terms of each of so many sums begin, and where the last one's end."""
        return torch.bincount(self.target, minlength=1 + number).cumsum(0)

    def of(self, rows: Tensor, number: int) -> Tensor:
        """All sums, below a row of zeros."""
        counts = torch.bincount(self.target, minlength=1 + number)
        return weighted_sums(rows, self.source, self.factor, counts.cumsum(0) - counts)


def weighted_sums(rows: Tensor, source: Tensor, factor: Tensor, starts: Tensor) -> Tensor:
    if len(source) == 0:
        return rows.new_zeros(len(starts), rows.shape[1])
    return F.embedding_bag(source, rows, starts, per_sample_weights=factor, mode="sum")


class SummedRows:
    """So many sums of a table's rows, of which slices are taken; rows of zeros fill these up."""

    def __init__(self, table: Tensor, sums: Sums, number: int):
        self.table, self.sums, self.bounds = table, sums, sums.bounds(number)

    def rows(self, part: slice) -> Tensor:
        terms = slice(*self.bounds[[part.start, part.stop]].tolist())
        starts = filled_up(self.bounds[part] - terms.start, terms.stop - terms.start)
        return weighted_sums(self.table, self.sums.source[terms], self.sums.factor[terms], starts)


@dataclass(frozen=True)
class FilteredChange:
    """The change of a convolution's output: sums of `rows`, whose numbers and mask are as in a Table."""

    rows: Tensor
    sums: Sums
    mask: Tensor
    numbers: Tensor


def filter_table(known: RestrictedFilter, table: Table, lineage: Lineage) -> FilteredChange:
    table, weights = _without_zero_columns(table, known.weights)
    read = _tables_read(known, table, lineage)
    parts = [_filter_hop(known, hop, one, weights[hop], lineage) for hop, one in read.items()]
    if len(parts) == 1:
        return parts[0]
    mask = torch.stack([part.mask for part in parts]).any(0)
    numbers = lineage.row_numbers(mask, mask.flatten().nonzero()[:, 0])
    tables = [Table(part.sums.of(part.rows, int(part.mask.sum())), part.mask, part.numbers) for part in parts]
    sums, start = [], 0
    for one in tables:
        own = _own_rows(one, mask, numbers)
        sums.append(Sums(own.target, own.source + start, own.factor))
        start += len(one.rows)
    return FilteredChange(torch.cat([one.rows for one in tables]), _merge(sums), mask, numbers)


def _without_zero_columns(table: Table, weights: dict) -> tuple[Table, dict]:
    """Both without the units that change nowhere: those that are dead in all copies."""
    units = None if None in weights.values() else nonzero_columns(table.rows, below=MOST)
    if units is None:
        return table, weights
    rows = table.rows.index_select(1, units)
    return Table(rows, table.mask, table.numbers), {hop: one.index_select(0, units) for hop, one in weights.items()}


def _filter_hop(
    known: RestrictedFilter, hop: int, table: Table, weight: Tensor | None, lineage: Lineage
) -> FilteredChange:
    """The last step of one hop and its weight."""
    mask = table.mask[: known.sizes[0]] if hop == 0 else known.spread(table.mask[: known.sizes[1]], 0)
    numbers = lineage.row_numbers(mask, mask.flatten().nonzero()[:, 0])
    sums = _own_rows(table, mask, numbers) if hop == 0 else _neighbours(known, 0, table, mask, numbers)
    return FilteredChange(*_multiply(table.rows, sums, weight), mask, numbers)


def sums_at_outputs(known: RestrictedFilter, table: Table, lineage: Lineage) -> tuple[Tensor, Tensor, list[Sums]]:
    """Of a filter of one hop at the most: the mask of the outputs that change, their numbers, and each hop's sums."""
    hops, (own, reading) = sorted(known.weights), (known.sizes[0], known.sizes[-1])
    mask = torch.stack([known.spread(table.mask[:reading], 0) if hop else table.mask[:own] for hop in hops]).any(0)
    numbers = lineage.row_numbers(mask, mask.flatten().nonzero()[:, 0])
    sums = [_neighbours(known, 0, table, mask, numbers) if hop else _own_rows(table, mask, numbers) for hop in hops]
    return mask, numbers, sums


def _tables_read(known: RestrictedFilter, table: Table, lineage: Lineage) -> dict[int, Table]:
    """For each weighted hop what its last step reads: the change itself, or multiplied by A often enough."""
    read = {}
    for hop in range(known.hops + 1):
        if hop > 1:
            table = _propagate(known, known.hops - hop + 1, table, lineage)
        if hop in known.weights:
            read[hop] = table
    return read


def _propagate(known: RestrictedFilter, hop: int, table: Table, lineage: Lineage) -> Table:
    """One multiplication by A."""
    mask = known.spread(table.mask, hop)
    keys = mask.flatten().nonzero()[:, 0]
    numbers = lineage.row_numbers(mask, keys)
    return Table(_neighbours(known, hop, table, mask, numbers).of(table.rows, len(keys)), mask, numbers)


def _own_rows(table: Table, mask: Tensor, numbers: Tensor) -> Sums:
    """The masked rows' own changes."""
    own = table.numbers[: len(mask)]
    chosen = (mask & (own > 0)).flatten().nonzero()[:, 0]
    target, source = numbers.flatten()[chosen], own.flatten()[chosen]
    return Sums(target, source, torch.ones_like(source, dtype=table.rows.dtype))


def _neighbours(known: RestrictedFilter, hop: int, table: Table, mask: Tensor, numbers: Tensor) -> Sums:
    """The changes of the neighbours from which the masked rows receive, times the edges' weights."""
    edges, sources = known.edges[hop], table.numbers[: known.sizes[hop + 1]]
    entering = mask.index_select(0, edges.target) & (sources > 0).index_select(0, edges.source)
    edge, copy = entering.nonzero().T
    copies = mask.shape[1]
    target, order = numbers.flatten()[edges.target[edge] * copies + copy].sort()
    edge, copy = edge[order], copy[order]
    return Sums(target, sources.flatten()[edges.source[edge] * copies + copy], edges.weight[edge])


def _multiply(rows: Tensor, sums: Sums, weight: Tensor | None) -> tuple[Tensor, Sums]:
    """Rows, and sums of them that are the given sums times the weight (None is the identity).

    A product can be taken before or after summing. Sums are multiplied, but for rows that go ahead.
    """
    if weight is None or len(sums.target) == 0:
        return (rows if weight is None else rows[:1] @ weight), sums
    goes_ahead = rows_ahead(sums, len(rows))
    ahead, rest = sums.select(goes_ahead[sums.source]), sums.select(~goes_ahead[sums.source])
    targets, groups = rest.target.unique_consecutive(return_inverse=True)
    single = goes_ahead.nonzero()[:, 0]
    places = torch.arange(1, 1 + len(targets) + len(single), device=rows.device)
    multiplied = Sums(
        torch.cat([groups + 1, places[len(targets) :]]),
        torch.cat([rest.source, single]),
        torch.cat([rest.factor, rest.factor.new_ones(len(single))]),
    )
    products = product(multiplied.of(rows, len(places)), weight)
    finished = Sums(targets, places[: len(targets)], products.new_ones(len(targets)))
    place = goes_ahead.cumsum(0) + len(targets)
    return products, _merge([finished, Sums(ahead.target, place[ahead.source], ahead.factor)])


def rows_ahead(sums: Sums, number: int) -> Tensor:
    """Which of so many rows are multiplied before they are summed: each that is all there is of several sums.

    On citation graphs, multiplying these and the sums of others is within a tenth of the fewest products possible.
    """
    is_single = torch.bincount(sums.target)[sums.target] == 1
    return torch.bincount(sums.source[is_single], minlength=number) > 1


def _merge(parts: list[Sums]) -> Sums:
    if len(parts) == 1:
        return parts[0]
    target, order = torch.cat([part.target for part in parts]).sort()
    source = torch.cat([part.source for part in parts])[order]
    return Sums(target, source, torch.cat([part.factor for part in parts])[order])
