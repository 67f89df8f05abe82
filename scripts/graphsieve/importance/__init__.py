"""Permutation importance of node features: a reference engine and exact, much faster ones."""

from graphsieve.importance.api import permutation_importance
from graphsieve.importance.conditional import Conditional
from graphsieve.importance.result import PermutationImportance

__all__ = ["Conditional", "PermutationImportance", "permutation_importance"]
