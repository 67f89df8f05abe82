"""What a notebook makes: a heading, tables and figures, and a manifest of them, from which the index page is built."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
from IPython.display import Image, Markdown
from matplotlib.figure import Figure

from graphsieve.files.writing import write_csv, write_text
from graphsieve.pages.manifest import write_manifest
from graphsieve.plots.style import save_figure, show_figure
from graphsieve.study.markup import as_latex, as_markdown


class NotebookPage:
    """One notebook's page. Everything it writes goes through here, so that the manifest names all of it.

    Parameters
    ----------
    manifest : path of the JSON file that `close` writes.
    title : the page's heading, which is also its entry in the index.
    sentence : what it shows, in one sentence.
    """

    def __init__(self, manifest: str, title: str, sentence: str):
        self.manifest, self.title, self.sentence = Path(manifest), title, sentence
        self.tables: list[dict] = []
        self.figures: list[dict] = []

    def heading(self) -> Markdown:
        return Markdown(f"# {self.title}\n\n{self.sentence}")

    def add_figure(self, figure: Figure, stem: str, *, leads: bool = False) -> Image:
        """Save a figure as `stem`.png and .pdf, and show the very file that the run keeps.

        leads: it stands at the top of the index page, as the first thing that a reader sees.
        """
        save_figure(figure, stem)
        lead = {"leads": True} if leads else {}
        self.figures.append({"name": Path(stem).name, "files": [f"{stem}.png", f"{stem}.pdf"], **lead})
        return show_figure(stem)

    def add_table(
        self,
        records: pd.DataFrame,
        stem: str,
        *,
        cells: Mapping[str, pd.DataFrame] | None = None,
        page_cells: pd.DataFrame | None = None,
        title: str = "",
        notes: str = "",
        page_notes: str = "",
        rules: Sequence[int] = (),
        breaks: Sequence[int] = (),
        align: str = "c",
    ) -> None:
        """Write a table: its numbers as `stem`.csv and, where there are `cells`, what a reader sees as .md and .tex.

        Parameters
        ----------
        records : the numbers.
        stem : path of the files, without suffix.
        cells : the table as a reader sees it, by markup: "html" (for the index page), "markdown" and "latex".
        page_cells : the same for the index page alone, of a table that is else for programs.
        title, notes : what stands above and below it.
        page_notes : what stands below it on the index page, after the notes.
        rules, breaks, align : lines and alignment of the LaTeX table, as in `markup.as_latex`.
        """
        name = Path(stem).name
        entry = {"name": name, "files": [f"{stem}.csv"], "title": title, "notes": f"{notes} {page_notes}".strip()}
        write_csv(records, f"{stem}.csv")
        if cells:
            write_text(as_markdown(cells["markdown"], title, notes), f"{stem}.md")
            write_text(as_latex(cells["latex"], title, notes, name, rules, breaks, align), f"{stem}.tex")
            page_cells = cells["html"]
            entry["files"] += [f"{stem}.md", f"{stem}.tex"]
        if page_cells is not None and len(page_cells):
            shown = page_cells.rename_axis(columns=None).reset_index()
            entry |= {"header": list(shown.columns), "rows": shown.to_numpy().tolist()}
        self.tables.append(entry)

    def close(self) -> Markdown:
        """Write the manifest, and say where everything is."""
        write_manifest(
            self.manifest, title=self.title, sentence=self.sentence, tables=self.tables, figures=self.figures
        )
        names = [product["name"] for product in (*self.tables, *self.figures)]
        return Markdown(f"Files of this page, in `tables` and `figures` of the run: {', '.join(names)}.")
