"""Folders of tables as Hypothesis invents them: sound ones, odd ones, and files of anything at all."""

import csv
import datetime
import io
from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st
from independent_reader import MISSING

WORDS = (
    "red",
    "blue",
    "other",
    "ä",
    "a b",
    "x;y",
    'quo"te',
    " lead",
    "trail ",
    "<b>&</b>",
    "=1+1",
    "True",
    "1,5",
    "12",
)
SEPARATORS = (",", ";", "\t")
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
DATES = st.datetimes(min_value=datetime.datetime(1950, 1, 1), max_value=datetime.datetime(2090, 1, 1))
CELLS = {
    "whole": st.integers(-(10**6), 10**6).map(str),
    "few": st.integers(0, 3).map(str),
    "fraction": st.floats(allow_nan=False, allow_infinity=False, width=32).map(repr),
    "huge": st.sampled_from(["1e39", "-1e400", "inf", "1e300", "3", "99999999999999999999999", "18446744073709551616"]),
    "truth": st.sampled_from(["True", "False", "TRUE", "false"]),
    "comma": st.floats(-1e4, 1e4).map(lambda value: f"{value:.2f}".replace(".", ",")),
    "thousands": st.integers(1000, 10**6).map(lambda value: f"{value:,}"),
    "word": st.sampled_from(WORDS),
    "name": st.integers(0, 60).map("person {}".format),
    "iso": DATES.map(lambda date: date.date().isoformat()),
    "time": DATES.map(lambda date: date.isoformat(sep=" ", timespec="minutes")),
    "german": DATES.map(lambda date: f"{date:%d.%m.%Y}"),
    "day": DATES.map(lambda date: f"{date:%d/%m/%Y}"),
    "month": DATES.map(lambda date: f"{date:%m/%d/%Y}"),
    "anything": TEXTS,
}
LABELS = ("few", "few", "whole", "whole", "fraction", "fraction", "word", "word", "truth", "comma", "huge", "anything")
HEADERS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@dataclass(frozen=True)
class Folder:
    nodes: bytes
    edges: bytes
    options: dict

    def write(self, folder: Path) -> None:
        (folder / "nodes.csv").write_bytes(self.nodes)
        (folder / "edges.csv").write_bytes(self.edges)


@st.composite
def columns(draw, rows: int) -> list[str]:
    """Cells of one kind, seldom of two, with gaps."""
    kinds = draw(st.lists(st.sampled_from(list(CELLS)), min_size=1, max_size=draw(st.sampled_from([1, 1, 1, 1, 2]))))
    cells = st.one_of(*(CELLS[kind] for kind in kinds))
    share = draw(st.sampled_from([0, 0, 0, 1, 5, 10]))
    gap = st.sampled_from(sorted(MISSING))
    return [draw(gap) if draw(st.integers(1, 10)) <= share else draw(cells) for _ in range(rows)]


@st.composite
def texts(draw, header: list[str], rows: list[list[str]]) -> bytes:
    out = io.StringIO()
    ends = draw(st.sampled_from(["\n", "\r\n"]))
    writer = csv.writer(out, delimiter=draw(st.sampled_from(SEPARATORS)), lineterminator=ends)
    writer.writerows([header, *rows])
    return out.getvalue().encode(draw(st.sampled_from(ENCODINGS)), errors="replace")


@st.composite
def folders(draw) -> Folder:
    count = draw(st.integers(draw(st.sampled_from([1, 4, 4, 4, 12])), 30))
    ids = [f"n{number}" for number in range(count)]
    if draw(st.integers(0, 9)) == 0:
        ids = draw(st.lists(TEXTS, min_size=count, max_size=count, unique=draw(st.booleans())))
    label = CELLS[draw(st.sampled_from(LABELS))]
    gap = draw(st.sampled_from(["", "", "NA", "?", "-"]))
    labels = [draw(st.one_of(label, st.just(gap))) for _ in range(count)]
    fewest = draw(st.sampled_from([0, 1, 1, 1, 1, 2]))
    names = draw(st.lists(HEADERS, min_size=fewest, max_size=4, unique_by=str.strip))
    features = [draw(columns(count)) for _ in names]
    header = [draw(st.sampled_from(["id", "ID", " Id"])), draw(st.sampled_from(["label", "Label"])), *names]
    nodes = draw(texts(header, [list(row) for row in zip(ids, labels, *features, strict=True)]))
    return Folder(nodes, draw(edge_tables(ids)), draw(options()))


@st.composite
def edge_tables(draw, ids: list[str]) -> bytes:
    known = st.sampled_from(ids)
    ends = draw(st.sampled_from([known] * 9 + [st.one_of(known, TEXTS)]))
    pairs = draw(st.lists(st.tuples(ends, ends), max_size=20))
    header, values = ["source", "Target"], []
    if draw(st.booleans()):
        header.append("weight")
        kind = draw(st.sampled_from(["few", "fraction", "fraction", "comma", "whole", "huge", "word"]))
        values.append([draw(CELLS[kind]) for _ in pairs])
    if draw(st.booleans()):
        header.append("kind")
        values.append(draw(columns(len(pairs))))
    return draw(texts(header, [[*pair, *others] for pair, *others in zip(pairs, *values, strict=True)]))


def options() -> st.SearchStrategy[dict]:
    return st.fixed_dictionaries(
        {
            "missing": st.sampled_from(["indicator", "median", "drop"]),
            "directed": st.booleans(),
            "task": st.sampled_from([None, None, "classification", "regression"]),
        }
    )


@st.composite
def broken_folders(draw) -> Folder:
    """A sound folder of which a part is overwritten, left out or doubled; or bytes without any sense."""
    folder = draw(folders())
    spoilt = draw(st.sampled_from(["nodes", "edges", "both"]))
    nodes = draw(spoilt_bytes(folder.nodes)) if spoilt != "edges" else folder.nodes
    edges = draw(spoilt_bytes(folder.edges)) if spoilt != "nodes" else folder.edges
    return Folder(nodes, edges, folder.options)


@st.composite
def spoilt_bytes(draw, data: bytes) -> bytes:
    """The beginning and the end of the data, which may overlap or leave a gap, with anything in between."""
    start = draw(st.integers(0, len(data)))
    end = draw(st.one_of(st.integers(start, start + 2), st.integers(start, start + 2), st.integers(0, len(data))))
    signs = st.sampled_from([b'"', b"\x00", b",", b"\r", b""])
    return data[:start] + draw(st.one_of(st.binary(max_size=20), TEXTS.map(str.encode), signs)) + data[end:]
