"""Which draw a caller's `perturbation`, `given`, `perturbed_rows` and `shared_permutation` stand for."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from torch import Tensor

from graphsieve.errors import InputError
from graphsieve.importance.columns import PERTURBATIONS, draw_column
from graphsieve.importance.conditional import Conditional
from graphsieve.importance.draws import DrawItem, draw_at, draw_shared
from graphsieve.importance.given import check_given
from graphsieve.importance.groups import draw_group

CONDITIONAL = "conditional"
NAMES = (*PERTURBATIONS, CONDITIONAL)


def choose_draw(
    perturbation: str | Conditional,
    given: str | Sequence[str] | None,
    *,
    grouped: bool,
    shared: bool,
    seed: np.random.SeedSequence,
    x: Tensor,
    edge_index: object,
    y: Tensor,
    nodes: Tensor,
    rows: Tensor | None,
) -> DrawItem:
    """How new values are drawn of items, which are columns or groups; at all nodes or only at `rows`."""
    given = check_given(given)
    _check(perturbation, given, shared)
    if isinstance(perturbation, Conditional):
        draw = perturbation.draw
    elif given or perturbation == CONDITIONAL:
        known = {"given": given, "edge_index": edge_index, "y": y, "nodes": nodes, "rows": rows}
        draw = Conditional(x, others=perturbation == CONDITIONAL, **known).draw
    elif shared and perturbation == "permute":
        draw = draw_shared(seed)
    else:
        draw = partial(draw_group if grouped else draw_column, PERTURBATIONS[perturbation])
    return draw if rows is None else draw_at(draw, x, rows)


def _check(perturbation: str | Conditional, given: tuple[str, ...], shared: bool) -> None:
    made = isinstance(perturbation, Conditional)
    if not made and perturbation not in NAMES:
        raise InputError(f"perturbation {perturbation!r} is unknown: choose one of {', '.join(NAMES)}")
    if given and made:
        raise InputError("given is settled by the perturbation, which was made beforehand: leave it out")
    if given and perturbation not in ("permute", CONDITIONAL):
        raise InputError(f"given has no meaning for perturbation '{perturbation}': use 'permute' or 'conditional'")
    if shared and (given or made or perturbation == CONDITIONAL):
        raise InputError("shared_permutation moves all columns alike, which cannot keep what is known of each: drop it")
