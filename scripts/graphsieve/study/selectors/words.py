"""What the pages on selectors say in words, and their tables as readers see them."""

import numpy as np
import pandas as pd

from graphsieve.study.grids import by_row_and_dataset, with_latex_signs
from graphsieve.study.labels import DATASETS, ROWS, in_order, label_dataset, label_row, listed, measure_of, runs_text
from graphsieve.study.markup import MARKUP, p_text, signed
from graphsieve.study.selectors.curves import untouched
from graphsieve.study.selectors.ranks import FEWEST_GRAPHS, FEWEST_SCORERS, PAPER
from graphsieve.study.selectors.transfer import PARTS
from graphsieve.study.statistics import CONFIDENCE, LEVEL

COLOURED = 5  # scorers of the best mean rank
ALWAYS = ("npt", "random")  # have a colour wherever they rank


def named_scorers(standing: pd.DataFrame) -> list[str]:
    """Whose curves have colours: the best by mean rank, and the paper's own and chance wherever they rank."""
    best = standing["scorer"].head(COLOURED).tolist()
    return in_order([*best, *(name for name in ALWAYS if name in set(standing["scorer"]))], ROWS)


def how_text(runs: pd.DataFrame) -> str:
    """What was done, of a table of curves."""
    shares = listed([f"{percent:g}" for percent in sorted(set(runs["percent"].round(1)))[:3]])
    seeds = runs.groupby("dataset")["seed"].nunique()
    return (
        "Every scorer ranks the features once; a new model is trained on the best of them alone, from few (from "
        f"{shares} % on) to all. What counts is its {measure_of(runs['dataset'])} at the test nodes in the epoch that "
        f"is best at the validation nodes. All scorers of a seed have the same split. {runs_text(seeds).capitalize()}. "
        "No scorer sees a test label."
    )


def colours_text(standing: pd.DataFrame) -> str:
    scorers = len(standing)
    return (
        f"Of {scorers} scorers those with the {min(COLOURED, scorers)} best mean ranks have colours, whichever they "
        f"are, and so have NPT and random features; bands are {CONFIDENCE:.0%} intervals of the mean, which allow for "
        "splits that overlap. All others are grey; the table has them all."
    ).replace("%", " %")


def tuned_text(tuned_on: dict[str, list[str]], datasets: list[str]) -> str:
    """What was tuned where."""
    if not tuned_on:
        return "No scorer was tuned on any of these graphs."
    parts = [f"{label_row(name)} on {listed([label_dataset(one) for one in on])}" for name, on in tuned_on.items()]
    left = [label_dataset(name) for name in untouched(datasets, tuned_on)]
    rest = f"Nothing was tuned on {listed(left)}." if left else "So no graph here is one that nothing was tuned on."
    return (
        f"**What was tuned where.** Test accuracies had a say in how these scorers work: {'; '.join(parts)}. Nothing "
        "may be claimed of them there. All others have the settings of their authors or of this project's defaults, "
        f"which no result here has changed. {rest}"
    )


def friedman_sentence(found: dict[str, float] | None) -> str:
    if found is None:
        return f"Ranks need {FEWEST_GRAPHS} graphs and {FEWEST_SCORERS} scorers that all of these have."
    verdict = "scorers differ" if found["p_value"] < LEVEL else "that scorers differ is not shown"
    return (
        f"{found['scorers']} scorers on {found['graphs']} graphs: Friedman's statistic is {found['statistic']:.1f} "
        f"(p = {p_text(found['p_friedman'])}), Iman and Davenport's F {found['f']:.2f} "
        f"(p = {p_text(found['p_value'])}): {verdict}."
    )


def goal_text(standing: pd.DataFrame, graphs: int) -> str:
    """Who is never shown to be behind, who is best everywhere, and how often the paper's scorer is beaten."""
    complete = standing[standing["graphs"] == graphs]
    never = [label_row(name) for name in complete.loc[complete["behind_on"] == 0, "scorer"]]
    always = [label_row(name) for name in complete.loc[complete["best_on"] == graphs, "scorer"]]
    parts = [
        f"Never shown to be behind any other: {listed(never)}."
        if never
        else "Every scorer is shown to be behind another.",
        f"Highest mean on every graph: {listed(always)}."
        if always
        else "No scorer has the highest mean on every graph.",
    ]
    if PAPER in set(standing["scorer"]):
        ahead = standing[standing["ahead_of_npt_on"] > 0].sort_values("ahead_of_npt_on", ascending=False)
        beaten = [f"{label_row(row.scorer)} ({row.ahead_of_npt_on})" for row in ahead.itertuples()]
        parts.append(
            f"Shown to be ahead of NPT, and on how many graphs: {listed(beaten)}."
            if beaten
            else "None is shown to be ahead of NPT on any graph."
        )
    return " ".join(parts)


