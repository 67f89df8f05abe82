"""Which columns are judged together: those made of one column of a table, and those that say nearly the same."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from graphsieve.data.graph import Graph
from graphsieve.inference.correlated import correlated_groups
from graphsieve.inference.scored import NOTHING, Scored, score_items
from graphsieve.inference.sides import Side

VALUES, CORRELATED = "values", "correlated"


def find_groups(graph: Graph, correlations: np.ndarray) -> pd.DataFrame:
    """One row per group: its name, its kind, its columns. A column is in at most one group of each kind."""
    names = np.array(graph.names())
    rows = [{"group": name, "kind": VALUES, "columns": columns} for name, columns in graph.groups().items()]
    for columns in correlated_groups(graph, correlations):
        rows.append({"group": " + ".join(names[columns]), "kind": CORRELATED, "columns": columns})
    return pd.DataFrame(rows, columns=["group", "kind", "columns"])


def units_of(graph: Graph, groups: pd.DataFrame) -> list[np.ndarray]:
    """All columns, each in one unit: with those it correlates with, or that were made of the same column, or alone.

    A group that correlates takes with it whatever was made of the same column as one of its members.
    """
    unit = np.arange(graph.num_features)
    for columns in groups["columns"]:
        together = np.isin(unit, unit[columns])
        unit[together] = unit[together].min()
    order = np.argsort(unit, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(unit[order])) + 1)


def score_together(sides: list[Side], groups: Sequence[np.ndarray], description: str, progress: bool = False) -> Scored:
    """What the model loses where the columns of each group are permuted together."""

    def choose(open_items: np.ndarray) -> dict:
        return {"groups": {str(number): groups[number] for number in open_items}}

    return score_items(sides, choose, len(groups), description, progress) if len(groups) else NOTHING
