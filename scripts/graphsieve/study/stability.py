"""Rank stability as a table: what each checkpoint knows of the final ranking."""

from pathlib import Path

import pandas as pd

from graphsieve.files.writing import write_csv, write_text
from graphsieve.study.labels import label_dataset
from graphsieve.study.markup import as_latex, as_markdown

COLUMNS = {"spearman": "Spearman", "spearman_loss": "Spearman, loss", "overlap": "Overlap of the top"}


def cells(stability: pd.DataFrame) -> pd.DataFrame:
    """A row a dataset and checkpoint."""
    texts = {
        title: [_text(*pair) for pair in zip(stability[f"{part}_mean"], stability[f"{part}_std"], strict=True)]
        for part, title in COLUMNS.items()
    }
    names = stability["dataset"].map(label_dataset).where(~stability["dataset"].duplicated(), "")
    table = pd.DataFrame({"Checkpoint": stability["checkpoint"].map(str), **texts})
    return table.set_axis(names).rename_axis("Dataset")


def _text(mean: float, spread: float) -> str:
    if pd.isna(mean):
        return "–"
    return f"{mean:.2f}" + ("" if pd.isna(spread) else f" ± {spread:.2f}")


def write_table(stability: pd.DataFrame, stem: str, share: float) -> None:
    """`stem`.csv, .md and .tex."""
    title = "Rank stability"
    notes = (
        "Agreement of each checkpoint's importance with that of the last one: Spearman correlation of the scores and "
        f"of the rise of the loss, and the overlap of the top {share:.0%}; mean ± sample standard deviation over runs."
    )
    write_csv(stability.round(4), f"{stem}.csv")
    write_text(as_markdown(cells(stability), title, notes), f"{stem}.md")
    latex = cells(stability).map(lambda text: text.replace("±", r"$\pm$").replace("–", "--"))
    write_text(as_latex(latex, title, notes, Path(stem).name), f"{stem}.tex")
