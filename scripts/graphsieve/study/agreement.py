"""Ours against the published: the one definition of agreement, which every page and sentence uses.

A cell agrees where Welch's interval of ours less published has zero in it. The published deviations divide by n (the
accuracies of small graphs are multiples of 1/37 and 1/50, and fit no other way), so they are enlarged to sample
deviations first. Published means are of five runs; that of random features fits only as the mean of five draws in each.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from graphsieve.inference.p_values import adjust_holm
from graphsieve.study.labels import base, measure_of
from graphsieve.study.statistics import LEVEL, detectable, half_width, two_sided_p, welch

PUBLISHED_RUNS, PUBLISHED_RANDOM_RUNS = 5, 25
RANDOM = "random"
AGREES, HIGHER, LOWER = "agrees", "higher", "lower"
# The published tables of accuracies: what each is called, and the column that names its rows.
TABLES = {
    "table1_perturbations": ("Table 1", "setting"),
    "table2_feature_selection": ("Table 2", "scorer"),
    "table3_adaptive_selection": ("Table 3", "scorer"),
}
SHARE = "retained_percent"
THEIRS = ["accuracy_mean", "accuracy_std"]


def agreement(ours: pd.DataFrame, published: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Cell by cell: ours less published, and whether Welch's interval has zero in it.

    A single run of ours has no deviation: it is asked whether it could be one more of the published runs. A dataset run
    with several models is compared in each; one that is reported by another metric than accuracy is not.

    Parameters
    ----------
    ours : a table with accuracy_mean, accuracy_std (n - 1) and runs.
    published : the paper's, with accuracy_mean and accuracy_std (n).
    keys : the columns that name a cell; one of them is `dataset`.

    Returns
    -------
    DataFrame
        The cells that both have: keys, ours, `*_published`, difference, low, high, p_value, detectable (the difference
        that could have been seen) and verdict (agrees, higher or lower).

    Examples
    --------
    >>> cell = {"scorer": "npt", "dataset": "cora", "accuracy_mean": 80.0, "accuracy_std": 1.0}
    >>> agreement(pd.DataFrame([{**cell, "runs": 5}]), pd.DataFrame([cell]), ["scorer", "dataset"])["verdict"].item()
    'agrees'
    """
    plain = ours[np.array([measure_of([name]) == "accuracy" for name in ours["dataset"]], dtype=bool)]
    plain = plain.assign(named=plain["dataset"], dataset=plain["dataset"].map(base))
    both = plain.merge(published[[*keys, *THEIRS]], on=keys, suffixes=("", "_published"))
    both = both.dropna(subset=[f"{name}_published" for name in THEIRS])
    both = both.assign(dataset=both["named"]).reset_index(drop=True)
    their_runs = published_runs(both, keys)
    theirs = both["accuracy_std_published"] * np.sqrt(their_runs / (their_runs - 1))
    error, freedom = welch(both["accuracy_std"], both["runs"], theirs, their_runs)
    difference, margin = both["accuracy_mean"] - both["accuracy_mean_published"], half_width(error, freedom)
    columns = [*keys, *THEIRS, "runs", *(f"{name}_published" for name in THEIRS)]
    return both[columns].assign(
        difference=difference,
        low=difference - margin,
        high=difference + margin,
        p_value=two_sided_p(difference, error, freedom),
        detectable=[detectable(*pair) for pair in zip(error, freedom.round(2), strict=True)],
        verdict=np.where(difference > margin, HIGHER, np.where(difference < -margin, LOWER, AGREES)),
    )


def published_runs(cells: pd.DataFrame, keys: list[str]) -> pd.Series:
    """How many runs each published mean is of."""
    is_random = (cells[[key for key in keys if key != "dataset"]] == RANDOM).any(axis=1)
    return pd.Series(np.where(is_random, PUBLISHED_RANDOM_RUNS, PUBLISHED_RUNS), index=cells.index)


def agreement_of_tables(ours: Mapping[str, pd.DataFrame], published: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The agreement of all cells of Tables 1 to 3 that both have, below each other.

    `table` and `row` name a cell beside `dataset` (and `retained_percent` in Table 3); `p_holm` is adjusted for the
    number of distinct cells; `repeats` marks Table 2's row of all features where it is the first row of Table 1 again.
    """
    parts = []
    for name, (title, row) in TABLES.items():
        if name in ours:
            keys = [key for key in (SHARE, row, "dataset") if key in published[name]]
            cells = agreement(ours[name], published[name], keys).rename(columns={row: "row"})
            parts.append(cells.assign(table=title, **{SHARE: cells.get(SHARE, np.nan)}))
    parts = [part for part in parts if len(part)]
    if not parts:
        return pd.DataFrame(columns=["table", SHARE, "row", "dataset", "verdict", "repeats"])
    cells = pd.concat(parts, ignore_index=True)
    cells["repeats"] = _repeats(cells)
    cells["p_holm"] = np.nan
    cells.loc[~cells["repeats"], "p_holm"] = adjust_holm(cells.loc[~cells["repeats"], "p_value"].to_numpy())
    first = ["table", SHARE, "row", "dataset"]
    return cells[[*first, *(name for name in cells if name not in first)]]


def _repeats(cells: pd.DataFrame) -> pd.Series:
    known = set(cells.loc[(cells["table"] == "Table 1") & (cells["row"] == "original"), "dataset"])
    return (cells["table"] == "Table 2") & (cells["row"] == "all") & cells["dataset"].isin(known)


def distinct(cells: pd.DataFrame) -> pd.DataFrame:
    """Every published number once."""
    return cells[~cells["repeats"].astype(bool)]


def counts(cells: pd.DataFrame) -> dict[str, int]:
    """How many distinct cells there are, agree, are higher and lower, and differ after Holm's correction."""
    once = distinct(cells)
    found = {"cells": len(once)} | {name: int((once["verdict"] == name).sum()) for name in (AGREES, HIGHER, LOWER)}
    return found | {"surely": int((once["p_holm"] < LEVEL).sum()) if len(once) else 0}


def counts_sentence(cells: pd.DataFrame, name: str) -> str:
    """How many cells of one table agree."""
    found = {verdict: int((cells["verdict"] == verdict).sum()) for verdict in (AGREES, HIGHER, LOWER)}
    return (
        f"{name}: {found[AGREES]} of {len(cells)} cells agree with the published; {found[HIGHER]} are higher, "
        f"{found[LOWER]} lower."
    )


def all_counts_sentence(cells: pd.DataFrame) -> str:
    """The same of all distinct cells together, beside what chance alone would do."""
    found = counts(cells)
    return (
        f"Of {found['cells']:,} distinct published accuracies {found[AGREES]:,} agree with ours by Welch's test at "
        f"5\u00a0%; {found[HIGHER]} of ours are higher, {found[LOWER]} lower. By chance alone about "
        f"{LEVEL * found['cells']:.0f} would differ; corrected for their number (Holm), {found['surely']} do."
    )


def seen_sentence(cells: pd.DataFrame) -> str:
    """What agreement is worth: the differences that would have been seen."""
    low, middle, high = distinct(cells)["detectable"].quantile([0.1, 0.5, 0.9])
    return (
        f"A difference of {middle:.1f} points would have been seen in half of the cells with a power of 80 % "
        f"({low:.1f} in the best tenth of them, {high:.1f} in all but the worst tenth)."
    )
