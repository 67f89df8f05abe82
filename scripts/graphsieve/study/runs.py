"""Records as pages read them: a dataset that was run with several models becomes several, so that none are averaged."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from graphsieve.files.reading import collect, read_csv


def read_runs(path: str | Path) -> pd.DataFrame:
    """A table of records, with models apart."""
    return models_apart(read_csv(path))


def collect_runs(paths: Sequence[str | Path]) -> pd.DataFrame:
    """Tables of records in one, with models apart; of no tables, an empty one."""
    table = collect(paths)
    return table if table.empty else models_apart(table)


def models_apart(records: pd.DataFrame) -> pd.DataFrame:
    """A dataset that a scorer has with several models is named with them, as in `cora (gin)`."""
    return apart(records, "scorer", "model")


def apart(records: pd.DataFrame, row: str, choice: str) -> pd.DataFrame:
    """Datasets of which some `row` has several values of `choice` become several, named with them.

    >>> records = pd.DataFrame({"dataset": ["cora", "cora"], "scorer": "npt", "model": ["gcn", "gin"]})
    >>> apart(records, "scorer", "model")["dataset"].tolist()
    ['cora (gcn)', 'cora (gin)']
    """
    several = records.groupby(["dataset", row])[choice].transform("nunique").groupby(records["dataset"])
    named = records["dataset"] + " (" + records[choice] + ")"
    return records.assign(dataset=records["dataset"].where(several.transform("max") == 1, named))
