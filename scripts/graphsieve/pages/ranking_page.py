"""One page about one ranking: no other file, no network; readable on a phone and in the dark.

Without its script it shows the best features; with it all of them, searched and sorted, as many as are looked at.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
import pandas as pd

from graphsieve.inference.enough import MEASURABLE
from graphsieve.inference.evidence import SHARE_OF_LOSS
from graphsieve.inference.p_values import SIGNIFICANCE
from graphsieve.inference.ranking import Ranking
from graphsieve.options import RankingOptions
from graphsieve.pages.ranking_pictures import Bars, importance_text, is_share, p_text, place_bars, place_curve
from graphsieve.pages.rendering import render, script_data
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
TEXT_COLUMNS = ("feature", *GROUP_KINDS.values(), "reason", "judged_with")


def build_page(ranking: Ranking, warnings: Sequence[str] = ()) -> str:
    """The page as HTML; `warnings` are sentences about the graph, shown first."""
    bars = place_bars(ranking.table, importance_text(ranking.options.metric))
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
        features_starred=int(ranking.table["starred"].sum()),
        bars=Bars(bars.zero, bars.rows[:TOP]),
        data=script_data({**asdict(bars), "kept": list(ranking.keeping[: ranking.smallest])}),
        chosen=ranking.curve.set_index("kept").loc[ranking.smallest],
        everything=ranking.curve.iloc[-1],
        unnoticed=unnoticed_text(ranking),
        curve=place_curve(ranking.curve, ranking.smallest, ranking.measure),
        group_tables=dict(group_tables(ranking)),
        smallest_p=smallest_p_value(ranking),
        units=count_units(ranking),
        needed=units_needed(ranking),
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


def measure_text(metric: str) -> Callable[[float], str]:
    return percent if is_share(metric) else "{:.3f}".format


def reached_text(ranking: Ranking, value: float) -> str:
    """Of accuracy, or of r2 where labels are quantities."""
    return measure_text(ranking.measure)(value)


def unnoticed_text(ranking: Ranking) -> str:
    """Losses of this size cannot be told from none."""
    loss = MEASURABLE * ranking.curve["loss_standard_error"].median()
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
    """The smallest that so many draws allow, as far as what is left unexplained is tested."""
    return 1 / (ranking.options.permutations + 1) / (1 - SHARE_OF_LOSS)


def count_units(ranking: Ranking) -> int:
    """Columns and groups of columns that are judged together: each member of a group of n is an n-th of a unit."""
    return round(sum(1 / size for size in ranking.table["unit_size"]))


def units_needed(ranking: Ranking) -> int:
    """How many units must have the smallest p-value, so that adjusted it can reach the level."""
    # Rounded first: a whole number must not become the next one by an error of its last digit.
    return int(np.ceil(round(smallest_p_value(ranking) * count_units(ranking) / SIGNIFICANCE, 9)))


def group_tables(ranking: Ranking) -> Iterator[tuple[str, TextTable]]:
    """One table for each kind of group that there is."""
    for kind, heading in GROUP_KINDS.items():
        groups = ranking.groups[ranking.groups["kind"] == kind]
        if len(groups):
            columns = ["group", "size", "importance", "interval", "p_value", "p_adjusted"]
            table = with_texts(groups, ranking)[columns]
            yield kind, as_texts(table.rename(columns={"group": heading, "size": "of"}))


def feature_table(ranking: Ranking) -> TextTable:
    columns = ["rank", "feature", "importance", "interval", "p_alone", "p_value", "p_adjusted", "reason", "judged_with"]
    if not ranking.table["judged_with"].any():
        columns.remove("judged_with")
    return as_texts(with_texts(ranking.table.head(LONGEST_TABLE), ranking)[columns])


def with_texts(table: pd.DataFrame, ranking: Ranking) -> pd.DataFrame:
    """Numbers as a reader sees them."""
    number = importance_text(ranking.options.metric)
    ends = zip(table["low"], table["high"], strict=True)
    texts = {name: table[name].map(p_text) for name in ("p_alone", "p_value", "p_adjusted")}
    return table.assign(
        importance=table["importance"].map(number),
        interval=["" if np.isnan(low) else f"{number(low)} to {number(high)}" for low, high in ends],
        **texts,
    )


def percent(share: float) -> str:
    return f"{100 * share:.1f}\u00a0%"
