"""The cells of one hypothesis, against the workflow's own scripts run one after another on a tiny graph."""

import copy
import importlib
from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest

from graphsieve.data.graph import save_graph
from graphsieve.models.classifier import load_model
from graphsieve.options import PerturbationOptions, ScoringOptions, SelectionOptions, TrainingOptions
from graphsieve.scoring.scorers import MODEL_OF_SCORER
from graphsieve.study.suspects import cells
from graphsieve.study.suspects.cells import CellTask
from graphsieve.study.suspects.files import read_finished, write_finished
from graphsieve.study.suspects.protocol import CELLS, TABLE1, TABLE2
from job_cases import make_job, one_result

SEED, KEEP = 1, 0.4
BASE = {
    "model": "gcn",
    "training": asdict(TrainingOptions(hidden=8, epochs=12, early_epoch=4)),
    "scoring": asdict(ScoringOptions(n_repeats=3)),
    "selection": asdict(SelectionOptions()),
    "perturbations": asdict(PerturbationOptions()),
    "normalise": "none",
    "keep": KEEP,
}
RUN = {"dataset": "small", "model": "gcn", "split": "random", "seed": str(SEED)}


def changed(**sections):
    protocol = copy.deepcopy(BASE)
    for section, values in sections.items():
        protocol[section] |= values
    return protocol


class Scripts:
    """The ordinary scripts on one graph: what each of them writes for a protocol."""

    def __init__(self, folder, graph, protocol):
        self.folder, self.protocol = folder, protocol
        save_graph(graph, folder / "graph.npz")

    def run(self, script, output, wildcards=None, files=None, **settings):
        given = {"graph": self.folder / "graph.npz", **(files or {})}
        output = {name: self.folder / path for name, path in output.items()}
        params = one_result({**RUN, **(wildcards or {})}, **settings)
        importlib.import_module(script).main(make_job(self.folder, input=given, output=output, params=params))
        return output

    def train(self, model="gcn"):
        names = {"weights": f"{model}.npz", "history": f"{model}_history.csv", "record": f"{model}.csv"}
        return self.run("train", names, {"model": model}, training=self.protocol["training"])

    def cell(self, cell, trained):
        record = {"record": f"{cell}.csv"}
        if cell in ("original", "mlp"):
            return trained[cell]["record"]
        common = {"training": self.protocol["training"]}
        if cell in TABLE1:
            perturbation = self.protocol["perturbations"]
            return self.run("perturb", record, {"setting": cell}, perturbation=perturbation, **common)["record"]
        scoring = {name: value for name, value in self.protocol["scoring"].items() if name != "ties"}
        weights = trained["original"]["weights"]
        asked = {MODEL_OF_SCORER[cell]: weights} if cell in MODEL_OF_SCORER else {}
        scored = {"scorer": cell}
        scores = self.run("score", {"scores": f"{cell}_s.csv"}, scored, asked, scoring=scoring)["scores"]
        goes_on = weights if self.protocol["selection"]["retrain"] == "continue" else []
        return self.run(
            "retrain", {**record, "selection": f"{cell}_k.csv"}, scored, {f"scores_{cell}": scores, "weights": goes_on},
            keeping={"keep": KEEP, "ties": self.protocol["scoring"]["ties"]}, selection=self.protocol["selection"],
            scored_model=self.protocol["scoring"]["scored_model"], **common,
        )["record"]  # fmt: skip


def task_for(graph, split, trained, protocol, before=None, name="base"):
    return CellTask(
        hypothesis=name,
        protocol=protocol,
        graph=graph,
        split=split,
        seed=SEED,
        original=pd.read_csv(trained["record"]).iloc[0].to_dict(),
        load_model=lambda moment: load_model(trained["weights"], moment),
        before=before,
    )


@pytest.fixture(scope="module")
def split(small_graph):
    from graphsieve.data.splits import choose_split

    return choose_split(small_graph, "random", SEED)


@pytest.fixture(scope="module")
def trained(small_graph, tmp_path_factory):
    return Scripts(tmp_path_factory.mktemp("trained"), small_graph, BASE).train()


@pytest.fixture(scope="module")
def base(small_graph, split, trained):
    return task_for(small_graph, split, trained, BASE).finish()


