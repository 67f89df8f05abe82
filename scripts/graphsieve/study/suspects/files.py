"""What the job of a hypothesis writes: a table of its cells, and the scores that others may take over."""

from pathlib import Path

import numpy as np
import pandas as pd

from graphsieve.files.checks import damaged
from graphsieve.files.reading import read_csv, read_npz
from graphsieve.files.writing import write_csv, write_npz
from graphsieve.scoring.scorers import Scores
from graphsieve.study.suspects.cells import SUMMARY, Finished
from graphsieve.study.suspects.protocol import CELLS, TABLE2

COLUMNS = [*SUMMARY, "kept", "ties", "made_by", "fingerprint"]


def write_finished(finished: Finished, run: dict, record: str | Path, scores: str | Path) -> None:
    """run: the columns that tell this run's rows from others."""
    rows = [{**run, "setting": cell, **{key: row[key] for key in COLUMNS}} for cell, row in finished.rows.items()]
    parts = {
        f"{scorer}/{part}": getattr(one, part)
        for scorer, one in finished.scores.items()
        for part in ("values", "losses")
        if getattr(one, part) is not None
    }
    write_npz(parts, scores)
    write_csv(pd.DataFrame(rows), record)


def read_finished(protocol: dict, record: str | Path, scores: str | Path) -> Finished:
    """What `write_finished` wrote for a hypothesis with this protocol."""
    table = read_csv(record, ["setting", *COLUMNS]).set_index("setting")
    missing = [cell for cell in CELLS if cell not in table.index]
    if missing:
        raise damaged(record, f"it has no row {missing[0]}")
    arrays = read_npz(scores, [f"{scorer}/values" for scorer in TABLE2])
    return Finished(
        protocol,
        {cell: table.loc[cell, COLUMNS].to_dict() for cell in CELLS},
        {scorer: _scores(arrays, scorer) for scorer in TABLE2},
    )


def _scores(arrays: dict[str, np.ndarray], scorer: str) -> Scores:
    return Scores(arrays[f"{scorer}/values"], losses=arrays.get(f"{scorer}/losses"))
