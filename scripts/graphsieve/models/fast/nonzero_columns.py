"""Units that are zero at every node. Behind a ReLU there may be many, and products need not be computed with them.

In a GIN on co-purchase graphs the first steps of training silence nine units of ten for good. What is left out is exact
zeros, so results differ by rounding only.
"""

from torch import Tensor

FEW = 0.5  # share of the units below which leaving out the others pays
MOST = 0.9  # the same for a wide product that is all there is to it
FIRST, MORE = 64, 8  # rows that show soon whether enough units are zero, and by what to look at more of them


def nonzero_columns(values: Tensor, nonnegative: bool = False, below: float = FEW) -> Tensor | None:
    """The columns that are not zero everywhere (NaN is not zero).

    None, for all of them, where it is none or at least the share `below`.
    """
    if len(values) == 0:
        return None
    values = values.detach()
    stop = FIRST
    while stop < len(values):
        if _live_columns(values[:stop], nonnegative).sum() >= below * values.shape[1]:
            return None
        stop *= MORE
    live = _live_columns(values, nonnegative)
    units = live.nonzero()[:, 0]
    return units if 0 < len(units) < below * len(live) else None


def _live_columns(values: Tensor, nonnegative: bool) -> Tensor:
    live = values.amax(dim=0) != 0
    return live if nonnegative else live | (values.amin(dim=0) != 0)


def without_zero_columns(rows: Tensor, weight: Tensor, below: float = FEW) -> tuple[Tensor, Tensor]:
    """Both without the columns in which `rows` is zero everywhere, if they are many; rows @ weight.T stays the same."""
    units = nonzero_columns(rows, below=below)
    return (rows, weight) if units is None else (rows.index_select(1, units), weight.index_select(1, units))
