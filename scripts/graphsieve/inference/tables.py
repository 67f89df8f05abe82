"""The tables of a ranking: of columns, and of groups of columns."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from graphsieve.data.graph import Graph
from graphsieve.importance.intervals import mean_interval
from graphsieve.inference.groups import VALUES
from graphsieve.inference.p_values import SIGNIFICANCE
from graphsieve.inference.scored import Scored
from graphsieve.inference.verdicts import reason_in_ranking, sentence_of
from graphsieve.selection.how_few import standard_error

LEVEL = 0.95
OF_UNITS = ["p_value", "p_adjusted", "p_holm", "starred"]


def scores_table(names: Sequence[str], scored: Scored) -> pd.DataFrame:
    low, high = importance_interval(scored.falls).T
    return pd.DataFrame(
        {
            "feature": names,
            "importance": scored.falls.mean(axis=(1, 2)),
            "low": low,
            "high": high,
            "standard_error_repeats": standard_error(scored.falls.mean(axis=1), axis=1),
            "standard_error_seeds": standard_error(scored.falls.mean(axis=2), axis=1),
            "loss_rise": scored.losses,
            "p_alone": scored.p_values,
        }
    )


def importance_interval(falls: np.ndarray) -> np.ndarray:
    """(items, 2) from (items, seeds, repeats): Student's intervals over repeats and over seeds, added as errors are.

    NaN where there is but one repeat and one seed.
    """
    halves = []
    for axis in (1, 2):
        means = falls.mean(axis=axis)
        low, high = mean_interval(means, np.ones(means.shape, dtype=bool), LEVEL).T
        halves.append((high - low) / 2)
    known = np.isfinite(halves).any(axis=0)
    half = np.where(known, np.sqrt(np.nansum(np.square(halves), axis=0)), np.nan)
    mean = falls.mean(axis=(1, 2))
    return np.stack([mean - half, mean + half], axis=1)


def group_scores_table(groups: pd.DataFrame, scored: Scored) -> pd.DataFrame:
    """One row per group, in the order of `groups`."""
    table = scores_table(groups["group"].to_numpy(), scored).rename(columns={"feature": "group"})
    table.insert(1, "kind", groups["kind"])
    table.insert(2, "size", [len(columns) for columns in groups["columns"]])
    return table


def feature_table(
    graph: Graph, scores: pd.DataFrame, evidence: pd.DataFrame, groups: pd.DataFrame, closest: tuple
) -> pd.DataFrame:
    """One row per column of x, in their order; every table has a row for each."""
    table = pd.concat([scores, evidence], axis=1)
    table["closest"], table["correlation"] = closest
    table["reason"] = [reason_in_ranking(row, SIGNIFICANCE) for _, row in table.iterrows()]
    table["sentence"] = [sentence_of(row, SIGNIFICANCE) for _, row in table.iterrows()]
    table["judged_with"] = table["judged_with"].map(", ".join)
    table["group"] = ""
    for group in groups[groups["kind"] == VALUES].itertuples():
        table.loc[group.columns, "group"] = group.group
    return table


def group_table(groups: pd.DataFrame, scores: pd.DataFrame, evidence: pd.DataFrame) -> pd.DataFrame:
    """Best first; what is said of a group's unit is said of it."""
    first = [columns[0] for columns in groups["columns"]]
    of_units = evidence.loc[first, OF_UNITS].reset_index(drop=True)
    return pd.concat([scores, of_units], axis=1).sort_values("importance", ascending=False, ignore_index=True)
