"""Table 5: the size of every graph, beside the published numbers and the ways in which edges are counted."""

from collections.abc import Mapping

import pandas as pd
from pandas.io.formats.style import Styler

from graphsieve.study.labels import DATASETS, group_breaks, in_order, label_dataset
from graphsieve.study.markup import MARKUP, difference_text, page_table, signed

DATASETS_NOTE = "Edges are counted as they are loaded: an undirected edge counts twice."
STATISTICS = {"nodes": "Nodes", "edges": "Edges", "features": "Features", "classes": "Classes"}


def summarise_datasets(records: pd.DataFrame) -> pd.DataFrame:
    """One row per dataset, in the paper's order; one that is drawn anew for every seed shows its average, rounded."""
    grouped = records.groupby("dataset")
    whole = [*STATISTICS, "undirected_edges", "component_edges", "isolated_nodes"]
    summary = grouped[whole].mean().round().astype(int)
    summary["homophily"] = grouped["homophily"].mean()
    summary["runs"] = grouped.size()
    return summary.loc[in_order(records["dataset"], DATASETS)].reset_index()


def compare_datasets(summary: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """The datasets that both have, with the published statistics as `published_*`."""
    return summary.merge(
        published.rename(columns={name: f"published_{name}" for name in STATISTICS}), on="dataset", how="inner"
    )


# How the paper may have counted edges: (the column that holds such a count, what to say about it).
EDGE_COUNTS = {
    "edges": "as loaded",
    "undirected_edges": "every undirected edge once; loaded, it has both directions",
    "component_edges": "undirected edges of the largest component, once; loaded is the whole graph, in both directions",
}


def edge_count(dataset: Mapping) -> str | None:
    """The way of counting that gives the published number of edges, if there is one."""
    return next((column for column in EDGE_COUNTS if dataset[column] == dataset["published_edges"]), None)


def explain_edges(dataset: Mapping) -> str:
    counted = edge_count(dataset)
    if counted == "edges":
        doubled = dataset["edges"] == 2 * dataset["undirected_edges"]
        return "as loaded: " + (
            "every edge in both directions" if doubled else "directed, or with loops or repetitions"
        )
    if counted:
        return EDGE_COUNTS[counted]
    gaps = {column: dataset[column] - dataset["published_edges"] for column in EDGE_COUNTS}
    nearest = min(gaps, key=lambda column: abs(gaps[column]))
    name = nearest.replace("_", " ")
    return f"unexplained: nearest are the {dataset[nearest]:,} {name} ({signed(gaps[nearest], 0)})"


def dataset_cells(summary: pd.DataFrame) -> pd.DataFrame:
    """Table 5 as the paper prints it."""
    cells = summary[list(STATISTICS)].map("{:,}".format).rename(columns=STATISTICS)
    return cells.set_index(summary["dataset"].map(label_dataset).rename("Dataset"))


def more_dataset_cells(summary: pd.DataFrame) -> pd.DataFrame:
    """What the paper's table leaves out."""
    cells = pd.DataFrame(
        {
            "Undirected edges": summary["undirected_edges"].map("{:,}".format),
            "… in the largest component": summary["component_edges"].map("{:,}".format),
            "Isolated nodes": summary["isolated_nodes"].map("{:,}".format),
            "Edges within a class": summary["homophily"].map("{:.0%}".format),
        }
    )
    return cells.set_index(summary["dataset"].map(label_dataset).rename("Dataset"))


def dataset_comparison_cells(comparison: pd.DataFrame) -> pd.DataFrame:
    """Edges as loaded beside the published number, and why they differ; shaded where nothing explains it."""
    rows = [
        {
            "Edges": f"{dataset['edges']:,}",
            "Published": f"{dataset['published_edges']:,}",
            "Difference": difference_text(dataset["edges"] - dataset["published_edges"], not edge_count(dataset), 0),
            "How the paper counts": f"<span class='prose'>{explain_edges(dataset)}</span>",
        }
        for dataset in comparison.to_dict("records")
    ]
    return pd.DataFrame(rows, index=comparison["dataset"].map(label_dataset).rename("Dataset"))


def agreement_sentence(comparison: pd.DataFrame) -> str:
    """Whether nodes, features and classes are the published ones, naming each that is not."""
    wrong = [
        f"{label_dataset(dataset['dataset'])} has {dataset[name]:,} {name} where the paper has "
        f"{dataset[f'published_{name}']:,}"
        for dataset in comparison.to_dict("records")
        for name in ("nodes", "features", "classes")
        if dataset[name] != dataset[f"published_{name}"]
    ]
    if wrong:
        return f"Nodes, features and classes differ from the paper's: {'; '.join(wrong)}."
    return "Nodes, features and classes are the published ones throughout."


def page_datasets(cells: pd.DataFrame, summary: pd.DataFrame, name: str) -> Styler:
    return page_table(cells, name, rules=group_breaks(summary["dataset"]), align="right")


def records(summary: pd.DataFrame) -> pd.DataFrame:
    """The numbers of Table 5, as they are written."""
    return summary[["dataset", *STATISTICS, "runs"]]


def printed_table(summary: pd.DataFrame, *, title: str) -> dict:
    """The table as it is printed, with title, notes and lines: what `NotebookPage.add_table` takes beside records."""
    cells = dict.fromkeys(MARKUP, dataset_cells(summary))
    rules = group_breaks(summary["dataset"])
    return {"cells": cells, "title": title, "notes": DATASETS_NOTE, "rules": rules, "align": "r"}
