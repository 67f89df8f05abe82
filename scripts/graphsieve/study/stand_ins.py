"""Marginal and conditional importance on generated graphs where it is known which columns matter, and which seem to.

The importances are those of `inference.reasons`; this file says on which graphs, and summarises.
"""

import pandas as pd

from graphsieve.inference.verdicts import REASONS
from graphsieve.study.grids import with_latex_signs

# Large and plain enough that every kind of column shows what it is; a smooth column needs neighbours to be smooth.
GRAPH = {"num_nodes": 1000, "degree": 8.0, "homophily": 0.7, "signal": 1.5, "copies": 1, "correlation": 0.9}
GRAPH |= {"smooth": 6, "white": 6}
MODEL = {"hidden": 16, "classifier": "none", "dropout": 0.5, "epochs": 40}
RANKING = {"seeds": 2, "n_repeats": 20, "permutations": 199}
LEVEL = 0.05
KINDS = {"relevant": "Relevant", "copy": "Copies", "smooth": "Smooth", "white": "White"}
TITLES = {
    "alone": "Permuted by itself",
    "beside_columns": "Given the other columns",
    "beside_columns_and_graph": "Given these and the graph",
}


def measure(seed: int, device: object) -> pd.DataFrame:
    """One row per column of one graph, with its kind."""
    from graphsieve.data.stand_ins import generate, kinds_of
    from graphsieve.inference.reasons import feature_reasons
    from graphsieve.options import RankingOptions, TrainingOptions

    graph = generate(seed, **GRAPH)
    options = RankingOptions(seed=seed, training=TrainingOptions(**MODEL), **RANKING)
    table = feature_reasons(graph, options=options, device=device).rename(columns={"feature": "column"})
    table.insert(0, "seed", seed)
    table.insert(1, "kind", kinds_of(graph))
    return table


def summarise(records: pd.DataFrame) -> pd.DataFrame:
    """One row per kind of column: the share significant at each question, and how many columns that is of."""
    significant = records[[f"p_{question}" for question in TITLES]] <= LEVEL
    significant.columns = list(TITLES)
    shares = significant.groupby(records["kind"]).mean().reindex(list(KINDS))
    return shares.assign(columns=records["kind"].value_counts()).rename_axis("kind").reset_index()


def cells(summary: pd.DataFrame) -> pd.DataFrame:
    """The table as a reader sees it."""
    shown = {title: [f"{share:.0%}" for share in summary[question]] for question, title in TITLES.items()}
    index = pd.Index([KINDS[kind] for kind in summary["kind"]], name="Columns")
    return pd.DataFrame({**shown, "Number": summary["columns"].astype(str).tolist()}, index=index)


def printed_table(records: pd.DataFrame) -> dict:
    """The table as it is printed, with title and notes: what `NotebookPage.add_table` takes beside records."""
    shown = cells(summarise(records))
    return {
        "cells": {"html": shown, "markdown": shown, "latex": with_latex_signs(shown)},
        "title": "Columns that a test calls significant at 5 %",
        "notes": f"On {records['seed'].nunique()} generated graphs of {GRAPH['num_nodes']} nodes. A copy correlates by "
        f"{GRAPH['correlation']} with a relevant column; a smooth column is noise averaged three times over "
        "neighbourhoods. Only the relevant ones say anything of the class that nothing else says.",
    }


def reasons_of(records: pd.DataFrame) -> pd.DataFrame:
    """How many columns of each kind got which reason."""
    counts = pd.crosstab(records["kind"], records["reason"]).reindex(list(KINDS), fill_value=0)
    counts = counts.reindex(columns=list(REASONS), fill_value=0)
    counts.index = pd.Index(list(KINDS.values()), name="Columns")
    return counts.rename_axis(columns=None).astype(str)
