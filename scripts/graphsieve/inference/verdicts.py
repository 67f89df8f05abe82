"""What the tests of a feature, taken together, say of it. Needs no torch, because pages read it."""

from collections.abc import Mapping

# In the order in which they are asked, each stricter than the one before: what a draw keeps of a column.
QUESTIONS = {
    "alone": {"perturbation": "permute", "given": ()},
    "beside_columns": {"perturbation": "conditional", "given": ()},
    "beside_columns_and_graph": {"perturbation": "conditional", "given": ("graph",)},
}
OWN, FOLLOWS_GRAPH, STAND_IN, NOTHING = "its own", "follows the graph", "a stand-in", "no sign"
REASONS = {
    OWN: "The model loses even if all is kept that the other columns and the graph say of it.",
    FOLLOWS_GRAPH: "No other column says the same, but one that is as smooth on the graph might, by chance.",
    STAND_IN: "The model uses it, but other columns say the same.",
    NOTHING: "Nothing tells it from chance.",
}


def reason_of(p_values: Mapping[str, float], level: float) -> str:
    """That of the strictest question which a feature passes, by its p-values `p_<question>`."""
    if p_values["p_beside_columns_and_graph"] <= level:
        return OWN
    if p_values["p_beside_columns"] <= level:
        return FOLLOWS_GRAPH
    return STAND_IN if p_values["p_alone"] <= level else NOTHING
