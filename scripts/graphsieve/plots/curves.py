"""Figures 2, 4 to 8 and 13: accuracy while features are pruned, and what pruning costs."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from graphsieve.plots.style import (
    GREY,
    INK,
    TEXT_WIDTH,
    dataset_styles,
    label,
    letter,
    method_colours,
    plain_log_ticks,
    use_style,
)
from graphsieve.study import analysis
from graphsieve.study.labels import ROWS, in_order, label_dataset, label_metrics, metric_of

LINES = {"full": (0, (4, 1.5))}  # the others are solid
PANELS = {"val_accuracy": "Validation {} (%)", "test_accuracy": "Test {} (%)"}  # with the metric in place
DIFFERENCES = {"val_accuracy": "Validation {}\nless full (points)", "test_accuracy": "Test {}\nless full (points)"}
HIDING = 6.0  # points: where the bands of runs are wider than this to either side, they hide each other and the curves
DODGE = 0.12  # of an interval, between the dots of two methods
ROW, GAP_ROW = 1.8, 0.7  # inches, of a dataset and of one that the run has not got


def training_curves(history: pd.DataFrame, datasets: list[str]) -> Figure:
    """One row per dataset: validation accuracy (or another metric), test accuracy, difference to the full model.

    Where runs differ by more than `HIDING` points, their bands would hide everything: there the first panel has the
    means of the test accuracy alone, and the others the differences to the full model of the same run.
    """
    use_style()
    methods = in_order(history["scorer"], ROWS)
    colours = method_colours(methods)
    ran = set(history["dataset"])
    heights = [ROW if dataset in ran else GAP_ROW for dataset in datasets]
    figure, axes = plt.subplots(
        len(datasets), 3, figsize=(TEXT_WIDTH, 0.4 + sum(heights)), height_ratios=heights, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    marks = analysis.prunings(history)
    for number, (axis_row, dataset) in enumerate(zip(axes, datasets, strict=True)):
        part = history[history["dataset"] == dataset]
        if part.empty:
            leave_gaps(axis_row, dataset)
        else:
            _draw_row(axis_row, part, methods, colours)
            for axis in axis_row:
                _mark_prunings(axis, marks[marks["dataset"] == dataset], part["epoch"].max())
        for place, axis in enumerate(axis_row):
            title = letter(3 * number + place) + (label_dataset(dataset) if place == 0 else "")
            axis.set_title(title, loc="left", weight="bold", pad=5 if part.empty else 14)
    _label_epochs(axes)
    handles = [
        plt.Line2D([], [], color=colours[name], linestyle=LINES.get(name, "-"), linewidth=1.6, label=label(name))
        for name in methods
    ]
    handles.append(plt.Line2D([], [], linestyle="", label="above each panel: % of the features left"))
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), frameon=False, columnspacing=1.2)
    return figure


def _draw_row(axes: np.ndarray, history: pd.DataFrame, methods: list[str], colours: dict[str, str]) -> None:
    """The three panels of one dataset."""
    metric = label_metrics(metric_of(history))
    curves = {value: analysis.mean_curves(history, value, ["scorer"]) for value in PANELS}
    hidden = bands_hide(curves["test_accuracy"])
    shown = ["test_accuracy"] if hidden and "full" in methods else list(PANELS)
    for axis, value in zip(axes, shown, strict=False):
        for method in methods:
            curve = curves[value][curves[value]["scorer"] == method]
            _draw_curve(axis, curve, colours[method], LINES.get(method, "-"), band=len(shown) > 1)
        axis.set_ylabel(PANELS[value].format(metric))
        axis.set_ylim(*_limits(curves[value]["mean"]))
    for axis, value in zip(axes[len(shown) :], [*DIFFERENCES][-(3 - len(shown)) :], strict=True):
        _draw_differences(axis, analysis.differences_to_full(history, value), methods, colours)
        axis.set_ylabel(DIFFERENCES[value].format(metric))


def bands_hide(curves: pd.DataFrame) -> bool:
    """Whether the runs of a dataset differ so much that their bands would cover the means of all methods."""
    return bool(curves["spread"].median() > HIDING)  # a single run has no spread, and hides nothing


def leave_gaps(axes: np.ndarray, dataset: str) -> None:
    """The place of a dataset that this run does not have."""
    for axis in axes:
        axis.set(xticks=[], yticks=[])
        sns.despine(ax=axis, left=True, bottom=True)
        axis.set_facecolor("#f7f7f7")
        axis.text(0.5, 0.5, "not in this run", transform=axis.transAxes, ha="center", va="center", color=GREY)
    axes[0].set_title(label_dataset(dataset), loc="left", weight="bold")


def _draw_curve(
    axis: Axes, curve: pd.DataFrame, colour: str, line: object = "-", name: str | None = None, band: bool = True
) -> None:
    """The mean over runs, and one sample standard deviation to either side."""
    axis.plot(curve["epoch"], curve["mean"], color=colour, linestyle=line, linewidth=1.1, label=name)
    if band:
        spread = curve["spread"].fillna(0)
        low, high = curve["mean"] - spread, curve["mean"] + spread
        axis.fill_between(curve["epoch"], low, high, color=colour, alpha=0.15, linewidth=0)


def _limits(means: pd.Series) -> tuple[float, float]:
    """The first few epochs climb from chance: they may leave the panel below, so that the rest can be told apart."""
    low, high = means.quantile(0.03), means.max()
    margin = 0.12 * (high - low) + 0.5
    return max(0, low - margin), min(100.5, high + margin)


def _draw_differences(axis: Axes, table: pd.DataFrame, methods: list[str], colours: dict[str, str]) -> None:
    """The mean over runs at the end of every interval, and its 95 % interval; methods stand a little apart."""
    axis.axhline(0, color=INK, linewidth=0.8, linestyle=LINES["full"])
    drawn = [method for method in methods if method in set(table["scorer"])]
    width = np.diff(np.unique(table["end"])).min() if table["end"].nunique() > 1 else 0
    for number, method in enumerate(drawn):
        part = table[table["scorer"] == method]
        shift = DODGE * width * (number - (len(drawn) - 1) / 2)
        axis.errorbar(
            part["end"] + shift, part["mean"], yerr=part["margin"].fillna(0), color=colours[method], marker="o",
            markersize=2.8, linewidth=0.9, elinewidth=0.8,
        )  # fmt: skip
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
            va="bottom", fontsize=6.5, color="#555555",
        )  # fmt: skip
    axis.set_xlim(0, last_epoch * 1.04)  # room for the last dots
    axis.locator_params(axis="y", nbins=5)
    sns.despine(ax=axis)


def _short_percent(percent: float) -> str:
    """3.125 becomes 3.13, as in the paper.

    >>> _short_percent(3.125), _short_percent(0.768)
    ('3.13', '0.77')
    """
    return f"{percent + 1e-9:.3g}" if percent >= 1 else f"{percent:.2f}"


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
    figure, axes = plt.subplots(2, len(datasets), figsize=(width, 4.6), squeeze=False, layout="constrained")
    for column, dataset in enumerate(datasets):
        part = history[history["dataset"] == dataset]
        if part.empty:
            leave_gaps(axes[:, column], dataset)
            continue
        draw_ablation(axes[:, column], part)
    for number, axis in enumerate(axes.flat):
        name = label_dataset(datasets[number]) if number < len(datasets) else ""
        axis.set_title(letter(number) + name, loc="left", weight="bold")
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
        legend_below(axis, columns=4)
        axis.locator_params(axis="y", nbins=5)
        sns.despine(ax=axis)


def performance(history: pd.DataFrame, timings: pd.DataFrame | None, dataset: str) -> Figure:
    """Figure 4: (a) varying r, (b) varying K on one dataset, (c) seconds to score at every checkpoint, by dataset."""
    use_style()
    figure, axes = plt.subplots(1, 3, figsize=(TEXT_WIDTH, 2.6), layout="constrained")
    draw_ablation(axes[:2], history[history["dataset"] == dataset])
    for axis in axes[:2]:
        axis.set_xlabel("Epoch")
    name = label_dataset(dataset)
    titles = (f"{name}, varying $r$", f"{name}, varying $K$", "Time to score")
    if timings is None:
        leave_gaps(axes[2:], "")
    else:
        _draw_timings(axes[2], timings)
    for number, (axis, title) in enumerate(zip(axes, titles, strict=True)):
        axis.set_title(letter(number) + title, loc="left", weight="normal")
    return figure


def _draw_timings(axis: Axes, timings: pd.DataFrame) -> None:
    for dataset, (colour, marker) in dataset_styles(timings["dataset"]).items():
        times = timings[timings["dataset"] == dataset].groupby("checkpoint")["scoring_seconds"].agg(["mean", "std"])
        axis.errorbar(
            times.index, times["mean"], yerr=times["std"].fillna(0), color=colour, linewidth=1,
            marker=marker, markersize=3.5, elinewidth=0.6, label=label_dataset(dataset),
        )  # fmt: skip
    axis.set(xlabel="Checkpoint", ylabel="Seconds", yscale="log")
    plain_log_ticks(axis.yaxis)
    axis.xaxis.get_major_locator().set_params(integer=True)
    legend_below(axis, columns=3)
    sns.despine(ax=axis)


def legend_below(axis: Axes, columns: int, **entries: object) -> None:
    """Off the data, which fills these panels."""
    axis.legend(
        **entries,
        loc="upper center", bbox_to_anchor=(0.5, -0.24), frameon=False, fontsize=6.5, handlelength=1.1, ncols=columns,
        columnspacing=0.9, handletextpad=0.4, borderaxespad=0,
    )  # fmt: skip
