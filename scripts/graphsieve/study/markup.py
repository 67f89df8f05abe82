"""How tables are written: Markdown, LaTeX with booktabs, and the same manner on a notebook's page."""

import html
import re
from collections.abc import Sequence

import pandas as pd
from pandas.io.formats.style import Styler
from tabulate import DataRow, TableFormat

from graphsieve.errors import InputError
from graphsieve.study.labels import FULL_MODELS, ROW_TITLES, group_breaks, label_dataset, label_row

# How a mean is written: plain, as the best, as the second best; then how its deviation follows.
MARKUP = {
    "html": ("{}", "<b>{}</b>", "<u>{}</u>", " <small>± {}</small>"),
    "markdown": ("{}", "**{}**", "<ins>{}</ins>", " ± {}"),
    "latex": ("{}", r"\textbf{{{}}}", r"\underline{{{}}}", r" $\pm$ {{\tiny {}}}"),
}


# The tags that labels and cells are made with.
TAGS = re.compile(r"&lt;(/?(?:b|u|i|small|sub|span|br)(?: class='\w+')?)&gt;")


def only_marks(text: object) -> str:
    """HTML of a label or cell, in which only our own tags count: a dataset named <script> stays a name.

    >>> only_marks("h<sub>attr</sub> < <script>")
    'h<sub>attr</sub> &lt; &lt;script&gt;'
    """
    return TAGS.sub(r"<\1>", html.escape(str(text), quote=False))


def label_cells(cells: pd.DataFrame, row: str, markup: str = "html") -> pd.DataFrame:
    """The names of rows and columns as labels."""
    labelled = cells.rename(index=lambda name: label_row(name, markup), columns=label_dataset)
    return labelled.rename_axis(index=ROW_TITLES.get(row, row), columns=None)


def as_markdown(cells: pd.DataFrame, title: str, notes: str) -> str:
    """A page with a heading, the table and a sentence below it."""
    return "\n".join([f"# {title}", "", markdown_table(cells), "", notes, ""])


def _line_below_header(widths: Sequence[int], _) -> str:
    return f"| {' | '.join(['---', *['---:'] * (len(widths) - 1)])} |"


# Cells are not padded: a longer cell changes its own line alone, and lines stay short.
_ROW = DataRow("| ", " | ", " |")
PIPES = TableFormat(
    None, _line_below_header, None, None, headerrow=_ROW, datarow=_ROW, padding=0, with_header_hide=None
)


def markdown_table(cells: pd.DataFrame) -> str:
    """The table alone: the index at the left, the other columns at the right; cells are Markdown already."""
    return cells.to_markdown(tablefmt=PIPES, disable_numparse=True, stralign=None)


def between_markers(page: str, name: str, text: str) -> str:
    """The page with new text between its lines <!-- name: start --> and <!-- name: end -->."""
    start, end = f"<!-- {name}: start -->", f"<!-- {name}: end -->"
    if start not in page or end not in page:
        raise InputError(f"the page has no line {start} or {end}: put them where that part belongs")
    return f"{page.partition(start)[0]}{start}\n\n{text}\n\n{end}{page.partition(end)[2]}"


def as_latex(
    cells: pd.DataFrame,
    title: str,
    notes: str,
    label: str,
    rules: Sequence[int] = (),
    breaks: Sequence[int] = (),
    align: str = "c",
) -> str:
    """A table with booktabs, as wide as the page.

    Parameters
    ----------
    cells : texts that are LaTeX already; the name of its index is the heading of the first column.
    title, notes : plain text, for the caption.
    label : what the table is referred to by, after `t:`.
    rules : numbers of the rows below which a line is ruled, from 1.
    breaks : positions of the columns before which a vertical line is drawn, from 0.
    align : how columns but the first are aligned.
    """
    title = re.sub(r"^Table \d+: ", "", title)  # LaTeX numbers its tables itself
    title = title[0].upper() + title[1:]
    columns = "".join(f"|{align}" if position in breaks else align for position in range(len(cells.columns)))
    # Styler has no rules between rows of a plain index: they are written in front of the row that follows.
    rows = [f"\\midrule\n{name}" if row in rules else name for row, name in enumerate(cells.index)]
    shown = cells.set_axis(rows).rename(columns=_latex_heading)
    shown = shown.rename_axis(index=None, columns=_latex_heading(cells.index.name))
    styler = shown.style.set_table_styles([{"selector": "scriptsize", "props": ":;"}])
    table = styler.to_latex(
        environment="table*",
        position="t",
        position_float="centering",
        caption=_latex_text(f"{title}. {notes}"),
        label=f"t:{label}",
        column_format=f"l{'|' if breaks else ''}{columns}",
        hrules=True,
    )
    return f"% needs \\usepackage{{booktabs}}\n{table}"


def _latex_heading(text: str) -> str:
    return rf"\textbf{{{_latex_text(text)}}}"


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
    styler = flat.style.format_index(only_marks, axis="index").format_index(only_marks, axis="columns")
    return styler.set_uuid(name).set_table_styles(PAGE_STYLE + lines)


def page_accuracy(cells: pd.DataFrame, row: str, name: str) -> Styler:
    rules = [position for position, key in enumerate(cells.index, 1) if key in FULL_MODELS]
    return page_table(label_cells(cells, row), name, rules, group_breaks(cells.columns))


def difference_text(value: float, far: bool, decimals: int = 2) -> str:
    text = signed(value, decimals)
    return f"<b class='far'>{text}</b>" if far else f"<i>{text}</i>"


def signed(value: float, decimals: int = 2) -> str:
    return f"{value:+,.{decimals}f}".replace("-", "−") if value else "0"


def p_text(value: float) -> str:
    """A p-value with what digits it needs.

    >>> p_text(0.0312), p_text(0.00001), p_text(float("nan"))
    ('0.031', '< 0.0001', '–')
    """
    if pd.isna(value):
        return "–"
    return "< 0.0001" if value < 1e-4 else f"{value:.2g}"
