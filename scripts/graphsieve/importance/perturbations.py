"""Draws that keep what is known of a column, as one call of `permutation_importance` asks for them."""

from torch import Tensor

from graphsieve.errors import InputError
from graphsieve.importance.columns import PERTURBATIONS
from graphsieve.importance.conditional import Conditional
from graphsieve.importance.inputs import Inputs
from graphsieve.importance.tasks import Target

CONDITIONAL = "conditional"
NAMES = (*PERTURBATIONS, CONDITIONAL)


def check_perturbation(perturbation: str | Conditional, given: tuple[str, ...]) -> None:
    if isinstance(perturbation, Conditional):
        if given:
            raise InputError("given is settled by the perturbation, which was made beforehand: leave it out")
        return
    if perturbation not in NAMES:
        raise InputError(f"perturbation {perturbation!r} is unknown: choose one of {', '.join(NAMES)}")
    if given and perturbation not in ("permute", CONDITIONAL):
        raise InputError(f"given has no meaning for perturbation '{perturbation}': use 'permute' or 'conditional'")


def make_conditional(
    perturbation: str | Conditional, given: tuple[str, ...], inputs: Inputs, target: Target, rows: Tensor | None
) -> Conditional | None:
    """None where a draw shall keep nothing; `rows` are the nodes that are perturbed, if not all."""
    if isinstance(perturbation, Conditional):
        wanted = inputs.matrix.shape[0] if rows is None else len(rows)
        if perturbation.columns.num_rows != wanted:
            raise InputError(
                f"perturbation was made for {perturbation.columns.num_rows} rows, and {wanted} are drawn here: make it "
                "of the x that is scored"
            )
        return perturbation
    if perturbation != CONDITIONAL and not given:
        return None
    if given and not inputs.is_x:
        raise InputError(f"given is for features of nodes of one type, and the features are those of {inputs.name}")
    if "class" in given and target.level != "node":
        raise InputError(f"given names 'class', but labels belong to a {target.level}, not to a node: leave it out")
    known = {"edge_index": inputs.edge_index, "y": target.y, "nodes": target.rows}
    return Conditional(inputs.matrix, others=perturbation == CONDITIONAL, given=given, rows=rows, **known)
