"""The study of suspects as tables and sentences for its page."""

import html

import pandas as pd
import yaml

from graphsieve.options import BASE, OVERRIDABLE
from graphsieve.study.grids import by_row_and_dataset
from graphsieve.study.labels import group_breaks, label_dataset, label_row, listed
from graphsieve.study.markup import MARKUP, label_cells, page_table, signed
from graphsieve.study.suspects.distances import CHOICE, FLOOR, part_label, seeds_text
from graphsieve.study.suspects.protocol import CELLS, TABLE1

BASE_SAYS = "The protocol that all others change."
DISTANCE_NOTE = (
    f"A cell's distance is |our mean − published mean| / max(published deviation, {FLOOR:g} points), and the total of "
    "a hypothesis the mean over the cells; the row of all features, which both tables have, counts once."
)
RANKING_NOTE = """## Hypotheses, best first

Agree: cells that Welch's test cannot tell from the published. Computed: cells that the hypothesis changes; the others
are those of what it builds on. To the right, what the choice was not made on: mean distance and cells that agree."""
FIGURE_NOTE = """## Every cell

Red: ours is higher than the published, blue: lower; a dot where Welch's test tells the two apart; grey: not run. The
line parts Table 1 from Table 2. Fresh seeds are left out."""
CELLS_NOTE = """## Every hypothesis and its cells

Ours, the published mean in brackets, and the difference in published deviations, shaded where Welch's test tells the
two apart. Small figures were not computed again, because the hypothesis does not change them. Click on a hypothesis to
see its table."""


def says(hypotheses: dict, name: str) -> str:
    return BASE_SAYS if name == BASE else hypotheses[name]["says"]


def changes_text(hypotheses: dict, name: str) -> str:
    """What a hypothesis changes, as in the config: `scoring.scored_model: best`."""
    if name == BASE:
        return "nothing"
    entry = hypotheses[name]
    changes = [
        f"{section}.{key}: {_value(value)}" for section in OVERRIDABLE for key, value in entry.get(section, {}).items()
    ]
    changes += [f"normalise: {entry['normalise']}"] if "normalise" in entry else []
    return ", ".join(([f"all of {entry['builds_on']}"] if "builds_on" in entry else []) + changes)


def _value(value: object) -> str:
    return yaml.safe_dump(value, default_flow_style=True).removesuffix("...\n").strip()


# The ranking


def ranking_cells(ranked: pd.DataFrame, summary: pd.DataFrame, hypotheses: dict, chosen_on: dict) -> pd.DataFrame:
    """Hypotheses best first: total, cells that agree, seeds, cells it computed; and the distance on other parts."""
    others = [part for part in dict.fromkeys(summary["part"]) if part != CHOICE]
    elsewhere = summary.set_index(["hypothesis", "part"])
    rows = []
    for row in ranked.itertuples(index=False):
        cells = {
            "Hypothesis": row.hypothesis,
            "Says": f"<span class='prose'>{says(hypotheses, row.hypothesis)}</span>",
            "Total": f"{row.total:.2f}",
            "Agree": f"{row.agree} of {row.cells}",
            "Seeds": row.seeds,
            "Computed": str(row.computed),
        }
        cells |= {part_label(part, chosen_on): _elsewhere(elsewhere, row.hypothesis, part) for part in others}
        rows.append(cells)
    return pd.DataFrame(rows).set_index("Hypothesis")


def _elsewhere(summary: pd.DataFrame, hypothesis: str, part: str) -> str:
    if (hypothesis, part) not in summary.index:
        return ""
    row = summary.loc[(hypothesis, part)]
    return f"{row['distance']:.2f} <small>{row['agree']}/{row['cells']}</small>"


