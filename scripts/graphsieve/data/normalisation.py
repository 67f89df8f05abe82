"""How features are scaled before anything else, by name."""

from dataclasses import replace

import numpy as np

from graphsieve.data.graph import Graph


def normalise_rows(x: np.ndarray) -> np.ndarray:
    """Each row sums to 1; rows that sum to zero or less stay as they are."""
    sums = x.sum(axis=1, keepdims=True)
    return x / np.where(sums > 0, sums, 1)


def standardise_columns(x: np.ndarray) -> np.ndarray:
    """Mean 0 and deviation 1, so that units do not matter; columns of zeros and ones compare as they are."""
    scaled = ((x != 0) & (x != 1)).any(axis=0)
    mean = np.where(scaled, x.mean(axis=0, dtype=np.float64), 0)
    deviation = np.where(scaled, x.std(axis=0, dtype=np.float64), 1)
    return ((x - mean) / np.where(deviation > 0, deviation, 1)).astype(x.dtype)


def standardise_all_columns(x: np.ndarray) -> np.ndarray:
    """Every column gets mean 0 and deviation 1, those of zeros and ones too; constant ones become 0."""
    mean, deviation = x.mean(axis=0, dtype=np.float64), x.std(axis=0, dtype=np.float64)
    return ((x - mean) / np.where(deviation > 0, deviation, 1)).astype(x.dtype)


def standardise_matrix(x: np.ndarray) -> np.ndarray:
    """One mean and one deviation for the whole matrix."""
    deviation = x.std(dtype=np.float64)
    return ((x - x.mean(dtype=np.float64)) / (deviation if deviation > 0 else 1)).astype(x.dtype)


def normalise_lengths(x: np.ndarray) -> np.ndarray:
    """Each row has Euclidean length 1; rows of zeros stay as they are."""
    lengths = np.linalg.norm(x, axis=1, keepdims=True)
    return x / np.where(lengths > 0, lengths, 1)


NORMALISATIONS = {
    "none": lambda x: x,
    "row": normalise_rows,
    "columns": standardise_columns,
    "all_columns": standardise_all_columns,
    "matrix": standardise_matrix,
    "length": normalise_lengths,
}


def normalise(graph: Graph, how: str) -> Graph:
    """Features scaled as asked for. Edges do not depend on units: weights get mean 1, attributes as `columns` does."""
    weight, attributes = graph.edge_weight, graph.edge_attr
    if weight is not None and weight.size:
        size = np.abs(weight).mean(dtype=np.float64)
        weight = (weight / (size if size > 0 else 1)).astype(weight.dtype)
    if attributes is not None and attributes.size:
        attributes = standardise_columns(attributes)
    return replace(graph, x=NORMALISATIONS[how](graph.x), edge_weight=weight, edge_attr=attributes)
