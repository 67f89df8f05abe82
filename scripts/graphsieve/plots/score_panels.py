"""Figures 3, 9, 10 and 11 and rank stability: what the scores of a run say, over time and beside other methods."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import SymLogNorm
from matplotlib.figure import Figure

from graphsieve.plots.curves import leave_gaps
from graphsieve.plots.style import BLUE, DATASET_STYLES, INK, SKY, TEXT_WIDTH, label, method_colours, use_style
from graphsieve.study import analysis
from graphsieve.study.labels import DATASETS, ROWS, in_order, label_dataset

MARKERS = {"tfi": "o", "mi": "s", "h_attr": "D", "h_euc": "^", "h_ge": "v"}


def panel_grid(datasets: list[str], columns: int, height: float) -> tuple[Figure, list[Axes]]:
    """One panel per dataset, titled, lettered when there are several."""
    use_style()
    columns = min(columns, len(datasets))
    rows = -(-len(datasets) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(max(3.3, TEXT_WIDTH * columns / 3), height * rows), squeeze=False, layout="constrained"
    )
    for number, (axis, dataset) in enumerate(zip(axes.flat, datasets, strict=False)):
        letter = f"({chr(ord('a') + number)}) " if len(datasets) > 1 else ""
        axis.set_title(letter + label_dataset(dataset), loc="left")
    for axis in axes.flat[len(datasets) :]:
        axis.set_axis_off()
    return figure, list(axes.flat[: len(datasets)])


def _gap(axis: Axes, dataset: str) -> None:
    title = axis.get_title(loc="left")
    leave_gaps(np.array([axis]), dataset)
    axis.set_title(title, loc="left", weight="normal")


def importance_heatmaps(scores: pd.DataFrame, epochs: pd.DataFrame, datasets: list[str]) -> Figure:
    """Importance over checkpoints, binned features from the most important (top) to the least; red is high."""
    figure, axes = panel_grid(datasets, 2, 2.6)
    figure.set_figwidth(TEXT_WIDTH * min(2, len(datasets)) / 2)
    for axis, dataset in zip(axes, datasets, strict=True):
        part = scores[scores["dataset"] == dataset]
        if part.empty:
            _gap(axis, dataset)
            continue
        binned = analysis.binned_scores(part)
        limit = float(np.abs(binned.to_numpy()).max()) or 1.0
        norm = SymLogNorm(limit / 10, vmin=-limit, vmax=limit)
        drawn = axis.imshow(binned, aspect="auto", cmap="RdBu_r", norm=norm, interpolation="nearest")
        ends = epochs[epochs["dataset"] == dataset].groupby("checkpoint")["epoch"].max()
        axis.set_xticks(range(len(binned.columns)), labels=[f"{ends[name]}" for name in binned.columns])
        axis.set(xlabel="Epoch of the checkpoint", ylabel="Features, binned", yticks=[])
        bar = figure.colorbar(drawn, ax=axis, pad=0.02, aspect=25)
        ticks = [-limit, -limit / 10, 0, limit / 10, limit]
        bar.set_ticks(ticks, labels=[f"{tick:.2g}".replace("-", "−") for tick in ticks])
        bar.ax.minorticks_off()
        bar.set_label("Mean importance", fontsize=8)
        bar.outline.set_visible(False)
    return figure


def last_by_feature(last: pd.DataFrame, datasets: list[str]) -> Figure:
    """The average last checkpoint of every feature, kept longest first, with its spread over runs."""
    figure, axes = panel_grid(datasets, 3, 1.8)
    table = analysis.last_by_feature(last)
    for axis, dataset in zip(axes, datasets, strict=True):
        part = table[table["dataset"] == dataset]
        if part.empty:
            _gap(axis, dataset)
            continue
        spread = part["spread"].fillna(0)
        low, high = (part["mean"] - spread).clip(lower=0), (part["mean"] + spread).clip(upper=last["last"].max())
        axis.fill_between(part["place"], low, high, color=SKY, alpha=0.45, linewidth=0, step="mid")
        axis.plot(part["place"], part["mean"], color=BLUE, linewidth=1.4, drawstyle="steps-mid")
        axis.axhline(part["mean"].mean(), color=INK, linewidth=0.7, linestyle=":")
        axis.set(xlabel="Features, sorted", ylabel="Last checkpoint", xlim=(1, part["place"].max()), ylim=(0, None))
        axis.yaxis.get_major_locator().set_params(integer=True)
        sns.despine(ax=axis)
    return figure


def last_by_ranking(last: pd.DataFrame, datasets: list[str]) -> Figure:
    """Features grouped by their most common last checkpoint, one column per run; a cell's colour is the average."""
    figure, axes = panel_grid(datasets, 3, 1.9)
    table = analysis.last_by_ranking(last)
    drawn = None
    for axis, dataset in zip(axes, datasets, strict=True):
        part = table[table["dataset"] == dataset]
        if part.empty:
            _gap(axis, dataset)
            continue
        image = part.pivot(index="ranking", columns="seed", values="mean").sort_index(ascending=False)
        highest = last.loc[last["dataset"] == dataset, "last"].max()
        drawn = axis.imshow(image, aspect="auto", cmap="viridis", vmin=0, vmax=highest, interpolation="nearest")
        axis.set_yticks(range(len(image)), labels=[f"{ranking:.0f}" for ranking in image.index])
        axis.set(xlabel="Run", ylabel="Ranking")
        axis.xaxis.get_major_locator().set_params(integer=True)
        bar = figure.colorbar(drawn, ax=axis, pad=0.02, aspect=20)
        bar.outline.set_visible(False)
        bar.ax.yaxis.get_major_locator().set_params(integer=True)
        bar.set_label("Mean last checkpoint", fontsize=7)
    return figure


