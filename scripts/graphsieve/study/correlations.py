"""Table 4: how the scores of other methods go with those of NPT, averaged over runs."""

from pathlib import Path

import pandas as pd
from pandas.io.formats.style import Styler

from graphsieve.files.writing import write_csv, write_text
from graphsieve.study.analysis import pearson, spearman
from graphsieve.study.labels import DATASETS, base, group_breaks, in_order, label_dataset, label_row, sort_as_paper
from graphsieve.study.markup import MARKUP, as_latex, as_markdown, label_cells, page_table

MEASURES = {"pearson_r": pearson, "spearman_r": spearman}
MEASURE_NAMES = {"pearson_r": "Pearson", "spearman_r": "Spearman"}


def correlate(means: pd.DataFrame) -> pd.DataFrame:
    """A row a method and dataset; `means` are the run-averaged scores of every feature, by scorer."""
    rows = []
    for dataset, scores in means.groupby("dataset"):
        by_scorer = scores.pivot(index="feature", columns="scorer", values="mean")
        runs = scores.groupby("scorer")["runs"].min()
        for scorer in by_scorer.columns.drop("npt"):
            values = {name: measure(by_scorer[scorer], by_scorer["npt"]) for name, measure in MEASURES.items()}
            rows.append({"scorer": scorer, "dataset": dataset, **values, "runs": runs[scorer]})
    return sort_as_paper(pd.DataFrame(rows), "scorer").round(4)


def cells(table: pd.DataFrame, measure: str, markup: str = "html") -> pd.DataFrame:
    """Correlations by method and dataset, the highest of a dataset in bold, the second underlined."""
    rank = table[measure].groupby(table["dataset"]).rank(method="dense", ascending=False)
    places = rank.where(rank <= 2, 0).fillna(0).astype(int)
    texts = [MARKUP[markup][place].format(_number(value)) for place, value in zip(places, table[measure], strict=True)]
    return _grid(table.assign(text=texts))


def _number(value: float) -> str:
    return "–" if pd.isna(value) else f"{value:.4f}".replace("-", "−")


def _grid(table: pd.DataFrame) -> pd.DataFrame:
    wide = table.pivot(index="scorer", columns="dataset", values="text")
    return wide.reindex(index=table["scorer"].unique(), columns=in_order(table["dataset"], DATASETS)).fillna("")


def comparison_cells(table: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Ours and, below it, the published value; only the cells that both have."""
    theirs = published.rename(columns={"pearson_r": "theirs"}).dropna()
    both = table.assign(full=table["dataset"], dataset=table["dataset"].map(base)).merge(
        theirs, on=["scorer", "dataset"]
    )
    texts = [
        f"{_number(a)}<br><small>{_number(b)}</small>" for a, b in zip(both["pearson_r"], both["theirs"], strict=True)
    ]
    return _grid(both.assign(text=texts, dataset=both["full"]))


def page(table_cells: pd.DataFrame, name: str) -> Styler:
    return page_table(label_cells(table_cells, "scorer"), name, breaks=group_breaks(table_cells.columns))


def strongest_sentence(table: pd.DataFrame) -> str:
    """Which method goes with NPT best on every dataset."""
    best = table.loc[table.groupby("dataset")["pearson_r"].idxmax()].set_index("dataset")
    parts = [
        f"{label_row(best.loc[name, 'scorer'])} on {label_dataset(name)} ({_number(best.loc[name, 'pearson_r'])})"
        for name in in_order(best.index, DATASETS)
    ]
    return f"The method closest to NPT is {', '.join(parts)}."


def write_tables(table: pd.DataFrame, stem: str, title: str) -> None:
    """`stem`.csv, .md and .tex of Pearson's, and `stem`_spearman of Spearman's."""
    for measure, name in MEASURE_NAMES.items():
        path = stem if measure == "pearson_r" else f"{stem}_spearman"
        notes = f"{name} correlation between the scores of NPT and of other methods, averaged over runs."
        write_csv(table[["scorer", "dataset", measure, "runs"]], f"{path}.csv")
        write_text(as_markdown(label_cells(cells(table, measure, "markdown"), "scorer"), title, notes), f"{path}.md")
        latex = cells(table, measure, "latex").map(lambda text: text.replace("−", "$-$").replace("–", "--"))
        breaks = group_breaks(latex.columns)
        write_text(
            as_latex(label_cells(latex, "scorer", "latex"), title, notes, Path(path).name, breaks=breaks), f"{path}.tex"
        )
