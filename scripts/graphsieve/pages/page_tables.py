"""Tables on a page: from the Markdown that the project writes, or else from CSV; a click on a header sorts."""

import html
import re
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from graphsieve.files.reading import read_csv

LONG = 16  # rows: a longer table starts folded
# What `markup` puts into Markdown, after escaping, and what it is on a page.
MARKS = ((r"\*\*(.+?)\*\*", r"<b>\1</b>"), (r"&lt;(/?)ins&gt;", r"<\1u>"), (r"&lt;(/?)sub&gt;", r"<\1sub>"))
# How a number begins; `SCRIPT` has the same. What follows (a deviation, an interval, a unit) does not count.
NUMBER = re.compile(r"\s*[-−+]?(\d[\d,]*\.?\d*|\.\d+)(e[-+]?\d+)?(?![\w(])", re.IGNORECASE)

STYLE = """
.scroll { max-height: 34rem; overflow: auto; }
.scroll table { margin: 0.3rem 0; }
thead th { position: sticky; top: 0; z-index: 1; background: var(--page); font-weight: 600; }
tr > :first-child { position: sticky; left: 0; background: var(--page); }
thead th:first-child { z-index: 2; }
th button { all: unset; cursor: pointer; }
th button:hover { color: var(--strong); }
th button:focus-visible { outline: 2px solid var(--strong); outline-offset: 2px; border-radius: 2px; }
th[aria-sort] button::after { content: " \\2195"; color: var(--weak); font-size: 0.85em; }
th[aria-sort="ascending"] button::after { content: " \\2191"; color: var(--strong); }
th[aria-sort="descending"] button::after { content: " \\2193"; color: var(--strong); }
td.words { white-space: normal; min-width: 20rem; text-align: left; }
"""

SCRIPT = r"""
const NUMBER = /^\s*([-−+]?)((?:\d[\d,]*\.?\d*|\.\d+)(?:e[-+]?\d+)?)(?![\w(])/i;
const text = (row, column) => row.cells[column].textContent.trim();
const number = (words) => {
  const found = NUMBER.exec(words);
  return found ? (/[-−]/.test(found[1]) ? -1 : 1) * Number(found[2].replace(/,/g, "")) : NaN;
};
function sortTable(table, column, header) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const words = rows.map((row) => text(row, column)).filter((value) => value !== "");
  const numeric = words.every((value) => !Number.isNaN(number(value)));
  const sign = header.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  rows.sort((one, other) => {
    const [a, b] = [text(one, column), text(other, column)];
    if (a === "" || b === "") return (a === "") - (b === "");
    return sign * (numeric ? number(a) - number(b) : a.localeCompare(b, "en", { numeric: true }));
  });
  for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
  header.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
  body.append(...rows);
}
for (const table of document.querySelectorAll("table.sortable")) {
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.title = "sort by this column";
    button.append(...header.childNodes);
    button.addEventListener("click", () => sortTable(table, column, header));
    header.append(button);
    header.setAttribute("aria-sort", "none");
  });
}
"""


@dataclass
class PageTable:
    """Cells are HTML already."""

    title: str
    header: list[str]
    rows: list[list[str]] = field(default_factory=list)
    note: str = ""


def read_tables(stem: Path) -> list[PageTable]:
    """What the Markdown file says, where there is one: it is the table as a reader wants it."""
    markdown = stem.with_suffix(".md")
    if markdown.exists():
        return parse_markdown(markdown.read_text(encoding="utf-8"))
    csv = stem.with_suffix(".csv")
    return [from_records(read_csv(csv), stem.name)] if csv.exists() else []


def parse_markdown(text: str) -> list[PageTable]:
    """Titles, tables and the sentences below them, as `markup.as_markdown` writes them."""
    tables: list[PageTable] = []
    title = ""
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("# "):
            title = as_html(line.removeprefix("# "))
        elif not line.startswith("|"):
            tables[-1].note += f" {as_html(line)}" if tables[-1].note else as_html(line)
        elif title or not tables:
            tables.append(PageTable(title, _split(line)))
            title = ""
        elif not set(line) <= set("|-: "):
            tables[-1].rows.append(_fill(_split(line), tables[-1].rows))
    return tables


def _split(line: str) -> list[str]:
    return [as_html(cell.strip()) for cell in line.strip("|").split("|")]


def _fill(row: list[str], above: list[list[str]]) -> list[str]:
    """A blank first cell means the same as above, which sorting would lose."""
    return [above[-1][0], *row[1:]] if above and not row[0] else row


def as_html(markdown: str) -> str:
    text = html.escape(markdown, quote=False)
    for pattern, replacement in MARKS:
        text = re.sub(pattern, replacement, text)
    return text


def from_records(table: pd.DataFrame, name: str) -> PageTable:
    texts = [[html.escape(_text(value), quote=False) for value in row] for row in table.itertuples(index=False)]
    return PageTable(
        html.escape(name.replace("_", " ")), [html.escape(column.replace("_", " ")) for column in table], texts
    )


def _text(value: object) -> str:
    if isinstance(value, bool) or pd.api.types.is_bool(value):
        return "yes" if value else "no"
    if pd.isna(value):
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def render_table(table: PageTable, shown: str) -> str:
    """`shown` is the heading above it, not to be said twice."""
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.header)
    kinds = [_kind(column) for column in columns]
    head = "".join(f"<th{kind}>{name}</th>" for name, kind in zip(table.header, kinds, strict=True))
    body = "\n".join(
        "<tr>" + "".join(f"<td{kind}>{cell}</td>" for cell, kind in zip(row, kinds, strict=True)) + "</tr>"
        for row in table.rows
    )
    grid = (
        f'<div class="scroll" tabindex="0" role="region" aria-label="table"><table class="sortable">'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )
    note = f'<p class="soft note">{table.note}</p>' if table.note else ""
    title = f"<h3>{table.title}</h3>\n" if table.title and table.title != shown else ""
    if len(table.rows) > LONG:
        name = table.title or "the table"
        return f"<details><summary>{name}: {len(table.rows)} rows</summary>{grid}{note}</details>"
    return f"{title}{grid}\n{note}"


def _kind(cells: tuple[str, ...]) -> str:
    """Numbers stand at the right, words at the left, and long words may break."""
    texts = [re.sub(r"<[^>]+>", "", cell) for cell in cells if cell]
    if texts and all(NUMBER.match(text) for text in texts):
        return ""
    return ' class="words"' if any(len(text) > 60 for text in texts) else ' class="text"'
