"""Pages to look around in: the scores of every feature, and the training curves; one file each, and no network."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from graphsieve.pages.rendering import render, script_data
from graphsieve.plots.style import INK, label, method_colours
from graphsieve.study import analysis
from graphsieve.study.labels import DATASETS, ROWS, in_order, label_dataset, label_metrics, metric_of
from graphsieve.study.scores import mean_scores, runs_sentence

SCORE_PAGE = {
    "title": "Look around: the score of every feature",
    "sentence": "Every feature's score by one method against that by another, on any graph, with its name.",
}
CURVE_PAGE = {
    "title": "Look around: accuracy while features are pruned",
    "sentence": "The training curves of every graph, on validation and on test nodes.",
}
DIGITS = 4  # significant ones of a score
PLAIN = {"h_attr": "h attr", "h_euc": "h Euc", "h_ge": "h GE"}  # subscripts have no place in a menu
PARTS = {"test": "test_accuracy", "validation": "val_accuracy"}


def build_score_page(scores: pd.DataFrame) -> str:
    """The scores of all runs as a page; `scores` has a row for every dataset, scorer, seed and feature."""
    means = mean_scores(scores)
    names = scores.drop_duplicates(["dataset", "feature"]).set_index(["dataset", "feature"])["name"].astype(str)
    datasets = {}
    for dataset in in_order(means["dataset"], DATASETS):
        table = means[means["dataset"] == dataset].pivot(index="feature", columns="scorer", values="mean")
        scorers = in_order(table.columns, ROWS)
        datasets[dataset] = {
            "label": label_dataset(dataset),
            "names": names.loc[dataset].reindex(table.index).tolist(),
            "scorers": scorers,
            "scores": {scorer: _numbers(table[scorer], digits=DIGITS) for scorer in scorers},
        }
    note = f"{runs_sentence(means)} A score of NPT is how far accuracy falls when the feature is permuted."
    return _page("explore_scores.html.j2", "scores.js", SCORE_PAGE, datasets, means["scorer"], note)


def build_curve_page(history: pd.DataFrame) -> str:
    """The curves of an adaptive study as a page; `history` has a row for every run and epoch."""
    marks = analysis.prunings(history)
    datasets = {
        dataset: _curves_of(history[history["dataset"] == dataset], marks[marks["dataset"] == dataset])
        for dataset in in_order(history["dataset"], DATASETS)
    }
    note = (
        "Lines are means over runs, bands one sample standard deviation to either side; dotted lines mark prunings. "
        "Where bands hide each other, Figure 6's paired differences say more."
    )
    return _page("explore_curves.html.j2", "curves.js", CURVE_PAGE, datasets, history["scorer"], note)


def _curves_of(history: pd.DataFrame, marks: pd.DataFrame) -> dict:
    """One dataset: means and deviations of every method at every epoch, None where a method has none."""
    epochs = sorted(history["epoch"].unique().tolist())
    curves: dict[str, dict] = {scorer: {} for scorer in in_order(history["scorer"], ROWS)}
    for part, value in PARTS.items():
        table = analysis.mean_curves(history, value, ["scorer"])
        for scorer in curves:
            own = table[table["scorer"] == scorer].set_index("epoch").reindex(epochs)
            spread = None if own["spread"].isna().all() else _numbers(own["spread"], decimals=1)
            curves[scorer][part] = {"mean": _numbers(own["mean"], decimals=1), "spread": spread}
    interval = np.searchsorted(marks["epoch"].to_numpy(), epochs, side="right") - 1
    left = marks["percent"].to_numpy()[interval.clip(min=0)] if len(marks) else np.full(len(epochs), 100.0)
    return {
        "label": label_dataset(history["dataset"].iloc[0]),
        "metric": label_metrics(metric_of(history)),
        "runs": analysis.runs_sentence(history).removesuffix("."),
        "epochs": epochs,
        "prunings": marks["epoch"].iloc[1:].tolist(),
        "left": _numbers(left, digits=3),
        "curves": curves,
    }


def _numbers(values: pd.Series | np.ndarray, *, digits: int = 0, decimals: int = 0) -> list[float | None]:
    """Rounded to so many significant digits, or decimals; None for what is missing."""
    texts = (f"{value:.{digits}g}" if digits else f"{value:.{decimals}f}" for value in np.asarray(values, float))
    return [None if text == "nan" else float(text) for text in texts]


def _page(
    template: str, script: str, words: Mapping[str, str], datasets: Mapping[str, dict], methods: pd.Series, note: str
) -> str:
    names = in_order(methods, ROWS)
    colours = {name: colour for name, colour in method_colours(names).items() if colour != INK}  # ink is white at night
    labels = {name: PLAIN.get(name) or label(name) for name in names}
    data = script_data({"datasets": datasets, "colours": colours, "labels": labels})
    return render(template, script=script, **words, note=note, data=data)
