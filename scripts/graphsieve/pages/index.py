"""A run's own page: what it found, every figure and table under the notebook that made it, and where it comes from."""

import base64
import io
import os
import urllib.parse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image

from graphsieve.files.reading import read_csv
from graphsieve.pages.manifest import read_manifest
from graphsieve.pages.rendering import render
from graphsieve.pages.tables import PageTable, from_cells, from_records, plain
from graphsieve.study.headlines import Headline

KINDS = {".csv": "CSV", ".md": "Markdown", ".tex": "LaTeX", ".png": "PNG", ".pdf": "PDF"}
CARDS = 3
THUMBNAIL = (720, 540)  # pixels: sharp on a phone, and small enough to live in the page
LEADING = (1500, 1200)  # of the figure at the top, whose dots must be told apart


@dataclass(frozen=True)
class Link:
    kind: str
    target: str


@dataclass(frozen=True)
class Product:
    """A table or figure: `table` is shown as such, `picture` is a small copy of the figure."""

    name: str
    links: Sequence[Link]
    table: PageTable | None = None
    picture: str = ""
    leads: bool = False


@dataclass
class Article:
    """What a notebook made; `page` leads to it."""

    anchor: str
    heading: str
    sentence: str
    page: str = ""
    figures: list[Product] = field(default_factory=list)
    tables: list[Product] = field(default_factory=list)


def build_index(
    manifests: Sequence[Path],
    *,
    title: str,
    out: Path,
    headlines: Sequence[Headline] = (),
    notice: str = "",
    provenance: Mapping[str, str] | None = None,
    config: str = "",
) -> str:
    """The page of a run, in one file.

    Parameters
    ----------
    manifests : what the notebooks made, in the order of the page; each lies beside its rendered notebook.
    title : the page's heading.
    out : where the page will be written; tables and figures beside it that no manifest names come last.
    headlines : what the run found; the first of them are also shown as cards.
    notice : what a reader must know first.
    provenance : where the run comes from, by name; what is empty is left out.
    config : the run's settings, as text.

    Returns
    -------
    str
        HTML.
    """
    articles = list_articles(manifests, out)
    leading = next((figure for article in articles for figure in article.figures if figure.leads), None)
    return render(
        "index.html.j2",
        title=title,
        articles=articles,
        leading=leading,
        headlines=headlines,
        cards=headlines[:CARDS],
        notice=notice,
        provenance={name: value for name, value in (provenance or {}).items() if value},
        config=config,
    )


def list_articles(manifests: Iterable[Path], out: Path) -> list[Article]:
    """The notebooks in the given order, and at last what belongs to none."""
    articles, named = [], set()
    for path in manifests:
        made = read_manifest(path)
        article = Article(
            path.stem, plain(made["title"]), plain(made["sentence"]), href(path.with_suffix(".html"), out)
        )
        article.figures = [figure_product(figure, out) for figure in made["figures"]]
        article.tables = [table_product(table, out) for table in made["tables"]]
        articles.append(article)
        named |= {file.resolve() for product in (*made["figures"], *made["tables"]) for file in product["files"]}
    others = other_files(out, named)
    return [*articles, others] if others.figures or others.tables else articles


def other_files(out: Path, named: set[Path]) -> Article:
    """Tables and figures of the run that no manifest names; hidden files are what a killed job left."""
    article = Article("other-files", "Other files", "Tables and figures that belong to no notebook.")
    kinds = (("figures", figure_product, article.figures), ("tables", table_product, article.tables))
    for folder, make, products in kinds:
        files: dict[str, list[Path]] = {}
        for path in sorted(out.parent.glob(f"{folder}/[!.]*")):
            if path.suffix in KINDS and path.resolve() not in named:
                files.setdefault(path.stem, []).append(path)
        products += [make({"name": name, "files": paths}, out) for name, paths in files.items()]
    return article


def figure_product(entry: Mapping, out: Path) -> Product:
    source, leads = _with_suffix(entry["files"], ".png"), entry.get("leads", False)
    picture = thumbnail(source, LEADING if leads else THUMBNAIL) if source else ""
    return Product(entry["name"], links(entry["files"], out), picture=picture, leads=leads)


def table_product(entry: Mapping, out: Path) -> Product:
    """From the cells that the entry has, or else from the CSV file."""
    table, source = None, _with_suffix(entry["files"], ".csv")
    if "rows" in entry:
        table = from_cells(entry)
    elif source:
        table = from_records(read_csv(source), entry)
    return Product(entry["name"], links(entry["files"], out), table)


def _with_suffix(files: Iterable[Path], suffix: str) -> Path | None:
    return next((file for file in files if file.suffix == suffix), None)


def links(files: Iterable[Path], out: Path) -> list[Link]:
    ordered = sorted(files, key=lambda path: list(KINDS).index(path.suffix))
    return [Link(KINDS[path.suffix], href(path, out)) for path in ordered]


def thumbnail(path: Path, size: tuple[int, int] = THUMBNAIL) -> str:
    """A small copy of the picture inside the page, so that the page alone can be sent."""
    with Image.open(path) as picture:
        small = picture.convert("RGBA")
    small.thumbnail(size, Image.Resampling.LANCZOS)
    paper = Image.new("RGB", small.size, "white")
    paper.paste(small, mask=small.getchannel("A"))
    data = io.BytesIO()
    paper.save(data, "WEBP", quality=75, method=6)
    return f"data:image/webp;base64,{base64.b64encode(data.getvalue()).decode()}"


def href(path: Path, out: Path) -> str:
    return urllib.parse.quote(Path(os.path.relpath(path, out.parent)).as_posix())
