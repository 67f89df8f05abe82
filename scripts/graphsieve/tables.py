"""Records in, tables out: in the paper's order, with its marks, beside its published numbers. Accuracies in percent."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd
from pandas.io.formats.style import Styler

from graphsieve.errors import InputError
from graphsieve.records import write_csv, write_text
from graphsieve.synthetic import REGIMES

# The paper's columns, in its order and between its vertical rules; datasets it does not have come after them.
DATASET_GROUPS = [
    {"cora": "Cora", "citeseer": "CiteSeer", "pubmed": "PubMed"},
    {"photo": "Photo", "computers": "Computers", "arxiv": "ArXiv"},
    {"cornell": "Cornell", "texas": "Texas", "wisconsin": "Wisconsin"},
    {"digits": "Digits"},
    {f"synthetic_{regime}": f"Synthetic ({regime})" for regime in REGIMES},
]
DATASETS = {name: label for group in DATASET_GROUPS for name, label in group.items()}

# name: (label on the page, label in LaTeX), in the paper's order; rows it does not have come after its own.
ROWS = {
    "original": ("GNN(X; A), original", r"$\mathrm{GNN}(\mathbf{X};\mathbf{A},\mathbf{\Theta})$"),
    "mlp": ("MLP(X), no graph", r"$\mathrm{MLP}(\mathbf{X};\mathbf{\Theta})$"),
    "permuted_rows": ("GNN(X̃; A), rows permuted", r"$\mathrm{GNN}(\tilde{\mathbf{X}};\mathbf{A},\mathbf{\Theta})$"),
    "gaussian_noise": ("GNN(W; A), Gaussian noise", r"$\mathrm{GNN}(\mathbf{W};\mathbf{A},\mathbf{\Theta})$"),
    "random_graph": ("GNN(X; Ã), random graph", r"$\mathrm{GNN}(\mathbf{X};\tilde{\mathbf{A}},\mathbf{\Theta})$"),
    "all": ("All features", "All features"),
    "npt": ("NPT", "NPT"),
    "npt_gaussian": ("NPT-gaussian", "NPT-gaussian"),
    "npt_mask": ("NPT-mask", "NPT-mask"),
    "tfi": ("TFI", "TFI"),
    "mi": ("MI", "MI"),
    "h_attr": ("h<sub>attr</sub>", r"$h_{\mathrm{attr}}$"),
    "h_euc": ("h<sub>Euc</sub>", r"$h_{\mathrm{Euc}}$"),
    "h_ge": ("h<sub>GE</sub>", r"$h_{\mathrm{GE}}$"),
    "random": ("Rnd.", "Rnd."),
    "npt_loss": ("NPT-loss", "NPT-loss"),
    "pt": ("PT", "PT"),
}
ROW_TITLES = {"setting": "Setting", "scorer": "Method"}
FULL_MODELS = ("original", "all")  # the paper rules a line below these

# How a mean is written when it is neither, best or second best; then how its deviation follows.
MARKUP = {
    "html": ("{}", "<b>{}</b>", "<u>{}</u>", " <small>± {}</small>"),
    "markdown": ("{}", "**{}**", "<ins>{}</ins>", " ± {}"),
    "latex": ("{}", r"\textbf{{{}}}", r"\underline{{{}}}", r" $\pm$ {{\tiny {}}}"),
}

FAR = 2  # published standard deviations
COMPARISON_NOTE = (
    "In every cell: ours; below it the published mean ± standard deviation; below that the difference, ours less "
    "published. It is shaded where it exceeds two **published** standard deviations. (Those fit division by n, not "
    "n\u00a0−\u00a01, on the datasets small enough to tell: over five runs, a tenth less than ours would be.)"
)
DATASETS_NOTE = "Edges are counted as they are loaded: an undirected edge counts twice."


# Accuracy tables


def summarise(records: pd.DataFrame, row: str) -> pd.DataFrame:
    """Mean and sample standard deviation (n - 1; NaN for a single run) of the test accuracy, in the paper's order."""
    records = name_variants(records, row).assign(accuracy=100 * records["test_accuracy"])
    summary = records.groupby([row, "dataset"], as_index=False).agg(
        accuracy_mean=("accuracy", "mean"), accuracy_std=("accuracy", "std"), runs=("accuracy", "size")
    )
    return sort_as_paper(summary, row).round(4)


