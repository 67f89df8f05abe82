"""What each study of a run found: a number, a few words on it, and sentences with the numbers behind it.

Computed from the run's tables; a study that did not run gives no finding. Sentences are HTML, because names of methods
and datasets may need it.
"""

import html
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from graphsieve.study import adaptive_accuracy
from graphsieve.study.accuracy import places
from graphsieve.study.agreement import (
    AGREES,
    agreement_of_tables,
    all_counts_sentence,
    counts,
    distinct,
    seen_sentence,
)
from graphsieve.study.claim_tables import best_sentence, rival_sentences
from graphsieve.study.claims import AHEAD, BEHIND, BEST, ONE_RUN
from graphsieve.study.labels import (
    DATASETS,
    base,
    in_order,
    label_dataset,
    label_row,
    listed,
    measure_of,
    without_metric,
)
from graphsieve.study.markup import signed
from graphsieve.study.statistics import LEVEL

Tables = Mapping[str, pd.DataFrame]

METHOD = "npt"  # the paper's own: what the sentences follow wherever it took part
FEW = 6.25  # percent of the features: the most of the shares that the paper tabulates
NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True)
class Headline:
    """A number with a few words on it, and the whole finding in sentences."""

    number: str
    words: str
    sentences: tuple[str, ...]


def selection(ours: Tables, records: Tables, published: Tables) -> Headline | None:
    """Table 2: what a few features are worth to a model that is trained again."""
    name = "table2_feature_selection"
    if name not in ours:
        return None
    accuracy, method = _by_dataset(ours[name]), _method(ours[name], "all")
    paper = _by_dataset(published[name])
    kept = records["one_shot"][records["one_shot"]["scorer"] != "all"].groupby("dataset")[["kept", "features"]].first()
    datasets = [dataset for dataset in accuracy if {method, "all"} <= accuracy[dataset].keys()]
    if not datasets:
        return None
    parts = []
    for dataset in datasets:
        few, many = kept.loc[base(dataset)]
        parts.append(
            f"{label_row(method)} keeps {few:,} of {_of(dataset)} {many:,} features ({_percent(100 * few / many)}) "
            f"and reaches {_percent(accuracy[dataset][method])} test {measure_of([dataset])} "
            f"({_beside(accuracy[dataset], paper.get(base(dataset), {}), method)})."
        )
    share = _mean_share(accuracy, datasets, method, "all")
    measure = measure_of(datasets)
    words = (
        f"of the {measure} with all features is left with the few that {label_row(method)} keeps ({_over(datasets)})"
    )
    return Headline(share, words, tuple(parts))


def _beside(accuracy: dict, paper: dict, method: str) -> str:
    parts = [f"all features: {_percent(accuracy['all'])}"]
    if "random" in accuracy:
        parts.append(f"as many at random: {_percent(accuracy['random'])}")
    if method in paper:
        parts.append(f"published: {_percent(paper[method])}")
    return "; ".join(parts)


def best_methods(ours: Tables) -> Headline | None:
    """Table 2: who is best on each dataset, and how often the paper's method is."""
    if "table2_feature_selection" not in ours:
        return None
    table = ours["table2_feature_selection"]
    table = table.assign(place=places(table, "scorer", "all"))
    table = table[table["scorer"] != "all"]
    if table["scorer"].nunique() < 2:
        return None
    method = _method(table, "all")
    datasets = in_order(table["dataset"], DATASETS)
    parts = []
    for dataset in datasets:
        best = table[(table["dataset"] == dataset) & (table["place"] == 1)]
        names = listed([label_row(scorer) for scorer in best["scorer"]])
        parts.append(f"{names} on {_name(dataset)} ({_percent(best['accuracy_mean'].iloc[0])})")
    won = int((table[table["scorer"] == method]["place"] == 1).sum())
    second = int((table[table["scorer"] == method]["place"] == 2).sum())
    count, methods = len(datasets), table["scorer"].nunique()
    if count == 1:
        number = listed([label_row(scorer) for scorer in table[table["place"] == 1]["scorer"]])
        words = f"chooses best of {methods} one-shot methods on {_name(datasets[0])}"
    else:
        number = f"{won} of {count}"
        words = f"datasets where {label_row(method)} chooses best of {methods} one-shot methods (second on {second})"
    return Headline(number, words, (f"Of {methods} one-shot methods the best is {'; '.join(parts)}.",))


def agreement(ours: Tables, published: Tables) -> Headline | None:
    """How many published accuracies were met."""
    cells = agreement_of_tables(ours, published)
    if cells.empty:
        return None
    found = counts(cells)
    tables = listed([f"{part} in {title}" for title, part in _agreeing(cells).items()])
    words = (
        "published accuracies agree with ours by Welch's test; corrected for their number, "
        f"{found['surely'] or 'none'} differ{'s' * (found['surely'] <= 1)}"
    )
    sentences = (f"{all_counts_sentence(cells)} Agreeing: {tables}.", seen_sentence(cells))
    return Headline(f"{found[AGREES]:,} of {found['cells']:,}", words, sentences)