PROTOCOLS = {
    "base": BASE,
    "many": changed(
        scoring={"scored_model": "best", "magnitude": True, "edges": "out", "ties": "index"},
        selection={"retrain": "continue", "retrain_epochs": 5, "random_draws": 3},
        perturbations={"random_graph": "doubled"},
    ),
    "early": changed(
        scoring={"scored_model": "early", "perturbed_rows": "scored", "shared_permutation": True},
        selection={"pruned": "zeroed"},
    ),
}


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_cell_is_that_of_the_ordinary_scripts(name, small_graph, split, tmp_path, base, trained):
    scripts = Scripts(tmp_path, small_graph, PROTOCOLS[name])
    made = {"original": scripts.train(), "mlp": scripts.train("mlp")}
    before = None if name == "base" else base
    found = task_for(small_graph, split, trained, PROTOCOLS[name], before, name).finish().rows
    for cell in CELLS:
        expected = pd.read_csv(scripts.cell(cell, made)).iloc[0]
        for column in cells.SUMMARY:
            assert found[cell][column] == pytest.approx(expected[column], abs=1e-12), (cell, column)


@pytest.fixture
def counted(monkeypatch):
    """What is trained and scored, by name."""
    calls = []

    def watch(name):
        original = getattr(cells, name)
        monkeypatch.setattr(
            cells, name, lambda *args, **options: calls.append((name, args)) or original(*args, **options)
        )

    for name in ("train_model", "retrain_model", "score_features"):
        watch(name)
    return calls


def test_nothing_is_computed_again_that_a_hypothesis_does_not_change(small_graph, split, trained, base, counted):
    same = task_for(small_graph, split, trained, copy.deepcopy(BASE), base, "same").finish()
    assert counted == []
    assert all(same.rows[cell]["made_by"] == "base" for cell in CELLS)
    longer = changed(selection={"retrain_epochs": 13})
    retrained = task_for(small_graph, split, trained, longer, base, "longer").finish()
    assert {name for name, _ in counted} == {"retrain_model"}  # scores are taken over
    sets = {row["fingerprint"] for cell, row in retrained.rows.items() if cell in TABLE2}
    assert len(counted) == len(sets)
    assert [cell for cell in CELLS if retrained.rows[cell]["made_by"] == "longer"] == list(TABLE2)


def test_a_training_on_the_same_features_is_taken_over(small_graph, split, trained, base, counted):
    """The small graph has both directions of every edge: out-links select the same features."""
    found = task_for(small_graph, split, trained, changed(scoring={"edges": "out"}), base, "out").finish()
    assert sorted(args[0] for name, args in counted) == ["h_attr", "h_euc", "h_ge", "tfi"]
    for cell in ("h_attr", "h_euc", "h_ge", "tfi"):
        assert found.rows[cell]["fingerprint"] == base.rows[cell]["fingerprint"]
        assert found.rows[cell]["test_accuracy"] == base.rows[cell]["test_accuracy"]


def test_dropping_signs_needs_no_scores(small_graph, split, trained, base, counted):
    found = task_for(small_graph, split, trained, changed(scoring={"magnitude": True}), base, "sizes").finish()
    assert "score_features" not in {name for name, _ in counted}
    assert [cell for cell in CELLS if found.rows[cell]["made_by"] == "sizes"] == ["npt", "npt_gaussian", "npt_mask"]


def test_several_draws_of_random_features_share_the_first(small_graph, split, trained, base, counted):
    protocol = changed(selection={"random_draws": 3})
    row = task_for(small_graph, split, trained, protocol, base, "draws").finish().rows["random"]
    assert [name for name, _ in counted] == ["retrain_model"] * 2
    assert row["fingerprint"].split("+")[0] == base.rows["random"]["fingerprint"]


def test_what_was_written_is_read_again(base, tmp_path):
    run = {"hypothesis": "base", **RUN, "seed": SEED}
    write_finished(base, run, tmp_path / "cells.csv", tmp_path / "scores.npz")
    again = read_finished(BASE, tmp_path / "cells.csv", tmp_path / "scores.npz")
    assert {cell: row["fingerprint"] for cell, row in again.rows.items()} == {
        cell: row["fingerprint"] for cell, row in base.rows.items()
    }
    assert [row["test_accuracy"] for row in again.rows.values()] == [row["test_accuracy"] for row in base.rows.values()]
    for scorer in TABLE2:
        assert np.array_equal(again.scores[scorer].values, base.scores[scorer].values)
    assert again.scores["mi"].losses is None
    assert np.array_equal(again.scores["npt"].losses, base.scores["npt"].losses)
