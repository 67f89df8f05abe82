"""The benchmark from its call to its tables and figures, on graphs so small that it takes seconds."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
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


def test_repeats_that_are_left_out_are_counted(monkeypatch):
    """Seconds are for all repeats, whatever was timed."""
    import measure

    graph = bench.random_graph(40, 100, 8, 3, 1.0)
    setting = bench.make_setting(graph, bench.make_model("gcn", 8, 3, "none"), repeats=6)
    calls = []

    def turns(name, ways):
        return {way: calls.append(call()) or measure.np.ones(2) for way, call in ways.items()}

    monkeypatch.setattr(measure, "take_turns", turns)
    row = measure.compare("tiny", setting, Sample(own=4, full=2, captum=2, repeats=3))
    assert calls[0]["accuracy"].importances.shape == (4, 3)
    assert (row["auto_s"], row["full_s"], row["captum_s"]) == (8 / 4 * 2, 8 / 2 * 2, 9 * 6 / 3)
    assert row["timed_repeats"] == 3
