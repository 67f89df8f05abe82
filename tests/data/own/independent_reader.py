"""A second reader of a user's folder, in plain Python: `csv`, `datetime` and lists, nothing of the project's.

It knows the rules that README.md and `graphsieve rank --help` state, and returns None for whatever they refuse.
"""

import csv
import datetime
import io
import math
import re
import statistics
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

MISSING = {"", "NA", "N/A", "n/a", "nan", "NaN", "NAN", "null", "NULL", "None", "<NA>", "#N/A", "?", "-"}
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
INFINITE = re.compile(r"[+-]?inf(inity)?", re.I)
TRUTHS = {"True": 1.0, "TRUE": 1.0, "true": 1.0, "False": 0.0, "FALSE": 0.0, "false": 0.0}
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?")
OTHER_DATES = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d")
LARGEST = 3.4028235e38  # that 32 bits can hold


class Refused(Exception):
    pass


@dataclass
class Plain:
    """`columns` by name, `y` with None where there is no label, `edges` by (source, target)."""

    columns: list[tuple[str, list[float]]]
    groups: list[str]
    y: list
    is_regression: bool
    edges: dict[tuple[int, int], list[float]]


def read_folder(folder: Path, *, missing: str, directed: bool, task: str | None) -> Plain | None:
    try:
        return _read_folder(folder, missing, directed, task)
    except Refused:
        return None


def _read_folder(folder: Path, missing: str, directed: bool, task: str | None) -> Plain:
    header, rows = read_rows(folder / "nodes.csv", {"id", "label"})
    roles = find_roles(header, ("id", "label"))
    ids = [row[roles["id"]] for row in rows]
    if "" in ids or len(set(ids)) < len(ids):
        raise Refused("ids")
    others = [place for place in range(len(header)) if place not in roles.values() and header[place]]
    encoded, left = encode_table(header, rows, others, missing)
    if not encoded or not any(left):
        raise Refused("no features")
    y, is_regression = read_labels([row[roles["label"]] for row, stays in zip(rows, left, strict=True) if stays], task)
    check_finite(encoded)
    edges = read_edges(folder / "edges.csv", ids, left, missing, directed)
    return Plain(
        columns=[(name, values) for name, values, _ in encoded],
        groups=[group for _, _, group in encoded],
        y=y,
        is_regression=is_regression,
        edges=edges,
    )


# Rows ---------------------------------------------------------------------------


def read_rows(path: Path, wanted: set[str]) -> tuple[list[str], list[list[str]]]:
    text = decode(path.read_bytes())
    best = None
    for separator in ",;\t":
        rows = [
            row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True) if row
        ]
        header = [name.strip() for name in rows[0]] if rows else []
        found = (len(wanted & {name.casefold() for name in header}), len(header))
        if best is None or found > best[0]:
            best = (found, header, rows[1:])
    _, header, rows = best
    named = [name for name in header if name]
    if not named or len(set(named)) < len(named):
        raise Refused("header")
    if any(len(row) > len(header) for row in rows):
        raise Refused("too many fields")
    return header, [row + [""] * (len(header) - len(row)) for row in rows]


