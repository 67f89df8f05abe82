"""The tested claims as tables and sentences, for the page and for REPRODUCTION.md."""

import pandas as pd

from graphsieve.study.agreement import AGREES, SHARE, counts_sentence
from graphsieve.study.claims import AHEAD, BEHIND, BEST, NEAR, ONE_RUN
from graphsieve.study.grids import by_row_and_dataset
from graphsieve.study.labels import label_dataset, label_row, listed
from graphsieve.study.markup import p_text, signed
from graphsieve.study.statistics import LEVEL


def with_interval(row: pd.Series) -> str:
    """+1.2 [−0.3, +2.7]; a single run has no interval."""
    mean, low, high = (signed(round(row[name], 1), 1) for name in ("mean", "low", "high"))
    return mean if pd.isna(row["low"]) else f"{mean} [{low}, {high}]"


def difference_cells(comparison: pd.DataFrame) -> pd.DataFrame:
    """NPT less each rival; bold where the difference is shown."""
    return _grid(comparison, comparison["p_holm"] < LEVEL, "rival", "NPT less")


def agreement_cells(agreement: pd.DataFrame) -> pd.DataFrame:
    """Ours less the published; bold where the two disagree."""
    differences = agreement.rename(columns={"difference": "mean"})
    return _grid(differences, agreement["verdict"] != AGREES, "row", "Ours less published")


def _grid(table: pd.DataFrame, bold: pd.Series, row: str, corner: str) -> pd.DataFrame:
    texts = [with_interval(cell) for _, cell in table.iterrows()]
    texts = [f"<b>{text}</b>" if clear else text for text, clear in zip(texts, bold, strict=True)]
    return grid(table, texts, row, corner)


def grid(table: pd.DataFrame, texts: list[str], row: str, corner: str) -> pd.DataFrame:
    """One text for each row of `table`, laid out by `row` and dataset."""
    cells = by_row_and_dataset(table.assign(text=texts), row)
    return cells.rename(index=label_row, columns=label_dataset).rename_axis(corner).rename_axis(None, axis=1)


def verdict_cells(judged: pd.DataFrame, label: str, seen: str = "could be seen") -> pd.DataFrame:
    """One row per judged case: what was measured, with its interval, p-value and power, and the verdict."""
    columns = {
        label: judged[label].map(label_row) if label == "rival" else judged[label].astype(str),
        "mean and interval": [with_interval(row) for _, row in judged.iterrows()],
        "p (Holm)": judged["p_holm"].map(p_text),
        seen: judged["detectable"].map(_points),
        "runs": judged["runs"].astype(int).astype(str),
        "verdict": judged["verdict"],
    }
    return pd.DataFrame(columns).set_axis(judged["dataset"].map(label_dataset)).rename_axis("Dataset")


def _points(value: float) -> str:
    if pd.isna(value):
        return "–"
    return f"{value:.1f}" if value < 100 else "100 or more"


def repeats_cells(judged: pd.DataFrame) -> pd.DataFrame:
    return verdict_cells(judged, "repeats", "little would show within")


def early_cells(judged: pd.DataFrame) -> pd.DataFrame:
    shares = ["mean", "low", "high", "detectable"]
    percent = judged.assign(**{name: (100 * judged[name]).round(1).clip(0, 100) for name in shares})
    cells = verdict_cells(percent, "moment").replace(r"\+", "", regex=True)
    for place, (name, title) in enumerate({"chance": "chance", "expected": "by frequency"}.items(), 2):
        cells.insert(place, title, [f"{100 * value:.1f}" for value in judged[name]])
    cells.insert(4, "runs that show it", [f"{row.shown} of {row.runs}" for row in judged.itertuples()])
    return cells.drop(columns="runs").rename(columns={"mean and interval": "% of the final top"})


