"""Pages from templates: text is escaped, and style and scripts lie in the page itself, which needs no network."""

import json
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup


def read_static(name: str) -> Markup:
    """A style sheet or script, to be put into a page as it is."""
    return Markup(files(__package__).joinpath("static", name).read_text(encoding="utf-8"))


ENVIRONMENT = Environment(
    loader=PackageLoader(__package__),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
ENVIRONMENT.globals["static"] = read_static


def render(template: str, **content: object) -> str:
    """The page that a template makes of what it is given; text that is HTML already is `Markup`."""
    return ENVIRONMENT.get_template(template).render(content)


def script_data(content: object) -> Markup:
    """For a script element of type application/json, within which only "</" and "<!--" would be read as HTML."""
    return Markup(json.dumps(content, separators=(",", ":")).replace("<", "\\u003c"))
