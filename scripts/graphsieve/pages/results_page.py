"""A run's own page: what it found, every figure and table under the notebook that made it, and where it comes from.

What is said about a product comes from the executed notebooks themselves: a notebook's first heading and the sentence
below it describe it, and what it wrote (the papermill parameters that are stems of files) is shown below.
"""

import base64
import html
import io
import json
import os
import re
import urllib.parse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image

from graphsieve.pages import page_tables
from graphsieve.pages.page import page
from graphsieve.study.headlines import Headline

KINDS = {".csv": "CSV", ".md": "Markdown", ".tex": "LaTeX", ".png": "PNG", ".pdf": "PDF"}
CARDS = 3
THUMBNAIL = (720, 540)  # pixels: sharp on a phone, and small enough to live in the page

STYLE = """
body { max-width: 60rem; }
h2 { scroll-margin-top: 1rem; }
h3 { font-size: 1rem; line-height: 1.3; margin: 1.1rem 0 0.2rem; }
article { border-top: 1px solid var(--line); margin-top: 1.8rem; padding-top: 1.3rem; }
article h2 { margin-top: 0; }
.findings { padding-left: 1.2rem; }
.findings li { margin: 0.5rem 0; }
nav { font-size: 0.95rem; columns: 18rem; column-gap: 2rem; margin-top: 0.6rem; }
nav a { display: block; padding: 0.2rem 0; break-inside: avoid; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); gap: 1rem;
  align-items: start; margin: 0.9rem 0; }
figure { margin: 0; min-width: 0; }
img { display: block; width: 100%; height: auto; max-height: 20rem; object-fit: contain; background: #fff;
  padding: 0.4rem; border: 1px solid var(--line); border-radius: 6px; }
a:hover img, a:focus img { border-color: var(--strong); }
figcaption, .files, .note { font-size: 0.9rem; }
.files a, figcaption a { display: inline-block; padding: 0.15rem 0; margin-left: 0.5em; }
pre { overflow-x: auto; background: var(--card); border-radius: 6px; padding: 0.8rem; font-size: 0.8rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; margin: 0.6rem 0; }
dt { font-weight: 600; }
dd { margin: 0; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: 0.4rem; } }
"""


@dataclass
class Product:
    """A table or figure: one stem, in one or more formats."""

    stem: Path
    files: list[Path]

    @property
    def is_figure(self) -> bool:
        return self.stem.parent.name == "figures"


@dataclass
class Entry:
    """A notebook's page and what it wrote."""

    heading: str
    line: str
    page: Path | None = None
    products: list[Product] = field(default_factory=list)

    @property
    def anchor(self) -> str:
        return self.page.stem if self.page else "other-files"


def build_page(
    pages: Sequence[Path],
    title: str,
    out: Path,
    found: Sequence[Headline] = (),
    notice: str = "",
    provenance: dict[str, str] | None = None,
    config: str = "",
) -> str:
    """`notice` is what a reader must know first; `config` the settings as text."""
    entries = list_entries(pages, out.parent)
    sections = [
        '<p class="soft">Which node features does a graph neural network really need? What this run found.</p>',
        f'<p class="warning">{html.escape(notice)}</p>' if notice else "",
        _cards(found),
        _findings(found),
        _contents(entries),
        *(_article(entry, out) for entry in entries),
        _foot(provenance or {}, config),
    ]
    body = "\n".join(filter(None, sections))
    return page(html.escape(title), body, page_tables.STYLE + STYLE, page_tables.SCRIPT)


# What there is


def list_entries(pages: Sequence[Path], run: Path) -> list[Entry]:
    """The notebooks in the given order, and at last what belongs to none."""
    products = find_products(run)
    entries = [read_entry(path, products) for path in pages]
    listed = {product.stem for entry in entries for product in entry.products}
    others = [product for product in products.values() if product.stem not in listed]
    if others:
        entries.append(Entry("Other files", "Tables and figures that belong to no notebook.", products=others))
    return entries


def list_tables(pages: Sequence[Path], run: Path) -> list[Path]:
    """The CSV files that these notebooks wrote; a study that the config no longer has may have left others."""
    products = [product for entry in list_entries(pages, run) if entry.page for product in entry.products]
    return [path for product in products for path in product.files if path.suffix == ".csv"]


def find_products(run: Path) -> dict[Path, Product]:
    """Every table and figure of the run by its resolved stem; hidden files are what a killed job left."""
    products: dict[Path, Product] = {}
    for folder in ("figures", "tables"):
        for path in sorted(run.glob(f"{folder}/[!.]*")):
            if path.suffix in KINDS:
                stem = path.with_suffix("")
                products.setdefault(stem.resolve(), Product(stem, [])).files.append(path)
    return products


def read_entry(path: Path, products: dict[Path, Product]) -> Entry:
    """What to say about a page, from the executed notebook beside it."""
    notebook = json.loads(path.with_suffix(".ipynb").read_text(encoding="utf-8"))
    heading, line = describe(notebook, path.stem)
    parameters = notebook["metadata"].get("papermill", {}).get("parameters", {})
    stems = [Path(value).resolve() for value in parameters.values() if isinstance(value, str) and value]
    # A notebook that writes several tables gives them names that begin with its parameter.
    own = {known: products[known] for stem in stems for known in products if f"{known}_".startswith(f"{stem}_")}
    return Entry(heading, line, path, list(own.values()))


