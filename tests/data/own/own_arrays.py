"""A user's graph as arrays, and how it is written."""

import numpy as np
import torch
from torch_geometric.data import Data


def own_arrays() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    masks = {f"{part}_mask": np.arange(12) % 4 == number for number, part in enumerate(("train", "val", "test"))}
    return {
        "x": rng.integers(3, size=(12, 4)).astype(float),
        "edge_index": np.stack([np.arange(12), np.roll(np.arange(12), 1)]),
        "y": np.array([0, 1, 0, -1, 1, 0, 1, -1, 0, 1, 0, 1]),
        "feature_names": np.array(["p", "q", "r", "s"]),
        **masks,
    }


def write_arrays(path, content) -> None:
    """An .npz of these arrays, or a .pt of a Data with the same."""
    if path.suffix == ".npz":
        np.savez(path, **content)
        return
    names = {"feature_names": content["feature_names"].tolist()} if "feature_names" in content else {}
    tensors = {name: torch.from_numpy(array) for name, array in content.items() if name != "feature_names"}
    torch.save(Data(**tensors, **names), path)
