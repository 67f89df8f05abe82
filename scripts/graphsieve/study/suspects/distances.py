"""How far the cells of every hypothesis are from the published ones, which is nearest, and how it does elsewhere.

The rule was laid down before the first result. A cell's distance is |ours - published| / max(published deviation, 0.5
points); a hypothesis's total is the mean over the cells of Tables 1 and 2 of the datasets and seeds that the choice is
made on.
"""

import itertools

import pandas as pd

from graphsieve.options import BASE
from graphsieve.study.agreement import agreement
from graphsieve.study.labels import DATASETS, in_order, label_dataset, listed
from graphsieve.study.suspects.protocol import CELLS

FLOOR = 0.5  # points: a published deviation below this counts as this
CHOICE, FRESH = "choice", "fresh seeds"
KEY = ["dataset", "setting"]


def published_cells(table1: pd.DataFrame, table2: pd.DataFrame) -> pd.DataFrame:
    """Both published tables, one row per dataset and cell; Table 2's row of all features is Table 1's first."""
    second = table2[table2["scorer"] != "all"].rename(columns={"scorer": "setting"})
    return pd.concat([table1, second], ignore_index=True)


def compare_cells(records: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """One row per hypothesis, dataset and cell that was published.

    Beside the columns of `agreement`: `deviations`, ours less published in published deviations; `distance`, its size;
    `computed`, in how many runs the hypothesis computed the cell itself; `seeds`.

    Parameters
    ----------
    records : pd.DataFrame
        The records of the study.
    published : pd.DataFrame
        What `published_cells` makes.

    Returns
    -------
    pd.DataFrame
        The comparison; empty where nothing was published.

    Examples
    --------
    >>> run = {"hypothesis": "base", "made_by": "base", "dataset": "cora", "setting": "mlp"}
    >>> records = pd.DataFrame([{**run, "seed": seed, "test_accuracy": 0.7 + seed / 100} for seed in (0, 1, 2)])
    >>> row = {"dataset": "cora", "setting": "mlp", "accuracy_mean": 74.0, "accuracy_std": 2.0}
    >>> float(compare_cells(records, pd.DataFrame([row]))["deviations"].round(6).iloc[0])
    -1.5
    """
    values = records.assign(accuracy=100 * records["test_accuracy"], own=records["made_by"] == records["hypothesis"])
    summary = values.groupby(["hypothesis", *KEY], as_index=False, sort=False).agg(
        accuracy_mean=("accuracy", "mean"),
        accuracy_std=("accuracy", "std"),
        runs=("accuracy", "size"),
        computed=("own", "sum"),
        seeds=("seed", lambda seeds: seeds_text(seeds)),
    )
    parts = [
        agreement(ours, published, KEY).merge(ours[[*KEY, "computed", "seeds"]], on=KEY).assign(hypothesis=name)
        for name, ours in summary.groupby("hypothesis", sort=False)
    ]
    if not parts:
        parts = [agreement(summary, published, KEY).assign(computed=[], seeds=[], hypothesis=[])]
    cells = pd.concat(parts, ignore_index=True)
    deviations = cells["difference"] / cells["accuracy_std_published"].clip(lower=FLOOR)
    return cells.assign(deviations=deviations, distance=deviations.abs())


def with_makers_numbers(records: pd.DataFrame) -> pd.DataFrame:
    """The records, where a cell that a hypothesis took over has the number that its maker has in the same run.

    Trainings made again, as those of the base are for new hypotheses, can end in other numbers: what hypotheses took
    over before must not look like a difference between them and the base.
    """
    run = [*KEY, "seed"]
    made = records.loc[records["made_by"] == records["hypothesis"], [*run, "made_by", "test_accuracy"]]
    joined = records[[*run, "made_by"]].merge(made, how="left", on=[*run, "made_by"], validate="many_to_one")
    numbers = joined["test_accuracy"].set_axis(records.index).fillna(records["test_accuracy"])
    return records.assign(test_accuracy=numbers)


def seeds_text(seeds: pd.Series | list[int]) -> str:
    """0 to 4, or 0, 1 and 5.

    >>> seeds_text([2, 0, 1]), seeds_text([0, 1]), seeds_text([7])
    ('0 to 2', '0 and 1', '7')
    """
    seeds = sorted({int(seed) for seed in seeds})
    if len(seeds) > 2 and seeds == list(range(seeds[0], seeds[-1] + 1)):
        return f"{seeds[0]} to {seeds[-1]}"
    return listed([str(seed) for seed in seeds])


def parts_of(records: pd.DataFrame, chosen_on: dict) -> dict[str, pd.DataFrame]:
    """The records that the choice is made on, and apart from them fresh seeds of its datasets, and other datasets."""
    chosen = records["dataset"].isin(chosen_on["datasets"])
    seeds = records["seed"].isin(chosen_on["seeds"])
    others = in_order(records.loc[~chosen, "dataset"], DATASETS)
    parts = {CHOICE: records[chosen & seeds], FRESH: records[chosen & ~seeds]}
    parts |= {name: records[records["dataset"] == name] for name in others}
    return {name: part for name, part in parts.items() if len(part)}


def without_fresh_seeds(records: pd.DataFrame, chosen_on: dict) -> pd.DataFrame:
    """So that the cells of the choice's datasets are of the seeds that it was made on."""
    return pd.concat([runs for part, runs in parts_of(records, chosen_on).items() if part != FRESH], ignore_index=True)


def part_label(part: str, chosen_on: dict) -> str:
    datasets = listed([label_dataset(name) for name in chosen_on["datasets"]])
    return {CHOICE: datasets, FRESH: f"{datasets}, fresh seeds"}.get(part, label_dataset(part))


def summarise(records: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """One row per hypothesis: the mean distance, how many cells agree, of how many; with which seeds."""
    cells = compare_cells(records, published)
    rows = [
        {
            "hypothesis": name,
            "distance": own["distance"].mean(),
            "agree": int((own["verdict"] == "agrees").sum()),
            "cells": len(own),
            "computed": int((own["computed"] > 0).sum()),
            "seeds": seeds_text(records.loc[records["hypothesis"] == name, "seed"]),
        }
        for name, own in cells.groupby("hypothesis", sort=False)
    ]
    return pd.DataFrame(rows, columns=["hypothesis", "distance", "agree", "cells", "computed", "seeds"])


def summarise_parts(records: pd.DataFrame, published: pd.DataFrame, chosen_on: dict) -> pd.DataFrame:
    """What `summarise` says of every part of the records, which the column `part` names."""
    parts = parts_of(records, chosen_on) or {CHOICE: records}
    tables = [summarise(runs, published).assign(part=part) for part, runs in parts.items()]
    return pd.concat(tables, ignore_index=True)


def screen_hypotheses(records: pd.DataFrame, published: pd.DataFrame, screening: dict) -> pd.DataFrame:
    """What `summarise` says of these datasets and seeds, and `gain`: how much nearer than the base on the same runs."""
    asked = pd.MultiIndex.from_tuples(
        [(name, seed) for name, seeds in screening.items() for seed in seeds] or [("", 0)]
    )
    records = records[_runs(records).isin(asked)]
    summary = summarise(records, published)
    base = records[records["hypothesis"] == BASE]
    gains = []
    for row in summary.itertuples():
        same = base[_runs(base).isin(_runs(records[records["hypothesis"] == row.hypothesis]))]
        gains.append(compare_cells(same, published)["distance"].mean() - row.distance)
    return summary.assign(gain=gains).sort_values("gain", ascending=False, kind="stable", ignore_index=True)


def _runs(records: pd.DataFrame) -> pd.MultiIndex:
    return pd.MultiIndex.from_frame(records[["dataset", "seed"]])


def rank_hypotheses(records: pd.DataFrame, published: pd.DataFrame, chosen_on: dict) -> pd.DataFrame:
    """The hypotheses that have every run of the choice, nearest first: `total`, and what `summarise_parts` says."""
    needed = set(itertools.product(chosen_on["datasets"], chosen_on["seeds"], CELLS))
    runs = records[["hypothesis", "dataset", "seed", "setting"]]
    complete = [
        name
        for name, own in runs.groupby("hypothesis", sort=False)
        if needed <= set(own[["dataset", "seed", "setting"]].itertuples(index=False, name=None))
    ]
    summary = summarise_parts(records[records["hypothesis"].isin(complete)], published, chosen_on)
    ranked = summary[summary["part"] == CHOICE].rename(columns={"distance": "total"}).drop(columns="part")
    return ranked.sort_values("total", kind="stable", ignore_index=True)


def still_apart(cells: pd.DataFrame, hypothesis: str) -> pd.DataFrame:
    """The cells in which a hypothesis disagrees with the published, the farthest first, and what others make of them.

    `tried`: how many hypotheses computed the cell; `agreeing`: under how many of them it agrees; `nearest`: the one
    with the smallest distance.
    """
    own = cells[(cells["hypothesis"] == hypothesis) & (cells["verdict"] != "agrees")]
    rows = []
    for cell in own.sort_values("distance", ascending=False).to_dict("records"):
        same = cells[(cells["dataset"] == cell["dataset"]) & (cells["setting"] == cell["setting"])]
        tried = same[(same["computed"] > 0) | (same["hypothesis"] == hypothesis)]
        nearest = tried.loc[tried["distance"].idxmin()]
        agreeing = int((tried["verdict"] == "agrees").sum())
        found = {"tried": len(tried), "agreeing": agreeing, "nearest": nearest["hypothesis"]}
        rows.append({**cell, **found, "nearest_mean": nearest["accuracy_mean"]})
    return pd.DataFrame(rows, columns=[*cells.columns, "tried", "agreeing", "nearest", "nearest_mean"])
