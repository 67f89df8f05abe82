"""The engines by name, and the order in which "auto" tries them."""

import copy

import numpy as np
import torch

from graphsieve.errors import InputError
from graphsieve.importance.engines.batched import BatchedEngine, BatchedProblem
from graphsieve.importance.engines.cost import counted_cost
from graphsieve.importance.engines.full import FullEngine
from graphsieve.importance.engines.incremental.engine import IncrementalEngine
from graphsieve.importance.engines.incremental.plan import Plan as IncrementalPlan
from graphsieve.importance.engines.lowrank.blocks import LowRankEngine
from graphsieve.importance.engines.lowrank.plan import Plan
from graphsieve.importance.engines.lowrank.whole_blocks import WholeGraphsEngine
from graphsieve.importance.engines.restricted import RestrictedEngine
from graphsieve.importance.problem import Problem
from graphsieve.importance.verify import agree, full_logits_of, probe_pair, probe_pairs
from graphsieve.models.fast.convolutions import Unsupported

ENGINES = ("auto", "lowrank", "incremental", "restricted", "full")
FEWEST_PAIRS = 300  # below this, finding out which engine is exact costs more than it saves
MANY_COLUMNS = 128  # from this size on, a group may be cheaper to score by full passes
GATHERED = 4  # as much too dear are the rows counted that the low-rank engine gathers for a group (measured)
WORTHWHILE = 0.7  # share of a full pass's cost that an engine may have: counted costs are rough
Engine = LowRankEngine | WholeGraphsEngine | IncrementalEngine | RestrictedEngine | FullEngine | BatchedEngine


def choose_engine(name: str | Engine, problem: Problem) -> Engine:
    """The engine of that name, the fastest one that is exact for this problem, or one that was made for a like one."""
    if not isinstance(name, str):
        return for_part(name, problem)
    if isinstance(problem, BatchedProblem):
        return BatchedEngine(problem)
    if name == "full" or problem.num_pairs == 0:
        return FullEngine(problem)
    if name == "auto":
        return _fastest(problem)
    try:
        return {"lowrank": _lowrank, "incremental": _incremental, "restricted": RestrictedEngine}[name](problem)
    except Unsupported as reason:
        raise InputError(f"engine '{name}' cannot score this model ({reason}): use 'auto'") from reason


def for_part(engine: Engine, part: Problem) -> Engine:
    """The engine for a part of its problem, or other draws: what it has prepared depends on model and graph alone."""
    other = copy.copy(engine)
    other.problem = part
    return other


def _fastest(problem: Problem) -> Engine:
    full = FullEngine(problem)
    try:
        engine = _lowrank(problem)
        return engine if _pays_for_groups(engine, full) else full
    except Unsupported:
        pass
    if problem.num_pairs < FEWEST_PAIRS:
        return full
    limit = WORTHWHILE * full.cost_per_pair()
    for make in (_incremental, RestrictedEngine):
        try:
            engine = make(problem)
        except Unsupported:
            continue
        if engine.cost_per_pair() < limit:
            return engine
    return full


def _lowrank(problem: Problem) -> LowRankEngine | WholeGraphsEngine:
    """Built from the model's operations, then checked against two passes of the model itself."""
    if not problem.inputs.is_x:
        raise Unsupported(f"the columns of {problem.inputs.name} are perturbed")
    plan = Plan(problem)
    if not agree(plan.base, problem.baseline):
        raise Unsupported("the traced operations do not give the model's logits")
    engine, pair = (WholeGraphsEngine if plan.poolings else LowRankEngine)(plan), probe_pair(problem)
    if not agree(engine.logits(range(pair, pair + 1))[:, :, 0].T, full_logits_of(problem, pair)):
        raise Unsupported("a perturbed pass does not give the model's logits")
    return engine


def _pays_for_groups(engine: LowRankEngine | WholeGraphsEngine, full: FullEngine) -> bool:
    """A group of g columns is a change of rank g: its cost grows with g, that of a full pass does not."""
    problem = full.problem
    if problem.largest_item < MANY_COLUMNS:
        return True
    sizes = [len(item) for item in problem.items]  # sorted
    ends = [counted_cost(lambda pair=pair: engine.logits(range(pair, pair + 1))) for pair in (0, problem.num_pairs - 1)]
    return np.interp(sizes, [sizes[0], sizes[-1]], ends).mean() < GATHERED * full.cost_per_pair()


def _incremental(problem: Problem) -> IncrementalEngine:
    """As the one before; what a layer of unknown kind does to a part of the graph is checked in its plan."""
    if not problem.inputs.is_x or problem.target.level != "node":
        raise Unsupported("the model takes or returns more than rows of nodes")
    plan = IncrementalPlan(problem)
    if not agree(plan.base, problem.baseline):
        raise Unsupported("the traced operations do not give the model's logits")
    engine, pairs = IncrementalEngine(plan), probe_pairs(problem)
    expected = torch.stack([full_logits_of(problem, pair) for pair in pairs])
    if not agree(engine.logits(pairs).permute(2, 1, 0), expected):
        raise Unsupported("a perturbed pass does not give the model's logits")
    return engine
