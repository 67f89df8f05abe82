"""The study of other tasks: its parts do not mix, its records and what is said of them."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import torch

from graphsieve.data.planted import COLUMNS, DEGREE, generate_planted
from graphsieve.options import TaskOptions
from graphsieve.plots import task_curves
from graphsieve.study.tasks import examples, measure, summary

CPU = torch.device("cpu")
FEW = TaskOptions(hidden=8, epochs=40, n_repeats=3)


def test_the_planted_number_follows_from_the_planted_columns():
    graph = generate_planted(3)
    source, target = graph.edge_index
    neighbours = np.zeros((len(graph.y), len(graph.y)))
    neighbours[target, source] = 1
    means = neighbours @ graph.x / np.maximum(neighbours.sum(1), 1)[:, None]
    parts = [graph.x[:, graph.kinds == "own"].sum(1), DEGREE**0.5 * means[:, graph.kinds == "neighbours"].sum(1)]
    rest = graph.y - sum(parts)
    assert rest.std() == pytest.approx(0.3, rel=0.1)
    assert np.abs(np.corrcoef(np.vstack([graph.x.T, rest]))[-1, :-1]).max() < 0.15


@pytest.fixture(scope="module")
def measured():
    return measure.measure("planted", 1, FEW, CPU, root="nowhere")


def test_planted_columns_are_found_and_enough(measured):
    records, scores = map(pd.DataFrame, measured)
    top = scores.nlargest(5, "score")["column"]
    assert not top.str.startswith("noise").any()
    values = records.pivot(index="kept", columns="ranking", values="test")
    assert values.loc[5, "importance"] > values.loc[5, "random"] + 0.2
    assert values.loc[20, "importance"] == values.loc[20, "random"]
    assert list(values.index) == sorted(measure.numbers_kept(sum(COLUMNS.values())))


def test_test_labels_choose_nothing(measured, monkeypatch):
    def other_labels(seed, root):
        example = examples.planted(seed, root)
        y = example.test.y.clone()
        y[example.test.rows] = torch.randn(len(example.test.rows))
        parts = {name: examples.replace(part, y=y) for name, part in example.parts.items()}
        return examples.replace(example, **parts)

    monkeypatch.setitem(measure.EXAMPLES, "planted", other_labels)
    _, scores = measure.measure("planted", 1, FEW, CPU, root="nowhere")
    assert scores == measured[1]


def test_pairs_of_links_do_not_mix(monkeypatch):
    class Graph:
        num_nodes, num_features = 30, 4
        x = np.eye(30, 4, dtype=np.float32)
        pairs = np.array([(a, b) for a in range(30) for b in range(a + 1, 30) if (a + b) % 7 == 0]).T
        edge_index = np.concatenate([pairs, pairs[::-1]], axis=1)

    monkeypatch.setattr(examples, "load_graph", lambda name, root: Graph)
    example = examples.cora_links(0, "nowhere")
    linked = {tuple(pair) for pair in Graph.pairs.T.tolist()}
    seen = set()
    for part in example.parts.values():
        pairs = [tuple(sorted(pair)) for pair in part.model_kwargs["edge_label_index"].T.tolist()]
        assert [pair in linked for pair in pairs] == part.y.bool().tolist()
        assert not seen & set(pairs)
        seen |= set(pairs)
    assert len(seen) == 2 * len(linked)
    messages = {tuple(sorted(pair)) for pair in example.train.edge_index.T.tolist()}
    known = example.train.model_kwargs["edge_label_index"][:, example.train.y == 1]
    assert messages == {tuple(sorted(pair)) for pair in known.T.tolist()}
    records, scores = measure.measure("cora_links", 0, FEW, CPU, root="nowhere")
    assert len(scores) == 4
    assert all(0 <= record["test"] <= 1 for record in records)


def made_up() -> pd.DataFrame:
    """Five columns are as good as ten by importance; at random they are not."""
    values = {("importance", 10): 0.9, ("importance", 5): 0.9, ("importance", 2): 0.7}
    values |= {("random", 10): 0.9, ("random", 5): 0.8, ("random", 2): 0.6}
    return pd.DataFrame(
        {"task": "mutag", "metric": "accuracy", "seed": seed, "ranking": ranking, "kept": kept, "test": value + noise}
        for (ranking, kept), value in values.items()
        for seed, noise in enumerate((0.0, 0.01, 0.02))
    )


def test_how_few_are_enough():
    (row,) = summary.enough_columns(made_up()).to_dict("records")
    assert (row["columns"], row["enough"], row["runs"]) == (10, 5, 3)
    assert (row["all"], row["importance"], row["random"]) == pytest.approx((0.91, 0.91, 0.81))
    assert summary.cells(pd.DataFrame([row])).loc["MUTAG", "Enough"] == "5"


def test_one_seed_has_no_standard_error_and_every_loss_counts():
    (row,) = summary.enough_columns(made_up().query("seed == 0")).to_dict("records")
    assert row["enough"] == 5


def test_a_loss_within_its_standard_error_is_none():
    runs = made_up()
    noisy = (runs["ranking"] == "importance") & (runs["kept"] == 2)
    runs.loc[noisy, "test"] = [0.5, 0.92, 1.3]  # against 0.90, 0.91, 0.92: loses 0.003 with an error of 0.225
    (row,) = summary.enough_columns(runs).to_dict("records")
    assert row["enough"] == 2


def test_pictures_show_every_task():
    runs = pd.concat([made_up(), made_up().assign(task="planted", metric="r2")])
    curves = task_curves.task_curves(summary.summarise(runs))
    assert [axis.get_title(loc="left") for axis in curves.axes] == ["(a) MUTAG", "(b) Planted"]
    assert [axis.get_ylabel() for axis in curves.axes] == ["Accuracy", "R²"]
    scores = pd.DataFrame(
        {"task": task, "seed": seed, "column": f"{kind} {number}", "score": score}
        for task in ("mutag", "planted") for seed in (0, 1)
        for number, (kind, score) in enumerate([("own", 3.0), ("noise", 0.1), *[("neighbours", 1.0)] * 4])
    )  # fmt: skip
    bars = task_curves.task_columns(summary.top_columns(scores))
    assert [len(axis.patches) for axis in bars.axes] == [6, 6]
    assert "5.0 of the 5 planted columns are among the 5" in summary.planted_found(scores)
    plt.close("all")
