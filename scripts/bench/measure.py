"""Seconds and peak memory of permutation importance: ours, the reference engine, and Captum."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from graphsieve import permutation_importance

METRICS = ["accuracy", "cross_entropy"]
STATUS, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


@dataclass(frozen=True)
class Setting:
    """A model and what it is scored on."""

    model: nn.Module
    x: Tensor
    edge_index: Tensor
    y: Tensor
    nodes: Tensor
    repeats: int

    def score(self, engine: str, features: np.ndarray) -> dict:
        return permutation_importance(
            self.model,
            self.x,
            self.edge_index,
            self.y,
            self.nodes,
            n_repeats=self.repeats,
            metric=METRICS,
            engine=engine,
            features=features,
        )


def evenly(count: int, total: int) -> np.ndarray:
    return np.unique(np.linspace(0, total - 1, min(count, total)).astype(int))


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def compare(setting: Setting, own_sample: int, full_sample: int, captum_sample: int) -> dict:
    """One row: seconds for all features, extrapolated from a sample where the sample is smaller than that."""
    total = setting.x.shape[1]
    own, full = evenly(own_sample, total), evenly(full_sample, total)
    reset_peak()
    before = resident_mebibytes("VmRSS")
    start = time.perf_counter()
    result = setting.score("auto", own)
    first = time.perf_counter() - start
    memory = resident_mebibytes("VmHWM") - before
    auto = min(first, seconds(lambda: setting.score("auto", own))) * total / len(own)
    start = time.perf_counter()
    expected = setting.score("full", full)
    reference = (time.perf_counter() - start) * total / len(full)
    captum = captum_seconds(setting, captum_sample)
    return {
        "engine": result["accuracy"].engine,
        "auto_s": auto,
        "full_s": reference,
        "captum_s": captum,
        "ratio_full": reference / auto,
        "ratio_captum": captum / auto,
        "peak_mib": memory,
        "largest_loss_difference": _difference(result, expected, own, full),
        "timed_features": f"{len(own)} / {len(full)} / {min(captum_sample, total)} of {total}",
    }


def _difference(result: dict, expected: dict, own: np.ndarray, full: np.ndarray) -> float:
    """Between the two engines, over the features that both scored."""
    _, mine, theirs = np.intersect1d(own, full, return_indices=True)
    gap = result["cross_entropy"].importances[mine] - expected["cross_entropy"].importances[theirs]
    return float(np.abs(gap).max(initial=0))


def captum_seconds(setting: Setting, sample: int) -> float:
    """Captum permutes each column once a call; NaN where Captum is not installed."""
    try:
        from captum.attr import FeaturePermutation
    except ImportError:
        return float("nan")
    total = setting.x.shape[1]
    columns = torch.from_numpy(evenly(sample, total))
    x = setting.x.clone()

    def loss(part: Tensor) -> Tensor:
        x[:, columns] = part
        logits = setting.model(x, setting.edge_index)
        return F.cross_entropy(logits[setting.nodes], setting.y[setting.nodes])

    setting.model.eval()
    with torch.no_grad():
        explainer = FeaturePermutation(loss)
        taken = seconds(lambda: explainer.attribute(setting.x[:, columns]))
    passes = len(columns) + 1  # one more for the unperturbed input
    return taken / passes * (total + 1) * setting.repeats


def reset_peak() -> None:
    if RESET.exists():
        RESET.write_text("5")


def resident_mebibytes(field: str) -> float:
    """From Linux's process table; NaN elsewhere."""
    if not STATUS.exists():
        return float("nan")
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024
