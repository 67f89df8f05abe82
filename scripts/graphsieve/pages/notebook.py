"""What a notebook makes: a heading, tables and figures, and a manifest of them, from which the index page is built."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
from IPython.display import Image, Markdown
from matplotlib.figure import Figure

from graphsieve.files.writing import write_csv, write_text
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
        self.figures: list[str] = []

    def heading(self) -> Markdown:
        return Markdown(f"# {self.title}\n\n{self.sentence}")

    def add_figure(self, figure: Figure, stem: str) -> Image:
        """Save a figure as `stem`.png and .pdf, and show the very file that the run keeps."""
        save_figure(figure, stem)
        self.figures.append(Path(stem).name)
        return show_figure(stem)

    def add_table(
        self,
        records: pd.DataFrame,
        stem: str,
        cells: Mapping[str, pd.DataFrame] | None = None,
        title: str = "",
        notes: str = "",
        rules: Sequence[int] = (),
        breaks: Sequence[int] = (),
    ) -> None:
        """Write `records` as `stem`.csv and, where there are `cells` (by markup), the table as .md and .tex.

        cells: the table as a reader sees it, as "html" (for the index page), "markdown" and "latex".
        """
        write_csv(records, f"{stem}.csv")
        entry = {"name": Path(stem).name, "title": title, "notes": notes}
        if cells:
            write_text(as_markdown(cells["markdown"], title, notes), f"{stem}.md")
            write_text(as_latex(cells["latex"], title, notes, Path(stem).name, rules, breaks), f"{stem}.tex")
            shown = cells["html"].rename_axis(columns=None).reset_index()
            entry |= {"header": list(shown.columns), "rows": shown.to_numpy().tolist()}
        self.tables.append(entry)

    def close(self) -> Markdown:
        """Write the manifest, and say where everything is."""
        made = {"title": self.title, "sentence": self.sentence, "tables": self.tables, "figures": self.figures}
        write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", self.manifest)
        names = [table["name"] for table in self.tables] + self.figures
        return Markdown(f"Files of this page, in `tables` and `figures` of the run: {', '.join(names)}.")
