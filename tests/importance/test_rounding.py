"""How far engines may differ in single precision: as far as the model's own pass is from double precision.

Where outputs are of order ten and few nodes are scored, losses of two engines differ by up to 2e-5. Neither is wrong:
in double precision both agree, and in single precision the fast engine is no farther from that than the reference.
"""

import copy

import numpy as np
import pytest
import torch
from task_cases import NODES, Head, batched_graphs, lively

from graphsieve import permutation_importance

CLASSES, SEEDS, OUTPUTS = 5, range(4), 10


def losses(model: torch.nn.Module, graph: tuple, dtype: torch.dtype, engine: str) -> np.ndarray:
    x, edges, y, options = graph
    single = copy.deepcopy(model).to(dtype)
    arguments = (single, x.to(dtype), edges, y)
    return permutation_importance(*arguments, metric="cross_entropy", engine=engine, **options).importances


@pytest.mark.parametrize("name", ["gcn", "gin", "graphsage"])
@pytest.mark.parametrize("level", ["node", "graph"])
def test_both_engines_round_alike(name, level):
    errors = {"lowrank": [], "full": []}
    for seed in SEEDS:
        torch.manual_seed(seed)
        x, edges, batch = batched_graphs()
        pooled = {"batch": batch} if level == "graph" else {}
        model = lively(Head(name, outputs=CLASSES), x.dtype, x, edges, **pooled)
        model.last.weight.data *= 4 * OUTPUTS
        x = x + torch.randn_like(x)
        largest = model(x, edges, **pooled).abs().max().item()
        options = {"task_level": level, "nodes": None if pooled else range(0, NODES, 6), "n_repeats": 3, **pooled}
        graph = (x, edges, torch.randint(0, CLASSES, (len(batch.unique()) if pooled else NODES,)), options)
        truth = losses(model, graph, torch.float64, "full")
        np.testing.assert_allclose(losses(model, graph, torch.float64, "lowrank"), truth, rtol=0, atol=1e-14 * largest)
        for engine, found in errors.items():
            found.append((losses(model, graph, torch.float32, engine) - truth) / largest)
    worst = {engine: np.abs(found).max() for engine, found in errors.items()}
    size = {engine: np.sqrt(np.square(found).mean()) for engine, found in errors.items()}
    assert worst["lowrank"] < 1e-6
    assert size["lowrank"] < 2 * size["full"]
