"""Who is ahead of whom: mean ranks over graphs with the tests behind them, and tests within every graph.

Over graphs (Demšar, JMLR 2006): scorers are ranked on every graph by their mean area, Friedman's test asks whether any
differ, and mean ranks are compared pair by pair, with Holm's correction. Within a graph: the differences of two scorers
over seeds, with Nadeau and Bengio's variance, because splits of one graph overlap; again with Holm's correction.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats

from graphsieve.inference.p_values import adjust_holm
from graphsieve.study.families import TESTED, as_family, overlap_of
from graphsieve.study.labels import DATASETS, ROWS, in_order
from graphsieve.study.statistics import LEVEL, half_width, mean_test, two_sided_p

PAPER = "npt"  # the paper's own scorer, which others are to be ahead of
FEWEST_GRAPHS, FEWEST_SCORERS = 2, 3  # that ranks are tested with


def by_graph(areas: pd.DataFrame) -> pd.DataFrame:
    """Graphs by scorers: mean areas, of the scorers that every graph has."""
    table = areas.pivot_table(index="dataset", columns="scorer", values="area")
    table = table.reindex(index=in_order(table.index, DATASETS), columns=in_order(table.columns, ROWS))
    return table.dropna(axis="columns")


def rank_graphs(table: pd.DataFrame) -> pd.DataFrame:
    """On every graph, 1 for the scorer of the largest area; equal ones share their mean rank."""
    return table.rank(axis="columns", ascending=False)


def friedman(ranks: pd.DataFrame) -> dict[str, float]:
    """Whether scorers differ at all: Friedman's statistic, and Iman and Davenport's, which is less cautious.

    `p_value` is of the latter: Fisher's F with k - 1 and (k - 1)(n - 1) degrees of freedom.
    """
    graphs, scorers = ranks.shape
    centred = ranks.to_numpy() - (scorers + 1) / 2
    spread = (centred**2).sum()  # less where ranks are shared
    statistic = (scorers - 1) * (centred.sum(axis=0) ** 2).sum() / spread if spread else 0.0
    room = graphs * (scorers - 1) - statistic
    ratio = (graphs - 1) * statistic / room if room > 1e-9 else np.inf
    return {
        "statistic": float(statistic),
        "p_friedman": float(stats.chi2.sf(statistic, scorers - 1)),
        "f": float(ratio),
        "p_value": float(stats.f.sf(ratio, scorers - 1, (scorers - 1) * (graphs - 1))),
        "graphs": graphs,
        "scorers": scorers,
    }


def compare_ranks(ranks: pd.DataFrame) -> pd.DataFrame:
    """Every pair of scorers: by how much the first ranks ahead, and whether that is shown."""
    graphs, scorers = ranks.shape
    error = np.sqrt(scorers * (scorers + 1) / (6 * graphs))
    means = ranks.mean().sort_values(kind="stable")
    rows = [
        {"scorer": one, "other": other, "ahead": means[other] - means[one]}
        for one, other in combinations(means.index, 2)
    ]
    table = pd.DataFrame(rows, columns=["scorer", "other", "ahead"])
    p_values = 2 * stats.norm.sf(table["ahead"].to_numpy(float) / error)
    return table.assign(p_value=p_values, p_holm=adjust_holm(p_values))


def groups(ranks: pd.DataFrame) -> list[list[str]]:
    """Scorers next to each other of which no two are shown to differ; groups within larger ones are left out."""
    order = ranks.mean().sort_values(kind="stable").index.tolist()
    pairs = compare_ranks(ranks)
    differ = {frozenset(pair) for pair in pairs.loc[pairs["p_holm"] < LEVEL, ["scorer", "other"]].to_numpy()}
    found: list[tuple[int, int]] = []
    for start in range(len(order)):
        end = start
        while end + 1 < len(order) and not any(
            frozenset((name, order[end + 1])) in differ for name in order[start : end + 1]
        ):
            end += 1
        if end > start and not any(end <= last for _, last in found):
            found.append((start, end))
    return [order[start : end + 1] for start, end in found]


@dataclass(frozen=True)
class RankTest:
    """Mean ranks over some graphs; `friedman` is None, and nothing else known, where these are too few to test."""

    means: pd.Series
    friedman: dict[str, float] | None = None
    pairs: pd.DataFrame | None = None
    groups: list[list[str]] = field(default_factory=list)


def rank_test(areas: pd.DataFrame, graphs: Sequence[str]) -> RankTest:
    """On some of the graphs, of the scorers that all graphs have."""
    ranks = rank_graphs(by_graph(areas).loc[list(graphs)])
    if len(ranks) < FEWEST_GRAPHS or len(ranks.columns) < FEWEST_SCORERS:
        return RankTest(ranks.mean())
    return RankTest(ranks.mean(), friedman(ranks), compare_ranks(ranks), groups(ranks))


def all_pairs(tested: Mapping[str, RankTest]) -> pd.DataFrame:
    """The comparisons of several sets of graphs, by their titles."""
    parts = [found.pairs.assign(graphs=title) for title, found in tested.items() if found.friedman]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["scorer", "other", "ahead"])


def compare_within(areas: pd.DataFrame) -> pd.DataFrame:
    """Every ordered pair of scorers on every graph: by how many points of area the first is ahead, and whether shown.

    The pairs of a graph are one family of tests.
    """
    overlap, tables = overlap_of(areas), []
    for dataset, runs in areas.groupby("dataset", sort=False):
        table = runs.pivot(index="seed", columns="scorer", values="area")
        rows = []
        for one, other in combinations(in_order(table.columns, ROWS), 2):
            differences = (table[one] - table[other]).dropna()
            if len(differences):
                rows.append({"dataset": dataset, "scorer": one, "other": other, **mean_test(differences, overlap)})
        tables.append(as_family(pd.DataFrame(rows, columns=["dataset", "scorer", "other", *TESTED])))
    found = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
    turned = {"scorer": found["other"], "other": found["scorer"], "mean": -found["mean"]}
    turned |= {"low": -found["high"], "high": -found["low"]}
    return pd.concat([found, found.assign(**turned)], ignore_index=True)


def shown_ahead(pairs: pd.DataFrame) -> pd.DataFrame:
    """Scorers by scorers: on how many graphs that of the row is shown to be ahead of that of the column."""
    shown = pairs.assign(shown=(pairs["p_holm"] < LEVEL) & (pairs["mean"] > 0))
    names = in_order(pairs["scorer"], ROWS)
    return shown.pivot_table(index="scorer", columns="other", values="shown", aggfunc="sum").reindex(
        names, columns=names
    )


def standing(areas: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """Of every scorer: graphs, mean rank, points behind the best of each graph, and on how many it is shown what.

    The mean rank is among the scorers that every graph has; the others have none. `behind` names the graphs on which
    it is shown to be behind some scorer.
    """
    ranks = rank_graphs(by_graph(areas)).mean()
    means = areas.groupby(["dataset", "scorer"])["area"].mean()
    regret = means.groupby("dataset").max() - means
    shown, ahead = pairs["p_holm"] < LEVEL, pairs["mean"] > 0
    rows = []
    for scorer in in_order(areas["scorer"], ROWS):
        own = pairs["scorer"] == scorer
        graphs = regret.xs(scorer, level="scorer")
        beaten = pairs.loc[own & shown & ~ahead, "dataset"]
        rows.append(
            {
                "scorer": scorer,
                "graphs": len(graphs),
                "mean_rank": ranks.get(scorer, np.nan),
                "mean_regret": graphs.mean(),
                "largest_regret": graphs.max(),
                "best_on": int((graphs <= 0).sum()),
                "ahead_of_npt_on": int((own & shown & ahead & (pairs["other"] == PAPER)).sum()),
                "behind_on": beaten.nunique(),
                "behind": ", ".join(in_order(beaten, DATASETS)),
            }
        )
    return pd.DataFrame(rows).sort_values(["mean_rank", "mean_regret"], ignore_index=True)


def pooled_test(differences: pd.DataFrame, overlap: float) -> dict[str, float]:
    """The mean over graphs of a difference whose runs (rows) are paired by seed, graph by graph (columns).

    It speaks of these graphs alone, not of others like them: its error is that of their splits, by Nadeau and Bengio.
    """
    tested = [mean_test(differences[name].dropna(), overlap) for name in differences]
    errors = np.array([one["standard_error"] for one in tested])
    freedoms = np.array([one["runs"] - 1 for one in tested])
    mean, error = float(np.mean([one["mean"] for one in tested])), float(np.sqrt((errors**2).sum()) / len(errors))
    freedom = float((errors**2).sum() ** 2 / (errors**4 / freedoms).sum()) if error > 0 else float(freedoms.sum())
    margin = half_width(error, freedom)
    p_value = float(two_sided_p(mean, error, freedom))
    return {"mean": mean, "low": mean - margin, "high": mean + margin, "p_value": p_value}