def _agreeing(cells: pd.DataFrame) -> dict[str, str]:
    parts = distinct(cells).groupby("table")
    return {title: f"{(part['verdict'] == AGREES).sum()} of {len(part)}" for title, part in parts}


def claimed_best(ours: Tables) -> Headline | None:
    """Claim 1: on how many datasets the paper's method is shown to select best."""
    judged = ours.get("claims_best_one_shot", pd.DataFrame())
    if judged.empty:
        return None
    tested = judged[judged["verdict"] != ONE_RUN]
    shown = {verdict: int((tested["verdict"] == verdict).sum()) for verdict in (BEST, BEHIND)}
    ahead = int((tested["verdict"] == AHEAD).sum())
    words = (
        f"datasets where {label_row(METHOD)} is shown to select best of the paper's methods; on {ahead} more its mean "
        f"is the highest, on {shown[BEHIND] or 'none'} it is shown to be behind"
    )
    return Headline(f"{shown[BEST]} of {len(tested)}", words, (best_sentence(judged),))


def fair_rivals(ours: Tables) -> Headline | None:
    """What selects better than the paper's method when rivals may see as much as it does."""
    rivals = ours.get("claims_fair", pd.DataFrame())
    if rivals.empty:
        return None
    better = rivals[rivals["mean"] < 0]
    shown = int((better["p_holm"] < LEVEL).sum())
    names = listed([label_row(name) for name in rivals["rival"].unique()])
    words = (
        f"comparisons in which a rival that sees as much ({names}) selects better than {label_row(METHOD)}; shown in "
        f"{shown or 'none'}"
    )
    return Headline(f"{len(better)} of {len(rivals)}", words, (rival_sentences(rivals),))


def adaptive(ours: Tables, published: Tables) -> Headline | None:
    """Table 3, where the most features remain: accuracy beside that of the model which prunes nothing."""
    if "table3_adaptive_selection" not in ours:
        return None
    table, paper = ours["table3_adaptive_selection"], published["table3_adaptive_selection"]
    full = _by_dataset(table[table["retained_percent"] == adaptive_accuracy.FULL])
    few = _by_dataset(table[table["retained_percent"] == FEW])
    theirs = _by_dataset(paper[paper["retained_percent"] == FEW])
    method = _method(table, "full")
    datasets = [name for name in few if method in few[name] and "full" in full.get(name, {})]
    if not datasets:
        return None
    parts = []
    for dataset in datasets:
        known = theirs.get(base(dataset), {})
        publication = f"; published: {_percent(known[method])}" if method in known else ""
        parts.append(
            f"{_percent(few[dataset][method])} on {_name(dataset)} "
            f"(nothing pruned: {_percent(full[dataset]['full'])}{publication})"
        )
    together = {name: few[name] | full[name] for name in datasets}
    words = (
        f"of the full model's {measure_of(datasets)} is left when {label_row(method)} has pruned all but about "
        f"{FEW}\u00a0% of the features during training ({_over(datasets)})"
    )
    sentence = (
        f"Pruned during training to about {FEW}\u00a0% of the features, {label_row(method)} reaches "
        f"{listed(parts)} in test {measure_of(datasets)}."
    )
    return Headline(_mean_share(together, datasets, method, "full"), words, (sentence,))


def recovery(ours: Tables) -> Headline | None:
    """Figure 12's table: who finds the features that are known to matter."""
    table = ours.get("fig12_recovered_features", pd.DataFrame())
    if table.empty:
        return None
    table = table[table["measure"] == "average_precision"]
    means = table.groupby("scorer", sort=False)["mean"].mean()
    best = means.idxmax()
    regimes = listed([f"({dataset[-1]})" for dataset in in_order(table["dataset"], DATASETS)])
    others = [f"{label_row(name)} {means[name]:.2f}" for name in (METHOD, "random") if name in means and name != best]
    beside = f" ({'; '.join(others)})" if others else ""
    words = f"average precision of {label_row(best)}, best at finding features known to matter{beside}"
    sentence = (
        f"Where the relevant features are known, in the regimes {regimes}, {label_row(best)} finds them best, with an "
        f"average precision of {means[best]:.2f}{beside}."
    )
    return Headline(f"{means[best]:.2f}", words, (sentence,))


def worth_of_the_graph(ours: Tables) -> Headline | None:
    """Table 1: what the graph adds to the features, and what it costs to permute them among the nodes."""
    accuracy = _by_dataset(ours["table1_perturbations"], "setting") if "table1_perturbations" in ours else {}
    datasets = [name for name in accuracy if {"original", "mlp"} <= accuracy[name].keys()]
    if not datasets:
        return None
    gains = {name: accuracy[name]["original"] - accuracy[name]["mlp"] for name in datasets}
    lost = {
        name: accuracy[name]["permuted_rows"] - accuracy[name]["original"]
        for name in datasets
        if "permuted_rows" in accuracy[name]
    }
    more = f" Features permuted among the nodes change it by {_changes(lost)}." if lost else ""
    measure = measure_of(datasets)
    words = f"points of test {measure} are what the graph adds to the features alone ({_over(datasets)})"
    sentence = f"Beside an MLP without it, the graph changes test {measure} (in points) by {_changes(gains)}.{more}"
    return Headline(signed(sum(gains.values()) / len(gains), 1), words, (sentence,))


