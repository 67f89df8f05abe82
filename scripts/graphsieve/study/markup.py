"""How tables are written: Markdown, LaTeX with booktabs, and the same manner on a notebook's page."""

import re
from collections.abc import Sequence

import pandas as pd
from pandas.io.formats.style import Styler

from graphsieve.errors import InputError
from graphsieve.study.labels import FULL_MODELS, ROW_TITLES, group_breaks, label_dataset, label_row

# How a mean is written when it is neither, best or second best; then how its deviation follows.
MARKUP = {
    "html": ("{}", "<b>{}</b>", "<u>{}</u>", " <small>± {}</small>"),
    "markdown": ("{}", "**{}**", "<ins>{}</ins>", " ± {}"),
    "latex": ("{}", r"\textbf{{{}}}", r"\underline{{{}}}", r" $\pm$ {{\tiny {}}}"),
}


def label_cells(cells: pd.DataFrame, row: str, markup: str = "html") -> pd.DataFrame:
    """Names to labels, on both sides of the table."""
    labelled = cells.rename(index=lambda name: label_row(name, markup), columns=label_dataset)
    return labelled.rename_axis(index=ROW_TITLES.get(row, row), columns=None)


def as_markdown(cells: pd.DataFrame, title: str, notes: str) -> str:
    return "\n".join([f"# {title}", "", markdown_table(cells), "", notes, ""])


def markdown_table(cells: pd.DataFrame) -> str:
    lines = [[cells.index.name, *cells.columns], ["---", *["---:"] * len(cells.columns)]]
    lines += [[name, *texts] for name, *texts in cells.itertuples()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


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


def difference_text(value: float, far: bool, decimals: int = 2) -> str:
    text = signed(value, decimals)
    return f"<b class='far'>{text}</b>" if far else f"<i>{text}</i>"


def signed(value: float, decimals: int = 2) -> str:
    return f"{value:+,.{decimals}f}".replace("-", "−") if value else "0"
