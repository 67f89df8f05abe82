"""Tables of what the checks found."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from graphsieve.data.graph import Graph
from graphsieve.data.splits import random_split
from graphsieve.theory.bounds import theorem
from graphsieve.theory.checks import KINDS, Search, search_violation
from graphsieve.theory.features import bound_terms, difference_of_bounds, graph_case, train_weights
from graphsieve.theory.networks import (
    ARCHITECTURES,
    Architecture,
    Case,
    gcn,
    gcn_no_loops,
    gin,
    modified_tagcn,
    spectral_norm,
    tagcn,
)

# One small instance per theorem; little self-weight, because that is what hides amplification by the graph.
SEARCHED = (gcn(), gin(0.1), tagcn(2), modified_tagcn((0.0, 1.0)), modified_tagcn((1.0, -1.0)), gcn_no_loops())

NODES_IN_WORDS = 20


def summarise_cases(cases: pd.DataFrame, by: tuple[str, ...]) -> pd.DataFrame:
    """How many cases there were, how many violations, and the median of error over bound."""
    cases = cases[cases["covered"]]
    tight = {
        f"{name}_tightness": cases["error"] / cases[name].where(cases[name] > 0) for name in ("stated", "repaired")
    }
    groups = cases.assign(**tight).groupby(list(by))
    table = groups.agg(
        cases=("error", "size"),
        stated_violations=("stated_holds", lambda holds: int((~holds).sum())),
        repaired_violations=("repaired_holds", lambda holds: int((~holds).sum())),
        stated_tightness=("stated_tightness", "median"),
        repaired_tightness=("repaired_tightness", "median"),
    )
    return table.reset_index()


def summarise_permutations(table: pd.DataFrame) -> pd.DataFrame:
    """Per network and stated probability: how often the bounds held, and in how many cases chance could not matter."""
    groups = table.groupby(["architecture", "probability"])
    held = groups[["stated_held", "consistent_held", "repaired_held", "certain", "tightened_held", "pairs_held"]].mean()
    tightness = (table["error_median"] / table["stated"].where(table["stated"] > 0)).rename("stated_tightness")
    return held.join(tightness.groupby([table["architecture"], table["probability"]]).median()).reset_index()


def search_all(
    rng: np.random.Generator,
    steps: int,
    layers: Sequence[int] = (1, 2, 3),
    architectures: Sequence[Architecture] = SEARCHED,
) -> list[tuple[str, Search]]:
    """A search for every network, kind of graph and depth, each with the kind it was confined to."""
    return [
        (kind, search_violation(architecture, depth, kind, rng, steps=steps))
        for architecture in architectures
        for kind in KINDS
        for depth in layers
    ]


def tabulate_searches(searches: list[tuple[str, Search]]) -> pd.DataFrame:
    """One row per search; the smallest violation of every network is told in words, unless it is too long to read."""
    told = {id(found) for found in smallest_violations(searches) if found.case.num_nodes <= NODES_IN_WORDS}
    rows = [
        {
            "architecture": found.case.architecture.name,
            "hops": " ".join(f"{hop:g}" for hop in found.case.architecture.hops),
            "kind": kind,
            "layers": found.case.num_layers,
            "tried": found.tried,
            "violated": found.violates,
            "tightness": found.tightness,
            "nodes": found.case.num_nodes if found.violates else pd.NA,
            "spectral_norm": spectral_norm(found.case.operator),
            "example": case_in_words(found.case) if id(found) in told else "",
        }
        for kind, found in searches
    ]
    return pd.DataFrame(rows)


def smallest_violations(searches: list[tuple[str, Search]]) -> list[Search]:
    """The violation with the fewest nodes for every network, in the order of the search."""
    best: dict[Architecture, Search] = {}
    for _, found in searches:
        known = best.get(found.case.architecture)
        if found.violates and (known is None or found.case.num_nodes < known.case.num_nodes):
            best[found.case.architecture] = found
    return list(best.values())


def case_in_words(case: Case) -> str:
    """A case that a reader can type in: nodes with class and feature, then weighted edges."""
    edges = case.adjacency.tocoo()
    undirected = (case.adjacency != case.adjacency.T).nnz == 0
    arrow = "–" if undirected else "→"
    listed = [
        f"{i}{arrow}{j} ({weight:.3g})"
        for i, j, weight in sorted(zip(edges.row, edges.col, edges.data, strict=True))
        if i < j or not undirected
    ]
    nodes = [f"{i}: class {case.y[i]}, x = {case.x[i, 0]:.3g}" for i in range(case.num_nodes)]
    return (
        f"{case.architecture.name}, layers: {case.num_layers}, all weights 1, hop weights {case.architecture.hops}: "
        f"error {case.error():.4g}, bound {theorem(case).total:.4g}, spectral norm {spectral_norm(case.operator):.3g}. "
        f"Nodes {'; '.join(nodes)}. Edges (weight) {', '.join(listed)}."
    )


def graph_terms(
    graph: Graph, rng: np.random.Generator, seed: int = 0, architectures: dict[str, Callable] = ARCHITECTURES
) -> pd.DataFrame:
    """`bound_terms` of every network, trained on the graph."""
    tables = []
    for make in architectures.values():
        weights = train_weights(graph, make(), random_split(graph.num_nodes, seed).train, seed=seed)
        tables.append(bound_terms(graph_case(graph, make(), weights), rng))
    return pd.concat(tables, ignore_index=True).assign(dataset=graph.name)


def rank_agreement(graph: Graph, scores: pd.DataFrame) -> pd.DataFrame:
    """Spearman's correlation of every scorer's mean scores with the difference of bounds and with its two halves."""
    means = scores.groupby(["scorer", "feature"])["score"].mean().unstack("scorer")
    halves = difference_of_bounds(graph)[["difference", "gamma", "dissimilarity"]].loc[means.index]
    table = pd.DataFrame({name: means.corrwith(halves[name], method="spearman") for name in halves})
    return table.rename_axis("scorer").reset_index().assign(dataset=graph.name)