def printed_ranking(ranked: pd.DataFrame, hypotheses: dict, chosen_on: dict) -> dict:
    """The ranking as it is printed, with title and notes: what `NotebookPage.add_table` takes beside records."""
    cells = (
        pd.DataFrame(
            {
                "Says": [says(hypotheses, name) for name in ranked["hypothesis"]],
                "Total": ranked["total"].map("{:.2f}".format),
                "Agree": ranked["agree"].astype(str) + " of " + ranked["cells"].astype(str),
                "Seeds": ranked["seeds"],
                "Computed": ranked["computed"].astype(str),
            }
        )
        .set_axis(ranked["hypothesis"])
        .rename_axis("Hypothesis")
    )
    escaped = cells.rename(index=lambda name: name.replace("_", r"\_")).map(lambda text: text.replace("_", r"\_"))
    return {
        "cells": {markup: escaped if markup == "latex" else cells for markup in MARKUP},
        "title": "Suspects: which protocol is nearest to the published numbers",
        "notes": f"{choice_sentence(chosen_on)} {DISTANCE_NOTE}",
    }


def screening_cells(screened: pd.DataFrame, hypotheses: dict) -> pd.DataFrame:
    """What was tried first, on few runs; what is nearer than the base comes first."""
    columns = {
        "Says": [f"<span class='prose'>{says(hypotheses, name)}</span>" for name in screened["hypothesis"]],
        "Distance": screened["distance"].map("{:.2f}".format),
        "Nearer than base by": [signed(round(gain, 2)) for gain in screened["gain"]],
        "Agree": screened["agree"].astype(str) + " of " + screened["cells"].astype(str),
        "Seeds": screened["seeds"],
        "Computed": screened["computed"].astype(str),
    }
    return pd.DataFrame(columns).set_axis(screened["hypothesis"]).rename_axis("Hypothesis")


def screening_text(screening: dict, unranked: list[str]) -> str:
    where = listed([f"{label_dataset(name)} ({_named(seeds_text(seeds))})" for name, seeds in screening.items()])
    return (
        f"## Tried on few runs first\n\nEvery hypothesis on {where}, beside the base on the same runs. Not all went on "
        f"from there to all runs of the choice: {listed([f'`{name}`' for name in unranked])} have no total."
    )


def apart_text(apart: pd.DataFrame, cells: pd.DataFrame, name: str) -> str:
    count = (cells["hypothesis"] == name).sum()
    return (
        f"## Where `{name}` still disagrees\n\nIn {len(apart)} of its {count} cells, and what the hypotheses that "
        "change such a cell make of it."
    )


def choice_sentence(chosen_on: dict) -> str:
    datasets = listed([label_dataset(name) for name in chosen_on["datasets"]])
    return f"Chosen on Tables 1 and 2 of {datasets}, {_named(seeds_text(chosen_on['seeds']))}."


def _named(seeds: str) -> str:
    return f"seed {seeds}" if seeds.isdigit() else f"seeds {seeds}"


def choice_text(ranked: pd.DataFrame, summary: pd.DataFrame, hypotheses: dict, chosen_on: dict) -> str:
    """The one place that says what was chosen, on which data, and how it does on data that it was not chosen on."""
    if ranked.empty:
        lacking = "No hypothesis has all of these runs" if len(summary) else "Nothing was published for these graphs"
        return f"{choice_sentence(chosen_on)} {lacking}, so none is chosen."
    best, base = ranked.iloc[0], ranked[ranked["hypothesis"] == BASE]
    text = (
        f"{choice_sentence(chosen_on)} {DISTANCE_NOTE} The rule was laid down before the first result.\n\n"
        f"**Nearest: `{best['hypothesis']}`**, at a mean distance of {best['total']:.2f}, with {best['agree']} of "
        f"{best['cells']} cells that Welch's test cannot tell from the published. "
        f"{says(hypotheses, best['hypothesis'])}"
    )
    if len(base) and best["hypothesis"] != BASE:
        row = base.iloc[0]
        text += f" (The protocol before: {row['total']:.2f}, {row['agree']} of {row['cells']}.)"
    return f"{text}\n\n{judgement_text(best['hypothesis'], summary, chosen_on)}"


