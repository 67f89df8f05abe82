"""`graphsieve rank`, and scripts/rank.py, as their users run them."""

import fnmatch
import html.parser
import importlib
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from torch_geometric.data import Data

from graphsieve.data.own.reader import read_own_graph
from graphsieve.data.own.reduced import reduced_files
from graphsieve.importance.metrics import METRICS
from graphsieve.options import METRIC_NAMES, NUMBER_METRIC_NAMES, ReadingOptions
from graphsieve_command.main import main
from small_disk import files_below, mounted

SCRIPT = Path(__file__).parents[1] / "scripts" / "rank.py"
QUICK = ("--seeds", "2", "--n-repeats", "5", "--permutations", "39", "--epochs", "20", "--hidden", "8")


def start(folder: Path, *arguments: object) -> subprocess.Popen:
    """What it says on stderr goes to a file beside the folder."""
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with stderr_of(folder).open("w") as errors:
        return subprocess.Popen(
            command,
            cwd=folder,
            text=True,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=environment,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests in the background ignore it
        )


def stderr_of(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.stderr")


def rank_here(folder: Path, monkeypatch, *arguments: object) -> None:
    """In this process, which has done the slow imports."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["graphsieve", "rank", *map(str, arguments)])
    main()


@pytest.fixture(scope="module")
def customers(tmp_path_factory) -> Path:
    """120 customers: age tells the class, so does the region, the months repeat the age, the rest is chance."""
    rng, folder = np.random.default_rng(0), tmp_path_factory.mktemp("work")
    y = np.arange(120) % 2
    age = 30 + 12 * y + rng.normal(size=120) * 4
    nodes = pd.DataFrame(
        {
            "id": [f"c{i}" for i in range(120)],
            "label": np.where(np.arange(120) < 110, np.array(["stays", "leaves"])[y], ""),
            "age": age.round(2),
            "months": (12 * age + rng.normal(size=120)).round(),
            "region": np.where(rng.random(120) < 0.7, np.array(["north", "south"])[y], "<west> & more"),
            "always": 1,
            "income": rng.normal(size=120) * 1e5,
        }
    )
    pairs = np.argwhere(np.triu(rng.random((120, 120)) < np.where(y[:, None] == y, 0.08, 0.02), k=1))
    edges = pd.DataFrame(pairs, columns=["source", "target"]).map("c{}".format)
    (folder / "customers").mkdir()
    nodes.to_csv(folder / "customers/nodes.csv", index=False)
    edges.to_csv(folder / "customers/edges.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def done(customers):
    process = start(customers, "customers/", *QUICK)
    out, _ = process.communicate(timeout=200)
    return process.returncode, out, stderr_of(customers).read_text()


class Page(html.parser.HTMLParser):
    """What a page would fetch, its elements, and whether they close."""

    def __init__(self, text: str):
        super().__init__()
        self.fetched, self.tags, self.open = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.fetched += [value for name, value in attributes if name in ("src", "href", "data", "action")]


def test_default_place_and_files(customers, done):
    code, out, errors = done
    assert code == 0, errors
    assert out.strip() == ("Done. Open results/customers/index.html; the numbers are in results/customers/ranking.csv.")
    files = sorted(path.name for path in (customers / "results/customers").iterdir())
    assert files == ["curve.csv", "groups.csv", "index.html", "ranking.csv"]
    assert "warning: customers: constant columns cannot matter: 'always'" in errors
    assert "Traceback" not in errors
    for bar in ("training", "scoring", "scoring groups", "keeping fewer"):
        assert re.search(rf"{bar} *: 100%", errors)


def test_ranking_csv(customers, done):
    table = pd.read_csv(customers / "results/customers/ranking.csv", keep_default_na=False)
    wanted = [
        "feature",
        "importance",
        "standard_error_repeats",
        "standard_error_seeds",
        "low",
        "high",
        "p_alone",
        "p_value",
        "p_adjusted",
        "p_holm",
        "starred",
        "reason",
        "sentence",
        "rank",
    ]
    assert set(wanted) <= set(table.columns)
    assert list(table["rank"]) == list(range(1, 8))
    assert {"age", "region=<west> & more", "income"} <= set(table["feature"])
    named = table.set_index("feature")
    assert "months" in named.loc["age", "judged_with"].split(", ")
    assert (table["low"] <= table["importance"]).all()
    assert (table["importance"] <= table["high"]).all()
    assert named.loc["always", ["importance", "p_value"]].tolist() == [0, 1]
    groups = pd.read_csv(customers / "results/customers/groups.csv").set_index("group")
    assert groups.loc["age + months", "kind"] == "correlated"
    assert groups.loc["age + months", "p_value"] == named.loc["age", "p_value"] == named.loc["months", "p_value"]
    assert (groups["starred"] == (groups["p_adjusted"] <= 0.05)).all()


def test_page_stands_alone(customers, done):
    text = (customers / "results/customers/index.html").read_text()
    page = Page(text)
    assert page.fetched == []
    assert page.tags.count("script") == 2  # the numbers, and what searches and sorts them
    assert "link" not in page.tags
    assert not re.search(r"url\(|@import|https?://", text)
    assert {"svg", "table", "details"} <= set(page.tags)
    assert "width=device-width" in text
    assert "region=&lt;west&gt; &amp; more" in text
    assert "<west>" not in text
    curve = pd.read_csv(customers / "results/customers/curve.csv")
    assert f"{100 * curve['accuracy'].iloc[-1]:.1f}\u00a0%" in text
    assert "nan" not in text.lower().replace("nanum", "")
    for heading in ("most important features", "How few features", "Whole columns", "Correlated", "p-values mean"):
        assert heading in text


@pytest.mark.parametrize("metric", ["macro_f1", "cross_entropy", "roc_auc"])
@pytest.mark.filterwarnings("ignore::graphsieve.data.own.reader.GraphWarning")
def test_options(customers, tmp_path, monkeypatch, metric):
    one = ("--model", "mlp", "--metric", metric, "--out", tmp_path / "elsewhere", "--seeds", 1, "--normalise", "none")
    rank_here(tmp_path, monkeypatch, customers / "customers", *QUICK, *one)
    table = pd.read_csv(tmp_path / "elsewhere/ranking.csv")
    assert table["standard_error_seeds"].isna().all()  # one seed tells nothing about seeds
    assert "nan" not in (tmp_path / "elsewhere/index.html").read_text().lower()
    assert [path.name for path in tmp_path.iterdir()] == ["elsewhere"]


@pytest.mark.filterwarnings("ignore::graphsieve.data.own.reader.GraphWarning")
def test_conditional_p_values(customers, tmp_path, monkeypatch):
    rank_here(tmp_path, monkeypatch, customers / "customers", *QUICK, "--seeds", 1, "--out", tmp_path / "plain")
    asked = ("--perturbation", "conditional", "--given", "graph", "degree", "--out", tmp_path / "conditional")
    rank_here(tmp_path, monkeypatch, customers / "customers", *QUICK, "--seeds", 1, *asked)
    plain, conditional = (pd.read_csv(tmp_path / name / "ranking.csv") for name in ("plain", "conditional"))
    assert set(plain["feature"]) == set(conditional["feature"])
    assert not plain["importance"].equals(conditional["importance"])
    assert "the other columns, graph, degree" in (tmp_path / "conditional/index.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere does not exist: give a folder with nodes.csv and edges.csv, an .npz or a .pt"),
        (["customers", "--best", "0"], "--best is 0: it must be at least 1"),
        (
            ["customers", "--metric", "r2"],
            "metric 'r2' is not for labels that are classes, as those of 'customers' are: choose",
        ),
        (["customers", "--seeds", "0"], "--seeds is 0: it must be at least 1"),
        (["customers", "--n-repeats", "0"], "--n-repeats is 0: it must be at least 1"),
        (["customers", "--epochs", "0"], "--epochs is 0: it must be at least 1"),
        (["customers", "--seed", "-1"], "--seed is -1: it must be at least 0"),
        (["nowhere", "--time-budget", "-3"], "--time-budget is -3: it must be positive"),
        (
            ["customers", "--out", "customers/edges.csv/out"],
            "cannot write to customers/edges.csv/out: customers/edges.csv",
        ),
        (["customers", "--device", "tpu"], "device 'tpu' is unknown: choose one of auto, cpu, cuda"),
    ],
)
def test_mistake_ends_in_one_sentence(customers, monkeypatch, arguments, message):
    with pytest.raises(SystemExit) as stopped:
        rank_here(customers, monkeypatch, *arguments)
    assert stopped.value.code.startswith(f"error: {message}")


def test_metrics_are_known_to_the_core():
    assert {*METRIC_NAMES, *NUMBER_METRIC_NAMES} <= set(METRICS)


@pytest.mark.filterwarnings("ignore::graphsieve.data.own.reader.GraphWarning")
def test_the_reduced_table_is_the_users_own(customers, tmp_path, monkeypatch, capsys):
    asked = ("--apply", "--best", 1, "--seeds", 1, "--out", tmp_path / "out")
    rank_here(tmp_path, monkeypatch, customers / "customers", *QUICK, *asked)
    best = pd.read_csv(tmp_path / "out/ranking.csv")["feature"][0].split("=")[0]
    before = (customers / "customers/nodes.csv").read_text().splitlines()
    place = before[0].split(",").index(best)
    wanted = [",".join([*line.split(",")[:2], line.split(",")[place]]) for line in before]
    assert (tmp_path / "out/reduced/nodes.csv").read_text().splitlines() == wanted
    edges = (customers / "customers/edges.csv").read_bytes()
    assert (tmp_path / "out/reduced/edges.csv").read_bytes() == edges
    assert f"The best 1 of 7 features are in {tmp_path / 'out/reduced'}." in capsys.readouterr().out
    assert read_own_graph(tmp_path / "out/reduced").column_groups[0] == best


@pytest.mark.parametrize("suffix", [".npz", ".pt"])
def test_a_reduced_file_of_arrays(tmp_path, suffix):
    rng = np.random.default_rng(0)
    arrays = {
        "x": rng.random((20, 4), np.float32),
        "edge_index": rng.integers(20, size=(2, 40)),
        "y": np.arange(20) % 2,
    }
    names = ["p", "q", "r", "s"]
    path = tmp_path / f"mine{suffix}"
    if suffix == ".npz":
        np.savez(path, **arrays, feature_names=names)
    else:
        tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
        torch.save(Data(**tensors, feature_names=names, note="stays"), path)
    graph = read_own_graph(path)
    ((name, content),) = reduced_files(path, graph, [3, 1], ReadingOptions()).items()
    (tmp_path / "reduced").mkdir()
    (tmp_path / "reduced" / name).write_bytes(content)
    reduced = read_own_graph(tmp_path / "reduced" / name)
    assert (name, reduced.names()) == (path.name, ["q", "s"])
    np.testing.assert_array_equal(reduced.x, graph.x[:, [1, 3]])
    np.testing.assert_array_equal(reduced.edge_index, graph.edge_index)
    np.testing.assert_array_equal(reduced.y, graph.y)


def test_tables_people_have_end_to_end(tmp_path, monkeypatch, capsys):
    """Semicolons, decimal commas, gaps, names of one's own and of ill will, a quantity, attributes of edges."""
    rng = np.random.default_rng(0)
    age, hostile = rng.normal(40, 9, size=90), "</title><script>alert(1)</script>"
    nodes = pd.DataFrame(
        {"Customer": [f"c{i}" for i in range(90)], "Spend": 10 * age + rng.normal(size=90), "age": age}
    )
    nodes[hostile] = np.where(rng.random(90) < 0.2, np.nan, rng.normal(size=90))
    pairs = pd.DataFrame(rng.integers(90, size=(200, 2)), columns=["from", "to"]).map("c{}".format)
    pairs["kind"] = rng.choice([hostile, "friend"], size=200)
    nodes.to_csv(tmp_path / "nodes.csv", index=False, sep=";", decimal=",")
    pairs.to_parquet(tmp_path / "edges.parquet")
    columns = ("--id", "customer", "--label", "spend", "--source", "from", "--target", "to", "--directed")
    out = tmp_path / "out"
    rank_here(tmp_path, monkeypatch, tmp_path, *QUICK, "--seeds", 1, *columns, "--out", out, "--apply", "--best", 1)
    said = capsys.readouterr()
    assert f"Edges: attributes (kind={hostile}, kind=friend) are used." in said.out
    assert "taken for a quantity" in said.err
    assert pd.read_csv(out / "ranking.csv")["feature"][0] == "age"
    assert "r2" in pd.read_csv(out / "curve.csv")
    assert sorted(path.name for path in (out / "reduced").iterdir()) == ["edges.parquet", "nodes.csv"]
    text = (out / "index.html").read_text()
    assert Page(text).tags.count("script") == 2  # of ours, and none of a name
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_help(monkeypatch, capsys):
    for arguments, wanted in ((["rank", "--help"], "--missing {indicator,median,drop}"), (["--help"], "rank")):
        monkeypatch.setattr(sys, "argv", ["graphsieve", *arguments])
        with pytest.raises(SystemExit) as stopped:
            main()
        assert stopped.value.code == 0
        assert wanted in capsys.readouterr().out


def test_the_installed_command_is_this_one():
    project = tomllib.loads((SCRIPT.parents[1] / "pyproject.toml").read_text())
    module, name = project["project"]["scripts"]["graphsieve"].split(":")
    assert getattr(importlib.import_module(module), name) is main
    (pattern,) = project["tool"]["setuptools"]["packages"]["find"]["include"]
    assert fnmatch.fnmatch("graphsieve_command", pattern)


@pytest.mark.filterwarnings("ignore::graphsieve.data.own.reader.GraphWarning")
def test_a_full_disk_leaves_nothing_behind(customers, tmp_path, monkeypatch):
    with mounted(tmp_path / "small", "size=16k"):
        with pytest.raises(SystemExit) as stopped:
            rank_here(tmp_path, monkeypatch, customers / "customers", *QUICK, "--seeds", 1, "--out", "small/out")
        assert re.fullmatch(
            r"error: cannot write small/out/.* \(No space left on device\): free .*", stopped.value.code
        )
        assert not files_below(tmp_path / "small")


def test_interrupt_leaves_nothing_behind(customers, tmp_path):
    endless = ("--permutations", 100_000, "--n-repeats", 2000, "--epochs", 2000)
    work = tmp_path / "work"
    work.mkdir()
    process = start(work, customers / "customers", *endless)
    deadline = time.monotonic() + 100
    while "training" not in stderr_of(work).read_text() and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=100)
    seen = stderr_of(work).read_text()
    assert process.returncode == 1
    assert seen.endswith("interrupted: no file was left half-written\n")
    assert "Traceback" not in seen
    assert list(work.iterdir()) == []
