"""Figures 2, 4 to 8 and 13: accuracy while features are pruned, and what pruning costs."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from graphsieve.plots.style import DATASET_STYLES, GREY, INK, TEXT_WIDTH, label, method_colours, use_style
from graphsieve.study import analysis
from graphsieve.study.labels import DATASETS, ROWS, in_order, label_dataset, label_metrics, metric_of

LINES = {"full": (0, (4, 1.5))}  # the others are solid
PANELS = {"val_accuracy": "Validation {} (%)", "test_accuracy": "Test {} (%)"}  # with the metric in place


def training_curves(history: pd.DataFrame, datasets: list[str]) -> Figure:
    """One row per dataset: validation accuracy (or another metric), test accuracy, difference to the full model."""
    use_style()
    methods = in_order(history["scorer"], ROWS)
    colours = method_colours(methods)
    figure, axes = plt.subplots(
        len(datasets), 3, figsize=(TEXT_WIDTH, 0.35 + 1.75 * len(datasets)), squeeze=False, layout="constrained"
    )
    marks = analysis.prunings(history)
    difference = analysis.differences_to_full(history)
    for axis_row, dataset in zip(axes, datasets, strict=True):
        part = history[history["dataset"] == dataset]
        if part.empty:
            leave_gaps(axis_row, dataset)
            continue
        for axis, (value, title) in zip(axis_row, PANELS.items(), strict=False):
            curves = analysis.mean_curves(part, value, ["scorer"])
            for method in methods:
                _draw_curve(axis, curves[curves["scorer"] == method], colours[method], LINES.get(method, "-"))
            axis.set_ylabel(title.format(label_metrics(metric_of(part))))
            axis.set_ylim(*_limits(curves["mean"]))
        _draw_differences(axis_row[2], difference[difference["dataset"] == dataset], methods, colours)
        axis_row[0].set_title(label_dataset(dataset), loc="left", weight="bold", pad=14)
        for axis in axis_row:
            _mark_prunings(axis, marks[marks["dataset"] == dataset], part["epoch"].max())
    _label_epochs(axes)
    handles = [
        plt.Line2D([], [], color=colours[name], linestyle=LINES.get(name, "-"), linewidth=1.6) for name in methods
    ]
    figure.legend(
        handles, [label(name) for name in methods], loc="outside upper center", ncols=len(methods), frameon=False
    )
    return figure


def leave_gaps(axes: np.ndarray, dataset: str) -> None:
    """The place of a dataset that this run does not have."""
    for axis in axes:
        axis.set(xticks=[], yticks=[])
        sns.despine(ax=axis, left=True, bottom=True)
        axis.set_facecolor("#f7f7f7")
        axis.text(0.5, 0.5, "not in this run", transform=axis.transAxes, ha="center", va="center", color=GREY)
    axes[0].set_title(label_dataset(dataset), loc="left", weight="bold")


def _draw_curve(axis: Axes, curve: pd.DataFrame, colour: str, line: object = "-", name: str | None = None) -> None:
    """The mean over runs, and one sample standard deviation to either side."""
    axis.plot(curve["epoch"], curve["mean"], color=colour, linestyle=line, linewidth=1.1, label=name)
    spread = curve["spread"].fillna(0)
    low, high = curve["mean"] - spread, curve["mean"] + spread
    axis.fill_between(curve["epoch"], low, high, color=colour, alpha=0.15, linewidth=0)


def _limits(means: pd.Series) -> tuple[float, float]:
    """The first few epochs climb from chance: they may leave the panel below, so that the rest can be told apart."""
    low, high = means.quantile(0.03), means.max()
    margin = 0.12 * (high - low) + 0.5
    return max(0, low - margin), min(100.5, high + margin)


def _draw_differences(axis: Axes, table: pd.DataFrame, methods: list[str], colours: dict[str, str]) -> None:
    axis.axhline(0, color=INK, linewidth=0.8, linestyle=LINES["full"])
    for method in methods:
        part = table[table["scorer"] == method]
        axis.errorbar(
            part["end"], part["mean"], yerr=part["spread"].fillna(0), color=colours[method], marker="o", markersize=3,
            linewidth=1.1, elinewidth=0.7,
        )  # fmt: skip
    axis.set_ylabel("Difference to full (points)")
    if table.empty:
        axis.text(0.5, 0.6, "no full model in this run", transform=axis.transAxes, ha="center", color=GREY)


def _mark_prunings(axis: Axes, marks: pd.DataFrame, last_epoch: int) -> None:
    """A dotted line at every pruning; above the panel the percentage of the features that remains."""
    for epoch in marks["epoch"].iloc[1:]:
        axis.axvline(epoch, color=GREY, linewidth=0.5, linestyle=":", zorder=0)
    ends = [*marks["epoch"].iloc[1:], last_epoch]
    for start, end, percent in zip(marks["epoch"], ends, marks["percent"], strict=True):
        axis.text(
            (start + end) / 2, 1.015, _short_percent(percent), transform=axis.get_xaxis_transform(), ha="center",
            va="bottom", fontsize=6, color="#555555",
        )  # fmt: skip
    axis.set_xlim(0, last_epoch)
    axis.locator_params(axis="y", nbins=5)
    sns.despine(ax=axis)


def _short_percent(percent: float) -> str:
    return f"{percent + 1e-9:.3g}".removeprefix("0")  # 3.125 becomes 3.13, as in the paper


def _label_epochs(axes: np.ndarray) -> None:
    """Below the last panel of every column that is no gap."""
    for column in axes.T:
        drawn = [axis for axis in column if axis.has_data()]
        if drawn:
            drawn[-1].set_xlabel("Epoch")


# Ablation and cost


def ablation(history: pd.DataFrame, datasets: list[str]) -> Figure:
    """One column per dataset; above r varies, below K."""
    use_style()
    width = min(TEXT_WIDTH, 0.4 + 2.6 * len(datasets))
    figure, axes = plt.subplots(2, len(datasets), figsize=(width, 4.0), squeeze=False, layout="constrained")
    for column, dataset in enumerate(datasets):
        part = history[history["dataset"] == dataset]
        if part.empty:
            leave_gaps(axes[:, column], dataset)
            continue
        draw_ablation(axes[:, column], part)
        axes[0, column].set_title(label_dataset(dataset), loc="left", weight="bold")
    _label_epochs(axes)
    return figure


def draw_ablation(axes: np.ndarray, history: pd.DataFrame) -> None:
    """Into one panel the runs of the usual K and every r, into the other those of the usual r and every K."""
    prune = history.groupby("prune")["repeats"].nunique().idxmax()  # only the usual r was run with several K
    repeats = history.groupby("repeats")["prune"].nunique().idxmax()
    for axis, name, symbol, fixed in (
        (axes[0], "prune", "r", history["repeats"] == repeats),
        (axes[1], "repeats", "K", history["prune"] == prune),
    ):
        curves = analysis.mean_curves(history[fixed], "test_accuracy", [name])
        values = sorted(curves[name].unique())
        shades = plt.get_cmap("viridis")(np.linspace(0, 0.85, len(values)))
        for value, shade in zip(values, shades, strict=True):
            _draw_curve(axis, curves[curves[name] == value], shade, name=f"${symbol}={value:g}$")
        axis.set_ylabel(PANELS["test_accuracy"].format(label_metrics(metric_of(history))))
        axis.set(ylim=_limits(curves["mean"]), xlim=(0, curves["epoch"].max()))
        axis.legend(loc="lower left", frameon=False, fontsize=7, handlelength=1.2, borderaxespad=0.2)
        axis.locator_params(axis="y", nbins=5)
        sns.despine(ax=axis)


def performance(history: pd.DataFrame, timings: pd.DataFrame | None, dataset: str) -> Figure:
    """Figure 4: (a) varying r, (b) varying K on one dataset, (c) seconds to score at every checkpoint, by dataset."""
    use_style()
    figure, axes = plt.subplots(1, 3, figsize=(TEXT_WIDTH, 2.15), layout="constrained")
    draw_ablation(axes[:2], history[history["dataset"] == dataset])
    for axis in axes[:2]:
        axis.set_xlabel("Epoch")
    name = label_dataset(dataset)
    titles = (f"(a) {name}, varying $r$", f"(b) {name}, varying $K$", "(c) Time to score")
    if timings is None:
        leave_gaps(axes[2:], "")
    else:
        _draw_timings(axes[2], timings)
    for axis, title in zip(axes, titles, strict=True):
        axis.set_title(title, loc="left", weight="normal")
    return figure


def _draw_timings(axis: Axes, timings: pd.DataFrame) -> None:
    datasets = in_order(timings["dataset"], DATASETS)
    for number, dataset in enumerate(datasets):
        times = timings[timings["dataset"] == dataset].groupby("checkpoint")["scoring_seconds"].agg(["mean", "std"])
        colour, marker = DATASET_STYLES[number % len(DATASET_STYLES)]
        axis.errorbar(
            times.index, times["mean"], yerr=times["std"].fillna(0), color=colour, linewidth=1,
            marker=marker, markersize=3.5, elinewidth=0.6, label=label_dataset(dataset),
        )  # fmt: skip
    axis.set(xlabel="Checkpoint", ylabel="Seconds", yscale="log")
    axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.yaxis.set_major_formatter("{x:g}")
    axis.yaxis.set_minor_locator(NullLocator())
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.legend(frameon=False, fontsize=6.5, handlelength=1.2, ncols=1 + (len(datasets) > 5), columnspacing=0.8)
    sns.despine(ax=axis)
