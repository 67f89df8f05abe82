"""The benchmark from its call to its tables and figures, on graphs so small that it takes seconds."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import measure
import numpy as np
import pandas as pd
import pytest
import timing
from measure import Sample

import bench
import models
from graphsieve.errors import InputError
from graphsieve.plots import speed

TINY = {"nodes": 40, "features": 12, "repeats": 2, "density": 0.2}
NAMES = ["tiny_gcn", "tiny_gcn_trained", "tiny_by_hand", "training_tiny", "scaling_40_12_2_0.2", "scaling_80_12_2_0.2"]


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """The benchmark's `main`, with few small configurations, all in this process; returns the folder of its tables."""
    sample = Sample(own=6, full=3, captum=2)
    cases = [bench.Case("tiny", "gcn", 1, sample, trained=trained) for trained in (False, True)]
    values = {quantity: [TINY[quantity]] for quantity in TINY} | {"nodes": [40, 80]}
    settings = {
        "CASES": [*cases, bench.Case("tiny", "by hand", 1, sample)],
        "TRAININGS": {"tiny": ("gcn", 1)},
        "SCALING_BASE": TINY,
        "SCALING": values,
        "TRAINED_EPOCHS": 2,
        "read_dataset": lambda name, data: bench.random_graph(60, 200, 12, 3, 0.3),
        "in_fresh_process": lambda function, *arguments: function(*arguments),
    }
    for name, value in settings.items():
        monkeypatch.setattr(bench, name, value)
    monkeypatch.setattr(models, "HIDDEN", 8)
    monkeypatch.setattr(timing, "LARGEST_SPREAD", float("inf"))  # whatever else this machine does meanwhile

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["bench.py", "--out", str(tmp_path), *arguments])
        bench.main()
        return tmp_path

    return run


def test_parts_first_then_tables_from_all_of_them(tiny, capsys):
    out = tiny("--only", "tiny_gcn", "--only", "training")
    assert "before these are measured too: tiny_by_hand, scaling_40" in capsys.readouterr().out
    assert {path.stem for path in out.iterdir()} == {"parts"}
    tiny()
    said = capsys.readouterr().out
    assert [name for name in NAMES if f"{name}: measured already" in said] == [*NAMES[:2], "training_tiny"]
    ratios, scaling = pd.read_csv(out / "ratios.csv"), pd.read_csv(out / "scaling.csv")
    assert ratios["case"].tolist() == NAMES[:3]
    assert ratios["weights"].tolist() == ["fresh", "trained", "fresh"]
    assert ratios["timed_features"].unique().tolist() == ["6 / 3 / 2 of 12"]
    assert (ratios["largest_loss_difference"] < 1e-6).all()
    assert (ratios["ratio_full"] == ratios["full_s"] / ratios["auto_s"]).all()
    assert scaling["varied"].tolist() == ["nodes", "nodes", "features", "repeats", "density"]
    assert pd.read_csv(out / "training.csv")["dataset"].tolist() == ["tiny"]
    assert len((out / "bench.md").read_text().splitlines()) == 2 + len(ratios)
    assert not (out / "parts").exists()
    for figure, texts in ((speed.scoring_ratios(ratios), 6), (speed.growth(scaling), 0)):
        assert sum(len(axis.texts) for axis in figure.axes) == texts
    labels = [[tick.get_text() for tick in axis.get_xticklabels()] for axis in figure.axes]
    assert labels == [["40", "80"], ["12"], ["2"], ["0.2"]]
    plt.close("all")


def test_an_unknown_configuration_is_named(tiny):
    with pytest.raises(InputError, match="--only paper is unknown: choose the beginning of one of tiny_gcn, "):
        tiny("--only", "paper")


def test_every_promise_is_measured():
    """The least ratios that were promised, with the paper's classifier where a model of the study has one."""
    promised = {
        ("cora", "gcn"): 250, ("citeseer", "gcn"): 500, ("pubmed", "gcn"): 60, ("wisconsin", "tagcn"): 150,
        ("photo", "gin"): 15, ("cora", "gat"): 20, ("cora", "gatv2"): 20, ("cora", "transformer"): 20,
        ("cora", "by hand"): 5, ("cora", "centred"): 0.95, ("enzymes", "pooled gcn"): 10,
        ("enzymes", "pooled graphsage"): 10, ("enzymes", "pooled gin"): 10,
    }  # fmt: skip
    floors = {(case.dataset, case.model): case.floor for case in bench.CASES if case.classifier != "none"}
    assert {key: floors[key] for key in promised} == promised


def test_seconds_are_for_all_features_and_repeats_whatever_was_timed(monkeypatch):
    """With a clock on which every way takes a second a permutation, and a while to begin with."""
    graph = bench.random_graph(40, 100, 8, 3, 1.0)
    setting = bench.make_setting(graph, bench.make_model("gcn", 8, 3, "none"), repeats=6)
    called = []

    def turns(name, ways):
        called.append(ways["ours"]()["accuracy"].importances.shape)
        timed = {"ours": 5 + 4 * 3, "start": 5 + 3, "plain": 1 + 2 * 3, "captum": 1 + 2}
        return {way: np.full(2, float(timed[way])) for way in ways}

    monkeypatch.setattr(measure, "take_turns", turns)
    row = measure.compare("tiny", setting, Sample(own=4, full=2, captum=2, repeats=3))
    assert called == [(4, 3)]
    assert row["auto_s"] == pytest.approx(5 + 8 * 6)
    assert row["full_s"] == pytest.approx(1 + 8 * 6)
    assert row["captum_s"] == pytest.approx(6 * (1 + 8))  # Captum permutes once a call
    assert row["timed_repeats"] == 3


@pytest.mark.parametrize("way", ["plain", "captum"])
def test_the_others_make_one_pass_more_than_permutations(way):
    graph = bench.random_graph(40, 100, 8, 3, 1.0)
    setting = bench.make_setting(graph, bench.make_model("gcn", 8, 3, "none"), repeats=3)
    passes = []
    setting.model.register_forward_hook(lambda *_: passes.append(1))
    if way == "plain":
        setting.score("full", np.array([0, 5]))
    else:
        measure.captum_call(setting, np.array([0, 5]))()
    assert len(passes) == 1 + 2 * (3 if way == "plain" else 1)