def correlation(ours: Tables) -> Headline | None:
    """Table 4: whose scores go with those of the paper's method."""
    table = ours.get("table4_score_correlation", pd.DataFrame({"pearson_r": []})).dropna(subset="pearson_r")
    if table.empty:
        return None
    parts = []
    for dataset in in_order(table["dataset"], DATASETS):
        part = table[table["dataset"] == dataset]
        closest = part.loc[part["pearson_r"].abs().idxmax()]
        parts.append(f"{label_row(closest['scorer'])} on {_name(dataset)} (r = {_r(closest['pearson_r'])})")
    means = table.groupby("scorer", sort=False)["pearson_r"].mean()
    closest = means.abs().idxmax()
    words = (
        f"correlation with {label_row(METHOD)}'s scores has {label_row(closest)}, the strongest of all other methods"
    )
    sentence = f"What goes most with {label_row(METHOD)}'s scores, in either direction: {'; '.join(parts)}."
    return Headline(_r(means[closest]), words, (sentence,))


def bounds(ours: Tables) -> Headline | None:
    """How often the theorems' bounds failed."""
    if not {"theory_bounds_cases", "theory_bounds_search"} <= ours.keys():
        return None
    cases, search = ours["theory_bounds_cases"], ours["theory_bounds_search"]
    stated, repaired, count = (int(cases[name].sum()) for name in ("stated_violations", "repaired_violations", "cases"))
    broken, searches = int(search["violated"].sum()), len(search)
    verb = "does" if stated <= 1 else "do"
    words = f"searches for a counterexample break a stated bound; of {count:,} random cases {stated or 'none'} {verb}"
    sentence = (
        f"Of {count:,} random cases {stated or 'none'} break{'s' * (stated <= 1)} the bound that the theorems state, "
        f"{repaired or 'none'} the repaired one; cases built to break the stated one succeed in {broken} of {searches} "
        "searches."
    )
    return Headline(f"{broken} of {searches}", words, (sentence,))


def selectors(ours: Tables) -> Headline | None:
    """The benchmark of selectors: who has the best mean rank, and where the paper's own stands."""
    if "selector_ranks" not in ours or ours["selector_ranks"]["mean_rank"].isna().all():
        return None
    table = ours["selector_ranks"].dropna(subset="mean_rank").sort_values("mean_rank", kind="stable")
    best, count, graphs = table.iloc[0], len(table), int(table["graphs"].max())
    never = listed([label_row(name) for name in table.loc[table["behind_on"] == 0, "scorer"]] or ["none"])
    words = f"has the best mean rank of {count} selectors on {graphs} graphs, {best['mean_rank']:.1f}"
    own = table[table["scorer"] == METHOD]
    beaten = "".join(
        f" {label_row(METHOD)} has {row.mean_rank:.1f}, {row.mean_regret:.1f} points behind the best of each graph."
        for row in own.itertuples()
    )
    sentence = f"Of {count} selectors these are nowhere shown to be behind another: {never.removesuffix('.')}.{beaten}"
    return Headline(label_row(best["scorer"]), words, (sentence,))


# How it is said


def _by_dataset(table: pd.DataFrame, row: str = "scorer") -> dict[str, dict[str, float]]:
    """Mean accuracy by dataset, in the paper's order, and row."""
    table = table.dropna(subset="accuracy_mean")
    groups = {dataset: part.set_index(row)["accuracy_mean"].to_dict() for dataset, part in table.groupby("dataset")}
    return {dataset: groups[dataset] for dataset in in_order(groups, DATASETS)}


def _method(table: pd.DataFrame, reference: str) -> str:
    """The paper's method, or the first that took part."""
    scorers = [scorer for scorer in table["scorer"].unique() if scorer != reference]
    return METHOD if METHOD in scorers or not scorers else scorers[0]


def _mean_share(accuracy: dict, datasets: list[str], method: str, reference: str) -> str:
    shares = [accuracy[dataset][method] / accuracy[dataset][reference] for dataset in datasets]
    return _percent(100 * sum(shares) / len(shares))


def _over(datasets: list[str]) -> str:
    return _name(datasets[0]) if len(datasets) == 1 else f"mean of {len(datasets)} datasets"


def _of(dataset: str) -> str:
    """The possessive."""
    name = _name(without_metric(dataset))
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def _name(dataset: str) -> str:
    return html.escape(label_dataset(dataset))


def _percent(value: float) -> str:
    return f"{value:.1f}\u00a0%"


def _changes(points: dict[str, float]) -> str:
    return listed([f"{signed(value, 1)} on {_name(dataset)}" for dataset, value in points.items()])


def _r(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")
