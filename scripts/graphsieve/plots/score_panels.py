"""Figures 3, 9, 10 and 11 and rank stability: what the scores of a run say, over time and beside other methods."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import SymLogNorm
from matplotlib.figure import Figure

from graphsieve.plots.curves import leave_gaps, legend_below
from graphsieve.plots.style import (
    INK,
    METHOD_COLOURS,
    TEXT_WIDTH,
    dataset_styles,
    label,
    letter,
    method_colours,
    use_style,
)
from graphsieve.study import analysis
from graphsieve.study.labels import ROWS, in_order, label_dataset

MARKERS = {"tfi": "o", "mi": "s", "h_attr": "D", "h_euc": "^", "h_ge": "v"}
NPT = METHOD_COLOURS["npt"]
BEYOND = 0.005  # of the features of a scatter may lie beyond its edge, so that they do not squeeze all others
EDGE = 1.05  # where these are drawn


def panel_grid(titles: list[str], columns: int, height: float) -> tuple[Figure, list[Axes]]:
    """One panel per title, lettered when there are several."""
    use_style()
    columns = min(columns, len(titles))
    rows = -(-len(titles) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(max(3.3, TEXT_WIDTH * columns / 3), height * rows), squeeze=False, layout="constrained"
    )
    for number, (axis, title) in enumerate(zip(axes.flat, titles, strict=False)):
        axis.set_title(letter(number, len(titles)) + title, loc="left")
    for axis in axes.flat[len(titles) :]:
        axis.set_axis_off()
    return figure, list(axes.flat[: len(titles)])


def dataset_grid(datasets: list[str], columns: int, height: float) -> tuple[Figure, list[Axes]]:
    return panel_grid([label_dataset(dataset) for dataset in datasets], columns, height)


def _gap(axis: Axes, dataset: str) -> None:
    title = axis.get_title(loc="left")
    leave_gaps(np.array([axis]), dataset)
    axis.set_title(title, loc="left", weight="normal")


# Figure 3


def importance_panels(
    scores: pd.DataFrame,
    epochs: pd.DataFrame,
    datasets: list[str],
    last: pd.DataFrame | None = None,
    means: pd.DataFrame | None = None,
) -> Figure:
    """Figure 3: importance over time of these datasets; then how long features are kept, and other scores beside NPT's.

    The paper shows ArXiv in the one and Wisconsin in the other; where a run has not got them, another takes its place
    and the panel's title says so.
    """
    kept = None if last is None else analysis.substitute(last["dataset"], "arxiv")
    scattered = None if means is None else analysis.substitute(means["dataset"], "wisconsin")
    stand_ins = [_in_place_of(name, paper) for name, paper in ((kept, "arxiv"), (scattered, "wisconsin")) if name]
    figure, axes = panel_grid([*map(label_dataset, datasets), *stand_ins], 2, 2.5)
    figure.set_figwidth(TEXT_WIDTH * min(2, len(axes)) / 2)
    for axis, dataset in zip(axes, datasets, strict=False):
        part = scores[scores["dataset"] == dataset]
        if part.empty:
            _gap(axis, dataset)
        else:
            _draw_heatmap(axis, part, epochs[epochs["dataset"] == dataset])
    others = iter(axes[len(datasets) :])
    if kept:
        _draw_last(next(others), analysis.last_by_feature(last[last["dataset"] == kept]), last)
    if scattered:
        axis = next(others)
        part = means[means["dataset"] == scattered]
        dots = _draw_scatter(axis, part, method_colours(_scorers(part)))
        legend_below(axis, columns=5, handles=dots)
    return figure


def _in_place_of(dataset: str, paper: str) -> str:
    name = label_dataset(dataset)
    return name if dataset == paper else f"{name}, in place of {label_dataset(paper)}"


def _draw_heatmap(axis: Axes, scores: pd.DataFrame, epochs: pd.DataFrame) -> None:
    """Importance over checkpoints, binned features from the most important (top) to the least; red is high."""
    binned = analysis.binned_scores(scores)
    limit = float(np.abs(binned.to_numpy()).max()) or 1.0
    norm = SymLogNorm(limit / 10, vmin=-limit, vmax=limit)
    drawn = axis.imshow(binned, aspect="auto", cmap="RdBu_r", norm=norm, interpolation="nearest")
    ends = epochs.groupby("checkpoint")["epoch"].max()
    axis.set_xticks(range(len(binned.columns)), labels=[f"{ends[name]}" for name in binned.columns])
    axis.set(xlabel="Epoch of the checkpoint", ylabel="Features, binned", yticks=[])
    bar = axis.figure.colorbar(drawn, ax=axis, pad=0.02, aspect=25)
    ticks = [-limit, -limit / 10, 0, limit / 10, limit]
    bar.set_ticks(ticks, labels=[f"{tick:.2g}".replace("-", "−") for tick in ticks])
    bar.ax.minorticks_off()
    bar.set_label("Mean importance", fontsize=8)
    bar.outline.set_visible(False)


# Figures 9 and 10


def last_by_feature(last: pd.DataFrame, datasets: list[str]) -> Figure:
    """The average last checkpoint of every feature, kept longest first, with its spread over runs."""
    figure, axes = dataset_grid(datasets, 3, 1.8)
    table = analysis.last_by_feature(last)
    for axis, dataset in zip(axes, datasets, strict=True):
        part = table[table["dataset"] == dataset]
        if part.empty:
            _gap(axis, dataset)
        else:
            _draw_last(axis, part, last)
    return figure


def _draw_last(axis: Axes, part: pd.DataFrame, last: pd.DataFrame) -> None:
    spread = part["spread"].fillna(0)
    low, high = (part["mean"] - spread).clip(lower=0), (part["mean"] + spread).clip(upper=last["last"].max())
    axis.fill_between(part["place"], low, high, color=NPT, alpha=0.2, linewidth=0)
    axis.plot(part["place"], part["mean"], color=NPT, linewidth=1.4)
    axis.axhline(part["mean"].mean(), color=INK, linewidth=0.7, linestyle=":")
    axis.set(xlabel="Features, sorted", ylabel="Last checkpoint", xlim=(1, part["place"].max()), ylim=(0, None))
    axis.yaxis.get_major_locator().set_params(integer=True)
    axis.locator_params(axis="x", nbins=5)
    sns.despine(ax=axis)


def last_by_ranking(last: pd.DataFrame, datasets: list[str]) -> Figure:
    """Features grouped by their most common last checkpoint, one column per run; a cell's colour is the average."""
    figure, axes = dataset_grid(datasets, 3, 1.8)
    table = analysis.last_by_ranking(last)
    highest, drawn = last["last"].max(), None
    for axis, dataset in zip(axes, datasets, strict=True):
        part = table[table["dataset"] == dataset]
        if part.empty:
            _gap(axis, dataset)
            continue
        image = part.pivot(index="ranking", columns="seed", values="mean").sort_index(ascending=False)
        drawn = axis.imshow(image, aspect="auto", cmap="viridis", vmin=0, vmax=highest, interpolation="nearest")
        axis.set_yticks(range(len(image)), labels=[f"{ranking:.0f}" for ranking in image.index])
        shown = range(0, image.shape[1], -(-image.shape[1] // 6))
        axis.set_xticks(shown, labels=[f"{place + 1}" for place in shown])
        axis.set(xlabel="Run", ylabel="Ranking")
    if drawn:
        bar = figure.colorbar(drawn, ax=axes, pad=0.01, aspect=40, shrink=0.8)
        bar.outline.set_visible(False)
        bar.ax.yaxis.get_major_locator().set_params(integer=True)
        bar.set_label("Mean last checkpoint")
    return figure


# Figure 11


def score_scatter(means: pd.DataFrame, datasets: list[str]) -> Figure:
    """Scores of other methods against those of NPT, each scaled as `scaled_scores` does."""
    figure, axes = dataset_grid(datasets, 3, 2.1)
    scorers = _scorers(means)
    colours = method_colours(scorers)
    dots = []
    for axis, dataset in zip(axes, datasets, strict=True):
        part = means[means["dataset"] == dataset]
        if part.empty:
            _gap(axis, dataset)
        else:
            dots = _draw_scatter(axis, part, colours)
    figure.legend(
        handles=dots, loc="outside upper center", ncols=len(dots), frameon=False, handletextpad=0.1, columnspacing=1
    )
    return figure


def _scorers(means: pd.DataFrame) -> list[str]:
    return [name for name in in_order(means["scorer"], ROWS) if name != "npt"]


def _draw_scatter(axis: Axes, part: pd.DataFrame, colours: dict[str, str]) -> list[plt.Line2D]:
    """One dataset; what lies beyond the edge is drawn at it. Returns what a legend needs."""
    scaled = scaled_scores(part.pivot(index="feature", columns="scorer", values="mean"))
    size = 14 if len(scaled) < 200 else 3.5
    for scorer, colour in colours.items():
        if scorer in scaled:
            look = {"color": colour, "marker": MARKERS.get(scorer, "o"), "linewidths": 0, "rasterized": True}
            axis.scatter(scaled["npt"], scaled[scorer], s=size, alpha=0.5, **look)
    axis.set(xlabel="NPT (normalised)", ylabel="Other (normalised)", xlim=(-0.09, 1.09), ylim=(-0.09, 1.09))
    axis.set_xticks([0, 0.5, 1])
    axis.set_yticks([0, 0.5, 1])
    sns.despine(ax=axis)
    look = {"markersize": 4, "linestyle": ""}
    return [
        plt.Line2D([], [], color=colour, marker=MARKERS.get(name, "o"), label=label(name), **look)
        for name, colour in colours.items()
    ]


def scaled_scores(scores: pd.DataFrame) -> pd.DataFrame:
    """Each column from 0 to 1; the most extreme values, up to `BEYOND` of them on either side, are put at the edge.

    One score ten times as high as the next would else press all others into a corner.
    """
    allowed = int(len(scores) * BEYOND)
    ordered = np.sort(scores.to_numpy(), axis=0)
    low, high = ordered[allowed], ordered[len(ordered) - 1 - allowed]
    flat = low == high  # nearly all are equal: then the others are what is to be seen
    low, high = np.where(flat, ordered[0], low), np.where(flat, ordered[-1], high)
    scaled = (scores - low) / np.where(high > low, high - low, 1)
    return scaled.mask(scaled < 0, 1 - EDGE).mask(scaled > 1, EDGE)


# Rank stability


def rank_stability(summary: pd.DataFrame, epochs: pd.DataFrame, share: float) -> Figure:
    """How well each checkpoint predicts the last: Spearman's correlation, and the overlap of the top features."""
    use_style()
    figure, axes = plt.subplots(1, 2, figsize=(TEXT_WIDTH, 2.6), layout="constrained")
    total = epochs.groupby("dataset")["epoch"].max()
    ends = epochs.groupby(["dataset", "checkpoint"])["epoch"].max()
    titles = {
        "spearman": "Spearman correlation with the last",
        "overlap": f"Overlap of the top {share:.0%} with the last".replace("%", " %"),
    }
    styles = dataset_styles(summary["dataset"])
    for number, (axis, (part, title)) in enumerate(zip(axes, titles.items(), strict=True)):
        for dataset, (colour, marker) in styles.items():
            rows = summary[summary["dataset"] == dataset]
            progress = [100 * ends[dataset, checkpoint] / total[dataset] for checkpoint in rows["checkpoint"]]
            _, _, bars = axis.errorbar(
                progress, rows[f"{part}_mean"], yerr=rows[f"{part}_std"].fillna(0), color=colour,
                marker=marker, markersize=3.5, linewidth=1.1, elinewidth=0.6,
            )  # fmt: skip
            for bar in bars:
                bar.set_alpha(0.5)
            if part == "spearman":
                axis.plot(progress, rows["spearman_loss_mean"], color=colour, linestyle="--")
        axis.set_title(letter(number) + title, loc="left")
        axis.set(xlabel="Training done (%)", xlim=(0, 100), ylim=(min(0, axis.get_ylim()[0]), 1.05))
        axis.axhline(share if part == "overlap" else 0, color=INK, linewidth=0.6, linestyle=":")
        sns.despine(ax=axis)
    handles = [
        *_dataset_handles(styles),
        plt.Line2D([], [], color=INK, linestyle="--", label="ranked by the loss"),
        plt.Line2D([], [], color=INK, linestyle=":", linewidth=0.6, label="by chance"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=5, frameon=False, columnspacing=1)
    return figure


def _dataset_handles(styles: dict[str, tuple[str, str]]) -> list[plt.Line2D]:
    return [
        plt.Line2D([], [], color=colour, marker=marker, markersize=3.5, label=label_dataset(name))
        for name, (colour, marker) in styles.items()
    ]
