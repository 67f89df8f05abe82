"""Seconds that can be believed: the ways take turns, several times, and a busy machine is told from an idle one."""

import os
import platform
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from graphsieve.errors import InputError

ROUNDS = 5
LARGEST_SPREAD = 1.5  # beyond it, something else had the machine
ATTEMPTS, PATIENCE = 3, 90  # a case is refused after so many attempts at least, and not before so many seconds
CPU_INFO = Path("/proc/cpuinfo")


def take_turns(name: str, ways: dict[str, Callable[[], object]]) -> dict[str, np.ndarray]:
    """Seconds of each way in every round, all ways one after another in each.

    Each should have been called once before: what is prepared once, such as a library's own caches, is no way's fault.
    Where the rounds of a way differ too much, all are timed again; after several attempts the case is refused.
    """
    start, attempts = time.perf_counter(), 0
    while attempts < ATTEMPTS or time.perf_counter() - start < PATIENCE:
        attempts += 1
        rounds = [{key: _seconds(way) for key, way in ways.items()} for _ in range(ROUNDS)]
        seconds = {key: np.array([one[key] for one in rounds]) for key in ways}
        spreads = {key: spread(values) for key, values in seconds.items()}
        if max(spreads.values()) <= LARGEST_SPREAD:
            return seconds
    worst = max(spreads, key=spreads.get)
    raise InputError(
        f"{name}: {worst} took {seconds[worst].min():.3g} to {seconds[worst].max():.3g} s in {ROUNDS} rounds, "
        f"{attempts} times tried (load {os.getloadavg()[0]:.1f}), so it is refused: it takes an idle machine"
    )


def check_extrapolated(name: str, way: str, seconds: np.ndarray) -> None:
    """Rounds that agree may still differ in what is left after subtracting one from another."""
    if not spread(seconds) <= LARGEST_SPREAD:
        raise InputError(
            f"{name}: for all features and repeats {way} would take {seconds.min():.3g} to {seconds.max():.3g} s by "
            f"{ROUNDS} rounds, so it is refused: it takes an idle machine, or a larger sample"
        )


def spread(seconds: np.ndarray) -> float:
    """Of the same configuration, longest over shortest."""
    return seconds.max() / seconds.min() if seconds.min() > 0 else np.inf


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def summary(seconds: np.ndarray, prefix: str, scale: float = 1.0) -> dict[str, float]:
    """Median and range over the rounds, times `scale` where only a sample was timed."""
    median, low, high = scale * np.array([np.median(seconds), seconds.min(), seconds.max()])
    return {f"{prefix}_s": median, f"{prefix}_low": low, f"{prefix}_high": high}


def machine() -> dict[str, object]:
    """What the seconds were measured on."""
    lines = CPU_INFO.read_text().splitlines() if CPU_INFO.exists() else []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return {
        "cpu": models[0] if models else platform.processor(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "rounds": ROUNDS,
    }