def sort_as_paper(table: pd.DataFrame, row: str) -> pd.DataFrame:
    order = {row: in_order(table[row], ROWS), "dataset": in_order(table["dataset"], DATASETS)}
    return table.sort_values(list(order), key=lambda column: column.map(order[column.name].index), ignore_index=True)


def name_variants(records: pd.DataFrame, row: str) -> pd.DataFrame:
    """A dataset that was run with several models or splits becomes several, as in `cora (gin)`: none are averaged."""
    records = records.copy()
    for choice in ("model", "split"):
        several = records.groupby(["dataset", row])[choice].transform("nunique").groupby(records["dataset"])
        records["dataset"] = records["dataset"].where(
            several.transform("max") == 1, records["dataset"] + " (" + records[choice] + ")"
        )
    return records


def base(dataset: str) -> str:
    """The dataset behind a variant's name."""
    return dataset.split(" (")[0]


def in_order(names: Iterable[str], known: Iterable[str]) -> list[str]:
    """Known names in their order, then the others by name."""
    position = {name: number for number, name in enumerate(known)}
    return sorted(set(names), key=lambda name: (position.get(base(name), len(position)), name))


def label_dataset(dataset: str) -> str:
    return DATASETS.get(base(dataset), base(dataset)) + dataset[len(base(dataset)) :]


def label_row(name: str, markup: str = "html") -> str:
    plain = name.replace("_", r"\_") if markup == "latex" else name
    return ROWS.get(name, (plain, plain))[markup == "latex"]


def places(summary: pd.DataFrame, row: str, reference: str = "") -> pd.Series:
    """1 for the best of each dataset, 2 for the second best, 0 for the rest and for `reference`, which stands apart.

    As in the paper, equal means as printed (two decimals) share a place.
    """
    competing = summary["accuracy_mean"].round(2).where(summary[row] != reference)
    rank = competing.groupby(summary["dataset"]).rank(method="dense", ascending=False)
    return rank.where(rank <= 2, 0).astype(int)


def accuracy_cells(summary: pd.DataFrame, row: str, reference: str = "", markup: str = "html") -> pd.DataFrame:
    """The table as the paper prints it: a text `mean ± std` for every row and dataset, empty where nothing was run."""
    marked, deviation = MARKUP[markup][:3], MARKUP[markup][3]
    texts = [
        marked[place].format(f"{mean:.2f}") + ("" if pd.isna(std) else deviation.format(f"{std:.2f}"))
        for place, mean, std in zip(
            places(summary, row, reference), summary["accuracy_mean"], summary["accuracy_std"], strict=True
        )
    ]
    return _grid(summary.assign(text=texts), row)


def _grid(table: pd.DataFrame, row: str) -> pd.DataFrame:
    """`text` by row and dataset, both still by name and in the order in which they first appear."""
    cells = table.pivot(index=row, columns="dataset", values="text")
    return cells.reindex(index=table[row].unique(), columns=in_order(table["dataset"], DATASETS)).fillna("")


def compare(summary: pd.DataFrame, published: pd.DataFrame, row: str) -> pd.DataFrame:
    """The cells that both tables have; `far` where ours is over two published standard deviations off."""
    theirs = published.dropna(subset="accuracy_mean").rename(
        columns={"accuracy_mean": "published_mean", "accuracy_std": "published_std"}
    )
    theirs = theirs[[row, "dataset", "published_mean", "published_std"]]
    both = summary.assign(base=summary["dataset"].map(base)).merge(
        theirs.rename(columns={"dataset": "base"}), on=[row, "base"]
    )
    both["difference"] = both["accuracy_mean"] - both["published_mean"]
    both["far"] = both["difference"].abs() > FAR * both["published_std"]
    return both.drop(columns="base")


