"""What a run found, the most telling first: read from its tables, each study by itself, none required."""

import html
import re
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from graphsieve.files.reading import read_csv
from graphsieve.study import findings
from graphsieve.study.findings import NUMBERS, Headline, Tables
from graphsieve.study.labels import PAPER_DATASETS, base, label_dataset, listed


def read_tables(paths: Iterable[Path]) -> dict[str, pd.DataFrame]:
    """Tables by their names."""
    return {path.stem: read_csv(path) for path in paths}


def headlines(ours: Tables, records: Tables, published: Tables) -> list[Headline]:
    """The most telling first, one for each study that the run has. `records` gives what each dataset kept."""
    found = [
        findings.agreement(ours, published),
        findings.claimed_best(ours),
        findings.fair_rivals(ours),
        findings.selection(ours, records, published),
        findings.adaptive(ours, published),
        findings.recovery(ours),
        findings.best_methods(ours),
        findings.worth_of_the_graph(ours),
        findings.correlation(ours),
        findings.bounds(ours),
        findings.selectors(ours),
    ]
    return [headline for headline in found if headline]


def plain(text: str) -> str:
    """Without HTML, for the terminal."""
    return html.unescape(re.sub(r"<[^>]+>", "", text))


def absent_datasets(ours: Tables) -> str:
    """Which of the paper's datasets the run does without."""
    present = set(map(base, ours["table5_datasets"]["dataset"])) if "table5_datasets" in ours else set()
    absent = [name for name in PAPER_DATASETS if name not in present]
    if not absent:
        return ""
    names = listed([label_dataset(name) for name in absent])
    have = NUMBERS[len(PAPER_DATASETS) - len(absent)]
    verb = "is" if len(absent) == 1 else "are"
    return f"This run has {have} of the paper's {NUMBERS[len(PAPER_DATASETS)]} datasets: {names} {verb} absent."
