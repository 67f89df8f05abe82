"""Table 3: accuracy of adaptive selection where few features remain, beside the published numbers."""

from pathlib import Path

import numpy as np
import pandas as pd
from pandas.io.formats.style import Styler

from graphsieve.errors import InputError
from graphsieve.files.writing import write_csv, write_text
from graphsieve.study import accuracy
from graphsieve.study.labels import DATASETS, group_breaks, in_order, label_dataset, label_row, listed
from graphsieve.study.markup import as_latex, as_markdown, page_table

FULL = 100.0  # the percentage of the model that prunes nothing
# An interval stands for a published percentage only when it is nearer to it than to the half or the double of it.
NEAR = np.sqrt(2)
ROUNDED = 0.0051  # the published percentages have two decimals
RUN = ["dataset", "model", "split", "scorer", "seed"]
MORE = {"html": "<br><small>at {:.2f} %</small>", "markdown": " (at {:.2f} %)", "latex": r" {{\tiny (at {:.2f}\%)}}"}


def choose_intervals(checkpoints: pd.DataFrame, percents: list[float]) -> pd.DataFrame:
    """Of every run the interval nearest to each published percentage; of the full model its best interval.

    `retained_percent` is the published percentage, `real_percent` what really remained.
    """
    checkpoints = checkpoints.reset_index(drop=True)
    total = checkpoints.groupby("dataset")["features"].transform("max")
    checkpoints = checkpoints.assign(real_percent=100 * checkpoints["features"] / total)
    full = checkpoints[checkpoints["scorer"] == "full"]
    chosen = [full.loc[full.groupby(RUN)["val_accuracy"].idxmax()].assign(retained_percent=FULL)]
    pruned = checkpoints[checkpoints["scorer"] != "full"]
    for percent in percents:
        ratio = np.exp(np.log(pruned["real_percent"] / percent).abs())
        nearest = pruned.loc[ratio.groupby([pruned[name] for name in RUN]).idxmin()]
        near = ratio[nearest.index] < NEAR
        chosen.append(nearest[near].assign(retained_percent=percent))
    table = pd.concat(chosen, ignore_index=True)
    if table.empty:
        raise InputError(
            f"no adaptive run keeps near {listed([f'{percent:g}' for percent in percents], 'or')} % of its features: "
            "prune more, or add full to the key adaptive.scorers"
        )
    return table


def summarise(chosen: pd.DataFrame) -> pd.DataFrame:
    """Mean and deviation as in every accuracy table, with what really remained."""
    parts = []
    for percent, records in chosen.groupby("retained_percent", sort=False):
        summary = accuracy.summarise(records, "scorer")
        named = accuracy.name_variants(records, "scorer")
        real = named.groupby(["scorer", "dataset"], as_index=False)[["real_percent", "features"]].mean()
        parts.append(summary.merge(real, on=["scorer", "dataset"]).assign(retained_percent=percent))
    return pd.concat(parts, ignore_index=True)


def accuracy_cells(summary: pd.DataFrame, markup: str = "html") -> dict[float, pd.DataFrame]:
    """A table a percentage, best and second best of each marked; the real percentage where it differs."""
    parts = {}
    for percent, part in summary.groupby("retained_percent", sort=False):
        cells = accuracy.accuracy_cells(part, "scorer", "full", markup)
        for row in part.itertuples():
            if abs(row.real_percent - percent) > ROUNDED:
                cells.loc[row.scorer, row.dataset] += MORE[markup].format(row.real_percent)
        parts[percent] = cells
    return parts


def compare(summary: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """The cells that both tables have."""
    parts = [
        accuracy.compare(part, published[published["retained_percent"] == percent], "scorer")
        for percent, part in summary.groupby("retained_percent", sort=False)
    ]
    return pd.concat(parts, ignore_index=True)


def comparison_cells(comparison: pd.DataFrame) -> dict[float, pd.DataFrame]:
    groups = comparison.groupby("retained_percent", sort=False)
    return {percent: accuracy.comparison_cells(part, "scorer") for percent, part in groups}


def stack(parts: dict[float, pd.DataFrame], markup: str = "html") -> pd.DataFrame:
    """Tables below each other, the percentage named once beside the rows it holds for."""
    datasets = in_order([name for cells in parts.values() for name in cells.columns], DATASETS)
    stacked = []
    for percent, cells in parts.items():
        cells = cells.reindex(columns=datasets, fill_value="").rename(columns=label_dataset)
        cells.insert(0, "Method", [label_row(name, markup) for name in cells.index])
        stacked.append(cells.set_axis([f"{percent:g}", *[""] * (len(cells) - 1)]))
    return pd.concat(stacked).rename_axis("%")


def rules_and_breaks(parts: dict[float, pd.DataFrame]) -> tuple[list[int], list[int]]:
    rules = np.cumsum([len(cells) for cells in parts.values()])[:-1].tolist()
    datasets = in_order([name for cells in parts.values() for name in cells.columns], DATASETS)
    return rules, [1] + [position + 1 for position in group_breaks(pd.Index(datasets))]


def page(parts: dict[float, pd.DataFrame], name: str) -> Styler:
    return page_table(stack(parts), name, *rules_and_breaks(parts))


def gaps_sentence(summary: pd.DataFrame, percents: list[float]) -> str:
    """Datasets that never came near a published percentage."""
    pruned = summary[summary["scorer"] != "full"]
    sentences = []
    for percent in percents:
        there = set(pruned.loc[pruned["retained_percent"] == percent, "dataset"])
        gaps = [label_dataset(name) for name in in_order(summary["dataset"], DATASETS) if name not in there]
        if gaps:
            sentences.append(f"No interval near {percent:g} % on {listed(gaps)}.")
    return " ".join(sentences)


def notes(summary: pd.DataFrame) -> str:
    return (
        f"{accuracy.runs_sentence(summary)} Best of each percentage in bold, second best underlined. Every number is "
        "the test accuracy at the epoch of highest validation accuracy within the interval in which that share of the "
        "features remained; where the real share differs from the published one, it is printed beside the number. The "
        "full model, which prunes nothing, is taken at its best epoch of all."
    )


def write_table(summary: pd.DataFrame, stem: str, title: str) -> None:
    """`stem`.csv, .md and .tex."""
    columns = ["retained_percent", "scorer", "dataset", "accuracy_mean", "accuracy_std", "runs"]
    write_csv(summary[columns], f"{stem}.csv")
    parts = {markup: accuracy_cells(summary, markup) for markup in ("markdown", "latex")}
    write_text(as_markdown(stack(parts["markdown"], "markdown"), title, notes(summary)), f"{stem}.md")
    latex = stack(parts["latex"], "latex")
    rules, breaks = rules_and_breaks(parts["latex"])
    write_text(as_latex(latex, title, notes(summary), Path(stem).name, rules, breaks), f"{stem}.tex")
