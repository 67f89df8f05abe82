"""The forest plot: every distinct cell once, filled where it disagrees, and what lies beyond the edge at it."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd

from graphsieve.plots.forest import forest


def cells() -> pd.DataFrame:
    rows = [
        {"table": "Table 1", "row": row, "dataset": dataset, "difference": 0.5, "low": -1.0, "high": 2.0}
        for row in ("original", "mlp")
        for dataset in ("cora", "texas")
    ]
    rows.append(rows[0] | {"table": "Table 2", "row": "all", "repeats": True})
    rows += [rows[0] | {"table": "Table 2", "row": "npt", "dataset": f"own{number}"} for number in range(40)]
    rows.append(rows[0] | {"table": "Table 2", "row": "npt", "difference": 90.0, "low": 80.0, "high": 100.0})
    table = pd.DataFrame(rows).assign(verdict=["agrees"] * (len(rows) - 1) + ["higher"], retained_percent=np.nan)
    return table.assign(repeats=table["repeats"].fillna(False).astype(bool))


def dots(axis) -> list:
    return [line for line in axis.lines if line.get_marker() not in ("None", None, "")]


def test_every_distinct_cell_is_a_dot_and_those_that_disagree_are_filled():
    first, second = forest(cells()).axes[:2]
    assert first.get_title(loc="left") == "(a) Table 1"
    assert [label.get_text() for label in first.get_xticklabels()] == ["original", "MLP"]
    assert len(dots(first)) == 4
    assert len(dots(second)) == 41  # the row of all features stands in the first strip
    filled = [line for line in dots(second) if line.get_markerfacecolor() != "white"]
    assert len(filled) == 1


def test_a_cell_beyond_the_edge_is_an_arrow_at_it():
    strip = forest(cells()).axes[1]
    (arrow,) = [line for line in dots(strip) if line.get_marker() == "^"]
    assert strip.get_ylim()[1] < 10
    assert 0 < arrow.get_ydata()[0] < strip.get_ylim()[1]
