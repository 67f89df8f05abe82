"""The tested claims as tables and sentences, for the page and for REPRODUCTION.md."""

import pandas as pd

from graphsieve.study.claims import ONE_RUN
from graphsieve.study.grids import by_row_and_dataset
from graphsieve.study.labels import label_dataset, label_row, listed
from graphsieve.study.markup import signed


def with_interval(row: pd.Series) -> str:
    """+1.2 [−0.3, +2.7]; a single run has no interval."""
    mean, low, high = (signed(round(row[name], 1), 1) for name in ("mean", "low", "high"))
    return mean if pd.isna(row["low"]) else f"{mean} [{low}, {high}]"


def difference_cells(comparison: pd.DataFrame) -> pd.DataFrame:
    """NPT less each rival; bold where the interval leaves out zero."""
    clear = (comparison["low"] > 0) | (comparison["high"] < 0)
    return _grid(comparison, clear, "rival", "NPT less")


def agreement_cells(agreement: pd.DataFrame, row: str) -> pd.DataFrame:
    """Ours less the published; bold where the two disagree."""
    differences = agreement.rename(columns={"difference": "mean"})
    return _grid(differences, agreement["verdict"] != "agrees", row, "Ours less published")


def _grid(table: pd.DataFrame, bold: pd.Series, row: str, corner: str) -> pd.DataFrame:
    texts = [with_interval(cell) for _, cell in table.iterrows()]
    texts = [f"<b>{text}</b>" if clear else text for text, clear in zip(texts, bold, strict=True)]
    return grid(table, texts, row, corner)


def grid(table: pd.DataFrame, texts: list[str], row: str, corner: str) -> pd.DataFrame:
    """One text for each row of `table`, laid out by `row` and dataset."""
    cells = by_row_and_dataset(table.assign(text=texts), row)
    return cells.rename(index=label_row, columns=label_dataset).rename_axis(corner).rename_axis(None, axis=1)


def verdict_cells(judged: pd.DataFrame, label: str) -> pd.DataFrame:
    """One row per judged case: what was measured, with its interval, and the verdict."""
    columns = {
        label: judged[label].map(label_row) if label == "rival" else judged[label].astype(str),
        "mean and interval": [with_interval(row) for _, row in judged.iterrows()],
        "runs": judged["runs"].astype(str),
        "verdict": judged["verdict"],
    }
    return pd.DataFrame(columns).set_axis(judged["dataset"].map(label_dataset)).rename_axis("Dataset")


def early_cells(judged: pd.DataFrame) -> pd.DataFrame:
    percent = judged.assign(**{name: (100 * judged[name]).round(1) for name in ("mean", "low", "high")})
    cells = verdict_cells(percent, "moment").replace(r"\+", "", regex=True)
    cells.insert(2, "chance", [f"{100 * value:.1f}" for value in judged["chance"]])
    return cells.rename(columns={"mean and interval": "% of the final top"})


def correlation_cells(judged: pd.DataFrame) -> pd.DataFrame:
    columns = {
        "closest to NPT": judged["closest"].map(label_row),
        "selects best": judged["best"].map(label_row),
        "the same in resampled runs": ["–" if pd.isna(share) else f"{share:.0%}" for share in judged["agreement"]],
        "verdict": judged["verdict"],
    }
    return pd.DataFrame(columns).set_axis(judged["dataset"].map(label_dataset)).rename_axis("Dataset")


def count_sentence(judged: pd.DataFrame, verdicts: list[str], what: str) -> str:
    """How many of the judged cases have one of these verdicts, and which have not; single runs do not count."""
    single = judged["verdict"] == ONE_RUN
    good = judged["verdict"].isin(verdicts)
    others = ~good & ~single
    tail = "" if not others.any() else f"; {'elsewhere:' if good.any() else 'not on'} {_names(judged[others])}"
    left_out = f" ({ONE_RUN}: {_names(judged[single])})" if single.any() else ""
    return f"{what} in {good.sum()} of {(~single).sum()} cases{tail}{left_out}."


def _names(judged: pd.DataFrame) -> str:
    return listed(list(dict.fromkeys(judged["dataset"].map(label_dataset))))


def agreement_sentence(agreement: pd.DataFrame, name: str) -> str:
    verdicts = agreement["verdict"].value_counts()
    agree, higher, lower = (int(verdicts.get(verdict, 0)) for verdict in ("agrees", "higher", "lower"))
    return f"{name}: {agree} of {len(agreement)} cells agree with the published; {higher} are higher, {lower} lower."


def agreement_list(agreements: list[pd.DataFrame]) -> str:
    """A sentence for each of Tables 1 to 3 that has cells in common with the published one."""
    named = enumerate(agreements, 1)
    return "\n".join(f"- {agreement_sentence(cells, f'Table {number}')}" for number, cells in named if len(cells))


def agreement_tables(agreements: list[pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The cells of Tables 1 to 3 by name, those of Table 3 by the share of the features."""
    tables = {"Table 1": (agreements[0], "setting"), "Table 2": (agreements[1], "scorer")}
    for percent, cells in agreements[2].groupby("retained_percent", sort=False):
        tables[f"Table 3, {percent:g} % of the features"] = (cells, "scorer")
    return {name: agreement_cells(cells, row) for name, (cells, row) in tables.items() if len(cells)}
