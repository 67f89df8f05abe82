"""What the tests of a feature, taken together, say of it: a word and a sentence. Pages read it: no torch."""

from collections.abc import Mapping

import pandas as pd

# In the order in which they are asked, each stricter than the one before: what a draw keeps of a column.
ALONE, BESIDE, BESIDE_AND_GRAPH = "alone", "beside_columns", "beside_columns_and_graph"
QUESTIONS = {
    ALONE: {"perturbation": "permute", "given": ()},
    BESIDE: {"perturbation": "conditional", "given": ()},
    BESIDE_AND_GRAPH: {"perturbation": "conditional", "given": ("graph",)},
}
OWN, TOGETHER, NOTHING = "its own", "together", "no sign"
FOLLOWS_GRAPH, STAND_IN = "follows the graph", "a stand-in"
REASONS = {
    OWN: "The model loses even if all is kept that the other columns and the graph say of it.",
    FOLLOWS_GRAPH: "No other column says the same, but one that is as smooth on the graph might, by chance.",
    STAND_IN: "The model uses it, but other columns say the same.",
    NOTHING: "Nothing tells it from chance.",
}
RELATED = 0.3  # a column whose correlation is smaller is not called a stand-in
MOST_NAMES = 3


def reason_of(p_values: Mapping[str, float], level: float) -> str:
    """That of the strictest question which a feature passes, by its p-values `p_<question>`."""
    if p_values[f"p_{BESIDE_AND_GRAPH}"] <= level:
        return OWN
    if p_values[f"p_{BESIDE}"] <= level:
        return FOLLOWS_GRAPH
    return STAND_IN if p_values[f"p_{ALONE}"] <= level else NOTHING


def reason_in_ranking(row: pd.Series, level: float) -> str:
    """Of a column of a ranking: strict questions have been asked of its unit, and of it where the unit is starred."""
    if row["starred"]:
        return OWN if row["p_own"] <= level else TOGETHER
    if row["p_alone"] > level:
        return NOTHING
    if row["is_smooth"]:
        return FOLLOWS_GRAPH
    return STAND_IN if abs(row["correlation"]) >= RELATED else NOTHING


def sentence_of(row: pd.Series, level: float) -> str:
    """Why a column of a ranking is starred or not, for people."""
    others = _listed(row["judged_with"])
    if row["reason"] == OWN:
        beginning = f"Matters by itself, though it goes with {others}" if others else "Matters by itself"
        return f"{beginning}: it says what nothing else says.{_what_remains(row)}"
    if row["reason"] == TOGETHER:
        alone = " Shuffled alone it is hardly missed, because the others stand in for it." * (row["p_alone"] > level)
        return f"Matters only together with {others}: which of them it is cannot be told.{alone}"
    if row["reason"] == STAND_IN:
        closest = f"{row['closest']} (correlation {row['correlation']:.2f})"
        return f"A stand-in for {closest}: the model uses it, but it says nothing besides."
    if row["reason"] == FOLLOWS_GRAPH:
        return "Follows the graph: neighbours have like values, and a random column as smooth would do as well."
    if row["p_alone"] <= level:
        return "Not shown to matter: the model uses it, but among so many columns chance may give one as good."
    return "No sign that it matters: shuffled, it does as well."


def _what_remains(row: pd.Series) -> str:
    if not (row["importance"] > 0 and row["importance_beside"] == row["importance_beside"]):  # not measured: NaN
        return ""
    share = min(max(row["importance_beside"] / row["importance"], 0), 1)
    known = "the other columns and the graph say" if row["is_smooth"] else "the other columns say"
    return f" {share:.0%} of its importance remains where all is kept that {known} of it."


def _listed(names: list[str]) -> str:
    """At most MOST_NAMES of them."""
    if len(names) > MOST_NAMES:
        names = [*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1} more"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