def judgement_text(name: str, summary: pd.DataFrame, chosen_on: dict) -> str:
    """How the chosen hypothesis does on every part that it was not chosen on, beside the base and the best there."""
    lines = []
    for part, rows in summary[summary["part"] != CHOICE].groupby("part", sort=False):
        rows = rows.set_index("hypothesis")
        if name not in rows.index:
            continue
        own, best = rows.loc[name], rows["distance"].idxmin()
        line = f"- {part_label(part, chosen_on)} ({_named(own['seeds'])}): {_scored(own)}"
        beside = [f"`{BASE}` {_scored(rows.loc[BASE])}"] if BASE in rows.index and name != BASE else []
        beside += [f"nearest of {len(rows)} there: `{best}` {_scored(rows.loc[best])}"] if best != name else []
        lines.append(line + (f"; {'; '.join(beside)}" if beside else "") + ".")
    if not lines:
        return "It has not been tried on anything else."
    return "On what it was not chosen on, its mean distance and the cells that agree:\n\n" + "\n".join(lines)


def _scored(row: pd.Series) -> str:
    return f"{row['distance']:.2f} ({row['agree']} of {row['cells']})"


# Cells


def hypothesis_cells(cells: pd.DataFrame) -> pd.DataFrame:
    """Ours, the published value and the distance in published deviations, by cell and dataset.

    Shaded where Welch's test tells the two apart; grey where the hypothesis did not compute the cell itself.
    """
    texts = [_cell_text(row) for row in cells.itertuples(index=False)]
    order = {cell: number for number, cell in enumerate(CELLS)}
    return by_row_and_dataset(
        cells.assign(text=texts).sort_values("setting", key=lambda names: names.map(order)), "setting"
    )


def _cell_text(row: tuple) -> str:
    ours = f"{row.accuracy_mean:.1f}" if row.computed else f"<small>{row.accuracy_mean:.1f}</small>"
    distance = signed(round(row.deviations, 1), 1)
    marked = f"<i>{distance}</i>" if row.verdict == "agrees" else f"<b class='far'>{distance}</b>"
    return f"{ours} <small>({row.accuracy_mean_published:.1f})</small> {marked}"


def folded_tables(cells: pd.DataFrame, order: list[str], hypotheses: dict) -> str:
    """For every hypothesis its table of cells, folded away behind its name: HTML."""
    parts = []
    for name in order:
        table = hypothesis_cells(cells[cells["hypothesis"] == name])
        shown = page_table(
            label_cells(table, "setting"), f"cells_{name}", [len(TABLE1)], group_breaks(table.columns)
        ).to_html()
        title = f"<b>{name}</b>: {html.escape(says(hypotheses, name))} ({html.escape(changes_text(hypotheses, name))})"
        parts.append(f"<details><summary>{title}</summary>{shown}</details>")
    return "\n".join(parts)


def apart_cells(apart: pd.DataFrame) -> pd.DataFrame:
    """The cells in which the chosen hypothesis disagrees, and what others make of them."""
    columns = {
        "Dataset": apart["dataset"].map(label_dataset),
        "Ours": apart["accuracy_mean"].map("{:.1f}".format),
        "Published": apart["accuracy_mean_published"].map("{:.1f}".format)
        + " ± "
        + apart["accuracy_std_published"].map("{:.1f}".format),
        "In published deviations": [signed(round(value, 1), 1) for value in apart["deviations"]],
        "Agrees under": apart["agreeing"].astype(str) + " of " + apart["tried"].astype(str) + " tried",
        "Nearest": apart["nearest"] + " (" + apart["nearest_mean"].map("{:.1f}".format) + ")",
    }
    return pd.DataFrame(columns).set_axis(apart["setting"].map(label_row)).rename_axis("Cell")