def comparison_cells(comparison: pd.DataFrame, row: str) -> pd.DataFrame:
    """Ours, the published value and the difference, one below the other."""
    texts = [
        f"{ours:.2f}<br><small>{theirs:.2f} ± {std:.2f}</small><br>{_difference(difference, far)}"
        for ours, theirs, std, difference, far in comparison[
            ["accuracy_mean", "published_mean", "published_std", "difference", "far"]
        ].itertuples(index=False)
    ]
    return _grid(comparison.assign(text=texts), row)


def _difference(value: float, far: bool, decimals: int = 2) -> str:
    text = _signed(value, decimals)
    return f"<b class='far'>{text}</b>" if far else f"<i>{text}</i>"


def _signed(value: float, decimals: int = 2) -> str:
    return f"{value:+,.{decimals}f}".replace("-", "−") if value else "0"


def far_cells(comparison: pd.DataFrame, row: str) -> pd.DataFrame:
    """The cells over two published standard deviations off, the farthest first."""
    far = comparison[comparison["far"]]
    far = far.assign(deviations=far["difference"] / far["published_std"]).sort_values(
        "deviations", key=abs, ascending=False, kind="stable"
    )
    return pd.DataFrame(
        {
            ROW_TITLES.get(row, row): far[row].map(label_row),
            "Dataset": far["dataset"].map(label_dataset),
            "Ours": far["accuracy_mean"].map("{:.2f}".format),
            "Published": far["published_mean"].map("{:.2f}".format) + " ± " + far["published_std"].map("{:.2f}".format),
            "Difference": far["difference"].map(_signed),
            "In published std": far["deviations"].map(lambda value: _signed(value, 1)),
        }
    ).set_index(ROW_TITLES.get(row, row))


def far_sentence(comparison: pd.DataFrame) -> str:
    count, cells = int(comparison["far"].sum()), len(comparison)
    verb = "lies" if count == 1 else "lie"
    return (
        f"{count or 'None'} of the {cells} cells that both tables have {verb} further than two published standard "
        "deviations from the published mean."
    )


def coverage(ours: pd.DataFrame, published: pd.DataFrame, row: str | None = None) -> str:
    """Sentences on the datasets, and the rows where the tables have any, that only one of the two has."""
    known = set(published["dataset"])
    new = [label_dataset(name) for name in in_order(ours["dataset"], DATASETS) if base(name) not in known]
    absent = [label_dataset(name) for name in in_order(published["dataset"], DATASETS) if name not in _bases(ours)]
    new_rows = [label_row(name) for name in _only_in(ours, published, row)]
    absent_rows = [label_row(name) for name in _only_in(published, ours, row)]
    sentences = [
        f"Nothing was published for {_listed(new)}." if new else "",
        f"The paper has no row {_listed(new_rows, 'or')}." if new_rows else "",
        f"The paper also has {_listed(absent)}, which this run does not." if absent else "",
        f"The paper also has the rows {_listed(absent_rows)}, which this run does not." if absent_rows else "",
    ]
    return " ".join(filter(None, sentences))


def _bases(table: pd.DataFrame) -> set[str]:
    return set(table["dataset"].map(base))


def _only_in(table: pd.DataFrame, other: pd.DataFrame, row: str | None) -> list[str]:
    return [name for name in in_order(table[row], ROWS) if name not in set(other[row])] if row else []


def _listed(names: list[str], last: str = "and") -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"


def runs_sentence(summary: pd.DataFrame) -> str:
    low, high = summary["runs"].min(), summary["runs"].max()
    if high == 1:
        return "Test accuracy in percent, of a single run."
    runs = low if low == high else f"{low} to {high}"
    return f"Test accuracy in percent, mean ± sample standard deviation (n\u00a0−\u00a01) over {runs} runs."


