"""The tasks by name: what is predicted, by which metric models are compared, and what a page says of them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Description:
    label: str
    level: str
    metric: str
    loss: str  # whose rise is a column's score
    says: str


DESCRIPTIONS = {
    "cora_links": Description(
        "Cora, links", "edge", "roc_auc", "cross_entropy", "which papers cite each other, from the words of both"
    ),
    "enzymes": Description(
        "ENZYMES",
        "graph",
        "accuracy",
        "cross_entropy",
        "the class of an enzyme, one of six, from its parts",
    ),
    "mutag": Description("MUTAG", "graph", "accuracy", "cross_entropy", "whether a molecule causes mutations"),
    "planted": Description(
        "Planted",
        "node",
        "r2",
        "mean_squared_error",
        "a number of every node of a generated graph",
    ),
}
METRICS = {"roc_auc": "ROC AUC", "accuracy": "accuracy", "r2": "R²"}
RANKINGS = {"importance": "by importance", "random": "at random"}
