"""One page about one ranking: no other file, no script, no network; readable on a phone and in the dark."""

import html
from collections.abc import Sequence

import numpy as np
import pandas as pd

from graphsieve.inference.ranking import SIGNIFICANCE as LEVEL
from graphsieve.inference.ranking import Ranking, most_permutations
from graphsieve.pages.page import page
from graphsieve.pages.ranking_pictures import bars, combined_error, curve_picture, importance_text, p_text

TOP = 20
LONGEST_TABLE = 500
METRICS = {"accuracy": "accuracy", "macro_f1": "macro F1", "cross_entropy": "loss (cross entropy)"}

STYLE = """
.bars { margin: 0.8rem 0; font-size: 0.95rem; }
.bar { display: grid; grid-template-columns: minmax(5rem, 26%) 1fr 7.2rem; gap: 0.7rem; align-items: center;
  padding: 0.18rem 0; }
.bar .name { text-align: right; line-height: 1.2; }
.bar .value { font-variant-numeric: tabular-nums; white-space: nowrap; }
.bar small { color: var(--soft); }
svg { display: block; width: 100%; height: auto; }
.bar svg { height: 1.15rem; }
figure { margin: 0.8rem 0; max-width: 36rem; }
@media (max-width: 30rem) {
  .bar { grid-template-columns: 1fr 6.8rem; row-gap: 0; padding: 0.3rem 0; }
  .bar .name { grid-column: 1 / 3; text-align: left; }
}
"""


def build_page(ranking: Ranking, warnings: Sequence[str] = ()) -> str:
    sections = [
        _introduction(ranking, warnings),
        _cards(ranking),
        _top_features(ranking),
        _curve(ranking),
        _groups(ranking),
        _meaning(ranking),
        _whole_table(ranking),
        _foot(ranking),
    ]
    title = f"What matters in {html.escape(ranking.graph.name)}"
    return page(title, "\n".join(filter(None, sections)), STYLE)


def _introduction(ranking: Ranking, warnings: Sequence[str]) -> str:
    graph = ranking.graph
    size = (
        f"{graph.num_nodes:,} nodes ({len(graph.labelled()):,} labelled, {graph.num_classes} classes), "
        f"{graph.edge_index.shape[1]:,} directed edges, {graph.num_features:,} feature columns"
    )
    notes = "\n".join(f'<p class="warning">{html.escape(sentence)}</p>' for sentence in warnings)
    return f'<p class="soft">{size}</p>\n{notes}'


def _cards(ranking: Ranking) -> str:
    everything = ranking.curve.iloc[-1]
    found, of = int((ranking.table["p_adjusted"] <= LEVEL).sum()), ranking.graph.num_features
    cards = [
        (
            percent(everything["accuracy"]),
            f"of {ranking.test_nodes:,} test nodes are classified rightly with all features; "
            f"always naming the commonest class gives {percent(ranking.majority)}",
        ),
        (f"{found} of {of}", f"features have a measurable effect (adjusted p at most {LEVEL}){_groups_found(ranking)}"),
        (f"best {ranking.smallest} of {of}", "features are enough: with these, no loss of accuracy can be measured"),
    ]
    return '<div class="cards">' + "".join(f"<div><b>{big}</b> {small}</div>" for big, small in cards) + "</div>"


def _groups_found(ranking: Ranking) -> str:
    found = int((ranking.groups["p_adjusted"] <= LEVEL).sum())
    return f", and so have {found} of {len(ranking.groups)} groups of columns" if len(ranking.groups) else ""


def _top_features(ranking: Ranking) -> str:
    top = ranking.table.head(TOP)
    number = importance_text(ranking.options.metric)
    twins = " What is marked correlated is better judged with its like, below." if top["correlated_with"].any() else ""
    return (
        f"<h2>{'The' if len(top) < TOP else f'The {TOP}'} most important features</h2>\n"
        f"<p>{_importance_sentence(ranking)} {_unit(ranking)} The line is one standard error to either side, over "
        f"permutations and over seeds. Grey: no measurable effect.{twins}</p>\n{bars(top, number, LEVEL)}"
    )


def _unit(ranking: Ranking) -> str:
    return "" if ranking.options.metric == "cross_entropy" else "Numbers are percentage points."


def _importance_sentence(ranking: Ranking) -> str:
    change = "rises" if ranking.options.metric == "cross_entropy" else "falls"
    amount = "by how much" if change == "rises" else "how far"
    return (
        f"Importance is {amount} {METRICS[ranking.options.metric]} at {ranking.scored_nodes:,} nodes {change} when the "
        "feature's values are shuffled among the nodes. It is measured in halves of the graph that the model has never "
        f"seen ({_metric_level(ranking)} there before anything is shuffled)."
    )


def _metric_level(ranking: Ranking) -> str:
    value = ranking.scored_accuracy
    text = f"{value:.3f}" if ranking.options.metric == "cross_entropy" else percent(value)
    return f"{METRICS[ranking.options.metric]} is {text}"


def _curve(ranking: Ranking) -> str:
    chosen = ranking.curve.set_index("kept").loc[ranking.smallest]
    seen = ranking.curve["loss_standard_error"].median()
    return (
        "<h2>How few features are enough?</h2>\n"
        "<p>Accuracy at the test nodes of models trained anew on the best features only. The ranking has not seen "
        f"these nodes' labels. With the best {ranking.smallest}, accuracy is {percent(chosen['accuracy'])} "
        f"against {percent(ranking.curve['accuracy'].iloc[-1])} with all {ranking.graph.num_features:,}; from there "
        "on, no loss exceeds its standard error, compared node by node. With so many test nodes, losses below about "
        f"{max(100 * seen, 0.05):.1f} percentage points go unnoticed.</p>\n"
        f"<figure>{curve_picture(ranking.curve, ranking.smallest)}</figure>"
    )