def score_scatter(means: pd.DataFrame, datasets: list[str]) -> Figure:
    """Scores of other methods against those of NPT, each scaled from its lowest to its highest."""
    figure, axes = panel_grid(datasets, 3, 2.1)
    scorers = [name for name in in_order(means["scorer"], ROWS) if name != "npt"]
    colours = method_colours(scorers)
    for axis, dataset in zip(axes, datasets, strict=True):
        part = means[means["dataset"] == dataset]
        if part.empty:
            _gap(axis, dataset)
            continue
        scaled = part.pivot(index="feature", columns="scorer", values="mean")
        scaled = (scaled - scaled.min()) / (scaled.max() - scaled.min())
        size = 14 if len(scaled) < 200 else 4
        for scorer in scorers:
            axis.scatter(
                scaled["npt"], scaled[scorer], s=size, color=colours[scorer], marker=MARKERS.get(scorer, "o"),
                alpha=0.55, linewidths=0, rasterized=True,
            )  # fmt: skip
        axis.set(xlabel="NPT (normalised)", ylabel="Other (normalised)", xlim=(-0.04, 1.04), ylim=(-0.04, 1.04))
        axis.locator_params(nbins=3)
        sns.despine(ax=axis)
    dots = [
        plt.Line2D([], [], color=colours[name], marker=MARKERS.get(name, "o"), markersize=4, linestyle="")
        for name in scorers
    ]
    names = [label(name) for name in scorers]
    figure.legend(
        dots, names, loc="outside upper center", ncols=len(names), frameon=False, handletextpad=0.1, columnspacing=1
    )
    return figure


def rank_stability(summary: pd.DataFrame, epochs: pd.DataFrame, share: float) -> Figure:
    """How well each checkpoint predicts the last: Spearman's correlation, and the overlap of the top features."""
    use_style()
    figure, axes = plt.subplots(1, 2, figsize=(TEXT_WIDTH, 2.4), layout="constrained")
    total = epochs.groupby("dataset")["epoch"].max()
    ends = epochs.groupby(["dataset", "checkpoint"])["epoch"].max()
    titles = {
        "spearman": "(a) Spearman correlation with the last",
        "overlap": f"(b) Overlap of the top {share:.0%} with the last",
    }
    for axis, (part, title) in zip(axes, titles.items(), strict=True):
        for number, dataset in enumerate(in_order(summary["dataset"], DATASETS)):
            rows = summary[summary["dataset"] == dataset]
            progress = [100 * ends[dataset, checkpoint] / total[dataset] for checkpoint in rows["checkpoint"]]
            colour, marker = DATASET_STYLES[number % len(DATASET_STYLES)]
            axis.errorbar(
                progress, rows[f"{part}_mean"], yerr=rows[f"{part}_std"].fillna(0), color=colour,
                marker=marker, markersize=3.5, linewidth=1.1, elinewidth=0.6,
            )  # fmt: skip
            if part == "spearman":
                axis.plot(progress, rows["spearman_loss_mean"], color=colour, linestyle="--")
        axis.set_title(title, loc="left")
        axis.set(xlabel="Training done (%)", xlim=(0, 100), ylim=(min(0, axis.get_ylim()[0]), 1.05))
        axis.axhline(share if part == "overlap" else 0, color=INK, linewidth=0.6, linestyle=":")
        sns.despine(ax=axis)
    figure.legend(
        *_dataset_handles(summary["dataset"]), loc="outside upper center", ncols=5, frameon=False, columnspacing=1
    )
    return figure


def _dataset_handles(datasets: pd.Series) -> tuple[list[plt.Line2D], list[str]]:
    names = in_order(datasets, DATASETS)
    styles = [DATASET_STYLES[number % len(DATASET_STYLES)] for number in range(len(names))]
    lines = [plt.Line2D([], [], color=colour, marker=marker, markersize=3.5) for colour, marker in styles]
    return lines, [label_dataset(name) for name in names]
