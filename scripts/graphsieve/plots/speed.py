"""The figures of the benchmark page."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from graphsieve.plots.style import BLUE, GREY, INK, TEXT_WIDTH, VERMILION, use_style
from graphsieve.study.labels import label_dataset

GROWTH = {"nodes": "Nodes", "features": "Features", "repeats": "Permutations per feature", "density": "Density of X"}
MODEL_LABELS = {
    "graphsage": "GraphSAGE",
    "gatv2": "GATv2",
    "transformer": "TransformerConv",
    "by hand": "a layer written by hand",
    "centred": "nothing can be skipped",
    "pooled gcn": "whole graphs, GCN",
    "pooled graphsage": "whole graphs, GraphSAGE",
    "pooled gin": "whole graphs, GIN",
}


def case_label(row: pd.Series) -> str:
    name = "ogbn-arxiv's size" if row["dataset"] == "arxiv_size" else label_dataset(row["dataset"])
    model = MODEL_LABELS.get(row["model"], row["model"].upper())
    extras = [
        word for word, said in (("trained", row["weights"] == "trained"), ("no g", row["classifier"] == "none")) if said
    ]
    return ", ".join([name, model, *extras])


def scoring_ratios(ratios: pd.DataFrame) -> Figure:
    """How many times faster scoring is than one forward pass per permutation, and than Captum."""
    use_style()
    figure, axis = plt.subplots(figsize=(TEXT_WIDTH, 0.45 * len(ratios) + 0.8))
    places = np.arange(len(ratios))[::-1]
    for shift, column, colour, name in (
        (0.19, "ratio_full", BLUE, "a forward pass each"),
        (-0.19, "ratio_captum", VERMILION, "Captum"),
    ):
        bars = axis.barh(places + shift, ratios[column], height=0.34, color=colour, label=f"than {name}")
        texts = [f"{value:,.{0 if value >= 10 else 2}f} ×" for value in ratios[column]]
        axis.bar_label(bars, texts, padding=3, fontsize=8, color=INK)
    axis.set(xscale="log", xlim=(0.5, 4 * ratios[["ratio_full", "ratio_captum"]].max(axis=None)))
    axis.axvline(1, color=GREY, linewidth=0.6)
    axis.set_yticks(places, [case_label(row) for _, row in ratios.iterrows()])
    axis.set_xlabel("Times faster")
    axis.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)  # off the bars
    sns.despine(ax=axis)
    figure.tight_layout()
    return figure


def growth(scaling: pd.DataFrame) -> Figure:
    """Seconds against the quantity that varies, ours and one forward pass per permutation."""
    use_style()
    figure, axes = plt.subplots(1, len(GROWTH), figsize=(TEXT_WIDTH, 2.2), sharey=True)
    for axis, (quantity, title) in zip(axes, GROWTH.items(), strict=True):
        _draw_growth(axis, scaling[scaling["varied"] == quantity].sort_values(quantity), quantity)
        axis.set(xscale="log", yscale="log", xlabel=title)
        values = sorted(scaling.loc[scaling["varied"] == quantity, quantity].unique())
        axis.set_xticks(values, [f"{value:,.3g}" if value < 1000 else f"{value:,.0f}" for value in values], rotation=45)
        axis.minorticks_off()
        sns.despine(ax=axis)
    axes[0].set_ylabel("Seconds")
    axes[0].legend(frameon=False, fontsize=8)
    figure.tight_layout()
    return figure


def _draw_growth(axis: Axes, rows: pd.DataFrame, quantity: str) -> None:
    axis.plot(rows[quantity], rows["full_s"], color=GREY, marker="s", markersize=3, label="a pass each")
    axis.plot(rows[quantity], rows["auto_s"], color=BLUE, marker="o", markersize=3, label="ours")