def standing_cells(standing: pd.DataFrame, fresh: pd.Series, markup: str = "html") -> pd.DataFrame:
    """fresh: mean ranks on graphs on which nothing was tuned."""
    table = pd.DataFrame(
        {
            "Mean rank": standing["mean_rank"].map(_one_decimal),
            "On untouched graphs": standing["scorer"].map(fresh).map(_one_decimal),
            "Points behind the best": standing["mean_regret"].map("{:.2f}".format),
            "At most": standing["largest_regret"].map("{:.2f}".format),
            "Best on": standing["best_on"].astype(str) + " of " + standing["graphs"].astype(str),
            "Shown ahead of NPT on": standing["ahead_of_npt_on"].astype(str),
            "Shown behind some on": standing["behind_on"].astype(str),
        }
    ).set_axis([label_row(name, markup) for name in standing["scorer"]])
    return with_latex_signs(table.rename_axis("Method")) if markup == "latex" else table.rename_axis("Method")


def printed_standing(standing: pd.DataFrame, fresh: pd.Series) -> dict:
    """The table as it is printed: what `NotebookPage.add_table` takes beside records."""
    return {
        "cells": {markup: standing_cells(standing, fresh, markup) for markup in MARKUP},
        "title": "Selectors by mean rank",
        "notes": "Ranks and points are of the area under the curve of accuracy against features kept. Shown: paired "
        "differences over seeds, with Nadeau and Bengio's variance and Holm's correction over all pairs of a graph. "
        "Without a mean rank: not run on all graphs.",
    }


def _one_decimal(value: float) -> str:
    return "–" if pd.isna(value) else f"{value:.1f}"


def seconds_cells(seconds: pd.DataFrame) -> pd.DataFrame:
    texts = seconds["seconds"].map(lambda value: "" if pd.isna(value) else f"{value:,.3g}")
    return by_row_and_dataset(seconds.assign(text=texts), "scorer")


def stability_cells(table: pd.DataFrame) -> pd.DataFrame:
    """Kuncheva's index, and Jaccard's below it."""
    texts = [
        "–" if np.isnan(row.jaccard) else f"{_two(row.kuncheva)}<br><small>{row.jaccard:.2f}</small>"
        for row in table.itertuples()
    ]
    return by_row_and_dataset(table.assign(text=texts), "scorer")


def _two(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.2f}".replace("-", "−")


# Transfer


def losses_cells(losses: pd.DataFrame) -> pd.DataFrame:
    """Points lost with other models' features, with their interval."""
    texts = [
        signed(row.average, 1)
        + ("" if np.isnan(row.low) else f"<br><small>{signed(row.low, 1)} to {signed(row.high, 1)}</small>")
        for row in losses.rename(columns={"mean": "average"}).itertuples()
    ]
    return by_row_and_dataset(losses.assign(text=texts), "scorer")


def transfer_text(losses: pd.DataFrame, compared: pd.DataFrame) -> str:
    """What is lost by asking another model, and whose a ranking is."""
    asking = losses[losses["scorer"] == losses["against"]]
    lost = asking.groupby("scorer")["mean"].mean()
    parts = [f"{label_row(name)} {signed(value, 1)}" for name, value in lost.items()]
    shown = asking[asking["low"] > 0]
    sentences = [
        f"Points lost with features that another model selects, mean over graphs and pairs: {', '.join(parts)}; shown "
        f"to be above zero in {len(shown)} of {len(asking)} cases."
    ]
    known = compared.dropna(subset="data")
    if len(known):
        means = known[list(PARTS)].mean()
        words = [f"{means[name]:.0%} {title}".replace("%", " %") for name, title in PARTS.items()]
        sentences.append(f"Of the variance of ranks, on average over graphs and scorers: {', '.join(words)}.")
    return " ".join(sentences)


def compared_cells(compared: pd.DataFrame) -> pd.DataFrame:
    columns = {
        "spearman_models": "Spearman, two models",
        "spearman_splits": "Spearman, two splits",
        "kuncheva_models": "Overlap, two models",
        "kuncheva_splits": "Overlap, two splits",
    }
    order = in_order(compared["dataset"], DATASETS)
    ordered = compared.sort_values("dataset", key=lambda names: names.map(order.index), kind="stable")
    table = pd.DataFrame({title: ordered[name].map(_two) for name, title in columns.items()})
    table.insert(0, "Method", ordered["scorer"].map(label_row))
    return table.set_axis(ordered["dataset"].map(label_dataset)).rename_axis("Dataset")
