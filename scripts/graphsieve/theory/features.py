"""What the bounds say about given data: which term dominates, and which features they call important."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import scipy.sparse
import torch

from graphsieve.data.graph import Graph
from graphsieve.errors import InputError
from graphsieve.randomness import child_integer
from graphsieve.theory.bounds import ENTRIES_PER_BLOCK, permuted_theorem, t_for, theorem
from graphsieve.theory.networks import (
    LEAKY_SLOPE,
    Architecture,
    Case,
    adjacency_of,
    case_from_graph,
    random_walk,
    spectral_norm,
    without_gaps,
)


def train_weights(
    graph: Graph,
    architecture: Architecture,
    nodes: np.ndarray,
    hidden: int = 16,
    num_layers: int = 2,
    epochs: int = 100,
    seed: int = 0,
) -> tuple[np.ndarray, ...]:
    """Weights of the theorem's own network, with leaky ReLU, fitted to the labels of `nodes`."""
    widths = [graph.num_features] + [hidden] * (num_layers - 1) + [graph.num_classes]
    draw = torch.Generator().manual_seed(child_integer(seed, "initialisation"))
    shapes = list(zip(widths, widths[1:], strict=False))
    weights = [torch.randn(shape, generator=draw) / math.sqrt(shape[0]) for shape in shapes]
    weights = [weight.requires_grad_() for weight in weights]
    walk = _as_torch(random_walk(adjacency_of(graph), architecture.self_loops))
    x, y, nodes = torch.from_numpy(graph.x).float(), torch.from_numpy(graph.y), torch.from_numpy(nodes)
    optimiser = torch.optim.Adam(weights, lr=0.01, weight_decay=5e-4)
    for _ in range(epochs):
        optimiser.zero_grad()
        logits = _torch_forward(architecture, walk, x, weights)
        torch.nn.functional.cross_entropy(logits[nodes], y[nodes]).backward()
        optimiser.step()
    return tuple(weight.detach().double().numpy() for weight in weights)


def _as_torch(matrix: scipy.sparse.csr_array) -> torch.Tensor:
    edges = matrix.tocoo()
    indices = torch.from_numpy(np.stack([edges.row, edges.col]).astype(np.int64))
    values = torch.from_numpy(edges.data).float()
    return torch.sparse_coo_tensor(indices, values, matrix.shape, check_invariants=False).coalesce()


def _torch_forward(
    architecture: Architecture, walk: torch.Tensor, z: torch.Tensor, weights: list[torch.Tensor]
) -> torch.Tensor:
    for weight in weights:
        z = z @ weight
        result = architecture.hops[-1] * z
        for hop in reversed(architecture.hops[:-1]):
            result = torch.sparse.mm(walk, result) + hop * z
        z = torch.nn.functional.leaky_relu(result, LEAKY_SLOPE)
    return z


def bound_terms(case: Case, rng: np.random.Generator, probability: float = 0.95) -> pd.DataFrame:
    """Every bound of the case beside its error (or that of one permutation), with the graph's share in the bound."""
    t = t_for(probability, case.x.shape[1])
    bounds = {("original", variant): theorem(case, variant) for variant in ("stated", "repaired")}
    bounds |= {("permuted", v): permuted_theorem(case, t, v) for v in ("stated", "consistent", "repaired")}
    rows = []
    for (features, variant), terms in bounds.items():
        row = {"architecture": case.architecture.name, "layers": case.num_layers, "features": features}
        row |= {"variant": variant, "network": terms.network, "graph": terms.graph, "feature": terms.features}
        row |= {"bound": terms.total, "graph_share": terms.graph / (terms.graph + terms.features)}
        rows.append(row)
    table = pd.DataFrame(rows)
    permuted = replace(case, x=case.x[rng.permutation(case.num_nodes)])
    table.insert(4, "error", np.where(table["features"] == "original", case.error(), permuted.error()))
    table["spectral_norm"] = spectral_norm(case.operator)
    return table


def graph_case(graph: Graph, architecture: Architecture, weights: tuple[np.ndarray, ...]) -> Case:
    return case_from_graph(graph, architecture, weights, "leaky_relu")


def difference_of_bounds(graph: Graph, probability: float = 0.95, count_every_class: bool = True) -> pd.DataFrame:
    """Equation error_diff for every feature on its own (M = 1, its own alpha), without the factor of the weights.

    The equation prints a sum over classes, which repeats an edge's weight once per class; Theorem 2, from which it
    comes, has no such sum. `count_every_class=False` is the difference of the two bounds with each pair counted once.
    """
    if graph.num_nodes < 2:
        raise InputError("the difference of bounds needs at least two nodes")
    x, y = graph.x.astype(float), without_gaps(graph.y)
    adjacency = adjacency_of(graph)
    edges = adjacency.tocoo()
    sizes = np.bincount(y)
    walk = edges.data / (adjacency.sum(axis=1) + 1)[edges.row]
    share = (y[edges.row] == y[edges.col]) / sizes[y[edges.row]]
    change = np.abs(share - walk) - share + (len(sizes) - 1) * walk * count_every_class
    total_weight = graph.num_nodes + change.sum()
    spread = (x.max(axis=0) - x.min(axis=0)) ** 2 * t_for(probability, 1) * math.sqrt(graph.num_nodes)
    gamma = 2 * x.var(axis=0, ddof=1) + spread
    dissimilarity = within_class_differences(x, y) + edge_differences(x, edges.row, edges.col, change)
    return pd.DataFrame(
        {
            "feature": graph.names(),
            "gamma": gamma,
            "dissimilarity": dissimilarity,
            "difference": total_weight * np.sqrt(gamma) - dissimilarity,
        }
    )


def within_class_differences(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Per feature the sum of |x_i - x_j| / p_c over ordered pairs of a class: sorting spares the pairs."""
    total = np.zeros(x.shape[1])
    for label in np.unique(y):
        members = np.sort(x[y == label], axis=0)
        size = len(members)
        total += 2 * ((2 * np.arange(size) - size + 1) @ members) / size
    return total


def edge_differences(x: np.ndarray, heads: np.ndarray, tails: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Per feature the weighted sum of |x_i - x_j| over edges, a block of edges at a time."""
    total = np.zeros(x.shape[1])
    step = max(1, ENTRIES_PER_BLOCK // x.shape[1])
    for first in range(0, len(heads), step):
        block = slice(first, first + step)
        total += weights[block] @ np.abs(x[heads[block]] - x[tails[block]])
    return total
