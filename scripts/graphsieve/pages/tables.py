"""Tables on a page: from a manifest, as a reader wants them, or else from the numbers in a CSV file."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from markupsafe import Markup

from graphsieve.study.markup import only_marks

LONG = 16  # rows: a longer table starts folded
LONG_TEXT = 60  # characters: a longer text may break
# How a number begins; what follows (a deviation, an interval, a unit) does not count.
NUMBER = re.compile(r"\s*[-−+]?(\d[\d,]*\.?\d*|\.\d+)(e[-+]?\d+)?(?![\w(])", re.IGNORECASE)


@dataclass(frozen=True)
class PageTable:
    """Texts that are `Markup` are HTML already; others are escaped by the template."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""

    @property
    def is_long(self) -> bool:
        return len(self.rows) > LONG

    @property
    def kinds(self) -> list[str | None]:
        """The class of each column."""
        columns = zip(*self.rows, strict=True) if self.rows else [()] * len(self.header)
        return [_kind(column) for column in columns]


def _kind(cells: Sequence[str]) -> str | None:
    """Numbers stand at the right, words at the left, and long words may break."""
    texts = [re.sub(r"<[^>]+>", " ", cell) if isinstance(cell, Markup) else cell for cell in cells if cell]
    if texts and all(NUMBER.match(text) for text in texts):
        return None
    return "words" if any(len(text) > LONG_TEXT for text in texts) else "text"


def from_cells(entry: Mapping) -> PageTable:
    """Of a manifest's entry that has cells; they and the notes may have marks like <b> and <sub>."""
    rows: list[list[str]] = []
    for first, *others in entry["rows"]:
        # A blank first cell means the same as above, which sorting would lose.
        rows.append([rows[-1][0] if rows and not first else marked(first), *map(marked, others)])
    return PageTable(plain(entry["title"]), [marked(name) for name in entry["header"]], rows, marked(entry["notes"]))


def from_records(records: pd.DataFrame, entry: Mapping) -> PageTable:
    """Of an entry without cells: numbers and words as they were written; names lose their underscores."""
    title = plain(entry.get("title", "")) or entry["name"].replace("_", " ")
    rows = [[_text(value) for value in row] for row in records.itertuples(index=False)]
    return PageTable(title, [column.replace("_", " ") for column in records], rows, marked(entry.get("notes", "")))


def marked(text: str) -> Markup:
    return Markup(only_marks(text))


def plain(markdown: str) -> str:
    """Text for the page: the marks of Markdown's emphasis dropped."""
    return re.sub(r"[*`]", "", markdown)


def _text(value: object) -> str:
    if isinstance(value, bool) or pd.api.types.is_bool(value):
        return "yes" if value else "no"
    if pd.isna(value):
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
