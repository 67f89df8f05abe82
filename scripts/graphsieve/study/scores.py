"""Scores of features, averaged over runs."""

import pandas as pd

from graphsieve.errors import InputError

DIGITS = 6  # significant ones of a score in the records


def with_magnitudes(scores: pd.DataFrame, magnitude: bool) -> pd.DataFrame:
    """The scores, those of NPT without their sign where `magnitude` asks for it: how much, not which way.

    >>> scores = pd.DataFrame({"scorer": ["npt", "npt", "h_euc"], "score": [-0.2, 0.1, -0.4]})
    >>> with_magnitudes(scores, True)["score"].tolist()
    [0.2, 0.1, -0.4]
    """
    if not magnitude:
        return scores
    return scores.assign(score=scores["score"].abs().where(scores["scorer"] == "npt", scores["score"]))


def rounded_scores(table: pd.DataFrame) -> pd.DataFrame:
    """Scores with the digits that they need, so that records stay small; other tables as they are.

    >>> rounded_scores(pd.DataFrame({"score": [0.123456789], "feature": [7]}))["score"].tolist()
    [0.123457]
    """
    present = [name for name in ("score", "std", "loss") if {"feature", "score", name} <= set(table)]
    return table.assign(**{name: [float(f"{value:.{DIGITS}g}") for value in table[name]] for name in present})


def mean_scores(scores: pd.DataFrame) -> pd.DataFrame:
    """Mean and sample standard deviation over seeds: one row per dataset, scorer and feature."""
    models = scores.groupby(["dataset", "scorer"])["model"].nunique()
    if (models > 1).any():
        dataset, scorer = models.idxmax()
        raise InputError(
            f"the scores of '{scorer}' on '{dataset}' come from {models.max()} models: draw one model at a time"
        )
    return scores.groupby(["dataset", "scorer", "feature"], as_index=False).agg(
        mean=("score", "mean"), spread=("score", "std"), runs=("score", "size")
    )


def runs_sentence(means: pd.DataFrame) -> str:
    """Over how many runs the scores were averaged."""
    low, high = means["runs"].min(), means["runs"].max()
    return f"Averages are over {low if low == high else f'{low} to {high}'} run{'' if high == 1 else 's'}."
