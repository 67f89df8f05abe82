"""The comparison of selectors as its users run it: one small run, and what a change of it computes."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from graphsieve.data.graph import keep_columns, read_graph
from graphsieve.data.splits import choose_split
from graphsieve.models.training import train_model
from graphsieve.options import TrainingOptions
from graphsieve.study.selectors.curves import area
from workflow_runs import PROJECT, TINY, jobs, make_project, overlay, snakemake

BENCHMARK = Path(__file__).parent / "benchmark.yaml"
PAGES = ["which_selector", "selector_curves", "selector_ranks", "selector_cost", "transfer", "false_discoveries"]
RUN = "results/bench"


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """A project in which the small study has run, but for its index."""
    folder = make_project(tmp_path_factory.mktemp("benchmark"))
    targets = [f"{RUN}/notebooks/{name}.html" for name in PAGES]
    targets += [f"{RUN}/records/{name}" for name in ("settings.json", "scores_synthetic.csv.gz")]
    result = snakemake(folder, *targets, configs=(BENCHMARK,))
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


def read(project: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(project / RUN / name)


@pytest.mark.long
def test_every_share_is_a_training_on_the_best_features_alone(project):
    """Trained again here, on the columns with the highest scores."""
    records = read(project, "records/benchmark.csv")
    found = records.query("dataset == 'digits' and scorer == 'mi_train' and seed == 1").set_index("share")
    assert found["kept"].to_dict() == {0.05: 3, 0.1: 6, 0.5: 32}
    scores = read(project, "scores/digits/gcn/random/seed1/mi_train.csv")
    kept = np.sort(np.argsort(-scores["score"].to_numpy(), kind="stable")[:6])
    graph = read_graph(project / RUN / "graphs/digits.npz")
    split, options = choose_split(graph, "random", 1), TrainingOptions(hidden=8, epochs=3)
    training = train_model("gcn", keep_columns(graph, kept), split, options=options, seed=1)
    assert found.loc[0.1, "test_accuracy"] == pytest.approx(training.summary()["test_accuracy"])
    assert set(records.query("scorer == 'all'")["share"]) == {1.0}


@pytest.mark.long
def test_pages_have_every_scorer_and_the_areas_are_those_of_the_records(project):
    records = read(project, "records/benchmark.csv").query("dataset == 'digits' and seed == 0")
    curve = records.query("scorer == 'pt' or scorer == 'all'").assign(accuracy=100 * records["test_accuracy"])
    other = read(project, "records/benchmark.csv").query("dataset == 'digits' and seed == 1")
    second = other.query("scorer == 'pt' or scorer == 'all'").assign(accuracy=100 * other["test_accuracy"])
    areas = read(project, "tables/selector_areas.csv").set_index(["dataset", "scorer"])["mean"]
    assert areas["digits", "pt"] == pytest.approx((area(curve) + area(second)) / 2, abs=1e-3)
    assert set(areas.index) == {
        *(("digits", name) for name in ("npt_loss", "pt", "mi_train", "random")),
        *(("synthetic_h (ROC AUC)", name) for name in ("npt_loss", "pt", "mi_train")),
    }
    ranks = (project / RUN / "notebooks/selector_ranks.html").read_text()
    assert "3 scorers on 2 graphs" in ranks
    assert "NPT-loss on Digits" in ranks  # what was tuned where
    cost = read(project, "tables/selector_cost.csv")
    assert (cost["seconds"] > 0).any()
    assert set(cost["scorer"]) == {"npt_loss", "pt", "mi_train", "random"}
    assert "Take" in (project / RUN / "tables/which_selector.md").read_text()


@pytest.mark.long
def test_transfer_retrains_every_model_on_what_every_other_selects(project):
    records = read(project, "records/transfer.csv").query("share == 0.2")
    found = Counter(zip(records["scorer"], records["asked"], records["model"], strict=True))
    asked = {("npt_loss", asked, model): 1 for asked in ("gcn", "mlp") for model in ("gcn", "mlp")}
    assert found == asked | {("mi_train", "data", "gcn"): 1, ("mi_train", "data", "mlp"): 1}
    together = read(project, "records/benchmark.csv").query("scorer == 'npt_loss' and seed == 0 and share == 0.2")
    assert len(together) == 1  # trained beside the shares of the benchmark, in the same process
    scores = project / RUN / "scores/digits"
    assert not (scores / "mlp/random/seed0/mi_train.csv").exists()  # one ranking serves all models
    assert (scores / "mlp/random/seed0/npt_loss.csv").exists()
    asked = [read(project, f"scores/digits/{model}/random/seed0/npt_loss.csv")["score"] for model in ("gcn", "mlp")]
    found = read(project, "tables/transfer_rankings.csv").iloc[0]
    assert found["spearman_models"] == pytest.approx(asked[0].corr(asked[1], method="spearman"), abs=1e-3)


@pytest.mark.long
def test_a_new_scorer_is_all_that_a_run_that_starts_from_this_computes(project, tmp_path):
    config = yaml.safe_load(BENCHMARK.read_text())
    settings = {"run": "more", "start_from": RUN}
    settings["benchmark"] = {"scorers": [*config["benchmark"]["scorers"], "h_attr"]}
    settings["synthetic"] = {"scorers": ["mi", "h_attr"]}
    configs = (BENCHMARK, overlay(tmp_path, settings)[1])
    new = jobs(project, configs=configs)
    assert new["score"] == new["retrain_shares"] == 3  # h_attr: two seeds of digits, one of synthetic_h
    assert not {"train", "test_regime"} & set(new)
    assert new["score_regime"] == 1
    assert {"advise_selector", "draw_selector_curves", "rank_selectors", "cost_selectors", "draw_transfer"} <= set(new)
    target = "results/more/records/scores_synthetic.csv.gz"
    result = snakemake(project, target, configs=configs)
    assert result.returncode == 0, result.stdout + result.stderr
    made = pd.read_csv(project / "results/more/synthetic/synthetic_h/gcn/random.csv")
    assert set(made["scorer"]) == {"h_attr"}
    assert set(pd.read_csv(project / target)["scorer"]) == {"mi", "h_attr"}


@pytest.mark.long
def test_another_share_runs_again_what_lacks_it(project, tmp_path):
    settings = {"run": "more", "start_from": RUN, "benchmark": {"shares": [0.05, 0.1, 0.3, 0.5]}}
    new = jobs(
        project,
        f"{RUN.replace('bench', 'more')}/records/benchmark.csv",
        configs=(BENCHMARK, overlay(tmp_path, settings)[1]),
    )
    assert new["retrain_shares"] == 3


def test_models_are_an_axis_of_studies(tmp_path):
    """Scorers that ask no model score once for all of them."""
    project = make_project(tmp_path)
    studies = {"one_shot": {"models": ["gcn", "gat"], "datasets": ["digits"], "scorers": ["npt", "pt", "random"]}}
    studies |= {"adaptive": {"models": ["gin", "mlp"]}, "correlations": {"datasets": []}, "theory": {"datasets": []}}
    configs = overlay(tmp_path, studies)
    listed = snakemake(project, "--summary", configs=configs).stdout
    found = set(re.findall(r"^results/tiny/((?:scores|retrain|adaptive)/digits\S+\.csv)\t", listed, flags=re.MULTILINE))
    one_shot = {
        f"retrain/digits/{model}/random/seed0/{name}.csv"
        for model in ("gcn", "gat")
        for name in ("npt", "pt", "random")
    }
    scores = {f"scores/digits/gcn/random/seed0/{name}.csv" for name in ("npt", "pt", "random")}
    scores |= {"scores/digits/gat/random/seed0/npt.csv"}
    assert {path for path in found if path.startswith("retrain")} == one_shot
    assert {path for path in found if path.startswith("scores")} == scores
    adaptive = {path.split("/")[2] for path in found if path.startswith("adaptive") and "/full/" in path}
    assert adaptive == {"gin", "mlp"}
    assert yaml.safe_load(TINY.read_text())["one_shot"].get("models") is None


def test_the_benchmark_expands_to_its_graphs_scorers_and_seeds(tmp_path):
    project, configs = make_project(tmp_path), (PROJECT / "config/benchmark.yaml",)
    smaller = {"datasets": {name: {"seeds": 1} for name in ("cora", "pubmed", "texas")}, "transfer": {"datasets": []}}
    smaller |= {"benchmark": {"datasets": ["cora", "texas"]}, "synthetic": {"datasets": []}}
    listed = snakemake(project, "--summary", configs=(*configs, overlay(tmp_path, smaller)[1])).stdout
    found = re.findall(r"^results/benchmark/shares/(\w+)/\S+/(\w+)\.csv\t", listed, flags=re.MULTILINE)
    results = Counter(dataset for dataset, name in found if not name.endswith("_top"))
    named = yaml.safe_load(configs[0].read_text())["benchmark"]["scorers"]
    assert results == {"cora": len(named) - 2, "texas": len(named) - 1}  # loco and sage are for small graphs