def kept_text(records: pd.DataFrame, reference: str) -> str:
    selected = records[records["scorer"] != reference].groupby("dataset")[["kept", "features"]].first()
    kept = [
        f"{selected.loc[name, 'kept']:,} of {selected.loc[name, 'features']:,} on {label_dataset(name)}"
        for name in in_order(selected.index, DATASETS)
    ]
    return (
        f"## What was kept\n\nFeatures kept: {_listed(kept)}. A method that gives many features the same score leaves "
        "the choice among them to the tie rule. The table counts the features that share the score where the cut fell "
        "(mean over runs; 0 where the cut fell between two scores)."
    )


def tie_cells(records: pd.DataFrame, reference: str) -> pd.DataFrame:
    ties = name_variants(records[records["scorer"] != reference], "scorer")
    ties = sort_as_paper(ties.groupby(["scorer", "dataset"], as_index=False)["ties"].mean(), "scorer")
    return _grid(ties.assign(text=ties["ties"].map(lambda mean: f"{round(mean, 1):g}")), "scorer")


def write_accuracy_table(summary: pd.DataFrame, row: str, stem: str, title: str, reference: str = "") -> None:
    """`stem`.csv, .md and .tex."""
    rendered = {markup: accuracy_cells(summary, row, reference, markup) for markup in ("markdown", "latex")}
    write_csv(summary, f"{stem}.csv")
    notes = f"{runs_sentence(summary)} {marks_sentence(reference)}"
    markdown = label_cells(rendered["markdown"], row)
    write_text(as_markdown(markdown, title, notes), f"{stem}.md")
    rules = [position for position, name in enumerate(rendered["latex"].index, 1) if name in FULL_MODELS]
    breaks = group_breaks(rendered["latex"].columns)
    latex = label_cells(rendered["latex"], row, "latex")
    write_text(as_latex(latex, title, notes, Path(stem).name, rules, breaks), f"{stem}.tex")


def marks_sentence(reference: str) -> str:
    apart = f" (the row {label_row(reference)} does not compete)" if reference else ""
    return f"Best in bold, second best underlined{apart}."


# Rendering


def label_cells(cells: pd.DataFrame, row: str, markup: str = "html") -> pd.DataFrame:
    """Names to labels, on both sides of the table."""
    labelled = cells.rename(index=lambda name: label_row(name, markup), columns=label_dataset)
    return labelled.rename_axis(index=ROW_TITLES.get(row, row), columns=None)


def group_breaks(datasets: pd.Index) -> list[int]:
    """Positions at which a group of datasets begins, the first excepted."""
    groups = [
        next((number for number, group in enumerate(DATASET_GROUPS) if base(name) in group), len(DATASET_GROUPS))
        for name in datasets
    ]
    return [position for position in range(1, len(groups)) if groups[position] != groups[position - 1]]


def as_markdown(cells: pd.DataFrame, title: str, notes: str) -> str:
    header = [cells.index.name, *cells.columns]
    lines = [header, ["---", *["---:"] * len(cells.columns)]] + [[name, *texts] for name, *texts in cells.itertuples()]
    return "\n".join([f"# {title}", "", *(f"| {' | '.join(line)} |" for line in lines), "", notes, ""])


def as_latex(
    cells: pd.DataFrame,
    title: str,
    notes: str,
    label: str,
    rules: Sequence[int] = (),
    breaks: Sequence[int] = (),
    align: str = "c",
) -> str:
    """A booktabs table; `rules` are the rows to rule a line below, `breaks` the columns to draw one before."""
    title = re.sub(r"^Table \d+: ", "", title)  # LaTeX numbers its tables itself
    title = title[0].upper() + title[1:]
    columns = "".join(f"|{align}" if position in breaks else align for position in range(len(cells.columns)))
    first_rule = "|" if breaks else ""
    body = []
    for position, (name, *texts) in enumerate(cells.itertuples(), 1):
        body.append(" & ".join([name, *texts]) + r" \\")
        if position in rules and position < len(cells):
            body.append(r"\midrule")
    return "\n".join(
        [
            "% needs \\usepackage{booktabs}",
            r"\begin{table*}[t]",
            r"\centering\scriptsize",
            rf"\caption{{{_latex_text(f'{title}. {notes}')}}}",
            rf"\label{{t:{label}}}",
            rf"\begin{{tabular}}{{l{first_rule}{columns}}}",
            r"\toprule",
            " & ".join(rf"\textbf{{{_latex_text(text)}}}" for text in [cells.index.name, *cells.columns]) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table*}",
            "",
        ]
    )


