"""One page about one ranking: no other file, no script, no network; readable on a phone and in the dark."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from graphsieve.inference.p_values import SIGNIFICANCE, most_permutations
from graphsieve.inference.ranking import Ranking
from graphsieve.options import RankingOptions
from graphsieve.pages.ranking_pictures import (
    combined_error,
    importance_text,
    is_share,
    p_text,
    place_bars,
    place_curve,
)
from graphsieve.pages.rendering import render
from graphsieve.study import labels

TOP = 20
LONGEST_TABLE = 500
METRICS = {
    **labels.METRICS,
    "macro_f1": "macro F1",
    "cross_entropy": "loss (cross entropy)",
    "r2": "r2",
    "mean_squared_error": "the mean squared error",
    "mean_absolute_error": "the mean absolute error",
}
LOSSES = ("cross_entropy", "mean_squared_error", "mean_absolute_error")  # which rise when a column is shuffled
GROUP_KINDS = {"values": "column", "correlated": "columns"}  # kind of a group: the heading of its names
TEXT_COLUMNS = ("feature", *GROUP_KINDS.values(), "correlated_with")


def build_page(ranking: Ranking, warnings: Sequence[str] = ()) -> str:
    """The page as HTML; `warnings` are sentences about the graph, shown first."""
    top = ranking.table.head(TOP)
    return render(
        "ranking.html.j2",
        title=f"What matters in {ranking.graph.name}",
        ranking=ranking,
        graph=ranking.graph,
        options=ranking.options,
        kept=kept_by_draws(ranking.options),
        warnings=warnings,
        level=SIGNIFICANCE,
        metric=METRICS[ranking.options.metric],
        rises=ranking.options.metric in LOSSES,
        in_percent=is_share(ranking.options.metric),
        metric_level=measure_text(ranking.options.metric)(ranking.scored_accuracy),
        measure=METRICS[ranking.measure],
        reached=partial(reached_text, ranking),
        edges=edges_text(ranking),
        features_found=count_found(ranking.table),
        groups_found=count_found(ranking.groups),
        bars=place_bars(top, importance_text(ranking.options.metric), SIGNIFICANCE),
        is_cut=len(top) == TOP,
        chosen=ranking.curve.set_index("kept").loc[ranking.smallest],
        everything=ranking.curve.iloc[-1],
        unnoticed=unnoticed_text(ranking),
        curve=place_curve(ranking.curve, ranking.smallest, ranking.measure),
        group_tables=dict(group_tables(ranking)),
        smallest_p=smallest_p_value(ranking),
        needed=features_needed(ranking),
        table=feature_table(ranking),
    )


def kept_by_draws(options: RankingOptions) -> list[str]:
    """What new values of a column keep of it, besides the values themselves."""
    others = ["the other columns"] if options.perturbation == "conditional" else []
    return [*others, *options.given]


@dataclass(frozen=True)
class TextTable:
    """What stands in a table; of each column its heading and whether it has words."""

    columns: Sequence[tuple[str, bool]]
    rows: Sequence[Sequence[str]]


def as_texts(table: pd.DataFrame) -> TextTable:
    columns = [(column.replace("_", " "), column in TEXT_COLUMNS) for column in table.columns]
    return TextTable(columns, table.to_numpy().tolist())


def count_found(table: pd.DataFrame) -> int:
    return int((table["p_adjusted"] <= SIGNIFICANCE).sum())


def measure_text(metric: str) -> Callable[[float], str]:
    return percent if is_share(metric) else "{:.3f}".format


def reached_text(ranking: Ranking, value: float) -> str:
    """Of accuracy, or of r2 where labels are quantities."""
    return measure_text(ranking.measure)(value)


def unnoticed_text(ranking: Ranking) -> str:
    """Losses of this size cannot be told from none."""
    loss = ranking.curve["loss_standard_error"].median()
    return f"{max(100 * loss, 0.05):.1f} percentage points" if is_share(ranking.measure) else f"{max(loss, 5e-4):.3f}"


def edges_text(ranking: Ranking) -> str:
    """What the model was given of the edges, and what not, besides the nodes they join."""
    graph, used = ranking.graph, []
    names = ", ".join(graph.edge_names or map(str, range(graph.edge_dim)))
    words = {"edge_weight": "weights", "edge_attr": f"attributes ({names})"}
    for name in graph.edge_values():
        is_used = name in ranking.edge_values
        if not is_used and name == "edge_weight" and "edge_attr" in ranking.edge_values:
            continue  # the weight is one of the attributes
        used.append(f"{words[name]} {'are used' if is_used else f'are not used by model {ranking.options.model}'}")
    return "; ".join(used)


def smallest_p_value(ranking: Ranking) -> float:
    """The smallest that so many permutations allow: the smaller of two, doubled."""
    return 2 / (most_permutations(ranking.graph.num_features, ranking.options.permutations) + 1)


def features_needed(ranking: Ranking) -> int:
    """How many features must have the smallest p-value, so that adjusted it can reach the level."""
    # Rounded first: a whole number must not become the next one by an error of its last digit.
    return int(np.ceil(round(smallest_p_value(ranking) * ranking.graph.num_features / SIGNIFICANCE, 9)))


def group_tables(ranking: Ranking) -> Iterator[tuple[str, TextTable]]:
    """One table for each kind of group that there is."""
    for kind, heading in GROUP_KINDS.items():
        groups = ranking.groups[ranking.groups["kind"] == kind]
        if len(groups):
            columns = ["group", "size", "importance", "error", "p_value", "p_adjusted"]
            table = with_texts(groups, ranking)[columns]
            yield kind, as_texts(table.rename(columns={"group": heading, "size": "of"}))


def feature_table(ranking: Ranking) -> TextTable:
    columns = ["rank", "feature", "importance", "error", "p_value", "p_adjusted", "correlated_with"]
    if not ranking.table["correlated_with"].any():
        columns.remove("correlated_with")
    return as_texts(with_texts(ranking.table.head(LONGEST_TABLE), ranking)[columns])


def with_texts(table: pd.DataFrame, ranking: Ranking) -> pd.DataFrame:
    """Numbers as a reader sees them, and the standard error."""
    number = importance_text(ranking.options.metric)
    return table.assign(
        importance=table["importance"].map(number),
        error=combined_error(table).map(lambda error: f"± {number(error)}"),
        p_value=table["p_value"].map(p_text),
        p_adjusted=table["p_adjusted"].map(p_text),
    )


def percent(share: float) -> str:
    return f"{100 * share:.1f}\u00a0%"