def correlation_cells(judged: pd.DataFrame) -> pd.DataFrame:
    columns = {
        "closest to NPT": judged["closest"].map(label_row),
        "selects best": judged["best"].map(label_row),
        "the same in resampled runs": ["–" if pd.isna(share) else f"{share:.0%}" for share in judged["agreement"]],
        "best less closest": ["–" if pd.isna(row["mean"]) else with_interval(row) for _, row in judged.iterrows()],
        "p (Holm)": judged["p_holm"].map(p_text),
        "could be seen": judged["detectable"].map(_points),
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


def best_sentence(judged: pd.DataFrame) -> str:
    """On how many datasets (and shares) NPT is shown to be best, and behind; and what else could have been seen."""
    tested = judged[judged["verdict"] != ONE_RUN]
    single = judged[judged["verdict"] == ONE_RUN]
    cases = f"{len(tested)} case{'s' * (len(tested) != 1)}"
    found = {verdict: tested[tested["verdict"] == verdict] for verdict in (BEST, BEHIND, AHEAD, NEAR)}
    told = [
        f"NPT is shown to be ahead of every rival in {len(found[BEST])} of {cases}{_on(found[BEST])}, and behind one "
        f"in {len(found[BEHIND])}{_on(found[BEHIND])}"
    ]
    unclear = pd.concat([found[AHEAD], found[NEAR]])
    if len(unclear):
        told.append(
            f"it has the highest mean in {len(found[AHEAD])} more, but not surely, and a lower one than the strongest "
            f"rival in {len(found[NEAR])}, not surely either; there a difference of {seen_range(unclear)} points could "
            "have been seen"
        )
    return "; ".join(told) + "." + (f" ({ONE_RUN.capitalize()}: {_names(single)}.)" if len(single) else "")


def _on(cases: pd.DataFrame) -> str:
    return f" ({_names(cases)})" if len(cases) else ""


def seen_range(cases: pd.DataFrame) -> str:
    """From the smallest to the largest difference that could have been seen in these cases."""
    low, high = (_points(value) for value in (cases["detectable"].min(), cases["detectable"].max()))
    return low if low == high else f"{low} to {high}"


def rival_sentences(comparison: pd.DataFrame) -> str:
    """Rival by rival: on how many datasets it has the higher mean, and where that is shown; and the reverse."""
    said = [_rival_sentence(rival, rows) for rival, rows in comparison.groupby("rival", sort=False)]
    return " ".join(filter(None, [*said, power_sentence(comparison)]))


def power_sentence(comparison: pd.DataFrame) -> str:
    """What could have been seen where no difference is shown; nothing where all are, or of single runs."""
    unclear = comparison[(comparison["p_holm"] >= LEVEL) & comparison["detectable"].notna()]
    seen = seen_range(unclear) if len(unclear) else ""
    return f"Where nothing is shown, a difference of {seen} points could have been seen." if seen else ""


def _rival_sentence(rival: str, rows: pd.DataFrame) -> str:
    better, shown = rows["mean"] < 0, rows["p_holm"] < LEVEL
    worse_shown = rows[~better & shown]
    reverse = f"; NPT is shown to select better on {_names(worse_shown)}" if len(worse_shown) else ""
    surely = f"shown on {_names(rows[better & shown])}" if (better & shown).any() else "shown on none"
    where = f" ({_names(rows[better])})" if better.any() else ""
    count = f"{better.sum()} of {len(rows)} datasets"
    return f"{label_row(rival)} selects better than NPT on {count}{where}, {surely}{reverse}."


def agreement_list(cells: pd.DataFrame) -> str:
    """A sentence for each of Tables 1 to 3 that has cells in common with the published one."""
    return "\n".join(f"- {counts_sentence(part, name)}" for name, part in cells.groupby("table"))


def agreement_tables(cells: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The cells of Tables 1 to 3 by name, those of Table 3 by the share of the features."""
    tables = {}
    for name, part in cells.groupby("table"):
        if part[SHARE].isna().all():
            tables[name] = agreement_cells(part)
        for percent, share in part.groupby(SHARE, sort=False):
            tables[f"{name}, {percent:g} % of the features"] = agreement_cells(share)
    return tables