LATEX = {"&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "±": r"$\pm$", "−": "$-$", "\u00a0": "~"}


def _latex_text(text: str) -> str:
    return text.translate(str.maketrans(LATEX))


PAGE_STYLE = [
    {"selector": "", "props": "border-collapse: collapse; border: solid #222; border-width: 1.5px 0;"
     " font-variant-numeric: tabular-nums; margin: 0.5em 0;"},
    {"selector": "th, td", "props": "padding: 0.35em 0.8em; background: white; color: #222; border: none;"
     " white-space: nowrap; line-height: 1.35;"},
    {"selector": "th.col_heading", "props": "text-align: center; border-bottom: 1px solid #222; font-weight: 600;"},
    {"selector": "th.row_heading, th.index_name, th.blank", "props": "text-align: left; font-weight: 500;"
     " position: sticky; left: 0;"},
    {"selector": "thead th", "props": "border-bottom: 1px solid #222;"},
    {"selector": "small", "props": "color: #666; font-size: 85%;"},
    {"selector": "i", "props": "font-style: normal; color: #0072b2;"},
    {"selector": "u", "props": "text-underline-offset: 3px;"},
    {"selector": ".prose", "props": "display: block; min-width: 18em; white-space: normal; text-align: left;"},
    {"selector": ".far", "props": "background: #fbd5b5; border-radius: 3px; padding: 0 0.3em; color: #7a2e00;"},
]  # fmt: skip


def page_table(
    cells: pd.DataFrame, name: str, rules: Sequence[int] = (), breaks: Sequence[int] = (), align: str = "center"
) -> Styler:
    """A table for a notebook, in the manner of booktabs; `name` must differ between the tables of a page."""
    lines = [{"selector": "td", "props": f"text-align: {align};"}]
    lines += [{"selector": f".row{row - 1}", "props": "border-bottom: 1px solid #bbb;"} for row in rules]
    lines += [{"selector": f".col{column}", "props": "border-left: 1px solid #bbb;"} for column in breaks]
    flat = cells.rename_axis(index=None, columns=cells.index.name)
    return flat.style.set_uuid(name).set_table_styles(PAGE_STYLE + lines)


def page_accuracy(cells: pd.DataFrame, row: str, name: str) -> Styler:
    rules = [position for position, key in enumerate(cells.index, 1) if key in FULL_MODELS]
    return page_table(label_cells(cells, row), name, rules, group_breaks(cells.columns))


def files_sentence(stem: str) -> str:
    return f"The table is also in `{stem}.csv`, `.md` and `.tex`."


# Table 5: the datasets

STATISTICS = {"nodes": "Nodes", "edges": "Edges", "features": "Features", "classes": "Classes"}


def summarise_datasets(records: pd.DataFrame) -> pd.DataFrame:
    """One row a dataset in the paper's order; a dataset drawn anew for every seed shows its average, to the integer."""
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
    return f"unexplained: nearest are the {dataset[nearest]:,} {name} ({_signed(gaps[nearest], 0)})"


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
            "Difference": _difference(dataset["edges"] - dataset["published_edges"], not edge_count(dataset), 0),
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


def write_dataset_table(summary: pd.DataFrame, stem: str, title: str) -> None:
    cells = dataset_cells(summary)
    write_csv(summary[["dataset", *STATISTICS, "runs"]], f"{stem}.csv")
    write_text(as_markdown(cells, title, DATASETS_NOTE), f"{stem}.md")
    rules = group_breaks(summary["dataset"])
    write_text(as_latex(cells, title, DATASETS_NOTE, Path(stem).name, rules, align="r"), f"{stem}.tex")


# Scores


def mean_scores(scores: pd.DataFrame) -> pd.DataFrame:
    """Mean and sample standard deviation over seeds of every feature's score: one row a dataset, scorer and feature."""
    models = scores.groupby(["dataset", "scorer"])["model"].nunique()
    if (models > 1).any():
        dataset, scorer = models.idxmax()
        raise InputError(
            f"the scores of '{scorer}' on '{dataset}' come from {models.max()} models: draw one model at a time"
        )
    return scores.groupby(["dataset", "scorer", "feature"], as_index=False).agg(
        mean=("score", "mean"), spread=("score", "std"), runs=("score", "size")
    )


def recovered_share(scores: pd.DataFrame, relevant: int) -> pd.DataFrame:
    """How many of the `relevant` first features are among the top `relevant` of each scorer: the mean over trials.

    A tie at the cut counts as a fair draw among those tied. Only regimes in which labels and features depend.
    """
    dependent = [f"synthetic_{regime}" for regime, (_, _, label_feature) in REGIMES.items() if label_feature]
    scores = scores[scores["dataset"].isin(dependent)]
    shares = [
        {"dataset": dataset, "scorer": scorer, "seed": seed, "share": _share_on_top(trial, relevant)}
        for (dataset, scorer, seed), trial in scores.groupby(["dataset", "scorer", "seed"])
    ]
    shares = pd.DataFrame(shares, columns=["dataset", "scorer", "seed", "share"])
    shares = shares.groupby(["scorer", "dataset"], as_index=False).agg(share=("share", "mean"), runs=("share", "size"))
    return sort_as_paper(shares, "scorer").round(4)


def _share_on_top(trial: pd.DataFrame, relevant: int) -> float:
    cut = trial["score"].nlargest(relevant).iloc[-1]
    above, tied = trial["score"] > cut, trial["score"] == cut
    chance = (relevant - above.sum()) / tied.sum()
    truth = trial["feature"] < relevant
    return ((above & truth).sum() + chance * (tied & truth).sum()) / relevant


def recovered_cells(shares: pd.DataFrame) -> pd.DataFrame:
    """Scorers by regimes, in percent."""
    cells = shares.pivot(index="scorer", columns="dataset", values="share")
    cells = cells.reindex(index=in_order(shares["scorer"], ROWS), columns=in_order(shares["dataset"], DATASETS))
    return cells.map(lambda value: "" if pd.isna(value) else f"{value:.0%}")


def recovered_text(shares: pd.DataFrame, relevant: int, features: int) -> str:
    if shares.empty:
        return "This run has none of the regimes (b), (d), (f) and (h), so there are no relevant features to recover."
    return (
        f"## How many are recovered\n\nHow many of the {relevant} features that carry the label are among a method's "
        f"{relevant} highest scores, averaged over trials. Choosing at random would find {relevant / features:.0%}."
    )


def runs_of_scores(means: pd.DataFrame) -> str:
    low, high = means["runs"].min(), means["runs"].max()
    return f"Averages are over {low if low == high else f'{low} to {high}'} run{'' if high == 1 else 's'}."


def write_recovered_table(shares: pd.DataFrame, stem: str, title: str, relevant: int) -> None:
    cells = recovered_cells(shares)
    notes = f"Share of the {relevant} relevant features among the {relevant} highest scores, mean over trials."
    write_csv(shares, f"{stem}.csv")
    write_text(as_markdown(label_cells(cells, "scorer"), title, notes), f"{stem}.md")
    latex = label_cells(cells, "scorer", "latex").map(lambda text: text.replace("%", r"\%"))
    write_text(as_latex(latex, title, notes, Path(stem).name), f"{stem}.tex")
