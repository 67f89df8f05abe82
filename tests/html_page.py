"""A page as a tree of elements, to be searched by ElementTree's paths; what is not closed in order is an error."""

from html.parser import HTMLParser
from xml.etree.ElementTree import Element, TreeBuilder

VOID = {"meta", "img", "br", "input", "link"}


class _Parser(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tree, self.open = TreeBuilder(), []

    def handle_starttag(self, tag, attributes):
        self.tree.start(tag, {name: value or "" for name, value in attributes})
        if tag in VOID:
            self.tree.end(tag)
        else:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tree.start(tag, dict(attributes))
        self.tree.end(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        self.tree.end(tag)

    def handle_data(self, data):
        if self.open:
            self.tree.data(data)


def parse_page(text: str) -> Element:
    parser = _Parser()
    parser.feed(text)
    assert parser.open == []
    return parser.tree.close()


def words(element: Element) -> str:
    """The text of an element and all within, every space of it a single one."""
    return " ".join("".join(element.itertext()).split())


def table_texts(table: Element) -> list[list[str]]:
    """Header and rows."""
    return [[words(cell) for cell in row] for row in table.iter("tr")]
