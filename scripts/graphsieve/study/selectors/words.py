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


RANKS_NOTE = (
    "Scorers are ranked on every graph by their mean area under the curve, 1 for the best. A bar joins scorers of "
    "which no two are shown to differ: differences of mean ranks, by the normal approximation that goes with "
    "Friedman's test, all pairs with Holm's correction. These tests take graphs for a sample of all graphs, and a few "
    "say little: where bars are long, the order of names means little."
)
WITHIN_NOTE = (
    "The differences of two scorers over the seeds of a graph, in points of area. Splits of one graph overlap, so the "
    "variance is Nadeau and Bengio's; all pairs of a graph are one family, with Holm's correction. The table counts "
    "the graphs on which a difference is shown, for and against each scorer alike; the figure has every pair."
)
STANDING_NOTE = (
    "Mean rank over all graphs (none where a scorer was not run on all) and over those on which nothing was tuned; "
    "points of area behind the best of each graph, mean and most; graphs on which its mean is the highest; graphs on "
    "which it is shown to be ahead of NPT, and to be behind any other scorer."
)
COST_NOTE = (
    "CPU seconds of scoring and, where a scorer asks a trained model, of training it; starting Python is not counted. "
    "Retraining on what was kept costs all alike, and is not counted either. Higher is better, further left is "
    "cheaper; the line joins scorers than which none is both. Scorers not run on all graphs are in the table alone."
)
STABILITY_NOTE = (
    "The sets of features that a scorer selects with different seeds, hence splits, compared pair by pair. "
    "**Kuncheva's** index: features in common beyond chance, as a share of what is possible; 0 is chance, 1 always the "
    "same. **Jaccard's**: features in common as a share of those in either, which grows with the share kept."
)
MATRIX_NOTE = (
    "Mean accuracy of the model of the column with the features that were selected by asking the model of the row. "
    "Framed: what it selects itself. Red: points lost against that; blue: points gained."
)
RANKINGS_NOTE = (
    "Spearman's correlation of scores, and Kuncheva's index of the features kept: of two models asked about one split, "
    "and of one model with two splits. Where two models agree as well as two splits of one model do, the ranking is "
    "not the model's. The figure divides the variance of ranks: what all models and splits agree in is the data's, "
    "what a model says whatever the split is the model's, what a split says whatever the model is the split's."
)


def named_scorers(standing: pd.DataFrame) -> list[str]:
    """Whose curves have colours: the best by mean rank, and the paper's own and chance wherever they rank."""
    best = standing["scorer"].head(COLOURED).tolist()
    return in_order([*best, *(name for name in ALWAYS if name in set(standing["scorer"]))], ROWS)


def how_text(runs: pd.DataFrame) -> str:
    """What was done, of a table of curves."""
    least = runs.groupby("dataset")["percent"].min().median()
    seeds = runs.groupby("dataset")["seed"].nunique()
    return (
        f"Every scorer ranks the features once; a new model is trained on the best of them alone, from {least:.2g} % "
        f"to all. What counts is its {measure_of(runs['dataset'])} at the test nodes in the epoch that "
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
        f"({_p(found['p_friedman'])}), Iman and Davenport's F {found['f']:.2f} ({_p(found['p_value'])}): {verdict}."
    )


def _p(value: float) -> str:
    text = p_text(value)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def goal_text(standing: pd.DataFrame, graphs: int) -> str:
    """Who is never shown to be behind, who is best everywhere, and how often the paper's scorer is beaten."""
    complete = standing[standing["graphs"] == graphs]
    never = [label_row(name) for name in complete.loc[complete["behind_on"] == 0, "scorer"]]
    always = [label_row(name) for name in complete.loc[complete["best_on"] == graphs, "scorer"]]
    sentences = [
        f"Never shown to be behind any other: {listed(never)}"
        if never
        else "Every scorer is shown to be behind another",
        f"Highest mean on every graph: {listed(always)}" if always else "No scorer has the highest mean on every graph",
    ]
    if PAPER in set(standing["scorer"]):
        ahead = standing[standing["ahead_of_npt_on"] > 0].sort_values("ahead_of_npt_on", ascending=False)
        beaten = [f"{label_row(row.scorer)} ({row.ahead_of_npt_on})" for row in ahead.itertuples()]
        told = f"Shown to be ahead of NPT, and on how many graphs: {listed(beaten)}" if beaten else ""
        sentences.append(told or "None is shown to be ahead of NPT on any graph")
    return " ".join(sentence.removesuffix(".") + "." for sentence in sentences)


def standing_cells(standing: pd.DataFrame, fresh: pd.Series, markup: str = "html") -> pd.DataFrame:
    """fresh: mean ranks on graphs on which nothing was tuned."""
    table = pd.DataFrame(
        {
            "Rank": standing["mean_rank"].map(_one_decimal),
            "Untouched": standing["scorer"].map(fresh).map(_one_decimal),
            "Points behind": standing["mean_regret"].map("{:.2f}".format),
            "At most": standing["largest_regret"].map("{:.2f}".format),
            "Best on": standing["best_on"].astype(str) + " of " + standing["graphs"].astype(str),
            "Ahead of NPT": standing["ahead_of_npt_on"].astype(str),
            "Behind some": standing["behind_on"].astype(str),
        }
    ).set_axis([label_row(name, markup) for name in standing["scorer"]])
    return with_latex_signs(table.rename_axis("Method")) if markup == "latex" else table.rename_axis("Method")


def printed_standing(standing: pd.DataFrame, fresh: pd.Series) -> dict:
    """The table as it is printed: what `NotebookPage.add_table` takes beside records."""
    return {
        "cells": {markup: standing_cells(standing, fresh, markup) for markup in MARKUP},
        "title": "Selectors by mean rank",
        "notes": STANDING_NOTE,
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


def transfer_note(runs: pd.DataFrame, share: float) -> str:
    models = listed(list(dict.fromkeys(runs["model"])))
    return (
        f"Features are ranked by asking one of these models: {models}; the best {100 * share:g} % are kept, and each "
        f"of the models is trained on them anew. {runs_text(runs.groupby('dataset')['seed'].nunique()).capitalize()}. "
        "In the table: points of accuracy that a model loses with features that others select, against those that it "
        f"selects itself, with {CONFIDENCE:.0%} intervals; of scorers that ask the data alone, what a model loses with "
        "their features.".replace("%", " %")
    )


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
