import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from graphsieve.data.stand_ins import generate, kinds_of
from graphsieve.errors import InputError
from graphsieve.inference.verdicts import FOLLOWS_GRAPH, NOTHING, OWN, QUESTIONS, REASONS, STAND_IN, reason_of
from graphsieve.plots.stand_ins import importance_by_question
from graphsieve.study.stand_ins import KINDS, TITLES, cells, printed_table, reasons_of, summarise


def records() -> pd.DataFrame:
    rows = []
    for seed in (0, 1):
        for kind, p_values, reason in (
            ("relevant", (0.01, 0.01, 0.01), OWN),
            ("copy", (0.01, 0.3, 0.3), STAND_IN),
            ("smooth", (0.01, 0.02, 0.06), FOLLOWS_GRAPH),
            ("white", (0.05 if seed else 0.06, 1, 1), NOTHING),
        ):
            row = {"seed": seed, "kind": kind, "column": f"{kind} 1", "reason": reason}
            row |= {f"p_{question}": value for question, value in zip(QUESTIONS, p_values, strict=True)}
            rows.append(row | {f"loss_{question}": 0.1 for question in QUESTIONS})
    return pd.DataFrame(rows)


def test_the_strictest_test_that_a_feature_passes_is_its_reason():
    table = records()[lambda rows: rows["kind"] != "white"]
    assert [reason_of(table.loc[row], 0.05) for row in table.index] == list(table["reason"])
    assert set(REASONS) == {OWN, FOLLOWS_GRAPH, STAND_IN, NOTHING}
    assert list(TITLES) == list(QUESTIONS)


def test_summary_by_kind():
    summary = summarise(records()).set_index("kind")
    assert list(summary.index) == list(KINDS)
    assert summary.loc["copy", list(TITLES)].tolist() == [1, 0, 0]
    assert summary.loc["smooth", list(TITLES)].tolist() == [1, 1, 0]
    assert summary.loc["white", "alone"] == 0.5
    assert (summary["columns"] == 2).all()
    assert cells(summary.reset_index()).loc["White", "Permuted by itself"] == "50%"
    assert "On 2 generated graphs" in printed_table(records())["notes"]
    counts = reasons_of(records())
    assert counts.loc["Copies", STAND_IN] == "2"
    assert counts.loc["Copies", OWN] == "0"


def test_the_picture_fills_the_dots_of_what_is_significant():
    one = records()[lambda rows: rows["seed"] == 0]
    figure = importance_by_question(one)
    for axis, question in zip(figure.axes, QUESTIONS, strict=False):
        dots = axis.collections[-1]
        filled = (dots.get_facecolors()[:, :3] != 1).any(axis=1)
        assert filled.tolist() == (one[f"p_{question}"] <= 0.05).tolist()
    plt.close(figure)


@pytest.mark.parametrize("values", ["numbers", "zeros and ones", "counts"])
def test_generated_columns_are_what_they_are_called(values):
    parameters = {"num_nodes": 600, "copies": 2, "correlation": 0.8, "values": values, "smooth": 4, "white": 4}
    graphs = [generate(seed, **parameters) for seed in range(4)]
    kinds = kinds_of(graphs[0])
    assert [(kinds == kind).sum() for kind in KINDS] == [3, 6, 4, 4]
    assert graphs[0].feature_names[:6] == (*(f"relevant {n}" for n in (1, 2, 3)), *(f"copy of {n}" for n in (1, 2, 3)))
    found, likeness, homophily = [], [], []
    for graph in graphs:
        correlations = np.corrcoef(graph.x, rowvar=False)
        found += [correlations[number, 3 + 3 * copy + number] for number in range(3) for copy in range(2)]
        head, tail = graph.edge_index
        likeness.append([np.corrcoef(column[head], column[tail])[0, 1] for column in graph.x.T])
        homophily.append(np.mean(graph.y[head] == graph.y[tail]))
    assert np.mean(found) == pytest.approx(0.8, abs=0.08)
    likeness = np.mean(likeness, axis=0)
    assert likeness[kinds == "smooth"].min() > 0.3 > np.abs(likeness[kinds == "white"]).max()
    assert np.mean(homophily) == pytest.approx(0.8, abs=0.05)
    assert graphs[0].edge_index.shape[1] / 600 == pytest.approx(4, abs=0.5)


def test_unknown_values_are_refused():
    with pytest.raises(InputError, match="values is 'words'"):
        generate(0, values="words")
