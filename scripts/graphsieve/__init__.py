"""graphsieve: which node features does a graph neural network really need?

Names are imported on first use, because torch_geometric takes seconds to import and many scripts only shuffle tables.
"""

import importlib

_HOMES = {
    "FeatureSelector": "graphsieve.selection.selector",
    "PermutationExplainer": "graphsieve.importance.explainer",
    "PermutationImportance": "graphsieve.importance",
    "adaptive_selection": "graphsieve.selection.adaptive",
    "load_graph": "graphsieve.data.datasets",
    "permutation_importance": "graphsieve.importance",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str):
    if name not in _HOMES:
        raise AttributeError(f"module 'graphsieve' has no attribute '{name}'")
    return getattr(importlib.import_module(_HOMES[name]), name)