def describe(notebook: dict, default: str) -> tuple[str, str]:
    """The first heading a reader sees, in prose or as the result of a cell, and the first sentence below it."""
    for text in markdown_texts(notebook):
        found = re.match(r"#\s+(?P<heading>.+?)\s*(?:\n\s*\n(?P<paragraph>.+?)\s*(?:\n\s*\n|$)|$)", text, re.DOTALL)
        if found:
            paragraph = " ".join((found["paragraph"] or "").split())
            return found["heading"], re.split(r"(?<=[.!?])\s", paragraph)[0]
    return default, ""


def markdown_texts(notebook: dict) -> Iterator[str]:
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            yield "".join(cell["source"])
        for output in cell.get("outputs", []):
            yield "".join(output.get("data", {}).get("text/markdown", ""))


# How it is shown


def _cards(found: Sequence[Headline]) -> str:
    cards = "".join(f"<div><b>{one.number}</b> {one.words}</div>" for one in found[:CARDS])
    return f'<div class="cards">{cards}</div>' if cards else ""


def _findings(found: Sequence[Headline]) -> str:
    items = "\n".join(f"<li>{sentence}</li>" for one in found for sentence in one.sentences)
    return f'<h2>Findings</h2>\n<ul class="findings">\n{items}\n</ul>' if items else ""


def _contents(entries: Sequence[Entry]) -> str:
    links = "\n".join(f'<a href="#{urllib.parse.quote(one.anchor)}">{plain(one.heading)}</a>' for one in entries)
    return f"<h2>Tables and figures</h2>\n<nav>\n{links}\n</nav>"


def _article(entry: Entry, out: Path) -> str:
    heading = plain(entry.heading)
    title = f'<a href="{href(entry.page, out)}">{heading}</a>' if entry.page else heading
    whole = f' <a href="{href(entry.page, out)}">Read the notebook.</a>' if entry.page else ""
    figures = "\n".join(_figure(product, out) for product in entry.products if product.is_figure)
    written = sorted((product for product in entry.products if not product.is_figure), key=lambda product: product.stem)
    tables = [_table(product, heading, out) for product in written]
    parts = [
        f'<article id="{html.escape(entry.anchor)}">\n<h2>{title}</h2>\n<p>{plain(entry.line)}{whole}</p>',
        f'<div class="figures">\n{figures}\n</div>' if figures else "",
        *tables,
        "</article>",
    ]
    return "\n".join(filter(None, parts))


def _figure(product: Product, out: Path) -> str:
    name = html.escape(product.stem.name)
    caption = f'<figcaption><span class="soft">{name}</span>{_links(product, out)}</figcaption>'
    source = next((path for path in product.files if path.suffix == ".png"), None)
    if source is None:
        return f"<figure>{caption}</figure>"
    picture = f'<img src="{thumbnail(source)}" alt="{name}">'
    return f'<figure><a href="{href(source, out)}">{picture}</a>{caption}</figure>'


def _table(product: Product, heading: str, out: Path) -> str:
    tables = "\n".join(page_tables.render_table(table, heading) for table in page_tables.read_tables(product.stem))
    name = html.escape(product.stem.name)
    return f'{tables}\n<p class="files"><span class="soft">{name}</span>{_links(product, out)}</p>'


def _links(product: Product, out: Path) -> str:
    files = sorted(product.files, key=lambda path: list(KINDS).index(path.suffix))
    return "".join(f' <a href="{href(path, out)}">{KINDS[path.suffix]}</a>' for path in files)


def thumbnail(path: Path) -> str:
    """A small copy of the picture inside the page, so that the page alone can be sent."""
    with Image.open(path) as picture:
        small = picture.convert("RGBA")
    small.thumbnail(THUMBNAIL, Image.Resampling.LANCZOS)
    paper = Image.new("RGB", small.size, "white")
    paper.paste(small, mask=small.getchannel("A"))
    data = io.BytesIO()
    paper.save(data, "WEBP", quality=75, method=6)
    return f"data:image/webp;base64,{base64.b64encode(data.getvalue()).decode()}"


def _foot(provenance: dict[str, str], config: str) -> str:
    facts = "\n".join(
        f"<dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd>" for name, value in provenance.items() if value
    )
    settings = f"<details><summary>The config</summary><pre>{html.escape(config)}</pre></details>\n" if config else ""
    facts = f"<dl>\n{facts}\n</dl>\n" if facts else ""
    return (
        f"<footer>\n{facts}{settings}"
        '<p class="soft">Sent alone, this page keeps its findings, tables and small pictures; its links lead to files '
        "in the folder it was made in.</p>\n</footer>"
    )


def plain(markdown: str) -> str:
    """Text for the page: the marks of Markdown's emphasis dropped."""
    return html.escape(re.sub(r"[*`]", "", markdown))


def href(path: Path, out: Path) -> str:
    return urllib.parse.quote(Path(os.path.relpath(path, out.parent)).as_posix())
