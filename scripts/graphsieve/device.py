"""The one place where a device is chosen."""

import torch

from graphsieve.errors import InputError

DEVICES = ("auto", "cpu", "cuda")


def choose_device(name: str = "auto") -> torch.device:
    """`auto` takes a GPU when there is one; `cuda` insists on it."""
    if name not in DEVICES:
        raise InputError(f"device '{name}' is unknown: choose one of {', '.join(DEVICES)}")
    if name == "cuda" and not torch.cuda.is_available():
        raise InputError("device 'cuda' was asked for but torch finds no GPU: set `device: cpu` or run on a GPU node")
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(name)


def limit_threads(threads: int) -> None:
    """Same thread count, same sums, same bytes: results are reproducible for a fixed number of threads."""
    torch.set_num_threads(threads)
    if torch.cuda.is_available():  # on CPU nothing of ours is random, and the check slows every allocation down
        torch.use_deterministic_algorithms(True, warn_only=True)
