"""Which selector when: for people who have a graph and not the time to read tests. Made from the results alone.

A situation is a part of the graphs, of the shares kept or of the scorers. In each, scorers are judged by their regret:
by how much their mean accuracy is below the highest of the graph, averaged over its graphs. Beside the scorer of the
smallest regret stand those that are not shown to be worse.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from graphsieve.inference.p_values import adjust_holm
from graphsieve.study.families import overlap_of
from graphsieve.study.grids import with_latex_signs
from graphsieve.study.labels import DATASETS, base, in_order, label_row, listed
from graphsieve.study.markup import MARKUP
from graphsieve.study.selectors import curves
from graphsieve.study.selectors.ranks import PAPER, pooled_test
from graphsieve.study.statistics import LEVEL

SMALL = 1_000  # nodes: with fewer, a tenth for validation is less than a hundred
ALIKE = 0.5  # share of the edges that join nodes of one class
SEPARATOR = ", "  # between names in a table; those of graphs may have spaces
FEW, MANY = 2.5, 15.0  # percent of the features kept


NOTE = (
    "In every situation the scorer of the smallest regret: by how many points its mean accuracy, averaged over the "
    "shares kept, is below the highest of a graph. Beside it stand those that are **not shown to be worse**: where the "
    "list is long, the choice matters little or the runs are too few to tell. A scorer that was not run on all graphs "
    "of a situation does not take part in it."
)


@dataclass(frozen=True)
class Situation:
    title: str
    graphs: tuple[str, ...]
    least: float = 0.0  # percent of the features kept
    most: float = 100.0
    scorers: tuple[str, ...] | None = None  # None: all


def situations(runs: pd.DataFrame, described: pd.DataFrame, cheap: list[str]) -> list[Situation]:
    """Those that these runs can speak of.

    Parameters
    ----------
    runs : as `curves.points` returns them.
    described : nodes and homophily of every dataset.
    cheap : scorers that take less time than a training on every graph.
    """
    known = described.set_index("dataset")
    graphs = in_order(runs["dataset"], DATASETS)
    nodes, alike = ({name: known.loc[base(name), column] for name in graphs} for column in ("nodes", "homophily"))

    def those(fits) -> tuple[str, ...]:
        return tuple(name for name in graphs if fits(name))

    every = tuple(graphs)
    found = [
        Situation("Any graph", every),
        Situation(f"Very few features, up to {FEW:g} %", every, most=FEW),
        Situation(f"Many features, {MANY:g} % or more", every, least=MANY),
        Situation("In less time than a training", every, scorers=tuple(cheap)),
        Situation(f"Graphs below {SMALL:,} nodes", those(lambda name: nodes[name] < SMALL)),
        Situation(f"Graphs of {SMALL:,} nodes or more", those(lambda name: nodes[name] >= SMALL)),
        Situation("Neighbours mostly alike", those(lambda name: alike[name] >= ALIKE)),
        Situation("Neighbours mostly differ", those(lambda name: alike[name] < ALIKE)),
    ]
    return [one for one in found if one.graphs and one.scorers != () and len(_within(runs, one))]


def _within(runs: pd.DataFrame, situation: Situation) -> pd.DataFrame:
    """The part of the runs that a situation is about; all features are no selection."""
    percent = runs["percent"]
    kept = (percent >= situation.least) & (percent <= situation.most) & (runs["kept"] < runs["features"])
    chosen = True if situation.scorers is None else runs["scorer"].isin(situation.scorers)
    return runs[kept & chosen & runs["dataset"].isin(situation.graphs)]


def advise(runs: pd.DataFrame, situation: Situation, seconds: pd.Series) -> dict | None:
    """Whom to take in a situation, and who is not shown to be worse; None where no two scorers have all its graphs.

    seconds: what a selection takes, by scorer.
    """
    part = _within(runs, situation)
    areas = curves.areas(part)
    means = areas.pivot_table(index="dataset", columns="scorer", values="area")
    means = means.dropna(axis="columns")
    if means.shape[1] < 2:
        return None
    regret = means.rsub(means.max(axis=1), axis=0).mean().sort_values(kind="stable")
    best, others = regret.index[0], regret.index[1:]
    tested = [_behind(areas, best, other) for other in others]
    p_values = np.nan_to_num([one["p_value"] for one in tested], nan=1.0)
    shown = dict(zip(others, adjust_holm(p_values) < LEVEL, strict=True))
    as_good = [name for name in regret.index if not shown.get(name, False)]
    known = seconds.reindex(as_good).dropna()
    return {
        "situation": situation.title,
        "graphs": SEPARATOR.join(means.index),
        "take": best,
        "regret": regret.iloc[0],
        "not_shown_worse": SEPARATOR.join(as_good[1:]),
        "cheapest": known.idxmin() if len(known) else "",
        "cheapest_seconds": known.min() if len(known) else np.nan,
        "npt_regret": regret.get(PAPER, np.nan),
        "npt_shown_worse": shown.get(PAPER, False),
        "scorers": len(regret),
    }


def _behind(areas: pd.DataFrame, best: str, other: str) -> dict[str, float]:
    """By how much a scorer is behind the best, over the graphs."""
    table = areas.pivot(index="seed", columns=["scorer", "dataset"], values="area")
    return pooled_test(table[best] - table[other], overlap_of(areas))


def advice(runs: pd.DataFrame, described: pd.DataFrame, seconds: pd.DataFrame, training: pd.Series) -> pd.DataFrame:
    """One row per situation.

    seconds, training: what selections and trainings take, as `cost` tells them.
    """
    dear = seconds["seconds"].isna() | (seconds["seconds"] >= seconds["dataset"].map(training))
    cheap = [name for name, some in dear.groupby(seconds["scorer"]) if not some.any()]
    usual = seconds.groupby("scorer")["seconds"].median()
    rows = [advise(runs, one, usual) for one in situations(runs, described, cheap)]
    return pd.DataFrame([row for row in rows if row])


def advice_cells(table: pd.DataFrame, markup: str = "html") -> pd.DataFrame:
    """The table as a reader sees it."""
    line = "<br>" if markup == "html" else " "
    rows = [
        {
            "When": f"{row.situation} ({row.graphs.count(SEPARATOR) + 1})",
            "Take": f"{MARKUP[markup][1].format(label_row(row.take, markup))}{line}({row.regret:.1f} points behind)",
            "Not shown to be worse": _names(row.not_shown_worse, markup),
            "Cheapest of these": _cheapest(row, markup, line),
            "The paper's NPT": _paper(row, line),
        }
        for row in table.itertuples()
    ]
    cells = pd.DataFrame(rows).set_index("When")
    if markup == "html":
        prose = cells["Not shown to be worse"].map("<span class='prose'>{}</span>".format)
        return cells.assign(**{"Not shown to be worse": prose})
    return with_latex_signs(cells) if markup == "latex" else cells


def printed_advice(table: pd.DataFrame) -> dict:
    """The table as it is printed: what `NotebookPage.add_table` takes beside records."""
    return {
        "cells": {markup: advice_cells(table, markup) for markup in MARKUP},
        "title": "Which selector when",
        "notes": "In brackets: how many graphs. Points behind the best: mean over graphs of how far the area under the "
        "curve of accuracy, between the shares in question, is below the largest of the graph. Not shown to be worse: "
        "the mean difference over these graphs, tested with Nadeau and Bengio's variance and Holm's correction. "
        "Cheapest: median CPU seconds over graphs.",
        "align": "l",
    }


def _names(scorers: str, markup: str) -> str:
    return listed([label_row(name, markup) for name in scorers.split(SEPARATOR)]) if scorers else "none"


def _cheapest(row: tuple, markup: str, line: str) -> str:
    return f"{label_row(row.cheapest, markup)}{line}({row.cheapest_seconds:,.2g} s)" if row.cheapest else "–"


def _paper(row: tuple, line: str) -> str:
    if np.isnan(row.npt_regret):
        return "not compared"
    if row.take == PAPER:
        return "is the one to take"
    return f"{row.npt_regret:.1f} points behind,{line}{'shown' if row.npt_shown_worse else 'not shown'} to be worse"
