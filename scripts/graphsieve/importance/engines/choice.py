"""The engines by name, and the order in which "auto" tries them."""

import copy

from graphsieve.errors import InputError
from graphsieve.importance.engines.full import FullEngine
from graphsieve.importance.engines.lowrank.blocks import LowRankEngine
from graphsieve.importance.engines.lowrank.plan import Plan
from graphsieve.importance.engines.restricted import RestrictedEngine
from graphsieve.importance.problem import Problem
from graphsieve.importance.verify import agree, full_logits_of, probe_pair
from graphsieve.models.fast.convolutions import Unsupported

ENGINES = ("auto", "lowrank", "restricted", "full")
FEWEST_PAIRS = 300  # below this, finding out whether restriction is exact costs more than it saves
Engine = LowRankEngine | RestrictedEngine | FullEngine


def choose_engine(name: str, problem: Problem) -> Engine:
    """The engine of that name, or the fastest one that is exact for this problem."""
    if name == "full" or problem.num_pairs == 0:
        return FullEngine(problem)
    if name == "auto":
        return _fastest(problem)
    try:
        return {"lowrank": _lowrank, "restricted": RestrictedEngine}[name](problem)
    except Unsupported as reason:
        raise InputError(f"engine '{name}' cannot score this model ({reason}): use 'auto'") from reason


def for_part(engine: Engine, part: Problem) -> Engine:
    """The engine for a part of its problem: what it has prepared depends on the model and the graph alone."""
    other = copy.copy(engine)
    other.problem = part
    return other


def _fastest(problem: Problem) -> Engine:
    try:
        return _lowrank(problem)
    except Unsupported:
        pass
    if problem.num_pairs < FEWEST_PAIRS:
        return FullEngine(problem)
    try:
        engine = RestrictedEngine(problem)
    except Unsupported:
        return FullEngine(problem)
    full = FullEngine(problem)
    return engine if engine.cost_per_pair() < full.cost_per_pair() else full


def _lowrank(problem: Problem) -> LowRankEngine:
    """Built from the model's operations, then checked against two passes of the model itself."""
    if not problem.inputs.is_x:
        raise Unsupported(f"the columns of {problem.inputs.name} are perturbed")
    plan = Plan(problem)
    if not agree(plan.base, problem.baseline):
        raise Unsupported("the traced operations do not give the model's logits")
    engine, pair = LowRankEngine(plan), probe_pair(problem)
    if not agree(engine.logits(range(pair, pair + 1))[:, :, 0].T, full_logits_of(problem, pair)):
        raise Unsupported("a perturbed pass does not give the model's logits")
    return engine