TEXT_SENTENCE = (
    "The values of one text column, shuffled together: what the column as a whole is worth. Shuffling one value alone "
    "makes nodes with two values or none."
)
CORRELATION_SENTENCE = (
    "These columns say nearly the same, so their single importances mislead: a model that has one can do without the "
    "other, which hides both; and shuffling one makes combinations that never occur, which overstates it. Trust what "
    "they are worth together."
)


def _groups(ranking: Ranking) -> str:
    kinds = (
        ("values", "Columns of text", TEXT_SENTENCE),
        ("correlated", "Correlated columns", CORRELATION_SENTENCE),
    )
    parts = []
    for kind, heading, sentence in kinds:
        groups = ranking.groups[ranking.groups["kind"] == kind]
        if len(groups):
            names = {"group": "columns" if kind == "correlated" else "column", "size": "of"}
            columns = ["group", "size", "importance", "error", "p_value", "p_adjusted"]
            table = _texts(groups, ranking)[columns].rename(columns=names)
            parts.append(f"<h2>{heading}</h2>\n<p>{sentence}</p>\n{_html_table(table)}")
    return "\n".join(parts)


def _meaning(ranking: Ranking) -> str:
    smallest = 2 / (most_permutations(ranking.graph.num_features, ranking.options) + 1)
    needed = int(np.ceil(smallest * ranking.graph.num_features / LEVEL))
    limit = (
        f"<p>With at most {ranking.options.permutations:,} permutations the smallest possible p-value is "
        f"{smallest:.2g}; adjusted for {ranking.graph.num_features:,} features it can reach {LEVEL} only where at "
        f"least {needed} features are that small together. <code>--permutations</code> raises the limit.</p>"
        if needed > 1
        else ""
    )
    return f"""<h2>What the p-values mean</h2>
<p>A p-value answers: if this column were nothing but chance, how often would its true order do so much better than
shuffled ones? Models learn from one half of the nodes; the column is shuffled in the other half, whose labels, features
and edges they have not seen; then the halves change roles. Better means a lower loss, which notices smaller effects
than accuracy. Such p-values hold whatever the model is worth: of columns that are chance, at most 5&nbsp;% get 0.05
or less. <i>Adjusted</i> p-values account for the number of columns (Benjamini and Hochberg): of the features with at
most {LEVEL}, about {LEVEL:.0%} are expected to be false. <code>p_holm</code> in the CSV file is stricter: no false
one at all, with probability {1 - LEVEL:.0%}.</p>
<p>Accuracy and loss can disagree: a grey bar far from zero is a column whose shuffling changes answers, but harms and
helps the model's confidence alike. <code>loss_rise</code> in the CSV file is what the p-value judges.</p>
<p>It does <i>not</i> mean that a feature is a cause, nor that it is needed: a column that merely goes with an important
one can have an effect too. A large p-value does not prove that a feature is useless: another model, or more labelled
nodes, may find a use for it. And where the column follows the graph (neighbours have similar values), shuffling also
destroys that pattern, and a small p-value may tell of it alone.</p>
{limit}"""


def _whole_table(ranking: Ranking) -> str:
    table = _texts(ranking.table.head(LONGEST_TABLE), ranking)
    columns = ["rank", "feature", "importance", "error", "p_value", "p_adjusted", "correlated_with"]
    if not ranking.table["correlated_with"].any():
        columns.remove("correlated_with")
    shown = "All features"
    if len(table) < len(ranking.table):
        shown = f"The first {len(table)} of {len(ranking.table):,} features"
    return f"<details><summary>{shown} as a table</summary>{_html_table(table[columns])}</details>"


def _texts(table: pd.DataFrame, ranking: Ranking) -> pd.DataFrame:
    number = importance_text(ranking.options.metric)
    return table.assign(
        importance=table["importance"].map(number),
        error=combined_error(table).map(lambda error: f"± {number(error)}"),
        p_value=table["p_value"].map(p_text),
        p_adjusted=table["p_adjusted"].map(p_text),
    )


def _html_table(table: pd.DataFrame) -> str:
    kinds = ['class="text"' if column in TEXT_COLUMNS else "" for column in table.columns]
    head = "".join(f"<th {kind}>{column.replace('_', ' ')}</th>" for column, kind in zip(table, kinds, strict=True))
    rows = "".join(
        "<tr>" + "".join(f"<td {kind}>{html.escape(str(value))}</td>" for value, kind in zip(row, kinds, strict=True))
        for row in table.itertuples(index=False)
    )
    return f'<div class="scroll"><table><thead><tr>{head}</thead><tbody>{rows}</tbody></table></div>'


TEXT_COLUMNS = ("feature", "column", "columns", "correlated_with")


def _foot(ranking: Ranking) -> str:
    options, training = ranking.options, ranking.options.training
    return (
        f'<footer class="soft">Model {options.model}, {training.num_layers} layers of {training.hidden}, dropout '
        f"{training.dropout:g}, {training.epochs} epochs; {options.seeds} seeds from {options.seed}; "
        f"{options.n_repeats} permutations an importance, at most {options.permutations:,} a p-value. "
        f"The numbers are in <code>ranking.csv</code>{' and <code>groups.csv</code>' if len(ranking.groups) else ''} "
        "beside this page. "
        "Made by graphsieve.</footer>"
    )


def percent(share: float) -> str:
    return f"{100 * share:.1f}&nbsp;%"
