"""Seconds and peak memory of permutation importance: ours, the reference engine, and Captum."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from timing import check_extrapolated, summary, take_turns
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
    nodes: Tensor | None  # None where whole graphs are labelled
    repeats: int
    model_kwargs: dict[str, Tensor] = field(default_factory=dict)

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
            task_level="graph" if self.nodes is None else "node",
            **self.model_kwargs,
        )

    def loss(self, x: Tensor) -> Tensor:
        labelled = slice(None) if self.nodes is None else self.nodes
        return F.cross_entropy(self.model(x, self.edge_index, **self.model_kwargs)[labelled], self.y[labelled])


@dataclass(frozen=True)
class Sample:
    """On how many features ours, the reference and Captum are timed, and by how many permutations of each."""

    own: int = 10**9
    full: int = 4
    captum: int = 10
    repeats: int | None = None  # None for as many as the setting has


def evenly(count: int, total: int) -> np.ndarray:
    return np.unique(np.linspace(0, total - 1, min(count, total)).astype(int))


def compare(name: str, setting: Setting, sample: Sample) -> dict:
    """One row: seconds for all features, extrapolated from a sample where the sample is smaller than that.

    Ours prepares a call for seconds, so what one feature takes (`start`) is told from what every further one adds.
    """
    total, repeats = setting.x.shape[1], setting.repeats
    setting = replace(setting, repeats=sample.repeats or repeats)
    own, full, captum = (evenly(count, total) for count in (sample.own, sample.full, sample.captum))
    reset_peak()
    before = resident_mebibytes("VmRSS")
    result = setting.score("auto", own)
    memory = resident_mebibytes("VmHWM") - before
    expected = setting.score("full", full)
    ways = {"ours": lambda: setting.score("auto", own), "plain": lambda: setting.score("full", full)}
    if len(own) < total or setting.repeats < repeats:
        ways["start"] = lambda: setting.score("auto", own[:1])
    with_captum = captum_call(setting, captum)
    if with_captum:
        with_captum()
        ways["captum"] = with_captum
    seconds = take_turns(name, ways)
    if "start" in seconds:
        share = (len(own) - 1) * setting.repeats / (total * repeats - setting.repeats)
        seconds["ours"] = seconds["start"] + (seconds["ours"] - seconds["start"]) / share
        check_extrapolated(name, "ours", seconds["ours"])
    seconds["plain"] *= scale_of_passes(total * repeats, len(full) * setting.repeats)
    seconds["captum"] = seconds.get("captum", np.full(1, np.nan)) * repeats * scale_of_passes(total, len(captum))
    return {
        "engine": result["accuracy"].engine,
        **summary(seconds["ours"], "auto"),
        **summary(seconds["plain"], "full"),
        **summary(seconds["captum"], "captum"),
        "ratio_full": np.median(seconds["plain"]) / np.median(seconds["ours"]),
        "ratio_low": (seconds["plain"] / seconds["ours"]).min(),
        "ratio_high": (seconds["plain"] / seconds["ours"]).max(),
        "ratio_captum": np.median(seconds["captum"]) / np.median(seconds["ours"]),
        "peak_mib": memory,
        "largest_loss_difference": _difference(result, expected, own, full),
        "timed_features": f"{len(own)} / {len(full)} / {len(captum)} of {total}",
        "timed_repeats": setting.repeats,
    }


def _difference(result: dict, expected: dict, own: np.ndarray, full: np.ndarray) -> float:
    """Between the two engines, over the features that both scored."""
    _, mine, theirs = np.intersect1d(own, full, return_indices=True)
    gap = result["cross_entropy"].importances[mine] - expected["cross_entropy"].importances[theirs]
    return float(np.abs(gap).max(initial=0))


def captum_call(setting: Setting, features: np.ndarray) -> Callable[[], object] | None:
    """Captum permutes each column once a call; None where Captum is not installed."""
    try:
        from captum.attr import FeaturePermutation
    except ImportError:
        return None
    columns, x = torch.from_numpy(features), setting.x.clone()

    def loss(part: Tensor) -> Tensor:
        x[:, columns] = part
        return setting.loss(x)

    def call() -> object:
        setting.model.eval()
        with torch.no_grad():
            return FeaturePermutation(loss).attribute(setting.x[:, columns])

    return call


def scale_of_passes(permutations: int, timed: int) -> float:
    """From the seconds of `timed` permutations: a call makes a pass for each, and one for the unperturbed input."""
    return (permutations + 1) / (timed + 1)


def reset_peak() -> None:
    if RESET.exists():
        RESET.write_text("5")


def resident_mebibytes(field: str) -> float:
    """From Linux's process table; NaN elsewhere."""
    if not STATUS.exists():
        return float("nan")
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024
