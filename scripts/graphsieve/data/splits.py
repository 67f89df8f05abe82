"""Training, validation and test nodes."""

import numpy as np

from graphsieve.data.graph import Graph, Split
from graphsieve.errors import InputError
from graphsieve.randomness import generator


def random_split(num_nodes: int, seed: int, train: float = 0.7, val: float = 0.1) -> Split:
    """70 / 10 / 20 % of the nodes in random order, drawn anew for every seed."""
    order = generator(seed, "split").permutation(num_nodes)
    first, second = round(train * num_nodes), round((train + val) * num_nodes)
    return Split(*(np.sort(part) for part in np.split(order, [first, second])))


def choose_split(graph: Graph, kind: str, seed: int) -> Split:
    """`random` for this seed, or the `public` one that came with the data; refuses one nothing can be learnt from."""
    if kind == "public":
        if graph.public_split is None:
            raise InputError(f"dataset '{graph.name}' has no public split: set `split: random`")
        split = graph.public_split
    elif kind == "random":
        labelled = graph.labelled()
        split = Split(*(labelled[part] for part in vars(random_split(len(labelled), seed)).values()))
    else:
        raise InputError(f"split '{kind}' is unknown: choose random or public")
    for part in ("train", "val", "test"):
        if len(getattr(split, part)) == 0:
            raise InputError(f"dataset '{graph.name}': the {kind} split leaves no {part} nodes: use a larger graph")
    if len(np.unique(graph.y[split.train])) < 2:
        raise InputError(
            f"dataset '{graph.name}': fewer than two classes among the {len(split.train)} training nodes of the {kind} "
            f"split (seed {seed}): nothing can be learnt"
        )
    return split


def classes_without_training_node(graph: Graph, split: Split) -> list[int]:
    return sorted(set(range(graph.num_classes)) - set(graph.y[split.train].tolist()))
