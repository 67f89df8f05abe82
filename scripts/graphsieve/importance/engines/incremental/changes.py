"""Which rows of a value differ in a block of copies, and the values there.

A copy differs from its *parent*: the unperturbed model, or, for permuted sparse columns, a copy in which these columns
are zero, which all repeats of an item share. Copies that are parents come first; a row has the key
`copy * num_nodes + node`.
"""

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor


@dataclass(frozen=True)
class Family:
    """`parent` has, for each copy behind the parents, its parent; without parents it is empty."""

    num_nodes: int
    copies: int
    parents: int
    parent: Tensor


class Changes:
    """The keys, ascending, of the rows that differ from the parent's."""

    def __init__(self, family: Family, keys: Tensor):
        self.family, self.keys = family, keys

    @property
    def nodes(self) -> Tensor:
        return self.keys % self.family.num_nodes

    @cached_property
    def place(self) -> Tensor:
        """For every key, where its row stands in a table of all unperturbed rows and then these."""
        family, device = self.family, self.keys.device
        own = family.num_nodes + torch.arange(len(self.keys), device=device)
        place = torch.arange(family.num_nodes, device=device).repeat(family.copies, 1)
        if not family.parents:
            return place.flatten().index_copy_(0, self.keys, own)
        of_parents = int(torch.searchsorted(self.keys, family.parents * family.num_nodes))
        flat = place.view(-1)
        flat[self.keys[:of_parents]] = own[:of_parents]
        place[family.parents :] = place[family.parent]
        flat[self.keys[of_parents:]] = own[of_parents:]
        return flat


def union(changes: list[Changes]) -> Changes:
    first = changes[0]
    if all(one is first for one in changes):
        return first
    return Changes(first.family, torch.cat([one.keys for one in changes]).unique())


def restricted(changes: Changes, nodes: Tensor) -> Changes:
    """Those at the nodes of a mask."""
    kept = nodes[changes.nodes]
    return changes if bool(kept.all()) else Changes(changes.family, changes.keys[kept])


@dataclass(frozen=True)
class Value:
    """Unperturbed rows, and new ones where they changed."""

    base: Tensor
    rows: Tensor
    changes: Changes

    def at(self, changes: Changes, part: slice) -> Tensor:
        """A working copy of the rows at these keys, or the only one there is."""
        if changes is self.changes:
            return self.rows[part]
        keys = changes.keys[part]
        place = self.changes.place[keys] - self.changes.family.num_nodes
        rows = self.base[keys % self.changes.family.num_nodes]
        rows[place >= 0] = self.rows[place[place >= 0]]
        return rows


@dataclass(frozen=True)
class PerturbedInput:
    """x with an item's columns (copies, slots) changed by `moved` (rows, slots)."""

    x: Tensor
    moved: Tensor
    columns: Tensor
    changes: Changes

    def at(self, changes: Changes, part: slice) -> Tensor:
        family, keys = self.changes.family, changes.keys[part]
        rows = self.x[keys % family.num_nodes]
        place = self.changes.place[keys] - family.num_nodes
        changed = (place >= 0).nonzero()[:, 0]
        # The copy that a row comes from may be the parent of the one that reads it: both have the same columns.
        columns, moved = self.columns[keys[changed] // family.num_nodes], self.moved[place[changed]]
        for slot in range(columns.shape[1]):
            rows[changed, columns[:, slot]] += moved[:, slot]
        return rows
