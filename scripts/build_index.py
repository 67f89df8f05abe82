"""Write a run's index page: every notebook, table and figure under results/<run>/, with a line on each.

What a page says comes from the executed notebooks themselves: a notebook's first heading and the sentence below it
describe it, and the tables and figures it wrote (the papermill parameters that are stems of files) are listed below.
"""

import argparse
import html
import json
import os
import re
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from graphsieve.records import write_text

KINDS = {".csv": "CSV", ".md": "Markdown", ".tex": "LaTeX", ".png": "PNG", ".pdf": "PDF"}

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --ink: #222; --soft: #666; --line: #ddd; --page: #fff; --link: #0067a3; }}
@media (prefers-color-scheme: dark) {{
  :root {{ --ink: #e6e6e6; --soft: #a6a6a6; --line: #3a3a3a; --page: #181818; --link: #7cc4f0; }}
}}
body {{ margin: 0 auto; max-width: 46rem; padding: 1.5rem 1.1rem 3rem; background: var(--page); color: var(--ink);
  font: 1.05rem/1.5 Charter, "Bitstream Charter", Cambria, Georgia, serif; }}
h1 {{ font-size: 1.7rem; line-height: 1.2; margin: 0 0 0.3rem; }}
h2 {{ font-size: 1.2rem; line-height: 1.3; margin: 0; }}
p {{ margin: 0.3rem 0; }}
.soft {{ color: var(--soft); }}
article {{ border-top: 1px solid var(--line); margin-top: 1.4rem; padding-top: 1.2rem; }}
a {{ color: var(--link); text-decoration: none; }}
a:hover, a:focus {{ text-decoration: underline; }}
ul {{ list-style: none; margin: 0.5rem 0 0; padding: 0; font-size: 0.95rem; }}
li {{ margin: 0.5rem 0; overflow-wrap: anywhere; }}
li a {{ margin-right: 0.7em; display: inline-block; padding: 0.15rem 0; }}
li a.picture {{ display: block; margin: 0; }}
img {{ display: block; max-width: 100%; max-height: 22rem; margin-top: 0.5rem; background: #fff;
  border: 1px solid var(--line); border-radius: 4px; padding: 0.4rem; box-sizing: border-box; }}
</style>
</head>
<body>
<h1>{title}</h1>
<p class="soft">{introduction}</p>
{body}
</body>
</html>
"""


@dataclass
class Product:
    """A table or figure: one stem, in one or more formats."""

    stem: Path
    files: list[Path]


@dataclass
class Entry:
    """A notebook's page and what it wrote."""

    heading: str
    line: str
    page: Path | None = None
    products: list[Product] = field(default_factory=list)


def read_entry(page: Path, products: dict[Path, Product]) -> Entry:
    """What to say about a page, from the executed notebook beside it."""
    notebook = json.loads(page.with_suffix(".ipynb").read_text(encoding="utf-8"))
    heading, line = describe(notebook, page.stem)
    parameters = notebook["metadata"].get("papermill", {}).get("parameters", {})
    stems = [Path(value).resolve() for value in parameters.values() if isinstance(value, str) and value]
    # A notebook that writes several tables gives them names that begin with its parameter.
    own = {known: products[known] for stem in stems for known in products if f"{known}_".startswith(f"{stem}_")}
    return Entry(heading, line, page, list(own.values()))


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


def find_products(run: Path) -> dict[Path, Product]:
    """Every table and figure of the run by its resolved stem."""
    products: dict[Path, Product] = {}
    for folder in ("figures", "tables"):
        for path in sorted(run.glob(f"{folder}/*")):
            if path.suffix in KINDS:
                stem = path.with_suffix("")
                products.setdefault(stem.resolve(), Product(stem, [])).files.append(path)
    return products


def render_entry(entry: Entry, out: Path) -> str:
    heading = plain(entry.heading)
    if entry.page:
        heading = f'<a href="{href(entry.page, out)}">{heading}</a>'
    items = "\n".join(f"<li>{render_product(product, out)}</li>" for product in entry.products)
    line = f"<p>{plain(entry.line)}</p>\n" if entry.line else ""
    return f"<article>\n<h2>{heading}</h2>\n{line}" + (f"<ul>\n{items}\n</ul>\n" if items else "") + "</article>"


def render_product(product: Product, out: Path) -> str:
    files = sorted(product.files, key=lambda path: list(KINDS).index(path.suffix))
    links = " ".join(f'<a href="{href(path, out)}">{KINDS[path.suffix]}</a>' for path in files)
    kind = "Figure" if product.stem.parent.name == "figures" else "Table"
    name = html.escape(product.stem.name)
    picture = next((path for path in files if path.suffix == ".png"), None)
    thumbnail = ""
    if picture:
        source = href(picture, out)
        thumbnail = f'<a class="picture" href="{source}"><img src="{source}" alt="{name}" loading="lazy"></a>'
    return f'<span class="soft">{kind} {name}:</span> {links}{thumbnail}'


def plain(markdown: str) -> str:
    """Text for the page: the marks of Markdown's emphasis dropped."""
    return html.escape(re.sub(r"[*`]", "", markdown))


def href(path: Path, out: Path) -> str:
    return urllib.parse.quote(Path(os.path.relpath(path, out.parent)).as_posix())


def build_page(pages: list[Path], title: str, out: Path) -> str:
    products = find_products(out.parent)
    entries = [read_entry(page, products) for page in pages]
    listed = {product.stem for entry in entries for product in entry.products}
    others = [product for product in products.values() if product.stem not in listed]
    if others:
        entries.append(Entry("Other files", "Tables and figures that belong to no notebook.", products=others))
    introduction = (
        "Each title opens a page that explains its result and sets it beside the published numbers; "
        "the files below it hold the same for further use."
    )
    body = "\n".join(render_entry(entry, out) for entry in entries)
    return PAGE.format(title=html.escape(title), introduction=introduction, body=body)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--pages", type=Path, nargs="+", required=True, help="rendered notebooks, in this order")
    parser.add_argument("--title", required=True, help="the page's title")
    parser.add_argument("--out", type=Path, required=True, help="the page to write: results/<run>/index.html")
    arguments = parser.parse_args()
    write_text(build_page(arguments.pages, arguments.title, arguments.out), arguments.out)


if __name__ == "__main__":
    main()