def decode(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError:
            raise Refused("UTF-16") from None
    for encoding in ("utf-8-sig", "cp1252", "latin-1"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise AssertionError


def find_roles(header: list[str], needed: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict[str, int]:
    roles = {}
    for role in (*needed, *optional):
        places = [place for place, name in enumerate(header) if name == role]
        places = places or [place for place, name in enumerate(header) if name.casefold() == role]
        if len(places) > 1 or (not places and role in needed):
            raise Refused(role)
        if places:
            roles[role] = places[0]
    return roles


# Columns ------------------------------------------------------------------------


def encode_table(header, rows, places, missing):
    """(name, values, group) of every column that is left, and which rows are."""
    columns = {header[place]: encode_column(header[place], [row[place] for row in rows]) for place in places}
    columns = {name: parts for name, parts in columns.items() if parts is not None}
    left = [True] * len(rows)
    encoded = []
    for name, (kind, parts) in columns.items():
        gaps = [value is None for value in next(iter(parts.values()))]
        if missing == "drop":
            left = [stays and not gap for stays, gap in zip(left, gaps, strict=True)]
            encoded += [(part, values, name) for part, values in parts.items()]
        else:
            encoded += fill(name, kind, parts, gaps, missing)
    return [
        (part, [v for v, stays in zip(values, left, strict=True) if stays], group) for part, values, group in encoded
    ], left


def encode_column(name: str, cells: list[str]):
    """What the column is, and its parts by name with None where a value is missing; None where it is left out."""
    present = [cell for cell in cells if cell not in MISSING]
    if not present:
        return None
    numbers = [parse_number(cell) for cell in present]
    if all(number is not None for number in numbers):
        return "number", {name: [None if cell in MISSING else parse_number(cell) for cell in cells]}
    if all(cell in TRUTHS for cell in present):
        return "number", {name: [TRUTHS.get(cell) for cell in cells]}
    commas = [parse_decimal_comma(cell) for cell in present]
    sure = any(re.search(r",([0-9]{1,2}|[0-9]{4,})$", cell) for cell in present)
    if all(number is not None for number in commas) and sure:
        return "number", {name: [None if cell in MISSING else parse_decimal_comma(cell) for cell in cells]}
    texts = [None if cell in MISSING or not cell.strip() else cell.strip() for cell in cells]
    present = [text for text in texts if text is not None]
    if not present:
        return None
    dates = parse_dates(present)
    if dates is not None:
        return "number", date_columns(name, texts, dates)
    return text_columns(name, texts, present)


def parse_number(cell: str) -> float | None:
    cell = cell.strip(" \t\n\r\v\f")
    if INFINITE.fullmatch(cell):
        return -math.inf if cell.startswith("-") else math.inf
    return float(cell) if NUMBER.fullmatch(cell) else None


def parse_decimal_comma(cell: str) -> float | None:
    if not re.fullmatch(r"[-+]?([0-9]+|[0-9]{1,3}(\.[0-9]{3})+)(,[0-9]+)?", cell):
        return None
    return float(cell.replace(".", "").replace(",", "."))


def parse_dates(texts: list[str]) -> list[datetime.datetime] | None:
    if ISO_DATE.fullmatch(texts[0]):
        return parse_all(texts, parse_iso)
    for form in OTHER_DATES:
        for time in ("", " %H:%M", " %H:%M:%S"):
            dates = parse_all(texts, lambda text, form=form + time: datetime.datetime.strptime(text, form))
            if dates is not None:
                return dates
    return None


def parse_iso(text: str) -> datetime.datetime:
    if not ISO_DATE.fullmatch(text):
        raise ValueError(text)
    date = datetime.datetime.fromisoformat(text)
    return date.astimezone(datetime.UTC).replace(tzinfo=None) if date.tzinfo else date


def parse_all(texts, parse):
    try:
        return [parse(text) for text in texts]
    except (ValueError, OverflowError):
        return None


def date_columns(name: str, texts: list[str | None], dates: list[datetime.datetime]) -> dict[str, list]:
    first, waiting = min(dates), iter(dates)
    row_dates = [None if text is None else next(waiting) for text in texts]
    span = (max(dates) - first) / datetime.timedelta(days=1)

    def column(part):
        return [None if date is None else float(part(date)) for date in row_dates]

    columns = {f"{name} (days)": column(lambda date: (date - first) / datetime.timedelta(days=1))}
    parts = {
        "month": (366, lambda date: date.month),
        "weekday": (14, lambda date: date.isoweekday()),
        "hour": (2, lambda date: date.hour + date.minute / 60),
    }
    for part, (least, function) in parts.items():
        if span >= least and len({function(date) for date in dates}) > 1:
            columns[f"{name} ({part})"] = column(function)
    return columns


def text_columns(name: str, texts: list[str | None], present: list[str]):
    counts = Counter(present)
    if len(counts) > 10:
        if sum(count for count in counts.values() if count < 5) > len(present) / 2:
            return None
        ranked = sorted(counts, key=lambda value: (-counts[value], value))
        rare = {value for place, value in enumerate(ranked) if counts[value] < 5 or place >= 100}
        if len(rare) > 1:
            texts = ["other" if text in rare else text for text in texts]
    values = sorted({text for text in texts if text is not None})
    return "text", {
        f"{name}={value}": [None if text is None else float(text == value) for text in texts] for value in values
    }


def fill(name, kind, parts, gaps, missing):
    if not any(gaps):
        return [(part, values, name) for part, values in parts.items()]
    known = {part: [value for value in values if value is not None] for part, values in parts.items()}
    if kind == "text":
        most = max(sum(values) for values in known.values())
        commonest = next(part for part, values in known.items() if sum(values) == most)
        instead = {part: float(missing == "median" and part == commonest) for part in parts}
    else:
        instead = {part: median(values) for part, values in known.items()}
    filled = [
        (part, [instead[part] if value is None else value for value in values], name) for part, values in parts.items()
    ]
    return filled + ([(f"{name} is missing", [float(gap) for gap in gaps], name)] if missing == "indicator" else [])


def median(values: list[float]) -> float:
    middle = statistics.median(values)
    return math.floor(middle) if set(values) <= {0, 1} else middle


def check_finite(encoded) -> None:
    if any(not abs(value) <= LARGEST for _, values, _ in encoded for value in values):
        raise Refused("not finite")


# Labels and edges -----------------------------------------------------------------


def read_labels(cells: list[str], task: str | None):
    others = [cell for cell in cells if cell not in MISSING]
    if others and label_numbers(others) is not None:  # among numbers, NA is no class
        cells = ["" if cell in MISSING else cell for cell in cells]
    known = [cell for cell in cells if cell != ""]
    numbers = label_numbers(known)
    if numbers is not None:
        waiting = iter(numbers)
        labels = [None if cell == "" else next(waiting) for cell in cells]
        labels = [None if label is None or math.isnan(label) else label for label in labels]
    else:
        labels = [cell or None for cell in cells]
    known = [label for label in labels if label is not None]
    if len(set(known)) < 2:
        raise Refused("labels")
    is_regression = (task or guess(known, numbers is not None)) == "regression"
    if not is_regression:
        classes = sorted(set(known))
        return [None if label is None else classes.index(label) for label in labels], False
    if numbers is None or any(not abs(label) <= LARGEST for label in known):
        raise Refused("quantities")
    return labels, True


def label_numbers(known: list[str]) -> list[float] | None:
    for parse in (parse_number_or_nan, parse_decimal_comma):
        numbers = [parse(cell) for cell in known]
        if all(number is not None for number in numbers):
            sure = parse is parse_number_or_nan or any(re.search(r",([0-9]{1,2}|[0-9]{4,})$", cell) for cell in known)
            return numbers if sure else None
    return None


def parse_number_or_nan(cell: str) -> float | None:
    return math.nan if cell.strip().lower() == "nan" else parse_number(cell)


def guess(known: list, are_numbers: bool) -> str:
    if not are_numbers or any(math.isinf(label) for label in known):
        return "classification"
    values = sorted(set(known))
    if any(value != round(value) for value in values):
        return "regression"
    numbered = values[0] in (0, 1) and values[-1] - values[0] + 1 == len(values)
    return "classification" if len(values) <= 20 or numbered else "regression"


def read_edges(path: Path, ids: list[str], left: list[bool], missing: str, directed: bool):
    """The mean of all values of the rows that join two nodes."""
    header, rows = read_rows(path, {"source", "target"})
    roles = find_roles(header, ("source", "target"), ("weight",))
    number = {name: place for place, name in enumerate(ids)}
    after = [sum(left[:place]) for place in range(len(left))]
    weights = read_weights([row[roles["weight"]] for row in rows]) if "weight" in roles else None
    others = [place for place in range(len(header)) if place not in roles.values() and header[place]]
    encoded, complete = encode_table(header, rows, others, missing)
    check_finite(encoded)
    joined: dict[tuple[int, int], list[list[float]]] = {}
    kept = -1
    for place, row in enumerate(rows):
        kept += complete[place]
        if row[roles["source"]] not in number or row[roles["target"]] not in number:
            raise Refused("unknown node")
        ends = [number[row[roles[end]]] for end in ("source", "target")]
        if complete[place] and all(left[end] for end in ends):
            values = ([weights[place]] if weights else []) + [column[kept] for _, column, _ in encoded]
            source, target = (after[end] for end in ends)
            joined.setdefault((source, target), []).append(values)
            if not directed:
                joined.setdefault((target, source), []).append(values)
    return {ends: [statistics.fmean(column) for column in zip(*found, strict=True)] for ends, found in joined.items()}


def read_weights(cells: list[str]) -> list[float]:
    if cells and all(cell in TRUTHS for cell in cells):
        return [TRUTHS[cell] for cell in cells]
    numbers = [None if cell in MISSING else parse_number(cell) for cell in cells]
    if any(number is None for number in numbers):
        numbers = [parse_decimal_comma(cell) for cell in cells]
        if not any(re.search(r",([0-9]{1,2}|[0-9]{4,})$", cell) for cell in cells):
            raise Refused("weights")
    if any(number is None or not abs(number) <= LARGEST for number in numbers):
        raise Refused("weights")
    return numbers
