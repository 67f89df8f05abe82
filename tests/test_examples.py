"""The examples of README.md, run as they stand there."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import pytest
import torch
import yaml

from graphsieve import load_graph
from graphsieve.data import datasets
from graphsieve.data.own.reader import GraphWarning, read_own_graph
from graphsieve.models import layers
from graphsieve.models.classifier import build_model
from graphsieve.models.training import train_model
from graphsieve.options import TrainingOptions
from graphsieve.scoring import scorers
from graphsieve.scoring.scorers import ScoringTask, score_features

PROJECT = Path(__file__).parents[1]
MODULES = {f"scripts/{module.__name__.replace('.', '/')}.py": module for module in (datasets, layers, scorers)}
REGISTRIES = (datasets.DATASETS, layers.LAYERS, scorers.SCORERS, scorers.MODEL_OF_SCORER)
FEATURES_OF_WINE = 13


def blocks(language: str = "") -> list[str]:
    """What the README has between fences of this language."""
    page = (PROJECT / "README.md").read_text()
    return [text for found, text in re.findall(r"^```(\w*)\n(.*?)^```$", page, re.M | re.S) if found == language]


def additions() -> dict[str, str]:
    """The lines to put at the end of a file, by file."""
    found = (re.match(r"# at the end of (\S+)\n(.+)", block, re.S) for block in blocks("python"))
    return {match[1]: match[2] for match in found if match}


@pytest.fixture
def registered():
    """The examples, registered for the time of one test."""
    with contextlib.ExitStack() as restored:
        for registry in REGISTRIES:
            restored.enter_context(mock.patch.dict(registry))
        for path, lines in additions().items():
            exec(lines, dict(vars(MODULES[path])))
        yield


def test_each_of_the_three_is_shown_for_its_file():
    assert set(additions()) == set(MODULES)
    assert all(len(lines.splitlines()) <= 15 for lines in additions().values())


@pytest.mark.usefixtures("registered")
def test_the_dataset_loads():
    graph = load_graph("wine")
    assert (graph.name, graph.num_nodes, graph.num_features) == ("wine", 178, FEATURES_OF_WINE)
    directed = set(zip(*graph.edge_index.tolist(), strict=True))
    assert directed == {(target, source) for source, target in directed}


@pytest.mark.usefixtures("registered")
def test_the_model_is_built_and_learns(small_graph, small_split):
    training = TrainingOptions(hidden=16, epochs=60)
    model = train_model("cheb", small_graph, small_split, options=training).model.eval()
    with torch.no_grad():
        found = model(torch.from_numpy(small_graph.x), torch.from_numpy(small_graph.edge_index)).argmax(dim=1).numpy()
    assert np.mean(found == small_graph.y) > 0.8
    assert model.layout["name"] == "cheb"


@pytest.mark.usefixtures("registered")
def test_the_scorer_gives_a_score_a_feature_and_sees_which_matter(small_graph, small_split):
    training = TrainingOptions(hidden=16, classifier="none", epochs=20)
    model = train_model("gcn", small_graph, small_split, options=training).model.eval()
    values = score_features("gradient", ScoringTask(small_graph, small_split, 0, model=model)).values
    assert values.shape == (small_graph.num_features,)
    assert values[:3].min() > values[3:].max()


def test_the_python_example_runs(small_graph, small_split):
    example = next(block for block in blocks("python") if "adaptive_selection" in block)
    names = {"x": torch.from_numpy(small_graph.x), "y": torch.from_numpy(small_graph.y), "nodes": small_split.val}
    names |= {"edge_index": torch.from_numpy(small_graph.edge_index), "graph": small_graph, "split": small_split}
    names["MyModel"] = lambda num_features: build_model("gcn", num_features, small_graph.num_classes, hidden=4)
    names["model"] = names["MyModel"](small_graph.num_features)
    exec(example, names)
    assert names["result"].importances_mean.shape == (small_graph.num_features,)
    assert len(names["run"].kept) < small_graph.num_features


def test_the_folder_that_is_shown_is_a_graph(tmp_path):
    for first_line, file in {"id,label,": "nodes.csv", "source,target": "edges.csv"}.items():
        (shown,) = (block for block in blocks() if block.startswith(first_line))
        (tmp_path / file).write_text(shown)
    with pytest.warns(GraphWarning, match="fewer than 3 nodes are labelled"):
        graph = read_own_graph(tmp_path)
    assert graph.names() == ["age", "region=north", "region=south", "newsletter"]
    assert graph.y.tolist() == [0, 1, -1]
    assert graph.edge_index.shape == (2, 4)


@pytest.mark.long
def test_the_three_together_run_through_to_a_row_of_the_table(tmp_path):
    """In a copy of the project, with the README's config, only smaller."""
    for name in ("workflow", "notebooks", "config", "envs"):
        (tmp_path / name).symlink_to(PROJECT / name)
    shutil.copytree(PROJECT / "scripts", tmp_path / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    for path, lines in additions().items():
        with (tmp_path / path).open("a") as file:
            file.write(f"\n\n{lines}")
    (config,) = (block for block in blocks("yaml") if block.startswith("# mine.yaml"))
    (tmp_path / "mine.yaml").write_text(config)
    smaller = {"training": {"hidden": 8}, "datasets": {"wine": {"epochs": 5}}}
    smaller["one_shot"] = {"scorers": ["gradient"], "seeds": 1}
    (tmp_path / "smaller.yaml").write_text(yaml.safe_dump(smaller))

    table = "results/mine/tables/table2_feature_selection.csv"
    command = [sys.executable, "-m", "snakemake", "--cores", "2", table, "--configfile", "mine.yaml", "smaller.yaml"]
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    environment["PYTHONPATH"] = str(tmp_path / "scripts")  # the copy, not the installed package
    done = subprocess.run(command, cwd=tmp_path, env=environment, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = pd.read_csv(tmp_path / table)[["scorer", "dataset"]].to_numpy().tolist()
    assert sorted(rows) == [["all", "wine"], ["gradient", "wine"]]
    scores = pd.read_csv(tmp_path / "results/mine/scores/wine/cheb/random/seed0/gradient.csv")
    assert len(scores) == FEATURES_OF_WINE
    assert (scores["score"] > 0).all()
